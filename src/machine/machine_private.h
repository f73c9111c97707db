/* SPDX-License-Identifier: MIT */
/* What the files of machine/ share. */
#ifndef MACHINE_MACHINE_PRIVATE_H
#define MACHINE_MACHINE_PRIVATE_H

#include "gpu/bounds.h"
#include "gpu/slices.h"
#include "gpu/standing.h"
#include "gpu/touched.h"
#include "gpu/trace.h"
#include "machine/machine.h"
#include "machine/model.h"
#include "machine/parameters.h"
#include "machine/selection.h"
#include "machine/watch.h"

struct machine_code {
    struct program *program; /* borrowed */
    struct isa_code *decoded;
    uint64_t addr, bytes; /* of the image in device memory */
    const struct isa *isa;
};

/* Device memory that launches use: arguments, dispatch packet and queue record, and the wavefronts'
 * scratch. Kept from launch to launch, so that addresses do not depend on how often a kernel ran.
 */
struct launch_memory {
    uint64_t arguments, argument_bytes;
    uint64_t packet, packet_bytes; /* dispatch packet (64 bytes), queue record (256) behind it */
    uint64_t scratch, scratch_bytes;
    uint64_t print; /* what kernels print (print_buffer.c); 0 until one does */
};

/* Intervals of the running launch (sample.c). */
struct sampling {
    struct snapshot counted;       /* statistics at the end of the latest interval */
    struct changes changes;        /* of the latest interval */
    uint64_t kernel_cycles;        /* of earlier launches */
    uint64_t cycles, instructions; /* of the launch, at the end of the latest interval */
};

struct machine {
    struct machine_options options;
    const struct machine_parameters *parameters;
    const struct isa *isa;
    uint64_t breaks; /* debug.break */
    struct backing backing;
    struct registry registry;
    struct model *model;
    struct launch_memory launch_memory;
    struct trace trace;
    struct trace *traced; /* &trace when instructions are traced, else NULL */
    uint64_t launch_count;
    struct snapshot counted; /* statistics at the latest launch's start or end */
    struct changes changes;  /* of the latest launch */
    struct sampling sampling;
    const struct machine_launch *running; /* NULL: none */
    struct watch watch;                   /* of the running launch */
    struct slices slices;                 /* of the running launch (slices.c) */
    struct profile_kernel *profiles;      /* profile.c */
    uint32_t profile_count;
    struct machine_outside *outside;
    uint32_t outside_count;
    double run_seconds;
    bool is_lost;   /* a launch ended in the middle: nothing can run any more */
    bool is_warned; /* of reading memory then */
};

/* ---- Either model ---- */

/* The host's view of device memory, without charge. */
void memory_write(struct machine *machine, uint64_t addr, const void *bytes, uint64_t count);
void memory_read(struct machine *machine, uint64_t addr, void *bytes, uint64_t count);

/* Gives device memory back, and drops what the caches hold of it. */
void memory_release(struct machine *machine, uint64_t addr);

/* Fills in everything of a launch but the work-groups' placement. */
bool launch_prepare(struct machine *machine, const struct machine_launch *launch,
                    struct isa_kernel *kernel, struct isa_launch *isa_launch,
                    struct diagnosis *diagnosis) MUST_USE;

/* Memory as kernels may access it. */
struct bounds machine_bounds(const struct machine *machine);
/* Remembers what a launch dropped, or which bytes it loaded old, if it did. */
void machine_note_outside(struct machine *machine, const struct machine_launch *launch,
                          const struct outside *outside, bool is_old_bytes);

/* ---- print_buffer.c ---- */

/* Whether the kernel may print: its hidden arguments name the buffer. */
bool print_buffer_is_used(const struct machine_launch *request);
/* Empties the buffer, which is made the first time. */
bool print_buffer_prepare(struct machine *machine, struct diagnosis *diagnosis) MUST_USE;
/* Hands over what the launch printed, and counts in `result` what was lost. */
void print_buffer_deliver(struct machine *machine, const struct machine_launch *request,
                          struct machine_launch_result *result);

/* The source line of the instruction at device address `pc`; context is a struct machine_code. */
bool code_source_line(void *context, uint64_t pc, char *place, size_t place_bytes);

/* Of the running launch. */
void machine_progress(const struct machine *machine, struct machine_progress *progress);
/* To be called now and then while a launch runs; context is the struct machine. */
void machine_beat(void *context);
/* Says lines to people. */
void machine_say(const struct machine *machine, struct text *lines);

/* Brings statistics that count cycles up to the present. */
void machine_settle(struct machine *machine);

/* ---- sample.c ---- */

void sample_begin(struct machine *machine);
/* At the end of an interval: so far the launch has taken so many cycles and instructions. */
void sample_take(struct machine *machine, uint64_t cycles, uint64_t instructions);
/* The last interval of a launch, which has ended or failed. */
void sample_end(struct machine *machine, const struct machine_launch *launch,
                const struct machine_launch_result *result);
void sample_finish(struct machine *machine);

/* ---- profile.c ---- */

/* The profile of the launch's kernel; NULL: none is made. */
const struct profile *machine_profile_of(struct machine *machine,
                                         const struct machine_launch *launch);
/* The code goes: what its profiles say becomes lines. */
void machine_profile_forget(struct machine *machine, const struct machine_code *code);
void machine_profile_finish(struct machine *machine);

/* ---- slices.c ---- */

bool machine_slices_open(struct machine *machine, struct diagnosis *diagnosis) MUST_USE;
/* Where the launch notes what its wavefronts do; NULL: nothing of it is chosen. */
struct slices *machine_slices_of(struct machine *machine, const struct machine_launch *launch);
/* Hands over what the launch, which has ended, has noted. */
void machine_slices_give(struct machine *machine, const struct machine_launch *launch);

/* ---- page.c ---- */

/* Appends a line: the running launch, how long it has made no progress, where it stands. */
void page_no_progress(const struct machine *machine, double seconds, struct text *text);

/* ---- digest.c ---- */

/* Of what the program's buffers hold, in memory and caches; context is a struct machine. Equal
 * bytes have equal digests; changes nothing. */
uint64_t machine_digest(const void *context);

#endif

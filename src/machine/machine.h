/* SPDX-License-Identifier: MIT */
/*
 * A whole GPU, built from its configuration: what the OpenCL driver and the command line talk to.
 * All points of variation (ISA, protocol, memory, transactional memory) meet in machine/, and
 * nothing outside names a concrete type of them.
 *
 * Two models: `timed` (cycle by cycle) and `functional` (the same instructions, no time; the oracle
 * for the other).
 *
 * Commands are synchronous: each call returns when the simulated machine has done it. Simulated
 * time advances only by commands. Host transfers take a latency and a bandwidth, launches a latency
 * and the kernel's cycles. Host time between commands counts zero.
 *
 * A machine belongs to one thread at a time. Several machines in one process do not know of each
 * other.
 */
#ifndef MACHINE_MACHINE_H
#define MACHINE_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diagnosis.h"
#include "base/text.h"
#include "isa/isa.h"
#include "mem/backing.h"
#include "program/program.h"
#include "sim/registry.h"

enum machine_model { MACHINE_TIMED, MACHINE_FUNCTIONAL };

/* ---- Configuration ---- */

/* A resolved parameter: what it is, where its value comes from. */
struct setting {
    char *path; /* "l1.mshr_entries" */
    const struct parameter *parameter;
    void *field;  /* where the value lies, inside the machine's parameters */
    char *origin; /* "default", "gpus/hd7970.yaml:12", "command line"; NULL until resolved */
    char *source; /* what the configuration says about where the number comes from; NULL: nothing */
};

struct configuration {
    struct machine_parameters *parameters; /* machine/parameters.h; the resolved values */
    struct setting *settings;              /* in declaration order */
    uint32_t setting_count;
    char *name;  /* "hd7970" */
    char *title; /* "AMD Radeon HD 7970 (Tahiti XT), 925/1375 MHz" */
    char *file;  /* path of the YAML file */
};

/* Reads gpus/NAME.yaml (WAVETANK_GPUS, else the source tree or the installation) or the file named,
 * applies what it inherits, then `overrides` ("path=value", in order). */
struct configuration *configuration_load(const char *name_or_file, const char *const *overrides,
                                         uint32_t override_count, struct diagnosis *diagnosis);
void configuration_destroy(struct configuration *configuration);
/* The setting of that path, or NULL. */
const struct setting *configuration_find(const struct configuration *configuration,
                                         const char *path);
/* Appends the value as it would be written in YAML. */
void setting_print_value(const struct setting *setting, struct text *text);
/* Prints the whole resolved configuration as YAML with origins, readable by configuration_load. */
void configuration_print(const struct configuration *configuration, FILE *stream);
/* Names of the configurations that can be found (no path, no suffix), sorted; freed with the
 * strings by the caller. */
char **configuration_list(uint32_t *count);

/* ---- What there is to choose from ---- */

/* A word that a parameter takes, with its meaning in a line. */
struct machine_choice {
    const char *name, *help;
    bool is_global; /* a transactional memory: of global memory */
};
/* Entry `index` of what gpu.protocol, gpu.transactional_memory and debug.break may be; false past
 * the last. */
bool machine_protocol(uint32_t index, struct machine_choice *choice);
bool machine_transactional_memory(uint32_t index, struct machine_choice *choice);
/* Adds a table of what the transactional memory stores on that machine, in bytes by structure.
 * False: there is none of that name, or it says nothing. */
bool machine_storage(const struct configuration *configuration, const char *system,
                     struct text *text);
bool machine_break(uint32_t index, struct machine_choice *choice);

/* ---- Machine ---- */

struct machine;

struct machine_progress {
    const char *kernel;
    uint64_t groups_done, groups_started, groups_total;
    uint64_t cycles, instructions; /* of this launch */
};

struct machine_kernel_record;
struct machine_sample;
struct machine_slice;

struct machine_options {
    const struct configuration *configuration; /* borrowed, must outlive the machine */
    enum machine_model model;
    const char *trace_selection;            /* --trace-instructions; NULL: none. See gpu/trace.h */
    const char *memory_trace_selection;     /* --trace-memory; NULL: none. See gpu/trace.h */
    FILE *trace_stream;                     /* of both; NULL: stderr */
    const volatile sig_atomic_t *interrupt; /* non-zero: stop cleanly; NULL: none */
    uint64_t max_cycles;                    /* of core clock per process; 0: no limit */
    bool
        /* buffers end at their last byte on the timed model too, not at a page's */
        has_exact_bounds;
    bool checks_release;  /* machine_outside tells of loads older than another unit's store */
    bool counts_coverage; /* machine_print_coverage has something to say (timed model) */
    bool has_profile;     /* machine_profile has something to say (timed launches) */
    /* What of timed launches is told of in detail (gpu/trace.h, for a timeline); NULL: nothing. */
    const char *slice_selection;
    /* At the end of a launch, before `record`: slices, track by track, each between what it lies in
     * and what lies in it. */
    void (*slice)(const struct machine_slice *slice);
    bool drops_outside; /* an access outside all buffers is no fault: machine_outside counts it */
    /* Which launches the timed model times (machine/selection.h); NULL: all. The others run
     * functionally on the same memory, take no simulated time and change no statistic. Caches are
     * empty after them, or with `warms_caches` L2 holds the lines that they touched last. */
    const char *timed_launches;
    bool warms_caches;
    void (*progress)(void *context,
                     const struct machine_progress *progress); /* now and then; NULL */
    /* Lines for people, about a launch that makes no progress or was stopped. NULL: stderr. */
    void (*say)(void *context, const char *lines);
    void *progress_context; /* of both */
    /* At the end of each launch that ran, finished or not; NULL. The machine keeps no record. */
    void (*record)(void *context, const struct machine_kernel_record *record);
    void *record_context;
    /* Every so many core cycles of each launch, and at its end before `record` (timed model); 0:
     * never. */
    uint64_t sample_cycles;
    void (*sample)(void *context, const struct machine_sample *sample);
    void *sample_context;
};

struct machine *machine_create(const struct machine_options *options, struct diagnosis *diagnosis);
void machine_destroy(struct machine *machine);

enum machine_model machine_model(const struct machine *machine);
struct backing *machine_backing(struct machine *machine);

/* ---- Memory: host transfers are an agent of the memory system; they see dirty lines and drop
 * stale copies. ---- */

/* How a transfer is charged: PINNED and PAGEABLE have their own bandwidths, NONE takes no time
 * (arguments, code). */
enum machine_transfer { TRANSFER_PAGEABLE, TRANSFER_PINNED, TRANSFER_ON_DEVICE, TRANSFER_UNTIMED };

uint64_t machine_allocate(struct machine *machine, uint64_t bytes, uint64_t align,
                          const char *name);
/* Appends the bytes from `addr` on until a zero or the end of the buffer or program that it lies
 * in. False: it lies in none. */
bool machine_read_string(struct machine *machine, uint64_t addr, struct text *text) MUST_USE;
void machine_free(struct machine *machine, uint64_t addr);
void machine_write(struct machine *machine, uint64_t addr, const void *bytes, uint64_t count,
                   enum machine_transfer transfer);
void machine_read(struct machine *machine, uint64_t addr, void *bytes, uint64_t count,
                  enum machine_transfer transfer);
void machine_copy(struct machine *machine, uint64_t to, uint64_t from, uint64_t count);
void machine_fill(struct machine *machine, uint64_t addr, const void *pattern,
                  uint32_t pattern_bytes, uint64_t count);
/* One charge for a whole command that is made of many rows (rectangles, maps): call the above
 * UNTIMED, then this. */
void machine_charge_transfer(struct machine *machine, uint64_t bytes,
                             enum machine_transfer transfer);

/* ---- Code ---- */

/* A program placed in device memory and decoded. */
struct machine_code;
struct machine_code *machine_load(struct machine *machine, struct program *program,
                                  struct diagnosis *diagnosis);
void machine_unload(struct machine *machine, struct machine_code *code);

/* What clGetKernelWorkGroupInfo and occupancy questions need. */
bool machine_kernel(const struct machine_code *code, const char *name, struct isa_kernel *kernel,
                    struct diagnosis *diagnosis) MUST_USE;

struct machine_launch {
    struct machine_code *code;
    const struct program_kernel *kernel; /* of the program that code was loaded from */
    uint32_t dimensions;
    uint64_t global_size[3], global_offset[3];
    uint32_t group_size[3];
    uint32_t dynamic_lds_bytes;
    /* Timed model: the compute units that its work-groups go to; 0 units: all. The functional model
     * has none. */
    uint32_t first_compute_unit, compute_unit_count;
    const void *arguments; /* kernarg_bytes bytes: visible arguments filled in; the machine adds the
                              hidden ones */
    /* Called when the launch has ended, once for each printf call that found room: the number of
     * its format and its arguments. In the order of simulated time; in the functional model, of
     * work-groups, work-items and calls. NULL: nothing is printed. */
    void (*print)(void *context, const unsigned char *record, uint32_t bytes);
    void *print_context;
};

enum machine_outcome { LAUNCH_DONE, LAUNCH_INTERRUPTED, LAUNCH_CYCLE_LIMIT, LAUNCH_FAILED };

struct machine_launch_result {
    enum machine_outcome outcome;
    bool is_untimed; /* a timed machine ran it functionally: it is not among timed_launches */
    uint64_t start_ns, end_ns; /* simulated time of the machine */
    uint64_t cycles; /* core cycles from the first work-group's dispatch to the last store's arrival
                        in L2 */
    uint64_t instructions; /* wavefront instructions */
    uint64_t groups_done, groups_total;
    uint64_t lost_print_records, lost_print_bytes; /* printf calls that found no room, and the room
                                                      that they asked for */
};

/* Whether work-groups of the launch fit into a compute unit: its wavefronts, registers, local
 * memory, transactions. False: the diagnosis says why not. Arguments do not matter. */
bool machine_fits(const struct machine *machine, const struct machine_launch *launch,
                  struct diagnosis *diagnosis) MUST_USE;
/* Runs a launch to its end. False and a diagnosis when it could not run: too large a group, a
 * refused instruction, an access outside all buffers. The message names kernel, instruction and
 * source line. A launch that ran makes one machine_options.record. */
bool machine_run(struct machine *machine, const struct machine_launch *launch,
                 struct machine_launch_result *result, struct diagnosis *diagnosis) MUST_USE;

/* Appends where the wavefronts of the present launch stand and what they wait for, in a few lines
 * for people; nothing when none is running. To be called by the thread that runs it. */
void machine_explain(const struct machine *machine, struct text *text);

/* What was dropped (drops_outside), and bytes that were loaded old (checks_release), by kernel
 * name, in the order of the first launches with such. Borrowed. */
struct machine_outside {
    char *kernel;
    bool is_old_bytes;
    uint64_t accesses, launches; /* accesses of work-items, or bytes; launches that had some */
    struct diagnosis first;
};
const struct machine_outside *machine_outside(const struct machine *machine, uint32_t *count);

/* Appends how often each row of the protocol's tables was used so far. All caches of a role are
 * counted together, and host transfers too. Nothing unless options.counts_coverage. */
void machine_print_coverage(const struct machine *machine, struct text *text);

/* The setting with which barrier and mem_fence would be fences of the device, where the protocol
 * took some for the work-group's alone and there were atomics too. Else NULL. */
const char *machine_wide_fences(const struct machine *machine);

/* What a source line of a kernel did and waited for in all timed launches. Borrowed for the
 * call. */
struct machine_profile_line {
    const char *kernel;
    const uint64_t *code_hash; /* [2]: of the program */
    const char *file;          /* NULL: the line is not known */
    uint32_t line;
    const uint64_t *values; /* [machine_profile_columns] */
};
typedef void machine_profile_visit(void *context, const struct machine_profile_line *line);
/* Kernels in the order of their first launches, lines in that of files and numbers. Nothing unless
 * options.has_profile. */
void machine_profile(struct machine *machine, machine_profile_visit *visit, void *context);

/* Column `index` of these values (gpu/profile.h); false past the last. Strings are static. */
struct machine_profile_column {
    const char *name, *unit, *help;
};
bool machine_profile_column(uint32_t index, struct machine_profile_column *column);

/* Simulated nanoseconds since the machine was built. */
uint64_t machine_time_ns(const struct machine *machine);

/* Lines of the trace so far. */
uint64_t machine_traced(const struct machine *machine);

/* ---- Statistics ---- */

/* A launch that has ended: what report/ turns into tables and JSON. Borrowed for the call of
 * machine_options.record. */
struct machine_kernel_record {
    const char *name;
    uint64_t code_hash[2];
    struct machine_launch_result result;
    uint32_t dimensions;
    uint64_t global_size[3];
    uint32_t group_size[3];
    uint32_t vector_registers, scalar_registers, lds_bytes, scratch_bytes;
    const struct changes *changes; /* what it added to the statistics of machine_registry */
};

/* What happened in an interval of a launch; the intervals of a launch add up to it. Borrowed for
 * the call of machine_options.sample. */
struct machine_sample {
    const char *kernel;
    uint64_t launch;        /* from 1 */
    uint64_t start, cycles; /* core cycles of kernels before it, and its own */
    uint64_t end_ns;        /* simulated time of the machine */
    uint64_t instructions;
    const struct changes *changes;
};

/* A slice of a timeline begins or ends. On the track of a wavefront slot are wavefronts, in them
 * their instructions, which leave no gap, in these what was waited for. On tracks of accesses are
 * line accesses of vector memory, in them the parts of their journeys. Borrowed for the call of
 * machine_options.slice. */
struct machine_slice {
    uint32_t unit; /* compute unit */
    bool is_access;
    uint32_t track; /* of the unit: wavefront slot; of accesses, from 0 */
    bool ends;      /* then nothing below is said but the time */
    uint64_t ns;
    uint64_t cycles; /* of the core clock, from its begin to its end */
    const char *name;
    const char *detail;  /* where in the source it stands, or of whom it is; NULL: not known */
    uint64_t address;    /* of an access, its line's; else 0 */
    uint32_t bytes;      /* of an access */
    bool is_last_answer; /* of an access: the latency stacks count it */
};
const struct registry *machine_registry(const struct machine *machine);
/* All values since the machine was built, brought up to the present. The caller ends it with
 * snapshot_finish. */
void machine_snapshot(struct machine *machine, struct snapshot *snapshot);

/* The simulator's own work, for its speed: host seconds spent inside machine_run, engine instants
 * and ticks. */
struct machine_effort {
    double run_seconds;
    uint64_t instants, ticks;
};
struct machine_effort machine_effort(const struct machine *machine);

#endif

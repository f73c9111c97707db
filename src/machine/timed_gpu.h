/* SPDX-License-Identifier: MIT */
/*
 * The timed GPU as it is wired:
 *
 * dispatcher ⇄ compute unit i ⇄ L1 i ────────────────┐
 *                    ├────────⇄ scalar cache i/4 ──────┼─► requests crossbar ──► L2 slice ⇄ channel
 *                    └────────⇄ instruction cache i/4 ─┘◄─ responses crossbar ◄────┘
 *
 * Nodes of the crossbars: upper caches in the order L1s, scalar caches, instruction caches;
 * channels.
 */
#ifndef MACHINE_TIMED_GPU_H
#define MACHINE_TIMED_GPU_H

#include "machine/machine_private.h"
#include "mem/junction.h"
#include "mem/network.h"
#include "mem/pump.h"
#include "sim/port.h"

/* Of a compute unit. */
struct unit_links {
    struct link vector, scalar, fetch; /* to the L1, the scalar and the instruction cache */
    struct port launches, completions; /* from and to the dispatcher */
};

struct timed_gpu {
    struct model model;
    struct machine *machine;
    const struct machine_parameters *parameters;
    const struct protocol *protocol;
    struct engine engine;
    struct clock_domain *core, *memory;
    struct address_map map;
    struct dispatcher *dispatcher;
    struct shadow *shadow; /* of --check-release; else NULL */
    struct tm_set tm;
    struct scalar_words *scalar_words;   /* NULL: transactions mean nothing */
    struct global_oracle *global_oracle; /* of --check-transactions, for global memory; else NULL */
    struct tm_facts tm_facts;
    struct tm_centre *centres[TM_MAX_SYSTEMS]; /* NULL: the system has none */
    struct port *centre_ports;                 /* of all centres, two for each compute unit */
    uint32_t centre_port_count;
    /* Of the system that uses the network; NULL: none does. */
    struct tm_partition **partitions;                    /* of each channel */
    struct junction *unit_junctions, *channel_junctions; /* beside L1s; beside channels */
    struct compute_unit **units;
    uint32_t unit_count;
    struct cache *uppers;               /* nodes of the crossbar */
    uint32_t upper_count, shared_count; /* shared: scalar caches, and as many instruction caches */
    struct cache *slices;
    struct network network;
    struct dram_channel *channels;
    struct unit_links *unit_links; /* of each compute unit */
    struct controller **upper_controllers, **slice_controllers;
    struct pump pump;
    uint64_t instructions_before;
    uint64_t kernel_cycles;  /* of all launches so far */
    uint64_t wait_remainder; /* millionths of a unit of time, from waits in nanoseconds */
};

/* ---- timed_gpu.c: as machine/model.h says ---- */
struct timed_gpu *timed_gpu_create(struct machine *machine, struct diagnosis *diagnosis);
void timed_gpu_destroy(struct timed_gpu *gpu);
bool timed_gpu_run(struct timed_gpu *gpu, const struct isa_launch *launch,
                   const struct machine_launch *request, struct machine_launch_result *result,
                   struct diagnosis *diagnosis) MUST_USE;
/* Fills in `launch` too. */
bool timed_gpu_fits(const struct timed_gpu *gpu, const struct isa_launch *isa_launch,
                    const struct machine_launch *request, struct launch *launch,
                    struct diagnosis *diagnosis) MUST_USE;
void timed_gpu_progress(const struct timed_gpu *gpu, struct machine_progress *progress);
uint64_t timed_gpu_now_ns(const struct timed_gpu *gpu);
void timed_gpu_wait_ns(struct timed_gpu *gpu, uint64_t nanoseconds);
/* digest.c, coverage.c */
uint64_t timed_gpu_digest(const struct timed_gpu *gpu);
void timed_gpu_print_coverage(const struct timed_gpu *gpu, struct text *text);

/* Before a launch that runs functionally: memory has all bytes, no cache a line. */
void timed_gpu_empty_caches(struct timed_gpu *gpu);
/* After it: L2 holds the newest of these lines. */
void timed_gpu_warm_caches(struct timed_gpu *gpu, const struct touched *touched);

/* Appends what lies in ports, a line for each that is not empty. page.c */
void page_wires(const struct timed_gpu *gpu, struct text *text);

/* Makes all links and connects everything. timed_gpu_wiring.c */
void timed_gpu_wire(struct timed_gpu *gpu);
void timed_gpu_unwire(struct timed_gpu *gpu);
/* Every port, in order of construction. */
void timed_gpu_visit_ports(const struct timed_gpu *gpu,
                           void (*visit)(void *context, const struct port *port), void *context);

/* Scalar words; an oracle for global memory, if one is asked for; what it is told of a launch.
 * False: it found a violation. timed_gpu_oracle.c */
void timed_gpu_add_oracle(struct timed_gpu *gpu);
void timed_gpu_oracle_start(struct timed_gpu *gpu, const struct launch *launch);
bool timed_gpu_oracle_judge(struct timed_gpu *gpu, const struct launch *launch,
                            const struct machine_launch *request, struct diagnosis *diagnosis);
/* False: a scalar load of the launch has read what a transaction of it wrote. */
bool timed_gpu_judge_scalars(struct timed_gpu *gpu, const struct launch *launch,
                             const struct machine_launch *request, struct diagnosis *diagnosis);

/* What the systems are told of the machine; gives them the memory that they ask for. */
void timed_gpu_tell_systems(struct timed_gpu *gpu);
/* What the transactional memories have once, or at each channel, and its ports.
 * timed_gpu_centres.c */
void timed_gpu_add_centres(struct timed_gpu *gpu);
void timed_gpu_remove_centres(struct timed_gpu *gpu);

#endif

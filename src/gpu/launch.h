/* SPDX-License-Identifier: MIT */
/*
 * One kernel launch as the compute units and the functional device see it, and the two messages
 * that work-groups travel in.
 *
 *     dispatcher ── struct group_launch ──► compute unit
 *     dispatcher ◄── struct group_done ──── compute unit
 *
 * The dispatcher owns the bookkeeping of every compute unit's wavefront slots, registers, local
 * memory and barriers (gpu/residency.h). It says in the launch message where each wavefront goes,
 * and the compute unit obeys. The resources are free again when the completion message has arrived.
 */
#ifndef GPU_LAUNCH_H
#define GPU_LAUNCH_H

#include <stdint.h>

#include "isa/isa.h"
#include "tm/tm.h"

struct profile;
struct trace;

enum {
    GPU_MAX_SIMDS = 16,       /* of a compute unit */
    GPU_MAX_SLOTS = 64,       /* wavefront slots of a compute unit: masks have 64 bits */
    GPU_MAX_GROUP_WAVES = 16, /* wavefronts of a work-group */
    GPU_MAX_GROUPS = 64 /* work-groups resident in a compute unit: at least one wavefront each */
};

/* A launch; borrowed until it is done. */
struct launch {
    const struct isa_launch *isa;
    const char *kernel;            /* its name: for traces and messages */
    struct trace *trace;           /* NULL: not traced */
    const struct profile *profile; /* gpu/profile.h; NULL: none is made. Borrowed */
    uint32_t wave_lanes;
    uint32_t wave_count;  /* wavefronts of each work-group */
    uint64_t group_count; /* work-groups in all */
    /* Work-groups go to these compute units alone; 0 units: to all. */
    uint32_t first_unit, unit_count;
    /* What a wavefront and a work-group take of a compute unit. */
    uint32_t vector_registers, scalar_registers, lds_bytes;
};

/* Fills `launch`, which borrows everything it is given. wave_lanes: work-items of a wavefront. */
void launch_init(struct launch *launch, const struct isa_launch *isa, uint32_t wave_lanes,
                 const char *kernel, struct trace *trace);

/* Adds what the transactional memory needs, if the kernel has transactions. False: that is more
 * local memory than a work-group may have. */
bool launch_add_transactions(struct launch *launch, const struct tm_set *set,
                             const struct tm_parameters *parameters, const struct tm_facts *facts,
                             struct diagnosis *diagnosis) MUST_USE;

/* The work-group of linear number `number`, x fastest. */
struct isa_group launch_group(const struct launch *launch, uint64_t number);

/* What the caches are told, by each compute unit, before the first work-group and after the
 * last. */
enum launch_boundary { BOUNDARY_NONE, BOUNDARY_START, BOUNDARY_END };

struct group_launch {
    uint8_t boundary; /* enum launch_boundary; if it is one, no work-group starts */
    const struct launch *launch;
    struct isa_group group;
    uint32_t slot;     /* of the work-group in the compute unit: comes back in group_done */
    uint32_t lds_base; /* first byte of its local memory in the compute unit's */
    uint8_t wavefronts[GPU_MAX_GROUP_WAVES]; /* wavefront slot of each; slot / slots per SIMD is its
                                                SIMD */
};

struct group_done {
    uint32_t slot; /* or BOUNDARY_SLOT: the caches have answered */
};
#define BOUNDARY_SLOT UINT32_MAX

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What of a compute unit is in use: wavefront slots, vector and scalar registers by SIMD, local
 * memory, barriers. The dispatcher keeps one for each compute unit.
 *
 * A work-group is resident as a whole: it takes all it needs at once and gives it back when its
 * last wavefront is done. Its wavefronts go to the SIMDs in turn, or work-groups do
 * (group_on_one_simd). Local memory is one run of granules, first fit. A work-group of one
 * wavefront needs no barrier.
 *
 * Left out: fragmentation of the register files (registers are counted, not placed), and giving
 * back a wavefront's registers before its work-group has ended.
 */
#ifndef GPU_RESIDENCY_H
#define GPU_RESIDENCY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/compute_unit.h"
#include "gpu/launch.h"

enum { RESIDENCY_GRANULES = 1024 };

struct residency {
    const struct compute_unit_parameters *parameters;
    uint64_t free_slots;  /* wavefront slots */
    uint64_t free_groups; /* work-group slots */
    uint32_t free_vector[GPU_MAX_SIMDS], free_scalar[GPU_MAX_SIMDS];
    uint32_t free_barriers;
    uint32_t next_simd; /* where the next wavefront is tried first */
    uint64_t used_granules[RESIDENCY_GRANULES / 64];
    struct resident_group {
        uint64_t slots;
        uint32_t vector, scalar; /* registers of each wavefront */
        uint32_t first_granule, granules;
        bool has_barrier;
    } groups[GPU_MAX_GROUPS];
};

void residency_init(struct residency *residency, const struct compute_unit_parameters *parameters);

/* Takes what one work-group of the launch needs and fills in where it goes (slot, lds_base,
 * wavefronts); false: no room, nothing has changed. */
bool residency_place(struct residency *residency, const struct launch *launch,
                     struct group_launch *place);
/* Whether residency_place would succeed. */
bool residency_has_room(const struct residency *residency, const struct launch *launch);
/* How many work-groups of the launch an empty compute unit holds. */
uint32_t residency_groups(const struct compute_unit_parameters *parameters,
                          const struct launch *launch);
void residency_release(struct residency *residency, uint32_t slot);

#endif

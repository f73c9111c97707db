/* SPDX-License-Identifier: MIT */
/* What is counted of a SIMD's issue slots and of the wavefronts that are resident. */
#ifndef GPU_ACCOUNT_H
#define GPU_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

struct wavefronts;

struct simd {
    uint64_t slots; /* mask of its wavefront slots */
    uint64_t valu_free_at;
    uint64_t counted_until; /* slots before this cycle are counted */
    uint32_t last;          /* the slot that went first in the latest turn in which any did */
};

/* Counts the SIMD's issue slots before `cycle`, of which there are some, under its present stall
 * cause. */
void account_stalls(struct wavefronts *waves, struct simd *simd, unsigned number, uint64_t cycle);
static inline void account_slots(struct wavefronts *waves, struct simd *simd, unsigned number,
                                 uint64_t cycle)
{
    if (simd->counted_until < cycle)
        account_stalls(waves, simd, number, cycle);
}
/* Counts the slot of this cycle, if something was done in it. */
void account_slot(struct wavefronts *waves, unsigned simd, bool issued, bool internal);

void account_residents(struct wavefronts *waves);

#endif

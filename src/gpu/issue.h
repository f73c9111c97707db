/* SPDX-License-Identifier: MIT */
/* A SIMD's turn: who issues (issue.c), what is consumed in the buffer (control.c), and what is counted of
 * slots (account.c). */
#ifndef GPU_ISSUE_H
#define GPU_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

struct compute_unit;
struct wavefront;

/* What was counted of a SIMD's slots. */
struct simd {
    uint64_t slots; /* mask of its wavefront slots */
    uint64_t valu_free_at;
    uint64_t next_issue;    /* no wavefront of it can issue before this cycle */
    uint64_t counted_until; /* slots before this cycle are counted */
    uint32_t last;          /* the slot that went first in the latest turn in which any did */
};

void issue_simd(struct compute_unit *unit, unsigned simd);

/* Consumes an internal instruction. False: it has to wait, and the wavefront's state says for what.
 */
bool control_consume(struct compute_unit *unit, struct wavefront *wave);

/* ---- account.c ---- */
/* Counts the SIMD's issue slots before `cycle` under its present stall cause. */
void account_slots(struct compute_unit *unit, struct simd *simd, unsigned number, uint64_t cycle);
/* Counts the slot of this cycle, if something was done in it. */
void account_slot(struct compute_unit *unit, unsigned simd, bool issued, bool internal);

void account_residents(struct compute_unit *unit);

#endif

/* SPDX-License-Identifier: MIT */
/* What tests of the seam share: a compute unit with a mock memory, a kernel with transactions, and what a
 * system of a test keeps. */
#ifndef TESTS_TM_SEAM_H
#define TESTS_TM_SEAM_H

#include "gpu/rig.h"

enum { LANES = 64, LOOPS = 2, ACCESSES = 3, WORDS = 1 << 18, GROUPS = 7, WAVEFRONTS = 4 };

struct seam_unit {
    struct tm_unit unit;
    uint64_t wake_at[TM_MAX_WAVEFRONTS]; /* 0: not asleep */
    uint64_t awake[TM_MAX_WAVEFRONTS];   /* not 0: it may go on, from then on */
    uint64_t decide_from[TM_MAX_WAVEFRONTS]; /* at the commit: the cycle of lane 0 */
    uint64_t told[TM_MAX_WAVEFRONTS];
    uint64_t next; /* 0: none */
    uint32_t asked, refused, sent, answered;
};

extern struct rig rig;
extern struct tape tape;
extern uint64_t buffer;          /* device address; its first 4096 words are 7 times their number */
extern struct seam_unit *latest; /* the unit that was created last */

struct seam_unit *seam_of(const struct tm_unit *unit);
uint64_t seam_now(const struct tm_unit *unit);
struct tm_unit *seam_create(const struct tm_system *system, const struct tm_options *options);
void seam_destroy(struct tm_unit *unit);
/* Wavefronts sleep until their wake_at. */
uint64_t seam_next_cycle(const struct tm_unit *unit);
void seam_tick(struct tm_unit *unit);

#define SYSTEM(which, ...)                                                                         \
    static const struct tm_system which = {.name = #which,                                         \
                                           .spaces = TM_SPACE_LOCAL | TM_SPACE_GLOBAL,             \
                                           .create = seam_create,                                  \
                                           .destroy = seam_destroy,                                \
                                           __VA_ARGS__}

/* A rig with the system, not yet built, and on the tape LOOPS transactions of ACCESSES accesses. These are
 * a load, a store to local memory, a store. */
void seam_prepare(const struct tm_system *system);
/* Each item has been through LOOPS transactions, and has loaded its word and `added` in each. */
void seam_expect(uint32_t items, uint32_t added);
/* Of all statistics and of the cycles that GROUPS work-groups of WAVEFRONTS wavefronts take on three compute units. */
uint64_t seam_digest(const struct tm_system *system, bool sleeps, uint64_t seed);
/* It is the same with and without sleep, in any order of components. */
void seam_expect_one_digest(const struct tm_system *system);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Random tiny programs without races: two threads of three operations or three of two. They use two
 * words of two lines or of one. Threads have L1s of their own, or some share one. Drawn until
 * happens-before finds no race and one L1's thread can take a value of another's (outcomes.h). In
 * three programs of four that is by a plain load.
 */
#ifndef VERIFY_LITMUS_RANDOM_H
#define VERIFY_LITMUS_RANDOM_H

#include "verify/outcomes.h"

struct litmus_drawn {
    struct litmus litmus;
    struct litmus_outcomes outcomes;
    char name[32];
    uint32_t draws; /* programs that were drawn before it was one of these */
};

/* The program of the seed, always the same; `has_remote`: with remote operations. The caller gives
 * it back. */
void litmus_draw(struct litmus_drawn *drawn, uint64_t seed, bool has_remote);
void litmus_drawn_finish(struct litmus_drawn *drawn);

/* Leaves out operations as long as what remains has no race and is_wrong(context) stays true of
 * it; gives how many are gone. */
uint32_t litmus_shrink(struct litmus_drawn *drawn,
                       bool (*is_wrong)(void *context, const struct litmus_drawn *drawn),
                       void *context);

#endif

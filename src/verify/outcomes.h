/* SPDX-License-Identifier: MIT */
/*
 * What outcomes a tiny program may have by happens-before with scopes, and whether it has a race.
 *
 * All executions of the program are made, an operation at a time, in every order of its threads. A
 * load takes any value that coherence leaves it, a store any place among those to its word. The
 * rules are those of OpenCL C 3.0 (The OpenCL Specification, 3.3.6, memory ordering rules). The
 * remote scope is that of Orr et al. (ASPLOS 2015) as Wickerson et al. state it (Remote-Scope
 * Promotion: Clarified, Rectified, and Verified, OOPSLA 2015):
 *
 * - an acquire synchronises with a release if it takes the release's value, or that of a
 *   read-modify-write after it. The two must reach each other: by their scopes, or since one is
 *   remote;
 * - happens-before is program order and that; coherence and read-modify-writes as in C11;
 * - a race: two operations of two threads on one word, one of them a store, and none happens before
 *   the other. They are not both atomic, or do not reach each other.
 *
 * Stricter than the standard in one thing: no load takes a value that its own thread's later
 * operations lead to. No L1 here lets a later operation go first. Weaker in another: a thread's own
 * later stores do not go on with its release (as in C++20).
 */
#ifndef VERIFY_OUTCOMES_H
#define VERIFY_OUTCOMES_H

#include "verify/litmus.h"

struct litmus_outcome {
    uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS]; /* LITMUS_NO_VALUE: none */
    uint8_t at_end[LITMUS_WORDS];                        /* in memory */
    uint64_t executions;                                 /* that end so; axioms.h counts them */
};

struct litmus_outcomes {
    bool has_race;     /* the others are not known then */
    bool communicates; /* in some execution an L1's thread takes a value of another's */
    bool passes_data;  /* and in some it does so by a plain load */
    uint32_t count, capacity;
    struct litmus_outcome *list;
};

void litmus_find_outcomes(struct litmus_outcomes *outcomes, const struct litmus *litmus);
void litmus_outcomes_finish(struct litmus_outcomes *outcomes);

/* The outcome of the list that has these values; it is added if there is none. */
struct litmus_outcome *litmus_note_outcome(struct litmus_outcomes *outcomes,
                                           const struct litmus_outcome *outcome);

/* Whether one of them has these returned values, and at the end these words (NULL: any). */
bool litmus_allows(const struct litmus_outcomes *outcomes,
                   uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS], const uint8_t *at_end);

#endif

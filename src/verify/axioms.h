/* SPDX-License-Identifier: MIT */
/*
 * What outcomes a tiny program may have by the axioms of OpenCL's memory model, and whether it has
 * a race: the second way beside outcomes.h, which makes executions an operation at a time. Here
 * each thread's paths are made with every value that its loads could return, and each combination
 * with every source of each load and every order of each word's stores. Those that the axioms allow
 * are kept, as herd does with opencl_rem.cat (Wickerson and others, OOPSLA 2015):
 *
 * - synchronises-with, from a release to an acquire that takes a value of its release sequence: the
 *   releasing thread's own stores and read-modify-writes behind it. Their scopes reach each other,
 *   or one is remote and its scope reaches the other. Barriers, of a work-group;
 * - happens-before, one for global and one for local memory: program order among the accesses of
 *   that memory, and synchronises-with in it, transitively. It has no cycle;
 * - coherence: stores, and what loads take, go with happens-before. A read-modify-write takes the
 *   value right before its own. A load of a word that was not declared atomic takes the value of a
 *   store that is visible to it;
 * - what is undefined: two accesses of two threads to one word, one of them a store, neither
 *   happening before the other and not both atomic with scopes that reach each other; a barrier
 *   that some of its work-group does not meet.
 *
 * A load may take what its own thread's later operations lead to, if they are relaxed. Sequentially
 * consistent atomics and fences are not here.
 */
#ifndef VERIFY_AXIOMS_H
#define VERIFY_AXIOMS_H

#include "verify/outcomes.h"

struct axioms_found {
    struct litmus_outcomes outcomes; /* has_race: some execution is undefined */
    uint64_t executions, undefined;  /* of those that the axioms allow */
    bool has_diverged;               /* a barrier is undefined; else two accesses of these: */
    struct litmus_term race[2];
};

/* False and a diagnosis: values leave 0 to 254, or there are too many executions. The caller gives
 * back the outcomes. */
bool axioms_find(struct axioms_found *found, const struct litmus *litmus,
                 struct diagnosis *diagnosis) MUST_USE;

/* Adds why no execution returns this (LITMUS_NO_VALUE: whatever comes): what happens before what,
 * though it takes an older value. Nothing, if some execution does. */
void axioms_explain(const struct litmus *litmus,
                    uint8_t returned[LITMUS_THREADS][LITMUS_OPERATIONS], struct text *text);

#endif

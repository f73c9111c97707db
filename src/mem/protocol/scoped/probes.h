/* SPDX-License-Identifier: MIT */
/*
 * Remote operations. L2 locks the object's line and asks all other L1s; when they have answered the operation
 * is done in L2, and the lock ends. Its issuer's L1 has flushed before, and for an acquire forgotten its lines.
 *
 * What an L1 does for a remote operation is the protocol's. Five rules make it right, whatever that is:
 *
 *   1. the lock holds from before the L1s are asked until the operation is done;
 *   2. each L1 writes the object's own line back, and forgets it;
 *   3. a release too asks first, and is done last;
 *   4. if an L1 gives up the object's dirty line for another reason meanwhile, the question is asked again: the L1
 *      may have released the object after its answer, and would publish that before what it released;
 *   5. a release is remembered until all that came before it is in L2.
 */
#ifndef MEM_PROTOCOL_SCOPED_PROBES_H
#define MEM_PROTOCOL_SCOPED_PROBES_H

#include "mem/protocol/scoped/l1.h"
#include "mem/protocol/scoped/l2.h"

/* ---- L1 ---- */

static inline bool scoped_is_probe(unsigned kind)
{
    return kind >= SCOPED_PROBE_ACQUIRE && kind <= SCOPED_PROBE_BOTH;
}

extern const struct protocol_action
    scoped_note_probe, /* counted */
    scoped_forget_for_probe, /* the L1 forgets all that is not dirty */
    scoped_flush_for_probe,  /* a walk over the FIFO, answered DOWN by DONE */
    scoped_tell_done;        /* DOWN: DONE */

/* Rows of an event of probes, with what is done in each state; two actions. */
#define L1_PROBED(event, ...)                                                                      \
    {L1_I, event, L1_I, {__VA_ARGS__}}, {L1_A, event, L1_A, {__VA_ARGS__}},                        \
        {L1_Q, event, L1_Q, {__VA_ARGS__}},                                                        \
        {L1_V, event, L1_I, {&scoped_write_dirty, &verb_drop_line, __VA_ARGS__}}, {                \
        L1_F, event, L1_F, { &scoped_write_dirty, &scoped_overtake_line, __VA_ARGS__ }             \
    }

/* ---- L2 (l2_remote.c) ---- */

/* Locks, answers, and all else. */
uint8_t scoped_classify_remote(const struct step *step, enum protocol_stimulus stimulus);
/* Whether a request of remote scope has not asked the L1s yet, and there are others. */
bool scoped_must_ask(const struct step *step);
/* Whether the line's MSHR waits for L1s. */
static inline bool scoped_is_asking(const struct step *step)
{
    return step->mshr != NULL && step->mshr->acks > 0;
}
/* DONE of an L1: the event that it is, or that of the last. */
static inline uint8_t scoped_classify_done(const struct step *step, uint8_t last)
{
    return step->mshr->acks > 1 ? (uint8_t)L2_DONE : last;
}

extern const struct protocol_action
    l2_ask,        /* later UP: a probe to all other L1s */
    l2_tell,       /* the same, PROBE_RELEASE whatever the order */
    l2_count,      /* an L1 has answered */
    l2_grant,      /* the first that waits has asked all */
    l2_note_waits; /* for statistics: what has waited for a line that was not locked for one of them */

#define L2_LOCK &verb_allocate_mshr, &verb_stall_line, &l2_ask
#define L2_REMOTE_ROWS_IN(state, locked)                                                           \
    {state, L2_REMOTE, locked, {L2_LOCK}}, {state, L2_DONE, STATE_SAME, {&l2_count}}, {            \
        state, L2_DONE_LAST, state, { &l2_count, &l2_grant, &verb_release_mshr }                   \
    }
/* The lock is an MSHR beside the line, if that is here. */
#define L2_REMOTE_ROWS                                                                             \
    {L2_I, L2_REMOTE, L2_K, {L2_LOCK}}, L2_REMOTE_ROWS_IN(L2_V, L2_V),                             \
        L2_REMOTE_ROWS_IN(L2_D, L2_D), {L2_K, L2_DONE, L2_K, {&l2_count}},                         \
        {L2_K, L2_DONE_LAST, L2_I, {&l2_count, &l2_grant, &verb_release_mshr}},                    \
        {L2_K, L2_WRITE_BACK, L2_D, {&l2_take_way, L2_TAKE}},                                      \
        {L2_K, L2_WAIT, L2_K, {&verb_stall_line}}, {L2_K, L2_WALK, L2_K, {&l2_pop}}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The L1 of the scoped protocols: write-combining, with a FIFO of its dirty lines (sfifo.h).
 *
 * - A store fetches nothing: its line is here with the bytes that were stored. A load of a byte that is not
 *   here fetches the line and merges it under those that are newer.
 * - Plain accesses and atomics of the work-group's scope are done here. All others, and loads with
 *   GLC or SLC, are done in L2. The line goes from here (its dirty bytes to L2), and other requests
 *   to it wait for the answer. More of the same may follow the first.
 * - A release of the device first writes all dirty lines back, oldest first, and waits until they
 *   are in L2. An acquire of the device does that too, and forgets all lines in one step. Other
 *   requests of the compute unit are held from then until its answer.
 * - So an acquire has done its work with its access; a buffer_wbinvl1 that completes it does nothing. One
 *   that stands alone is an acquire of the device.
 *
 * Order: write-backs may pass requests on their way to L2. So what goes to L2 about a line waits until the
 * line's earlier write-backs are answered. Those are counted in a small table by a hash of the line.
 */
#ifndef MEM_PROTOCOL_SCOPED_L1_H
#define MEM_PROTOCOL_SCOPED_L1_H

#include "mem/protocol/scoped/messages.h"
#include "mem/protocol/scoped/sfifo.h"
#include "mem/protocol/scoped/statistics.h"

enum { L1_I = STATE_INVALID, L1_V, L1_F, L1_A, L1_Q, L1_STATES };

enum {
    L1_LOAD_HIT,
    L1_LOAD_MISS,
    L1_LOAD_MERGE,
    L1_STORE,
    L1_ATOMIC_HIT,
    L1_ATOMIC_MISS,
    L1_WAIT,
    L1_HELD,
    L1_PREPARE,
    L1_DEVICE,
    L1_DEVICE_MORE,
    L1_DEVICE_ACQUIRE,
    L1_FILL,
    L1_FILL_PAST,
    L1_FILL_PAST_DIRTY,
    L1_ANSWER,
    L1_ANSWER_MORE,
    L1_ANSWER_ACQUIRE,
    L1_WRITTEN,
    L1_INVALIDATE,
    L1_FLUSH,
    L1_SYNCED,
    L1_HOST_READ,
    L1_HOST_WRITE,
    L1_WALK_KEEP,
    L1_WALK_DROP,
    L1_REPLACE,
    L1_QR_EVENTS,
    L1_PROBE_QUIET = L1_QR_EVENTS,
    L1_PROBE_FLUSH,
    L1_PROBE_DROP,
    L1_RSP_EVENTS,
    L1_STORE_RELEASE = L1_RSP_EVENTS,
    L1_ATOMIC_RELEASE,
    L1_PROMOTE,
    L1_SRSP_EVENTS
};

extern const struct protocol_state l1_states[L1_STATES];
extern const struct protocol_event l1_events[L1_SRSP_EVENTS];

#define L1_RESPONSES                                                                               \
    (EVENT(L1_FILL) | EVENT(L1_FILL_PAST) | EVENT(L1_FILL_PAST_DIRTY) | EVENT(L1_ANSWER) |         \
     EVENT(L1_ANSWER_MORE) | EVENT(L1_ANSWER_ACQUIRE) | EVENT(L1_WRITTEN))
#define L1_PROBES (EVENT(L1_PROBE_QUIET) | EVENT(L1_PROBE_FLUSH) | EVENT(L1_PROBE_DROP))

enum { IN_FLIGHT = 32 };

struct scoped_l1 {
    uint64_t is_held;
    uint64_t remembers_left; /* releases stay in their table when they have left the FIFO */
    uint64_t in_l2;          /* accesses that are done there and not answered */
    uint64_t asks_none;      /* within a step: the remote acquire that is prepared asks no other L1 */
    uint64_t held_since, is_held_remotely; /* for statistics */
    struct sfifo fifo;
    struct release_table releases;
    struct promotion_table promotions;
    uint16_t in_flight[IN_FLIGHT]; /* write-backs that are not answered, by hash of the line */
};
extern const struct protocol_field scoped_l1_fields[];

static inline struct scoped_l1 *scoped_l1_of(const struct step *step)
{
    return controller_data(step->controller);
}
static inline const struct scoped_parameters *scoped_parameters_of(const struct step *step)
{
    return controller_parameters(step->controller);
}
static inline struct scoped_l1_statistics *scoped_l1_count(const struct step *step)
{
    return controller_statistics(step->controller);
}
static inline uint16_t *scoped_in_flight(const struct step *step)
{
    uint64_t line = step->addr / LINE_BYTES;

    return &scoped_l1_of(step)->in_flight[(line ^ line >> 5 ^ line >> 10) % IN_FLIGHT];
}

/* ---- Events (l1_events.c) ---- */

uint8_t scoped_classify_l1(const struct step *step, enum protocol_stimulus stimulus);
/* FLUSH, acquires and what overflows the FIFO; probes are the role's affair. */
enum walk_choice scoped_choose_walk(const struct step *step, uint64_t *addr);
/* The oldest line, as long as there is one. */
enum walk_choice scoped_choose_oldest(const struct step *step, uint64_t *addr);
/* Whether the walk in progress is that of an acquire, which forgets lines. */
bool scoped_walk_forgets(const struct step *step);

/* ---- Actions (l1_actions.c) ---- */

extern const struct protocol_action
    scoped_write_dirty, /* DOWN: WRITE_BACK of the line's dirty bytes, which are clean then */
    scoped_push,        /* the line is in the FIFO; what is too much is written back */
    scoped_pop,         /* its oldest entry leaves the FIFO */
    scoped_forget,      /* the line has no bytes any more */
    scoped_merge_fill,  /* the reply's bytes into the line; those stored here stay */
    scoped_begin,       /* one more access of the line is in L2 */
    scoped_end,         /* one less */
    scoped_release_hold, scoped_written, scoped_local_atomic, scoped_note_miss,
    scoped_prepare,    /* a walk that writes back what must be in L2 before the access; an acquire forgets
                          the rest at once, and holds other requests */
    scoped_mark_ready, /* the waiting message: it has been prepared */
    scoped_forget_all, /* an acquire's part of that, with no access */
    scoped_flush,      /* a walk over the FIFO, answered UP */
    scoped_overtake_line; /* it has no bytes any more, and will not have those on their way */

/* The line is the FIFO's newest, whatever is there of it. */
void scoped_enter(struct step *step);
/* Forgets all that is not dirty, with what the tables know. */
void scoped_forget_lines(struct step *step);
/* What the FIFO or the table of releases has too many of is written back. Needs a walk. */
void scoped_shed(struct step *step);

/* ---- Rows that all have ---- */

#define L1_FETCH                                                                                   \
    &scoped_note_miss, &verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line
#define L1_FETCH_FIRST                                                                             \
    &scoped_note_miss, &verb_allocate_mshr, &verb_reserve_way, &verb_stall_line, &verb_fetch_line
#define L1_STAY &scoped_prepare, &verb_stay, &scoped_mark_ready
#define L1_PUT &verb_store_line_dirty, &scoped_push, &verb_acknowledge

#define L1_ANYWHERE(state)                                                                         \
    {state, L1_HELD, state, {&verb_stall_order}}, {                                                \
        state, L1_WRITTEN, state, { &scoped_written }                                              \
    }
/* Where no line is: its entry may be left in the FIFO. */
#define L1_AWAY(state)                                                                             \
    L1_ANYWHERE(state), {state, L1_WALK_KEEP, state, {&scoped_pop}}, {                             \
        state, L1_WALK_DROP, state, { &scoped_pop }                                                \
    }

#define L1_ROWS                                                                                    \
    L1_AWAY(L1_I), {L1_I, L1_LOAD_MISS, L1_F, {L1_FETCH}},                                         \
        {L1_I, L1_ATOMIC_MISS, L1_F, {L1_FETCH_FIRST}},                                            \
        {L1_I, L1_STORE, L1_V, {&verb_reserve_way, L1_PUT}},                                       \
        {L1_I, L1_WAIT, L1_I, {&verb_stall_line}}, {L1_I, L1_PREPARE, L1_I, {L1_STAY}},            \
        {L1_I, L1_DEVICE, L1_A, {&verb_allocate_mshr, &scoped_begin, &verb_forward}},              \
        {L1_I, L1_DEVICE_ACQUIRE, L1_Q, {&verb_allocate_mshr, &scoped_begin, &verb_forward}},      \
        {L1_I, L1_INVALIDATE, L1_I, {&scoped_forget_all, &scoped_flush}},                          \
        {L1_I, L1_FLUSH, L1_I, {&scoped_flush}},                                                   \
        {L1_I, L1_SYNCED, L1_I, {&verb_acknowledge}},                                              \
        {L1_I, L1_HOST_WRITE, L1_I, {&verb_acknowledge}},                                          \
                                                                                                   \
        L1_ANYWHERE(L1_V), {L1_V, L1_LOAD_HIT, L1_V, {&verb_reply}},                               \
        {L1_V, L1_LOAD_MISS, L1_F, {L1_FETCH}}, {L1_V, L1_ATOMIC_MISS, L1_F, {L1_FETCH_FIRST}},    \
        {L1_V, L1_STORE, L1_V, {L1_PUT}},                                                          \
        {L1_V, L1_ATOMIC_HIT, L1_V, {&verb_atomic_line, &scoped_push, &scoped_local_atomic}},      \
        {L1_V, L1_WAIT, L1_V, {&verb_stall_line}},                                                 \
        {L1_V, L1_PREPARE, L1_I, {&scoped_write_dirty, &verb_drop_line, L1_STAY}},                 \
        {L1_V,                                                                                     \
         L1_DEVICE,                                                                                \
         L1_A,                                                                                     \
         {&verb_allocate_mshr, &scoped_begin, &verb_drop_line, &verb_forward}},                    \
        {L1_V, L1_HOST_READ, L1_V, {&verb_reply}},                                                 \
        {L1_V, L1_HOST_WRITE, L1_V, {&verb_store_line, &verb_acknowledge}},                        \
        {L1_V, L1_WALK_KEEP, L1_V, {&scoped_pop, &scoped_write_dirty}},                            \
        {L1_V, L1_WALK_DROP, L1_I, {&scoped_pop, &scoped_write_dirty}},                            \
        {L1_V, L1_REPLACE, L1_I, {&scoped_write_dirty}},                                           \
                                                                                                   \
        L1_ANYWHERE(L1_F), {L1_F, L1_LOAD_MERGE, L1_F, {&verb_merge}},                             \
        {L1_F, L1_WAIT, L1_F, {&verb_stall_line}},                                                 \
        {L1_F, L1_FILL, L1_V, {&scoped_merge_fill, &verb_fill_mshr}},                              \
        {L1_F, L1_FILL_PAST, L1_I, {&verb_fill_mshr}},                                             \
        {L1_F, L1_FILL_PAST_DIRTY, L1_V, {&verb_fill_mshr}},                                       \
        {L1_F, L1_WALK_KEEP, L1_F, {&scoped_pop, &scoped_write_dirty}},                            \
        {L1_F, L1_WALK_DROP, L1_F, {&scoped_pop, &scoped_write_dirty, &scoped_forget}},            \
                                                                                                   \
        L1_AWAY(L1_A), {L1_A, L1_DEVICE_MORE, L1_A, {&scoped_begin, &verb_forward}},               \
        {L1_A, L1_WAIT, L1_A, {&verb_stall_line}},                                                 \
        {L1_A, L1_ANSWER_MORE, L1_A, {&scoped_end, &verb_pass_up}},                                \
        {L1_A, L1_ANSWER, L1_I, {&scoped_end, &verb_pass_up, &verb_release_mshr}},                 \
                                                                                                   \
        L1_AWAY(L1_Q),                                                                             \
        {L1_Q,                                                                                     \
         L1_ANSWER_ACQUIRE,                                                                        \
         L1_I,                                                                                     \
         {&scoped_end, &verb_pass_up, &scoped_release_hold, &verb_release_mshr}}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The L2 of the scoped protocols: SI's, with what L1s write back. It has a FIFO of dirty lines of
 * its own where that has a bound (scoped.l2_sfifo_entries).
 *
 * - A write-back takes effect whatever waits for its line: L1s wait for its answer before they ask for more.
 * - A line that is on its way from memory when its turn in the FIFO comes leaves the FIFO and stays dirty.
 *
 * Remote operations (l2_remote.c): the line is locked from before the other L1s are asked until the operation
 * is done. The lock is an MSHR that holds no way, so that write-backs to other lines find one.
 */
#ifndef MEM_PROTOCOL_SCOPED_L2_H
#define MEM_PROTOCOL_SCOPED_L2_H

#include "mem/protocol/scoped/messages.h"
#include "mem/protocol/scoped/sfifo.h"
#include "mem/protocol/scoped/statistics.h"

/* K: of addresses without a line. */
enum { L2_I = STATE_INVALID, L2_V, L2_D, L2_F, L2_QR_STATES, L2_K = L2_QR_STATES, L2_STATES };

enum {
    L2_LOAD_HIT,
    L2_LOAD_MISS,
    L2_LOAD_SLC,
    L2_LOAD_MERGE,
    L2_STORE,
    L2_STORE_THROUGH,
    L2_ATOMIC,
    L2_ATOMIC_MISS,
    L2_WRITE_BACK,
    L2_WAIT,
    L2_FILL_CLEAN,
    L2_FILL_DIRTY,
    L2_FILL_PAST,
    L2_HOST_READ_HIT,
    L2_HOST_READ_MISS,
    L2_FLUSH,
    L2_WALK,
    L2_REPLACE,
    L2_QR_EVENTS,
    L2_REMOTE = L2_QR_EVENTS,
    L2_DONE,
    L2_DONE_LAST,
    L2_RSP_EVENTS,
    L2_PUBLISH_STORE = L2_RSP_EVENTS,
    L2_PUBLISH_ATOMIC,
    L2_TOLD_LAST,
    L2_PAPER_EVENTS
};

extern const struct protocol_state l2_states[L2_STATES];
extern const struct protocol_event l2_events[L2_PAPER_EVENTS];

#define L2_RESPONSES (EVENT(L2_FILL_CLEAN) | EVENT(L2_FILL_DIRTY) | EVENT(L2_FILL_PAST))
#define L2_ANSWERS (EVENT(L2_DONE) | EVENT(L2_DONE_LAST) | EVENT(L2_TOLD_LAST))

struct scoped_l2 {
    struct sfifo fifo; /* where it has a bound */
};
extern const struct protocol_field scoped_l2_fields[];

static inline struct scoped_l2 *scoped_l2_of(const struct step *step)
{
    return controller_data(step->controller);
}
static inline struct scoped_l2_statistics *scoped_l2_count(const struct step *step)
{
    return controller_statistics(step->controller);
}

uint8_t scoped_classify_l2(const struct step *step, enum protocol_stimulus stimulus);
/* A request that is not remote, or no longer: of L2's own tables. */
uint8_t scoped_classify_l2_request(const struct step *step);
enum walk_choice scoped_choose_l2_walk(const struct step *step, uint64_t *addr);

extern const struct protocol_action
    l2_take_way,        /* as reserve_way, but a lock does not hold it */
    l2_push,            /* the line is in the FIFO; what is too much is written to memory */
    l2_pop,             /* it leaves the FIFO */
    l2_write_through,   /* DOWN: WRITE of the message's bytes */
    l2_note_write_back; /* counted; and a remote operation that has locked the line may have to ask again */

#define L2_FETCH &verb_allocate_mshr, &verb_reserve_way, &verb_merge, &verb_fetch_line
#define L2_FETCH_FIRST &verb_allocate_mshr, &verb_reserve_way, &verb_stall_line, &verb_fetch_line
#define L2_TAKE &verb_store_line_dirty, &l2_push, &l2_note_write_back, &verb_acknowledge

#define L2_ROWS                                                                                    \
    {L2_I, L2_LOAD_MISS, L2_F, {L2_FETCH}}, {L2_I, L2_LOAD_MERGE, L2_I, {&verb_merge}},            \
        {L2_I,                                                                                     \
         L2_STORE,                                                                                 \
         L2_D,                                                                                     \
         {&verb_reserve_way, &verb_store_line_dirty, &l2_push, &verb_acknowledge}},                \
        {L2_I, L2_STORE_THROUGH, L2_I, {&l2_write_through, &verb_acknowledge}},                    \
        {L2_I, L2_ATOMIC_MISS, L2_F, {L2_FETCH_FIRST}},                                            \
        {L2_I, L2_WRITE_BACK, L2_D, {&l2_take_way, L2_TAKE}},                                      \
        {L2_I, L2_WAIT, STATE_SAME, {&verb_stall_line}},                                           \
        {L2_I, L2_FILL_PAST, L2_I, {&verb_fill_mshr}},                                             \
        {L2_I, L2_HOST_READ_MISS, L2_I, {&verb_allocate_mshr, &verb_merge, &verb_fetch_line}},     \
        {L2_I, L2_FLUSH, L2_I, {&verb_start_walk}}, {L2_I, L2_WALK, STATE_SAME, {&l2_pop}},        \
                                                                                                   \
        {L2_V, L2_LOAD_HIT, L2_V, {&verb_reply}}, {L2_V, L2_LOAD_MISS, L2_F, {L2_FETCH}},          \
        {L2_V, L2_LOAD_SLC, L2_F, {L2_FETCH}},                                                     \
        {L2_V, L2_STORE, L2_D, {&verb_store_line_dirty, &l2_push, &verb_acknowledge}},             \
        {L2_V,                                                                                     \
         L2_STORE_THROUGH,                                                                         \
         L2_V,                                                                                     \
         {&verb_store_line, &l2_write_through, &verb_acknowledge}},                                \
        {L2_V, L2_ATOMIC, L2_D, {&verb_atomic_line, &l2_push}},                                    \
        {L2_V, L2_ATOMIC_MISS, L2_F, {L2_FETCH_FIRST}}, {L2_V, L2_WRITE_BACK, L2_D, {L2_TAKE}},    \
        {L2_V, L2_WAIT, L2_V, {&verb_stall_line}}, {L2_V, L2_HOST_READ_HIT, L2_V, {&verb_reply}},  \
        {L2_V, L2_WALK, L2_V, {&l2_pop}}, {L2_V, L2_REPLACE, L2_I, {NULL}},                        \
                                                                                                   \
        {L2_D, L2_LOAD_HIT, L2_D, {&verb_reply}}, {L2_D, L2_LOAD_MISS, L2_F, {L2_FETCH}},          \
        {L2_D, L2_LOAD_SLC, L2_F, {&verb_write_back, L2_FETCH}},                                   \
        {L2_D, L2_STORE, L2_D, {&verb_store_line_dirty, &l2_push, &verb_acknowledge}},             \
        {L2_D,                                                                                     \
         L2_STORE_THROUGH,                                                                         \
         L2_V,                                                                                     \
         {&verb_store_line_dirty, &verb_write_back, &verb_acknowledge}},                           \
        {L2_D, L2_ATOMIC, L2_D, {&verb_atomic_line, &l2_push}},                                    \
        {L2_D, L2_ATOMIC_MISS, L2_F, {L2_FETCH_FIRST}}, {L2_D, L2_WRITE_BACK, L2_D, {L2_TAKE}},    \
        {L2_D, L2_WAIT, L2_D, {&verb_stall_line}}, {L2_D, L2_HOST_READ_HIT, L2_D, {&verb_reply}},  \
        {L2_D, L2_WALK, L2_V, {&l2_pop, &verb_write_back}},                                        \
        {L2_D, L2_REPLACE, L2_I, {&verb_write_back}},                                              \
                                                                                                   \
        {L2_F, L2_LOAD_HIT, L2_F, {&verb_reply}}, {L2_F, L2_LOAD_MERGE, L2_F, {&verb_merge}},      \
        {L2_F,                                                                                     \
         L2_STORE,                                                                                 \
         L2_F,                                                                                     \
         {&verb_store_line_dirty, &l2_push, &verb_overtake, &verb_acknowledge}},                   \
        {L2_F, L2_ATOMIC, L2_F, {&verb_atomic_line, &l2_push, &verb_overtake}},                    \
        {L2_F, L2_WRITE_BACK, L2_F, {&verb_overtake, L2_TAKE}},                                    \
        {L2_F, L2_WAIT, L2_F, {&verb_stall_line}},                                                 \
        {L2_F, L2_FILL_CLEAN, L2_V, {&verb_fill_line, &verb_fill_mshr}},                           \
        {L2_F, L2_FILL_DIRTY, L2_D, {&verb_fill_line, &verb_fill_mshr}},                           \
        {L2_F, L2_HOST_READ_HIT, L2_F, {&verb_reply}}, {                                           \
        L2_F, L2_WALK, L2_F, { &l2_pop }                                                           \
    }

#endif

/* SPDX-License-Identifier: MIT */
/* MOESI's directory as lists, which NMOESI's goes on from. clang-format off: a line a row. */
#ifndef MEM_PROTOCOL_MOESI_DIRECTORY_ROWS_H
#define MEM_PROTOCOL_MOESI_DIRECTORY_ROWS_H

#include "mem/protocol/moesi/directory.h"

/* clang-format off */
#define DIRECTORY_STATES \
    [DIR_I] = {"I", "not here, and so nowhere above", 0}, \
    [DIR_V] = {"V", "here, no copy above", STATE_READABLE | STATE_DIRTY}, \
    [DIR_S] = {"S", "shared: copies above, no owner", STATE_READABLE | STATE_DIRTY}, \
    [DIR_X] = {"X", "exclusive: one above may write it", STATE_DIRTY}, \
    [DIR_O] = {"O", "owned: one above has it dirty, others may share it", STATE_DIRTY}, \
    [DIR_F] = {"F", "on its way from memory", STATE_TRANSIENT}, \
    [DIR_B] = {"B", "owner is asked for its bytes", STATE_TRANSIENT | STATE_DIRTY}, \
    [DIR_D] = {"D", "copies are being dropped for a writer", STATE_TRANSIENT | STATE_DIRTY}, \
    [DIR_W] = {"W", "the requester's PUT is awaited", STATE_TRANSIENT | STATE_DIRTY}, \
    [DIR_R] = {"R", "given up, copies are being dropped (write-back buffer)", \
               STATE_TRANSIENT | STATE_DIRTY}, \
    [DIR_T] = {"T", "owner is to send it to who asked", STATE_TRANSIENT | STATE_DIRTY}

#define DIRECTORY_EVENTS \
    [DIR_READ_E] = {"READ_E", "read, no copy above"}, \
    [DIR_READ_S] = {"READ_S", "read, sharers or a read-only reader"}, \
    [DIR_READ_PLAIN] = {"READ_PLAIN", "read of an instruction cache, no owner"}, \
    [DIR_READ_OWNED] = {"READ_OWNED", "read, a copy may be newer"}, \
    [DIR_WRITE] = {"WRITE", "to write, no other has a copy"}, \
    [DIR_WRITE_HELD] = {"WRITE_HELD", "to write, others have copies"}, \
    [DIR_MISS] = {"MISS", "request for a line that is not here"}, \
    [DIR_MERGE] = {"MERGE", "read of a line that is on its way for readers"}, \
    [DIR_WAIT] = {"WAIT", "request that must come after the line's transaction"}, \
    [DIR_OVERTOOK] = {"OVERTOOK", "request that has overtaken its node's PUT"}, \
    [DIR_FILL] = {"FILL", "line from memory"}, \
    [DIR_ANSWER_E] = {"ANSWER_E", "turn of the only reader"}, \
    [DIR_ANSWER_S] = {"ANSWER_S", "turn of another reader"}, \
    [DIR_ANSWER_PLAIN] = {"ANSWER_PLAIN", "turn of an instruction cache"}, \
    [DIR_ANSWER_M] = {"ANSWER_M", "turn of the writer"}, \
    [DIR_PUT] = {"PUT", "a copy is given up, in mid-transaction"}, \
    [DIR_PUT_SHARED] = {"PUT_SHARED", "a copy is given up, sharers alone remain"}, \
    [DIR_PUT_OWNED] = {"PUT_OWNED", "the same, an owner remains"}, \
    [DIR_PUT_LAST] = {"PUT_LAST", "the last copy is given up"}, \
    [DIR_OWNED] = {"OWNED", "the owner stays owner: its bytes"}, \
    [DIR_SHARED] = {"SHARED", "the owner is a sharer now: its bytes, if dirty"}, \
    [DIR_GONE_SHARED] = {"GONE_SHARED", "the owner has given it up, sharers remain"}, \
    [DIR_GONE_LAST] = {"GONE_LAST", "the same, no copy remains"}, \
    [DIR_DROPPED] = {"DROPPED", "a copy is dropped, others still to come"}, \
    [DIR_DROPPED_LAST] = {"DROPPED_LAST", "the last of them"}, \
    [DIR_FLUSH] = {"FLUSH", "dirty bytes go to memory"}, \
    [DIR_WALK] = {"WALK", "a line's turn in a flush"}, \
    [DIR_HOST_READ] = {"HOST_READ", "the host reads dirty bytes"}, \
    [DIR_HOST_WRITE] = {"HOST_WRITE", "the host writes memory"}, \
    [DIR_REPLACE] = {"REPLACE", "the way is needed, no copy above"}, \
    [DIR_RECALL] = {"RECALL", "the way is needed, copies above"}, \
    [DIR_READ_SENT] = {"READ_SENT", "as READ_OWNED; direct_transfers"}, \
    [DIR_WRITE_SENT] = {"WRITE_SENT", "to write, the owner alone has a copy; direct_transfers"}, \
    [DIR_SENT_O] = {"SENT_O", "a reader has the line from its owner, who keeps it"}, \
    [DIR_SENT_S] = {"SENT_S", "the same, who is no owner any more"}, \
    [DIR_SENT_M] = {"SENT_M", "a writer has the line from its owner"}

#define directory_answers                                                                          \
    (EVENT(DIR_OWNED) | EVENT(DIR_SHARED) | EVENT(DIR_GONE_SHARED) | EVENT(DIR_GONE_LAST) |        \
     EVENT(DIR_DROPPED) | EVENT(DIR_DROPPED_LAST) | EVENT(DIR_SENT_O) | EVENT(DIR_SENT_S) |        \
     EVENT(DIR_SENT_M))
#define directory_puts                                                                             \
    (EVENT(DIR_PUT) | EVENT(DIR_PUT_SHARED) | EVENT(DIR_PUT_OWNED) | EVENT(DIR_PUT_LAST))

#define HOLD &verb_allocate_mshr, &verb_reserve_way
#define MISS HOLD, &verb_merge, &directory_note_kind, &verb_fetch_line
#define ANSWER &verb_answer_targets
#define IDLE(state)                                                                                \
    {state, DIR_WALK, state, {&verb_write_back}}, {state, DIR_HOST_READ, state, {&verb_reply}},    \
    {                                                                                              \
        state, DIR_HOST_WRITE, state, { &verb_store_line, &directory_write_to_memory, &verb_acknowledge }    \
    }


/* GRANT_S, GRANT_M: what gives a copy to read, and the line or leave to write. */
#define DIRECTORY_ROWS(GRANT_S, GRANT_M) \
    {DIR_I, DIR_MISS, DIR_F, {MISS}}, \
    {DIR_I, DIR_FLUSH, DIR_I, {&verb_start_walk}}, \
    {DIR_V, DIR_READ_E, DIR_X, {&directory_grant_e}}, \
    {DIR_V, DIR_READ_S, DIR_S, {GRANT_S}}, \
    {DIR_V, DIR_READ_PLAIN, DIR_V, {&directory_reply_plain}}, \
    {DIR_V, DIR_WRITE, DIR_X, {GRANT_M}}, \
    {DIR_V, DIR_WAIT, DIR_V, {&verb_stall_line}}, \
    {DIR_V, DIR_ANSWER_E, DIR_X, {&directory_grant_e}}, \
    {DIR_V, DIR_ANSWER_S, DIR_S, {GRANT_S}}, \
    {DIR_V, DIR_ANSWER_PLAIN, DIR_V, {&directory_reply_plain}}, \
    {DIR_V, DIR_ANSWER_M, DIR_X, {GRANT_M}}, \
    {DIR_V, DIR_REPLACE, DIR_I, {&verb_write_back}}, \
    IDLE(DIR_V), \
    {DIR_S, DIR_READ_S, DIR_S, {GRANT_S}}, \
    {DIR_S, DIR_READ_PLAIN, DIR_S, {&directory_reply_plain}}, \
    {DIR_S, DIR_WRITE, DIR_X, {GRANT_M}}, \
    {DIR_S, DIR_WRITE_HELD, DIR_D, {HOLD, &verb_merge, &directory_probe_others}}, \
    {DIR_S, DIR_OVERTOOK, DIR_W, {HOLD, &directory_await, &verb_stall_line}}, \
    {DIR_S, DIR_WAIT, DIR_S, {&verb_stall_line}}, \
    {DIR_S, DIR_ANSWER_S, DIR_S, {GRANT_S}}, \
    {DIR_S, DIR_ANSWER_PLAIN, DIR_S, {&directory_reply_plain}}, \
    {DIR_S, DIR_PUT_SHARED, DIR_S, {&directory_take}}, \
    {DIR_S, DIR_PUT_LAST, DIR_V, {&directory_take}}, \
    {DIR_S, DIR_RECALL, DIR_R, {&directory_recall}}, \
    IDLE(DIR_S), \
    {DIR_X, DIR_READ_OWNED, DIR_B, {HOLD, &verb_merge, &directory_probe_owner}}, \
    {DIR_X, DIR_READ_SENT, DIR_T, {HOLD, &verb_merge, &directory_send}}, \
    {DIR_X, DIR_WRITE_SENT, DIR_T, {HOLD, &verb_merge, &directory_hand_over}}, \
    {DIR_X, DIR_WRITE_HELD, DIR_D, {HOLD, &verb_merge, &directory_probe_others}}, \
    {DIR_X, DIR_OVERTOOK, DIR_W, {HOLD, &directory_await, &verb_stall_line}}, \
    {DIR_X, DIR_PUT_LAST, DIR_V, {&directory_take}}, \
    {DIR_X, DIR_RECALL, DIR_R, {&directory_recall}}, \
    IDLE(DIR_X), \
    {DIR_O, DIR_READ_OWNED, DIR_B, {HOLD, &verb_merge, &directory_probe_owner}}, \
    {DIR_O, DIR_READ_SENT, DIR_T, {HOLD, &verb_merge, &directory_send}}, \
    {DIR_O, DIR_WRITE_SENT, DIR_T, {HOLD, &verb_merge, &directory_hand_over}}, \
    {DIR_O, DIR_WRITE, DIR_X, {GRANT_M}}, \
    {DIR_O, DIR_WRITE_HELD, DIR_D, {HOLD, &verb_merge, &directory_probe_others}}, \
    {DIR_O, DIR_OVERTOOK, DIR_W, {HOLD, &directory_await, &verb_stall_line}}, \
    {DIR_O, DIR_WAIT, DIR_O, {&verb_stall_line}}, \
    {DIR_O, DIR_ANSWER_S, DIR_O, {GRANT_S}}, \
    {DIR_O, DIR_ANSWER_PLAIN, DIR_O, {&directory_reply_plain}}, \
    {DIR_O, DIR_PUT_SHARED, DIR_S, {&directory_take}}, \
    {DIR_O, DIR_PUT_OWNED, DIR_O, {&directory_take}}, \
    {DIR_O, DIR_PUT_LAST, DIR_V, {&directory_take}}, \
    {DIR_O, DIR_RECALL, DIR_R, {&directory_recall}}, \
    IDLE(DIR_O), \
    {DIR_F, DIR_MERGE, DIR_F, {&verb_merge}}, \
    {DIR_F, DIR_WAIT, DIR_F, {&verb_stall_line}}, \
    {DIR_F, DIR_FILL, DIR_V, {&verb_fill_line, ANSWER}}, \
    {DIR_B, DIR_WAIT, DIR_B, {&verb_stall_line}}, \
    {DIR_B, DIR_PUT, DIR_B, {&directory_take}}, \
    {DIR_B, DIR_OWNED, DIR_O, {&directory_pass, ANSWER}}, \
    {DIR_B, DIR_SHARED, DIR_S, {&directory_owner_shares, ANSWER}}, \
    {DIR_B, DIR_GONE_SHARED, DIR_S, {&directory_take, ANSWER}}, \
    {DIR_B, DIR_GONE_LAST, DIR_V, {&directory_take, ANSWER}}, \
    {DIR_T, DIR_WAIT, DIR_T, {&verb_stall_line}}, \
    {DIR_T, DIR_PUT, DIR_T, {&directory_take}}, \
    {DIR_T, DIR_SENT_O, DIR_O, {&directory_note_reader, &verb_drop_targets}}, \
    {DIR_T, DIR_SENT_S, DIR_S, {&directory_note_reader, &verb_drop_targets}}, \
    {DIR_T, DIR_SENT_M, DIR_X, {&directory_note_writer, &verb_drop_targets}}, \
    {DIR_T, DIR_SHARED, DIR_S, {&directory_owner_shares, ANSWER}}, \
    {DIR_T, DIR_GONE_SHARED, DIR_S, {&directory_take, ANSWER}}, \
    {DIR_T, DIR_GONE_LAST, DIR_V, {&directory_take, ANSWER}}, \
    {DIR_D, DIR_WAIT, DIR_D, {&verb_stall_line}}, \
    {DIR_D, DIR_PUT, DIR_D, {&directory_take}}, \
    {DIR_D, DIR_DROPPED, DIR_D, {&directory_take, &directory_count}}, \
    {DIR_D, DIR_DROPPED_LAST, DIR_V, {&directory_take, ANSWER}}, \
    {DIR_W, DIR_WAIT, DIR_W, {&verb_stall_line}}, \
    {DIR_W, DIR_PUT, DIR_W, {&directory_take}}, \
    {DIR_W, DIR_PUT_SHARED, DIR_S, {&directory_take, &verb_release_mshr}}, \
    {DIR_W, DIR_PUT_OWNED, DIR_O, {&directory_take, &verb_release_mshr}}, \
    {DIR_W, DIR_PUT_LAST, DIR_V, {&directory_take, &verb_release_mshr}}, \
    {DIR_R, DIR_WAIT, DIR_R, {&verb_stall_line}}, \
    {DIR_R, DIR_PUT, DIR_R, {&directory_gather}}, \
    {DIR_R, DIR_DROPPED, DIR_R, {&directory_gather, &directory_count}}, \
    {DIR_R, DIR_DROPPED_LAST, DIR_I, {&directory_gather, &directory_write_gathered, &verb_release_mshr}}
/* clang-format on */

#endif

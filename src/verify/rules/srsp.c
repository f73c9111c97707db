/* SPDX-License-Identifier: MIT */
/*
 * sRSP: without remote scope it promises what any scoped protocol does. Most of its faults are of
 * remote operations, which only the tiny programs have; those of the caches are found by random
 * programs.
 */
#include "base/bits.h"
#include "verify/rules.h"

static const struct mutation mutations[] = {
    /* ---- The owner's L1: LR-TBL, the selective flush, PA-TBL ---- */
    {"forget_release", "a local release is not remembered in LR-TBL, and is not in the sFIFO",
     LEAVES_OUT, ROLE_L1, NULL, "STORE_RELEASE", "note_release", NULL},
    {"release_as_store", "a local release is done as a plain store", TAKES_FOR, ROLE_L1, "I",
     "STORE_RELEASE", "STORE", NULL},
    {"forget_atomic_release", "the same of a read-modify-write that is one", LEAVES_OUT, ROLE_L1,
     "V", "ATOMIC_RELEASE", "note_release", NULL},
    {"atomic_release_as_atomic", "the same, and it is in the sFIFO", TAKES_FOR, ROLE_L1, "V",
     "ATOMIC_RELEASE", "ATOMIC_HIT", NULL},
    {"atomic_without_fifo", "a read-modify-write's line is not in the sFIFO", LEAVES_OUT, ROLE_L1,
     "V", "ATOMIC_HIT", "push", NULL},
    {"lose_release", "a local release of a line that is here stores nothing", LEAVES_OUT, ROLE_L1,
     "V", "STORE_RELEASE", "store_line_dirty", NULL},
    {"no_selective_flush", "a probe of a released object is answered before its flush", TAKES_FOR,
     ROLE_L1, "V", "PROBE_FLUSH", "PROBE_QUIET", NULL},
    {"answer_while_written", "the same, of one whose line has gone and what came before it has not",
     TAKES_FOR, ROLE_L1, "I", "PROBE_FLUSH", "PROBE_QUIET", NULL},
    {"lose_flushed", "a flush takes lines from the sFIFO and does not write them", LEAVES_OUT,
     ROLE_L1, "V", "WALK_KEEP", "write_dirty", NULL},
    {"silent_after_probe", "a probe of a released object is neither flushed for nor answered",
     LEAVES_OUT, ROLE_L1, "V", "PROBE_FLUSH", "flush_for_probe", NULL},
    {"silent_without_release", "a probe of an object that was not released is not answered",
     LEAVES_OUT, ROLE_L1, "I", "PROBE_QUIET", "tell_done", NULL},
    {"lose_object", "a probe takes the object's dirty line, which is not written back", LEAVES_OUT,
     ROLE_L1, "V", "PROBE_QUIET", "write_dirty", NULL},
    {"lose_released_object", "the same of an object that was released", LEAVES_OUT, ROLE_L1, "V",
     "PROBE_FLUSH", "write_dirty", NULL},
    {"fill_past_probe", "a line that was on its way when it was probed is kept", LEAVES_OUT,
     ROLE_L1, "F", "PROBE_QUIET", "overtake_line", NULL},
    {"fill_past_acquire", "the same, and one on its way when lines were forgotten", TAKES_FOR,
     ROLE_L1, "F", "FILL_PAST", "FILL", NULL},
    {"forget_probe", "a probe enters no promotion in PA-TBL", LEAVES_OUT, ROLE_L1, NULL,
     "PROBE_QUIET", "note_probe", NULL},
    {"forget_probe_of_fill", "the same, of a line on its way", LEAVES_OUT, ROLE_L1, "F",
     "PROBE_QUIET", "note_probe", NULL},
    {"forget_probe_of_release", "the same, of an object that was released", LEAVES_OUT, ROLE_L1,
     NULL, "PROBE_FLUSH", "note_probe", NULL},
    {"no_promotion", "an acquire of a promoted object is done as a plain load", TAKES_FOR, ROLE_L1,
     "I", "PROMOTE", "LOAD_MISS", NULL},
    {"promote_without_forgetting", "a promoted acquire forgets no line", LEAVES_OUT, ROLE_L1, NULL,
     "PROMOTE", "prepare", NULL},
    {"lose_promoted", "a promoted acquire's dirty line is lost", LEAVES_OUT, ROLE_L1, "V",
     "PROMOTE", "write_dirty", NULL},

    /* ---- The issuer's L1 ---- */
    {"acquire_without_forgetting", "an acquire of a remote or the device's scope forgets no line",
     LEAVES_OUT, ROLE_L1, NULL, "PREPARE", "prepare", NULL},
    {"send_unprepared", "an access for L2 is sent before what must come first", TAKES_FOR, ROLE_L1,
     "I", "PREPARE", "DEVICE", NULL},
    {"send_unprepared_line", "the same, and the line's dirty bytes are lost", TAKES_FOR, ROLE_L1,
     "V", "PREPARE", "DEVICE", NULL},
    {"hold_for_ever", "an acquire's answer lets no other request go on", LEAVES_OUT, ROLE_L1, "Q",
     "ANSWER_ACQUIRE", "release_hold", NULL},
    {"store_without_fifo", "a store's line is not in the sFIFO", LEAVES_OUT, ROLE_L1, NULL, "STORE",
     "push", NULL},
    {"write_backs_stay_open", "the answer of a write-back is not counted", LEAVES_OUT, ROLE_L1,
     NULL, "WRITTEN", "written", NULL},
    {"lose_victim", "a dirty line that L1 gives up is not written back", LEAVES_OUT, ROLE_L1, "V",
     "REPLACE", "write_dirty", NULL},

    /* ---- L2: the lock, the question and the answers ---- */
    {"ask_none", "a remote load of a line that is not in L2 asks no L1", TAKES_FOR, ROLE_L2, "I",
     "REMOTE", "LOAD_MISS", NULL},
    {"ask_none_at_store", "a remote store of a line that is in L2 asks no L1", TAKES_FOR, ROLE_L2,
     "V", "REMOTE", "STORE", NULL},
    {"lock_without_question", "L2 locks the line and asks no L1", LEAVES_OUT, ROLE_L2, NULL,
     "REMOTE", "ask_others", NULL},
    {"load_past_lock", "a load of a locked line is done", TAKES_FOR, ROLE_L2, "V", "WAIT",
     "LOAD_HIT", NULL},
    {"load_past_lock_of_dirty", "the same, of a line dirty in L2", TAKES_FOR, ROLE_L2, "D", "WAIT",
     "LOAD_HIT", NULL},
    {"store_past_lock", "a store to a locked line is done", TAKES_FOR, ROLE_L2, "V", "WAIT",
     "STORE", NULL},
    {"ask_again", "a remote operation whose L1s have answered asks them again", LEAVES_OUT, ROLE_L2,
     NULL, "DONE_LAST", "grant", NULL},
    {"lose_written_back", "bytes that an L1 writes back are lost", LEAVES_OUT, ROLE_L2, "V",
     "WRITE_BACK", "store_line_dirty", NULL},
    {"ask_once", "a locked line that an L1 gives up makes no remote operation ask again",
     LEAVES_OUT, ROLE_L2, NULL, "WRITE_BACK", "note_write_back", NULL},
    {"lose_written_back_locked", "the same, of a locked line that is not in L2", LEAVES_OUT,
     ROLE_L2, "K", "WRITE_BACK", "store_line_dirty", NULL},
};

extern const struct rules rules_srsp;
const struct rules rules_srsp = {
    .protocol = "srsp",
    .promise = {.tells_loads_apart = true, .tells_stores_apart = true},
    .mutations = mutations,
    .mutation_count = ARRAY_COUNT(mutations),
};

/* SPDX-License-Identifier: MIT */
/*
 * Deliberate faults (`-o debug.break=NAME[,NAME...]`). Each leaves out one thing that correctness
 * rests on, and a named test fails with it. That is how the tests show that they can see. Nothing
 * else reads them.
 */
#ifndef SIM_DEBUG_H
#define SIM_DEBUG_H

#include <stdint.h>

#include "base/diagnosis.h"

#define DEBUG_BREAKS(X)                                                                            \
    X(KEEP_L1_AT_ACQUIRE, "keep_l1_at_acquire", "buffer_wbinvl1 leaves the L1 as it is")           \
    X(KEEP_L1_AT_KERNEL, "keep_l1_at_kernel", "a kernel's start does not invalidate the L1s")      \
    X(KEEP_L1_AT_END, "keep_l1_at_end", "a kernel's end leaves in the L1s what only they have")    \
    X(KEEP_SCALAR_AT_KERNEL, "keep_scalar_at_kernel",                                              \
      "a kernel's start does not invalidate the scalar caches")                                    \
    X(CACHE_OVERTAKEN_FILL, "cache_overtaken_fill",                                                \
      "a fill that an invalidation has overtaken is cached")                                       \
    X(KEEP_LINE_AT_STORE, "keep_line_at_store", "a partial store leaves the old line in L1")       \
    X(DROP_DIRTY_BYTE, "drop_dirty_byte", "the highest dirty byte of a written-back line is lost") \
    X(DROP_WRITE_BACK, "drop_write_back", "a dirty L2 line that is evicted is not written back")   \
    X(MERGE_OVER_DIRTY, "merge_over_dirty", "a fill overwrites the dirty bytes of a partial line") \
    X(IGNORE_GLC, "ignore_glc", "a load with GLC may hit in L1")                                   \
    X(HOST_SKIPS_L2, "host_skips_l2", "host transfers go past dirty L2 lines")                     \
    X(IGNORE_WAITCNT, "ignore_waitcnt", "s_waitcnt does not wait")                                 \
    X(IGNORE_BARRIER, "ignore_barrier", "s_barrier does not wait")                                 \
    X(STORE_ALL_LANES, "store_all_lanes", "vector stores ignore the EXEC mask")                    \
    X(END_WITHOUT_STORES, "end_without_stores",                                                    \
      "a wavefront ends without waiting for its stores to reach L2")                               \
    X(PARTIAL_FILL, "partial_fill",                                                                \
      "a line filled from below is valid in 6 of its 16 words only (a fault of Multi2Sim's SI)")   \
    X(FORGET_STORE_ORDER, "forget_store_order",                                                    \
      "store_order=program: no access waits for another that its order puts first")                \
    X(TM_KEEP_STORES, "tm_keep_stores", "localtm: what an aborted lane stored stays")              \
    X(TM_FORGET_FILTER, "tm_forget_filter", "localtm: an access leaves no bit in the filter")      \
    X(TM_KEEP_FILTER, "tm_keep_filter", "localtm: a commit leaves the filters as they are")        \
    X(TM_COMMIT_MARKED, "tm_commit_marked", "localtm: a lane with a conflict goes on")             \
    X(TM_RUN_OTHERS, "tm_run_others",                                                              \
      "localtm: work-group serialisation does not stop the other wavefronts")                      \
    X(TM_SHARE_TOKEN, "tm_share_token", "serial, serial_global: each wavefront may begin")         \
    X(TM_SKIP_VALIDATION, "tm_skip_validation",                                                    \
      "ideal, ideal_global: a commit does not look at what was read")                              \
    X(TM_FORGET_TABLE, "tm_forget_table",                                                          \
      "ideal_global: loads take what memory has, committed or not there yet")                      \
    X(KILO_SKIP_VALIDATION, "kilo_skip_validation", "kilotm: each word validated holds")           \
    X(KILO_SKIP_HAZARD, "kilo_skip_hazard",                                                        \
      "kilotm: what the last writer history knows is ignored")                                     \
    X(KILO_SKIP_REVALIDATION, "kilo_skip_revalidation",                                            \
      "kilotm: a transaction with a hazard waits, and is not validated again")                     \
    X(KILO_REVALIDATE_EARLY, "kilo_revalidate_early",                                              \
      "kilotm: it is validated again without waiting")                                             \
    X(KILO_LATE_RCID, "kilo_late_rcid",                                                            \
      "kilotm: RCID is the retire pointer at hazard detection, not at the first message")          \
    X(KILO_PASS_FIRST, "kilo_pass_first",                                                          \
      "kilotm: the pass pointer does not wait for the hazard pointer")                             \
    X(KILO_FORGET_EVICTED, "kilo_forget_evicted",                                                  \
      "kilotm: what the last writer history's table gives up is lost")                             \
    X(KILO_LOSE_SKIP, "kilo_lose_skip", "kilotm: the last commit unit is sent no SKIP")            \
    X(KILO_MISS_OWN_WRITES, "kilo_miss_own_writes",                                                \
      "kilotm: a load does not see the lane's stores")                                             \
    X(KILO_IGNORE_FAIL, "kilo_ignore_fail", "kilotm: a commit unit's CU_FAIL counts as CU_PASS")   \
    X(KILO_STOP_WATCHDOG, "kilo_stop_watchdog",                                                    \
      "kilotm: attempts that run for long are not validated")                                      \
    X(TM_KEEP_REGISTERS, "tm_keep_registers", "a lane that starts again keeps its registers")

enum debug_break {
#define DEBUG_ENUM(name, text, help) DEBUG_BREAK_##name,
    DEBUG_BREAKS(DEBUG_ENUM)
#undef DEBUG_ENUM
        DEBUG_BREAK_COUNT
};

/* A set of them, one bit each. */
#define debug_breaks(set, name) (((set) >> DEBUG_BREAK_##name & 1) != 0)

/* Reads "name,name": unknown names are a diagnosis. The empty string is the empty set. */
bool debug_parse(const char *names, uint64_t *set, struct diagnosis *diagnosis) MUST_USE;
const char *debug_name(enum debug_break which);
const char *debug_help(enum debug_break which);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * KILO TM: transactions on global memory, lazy, with conflicts found by value, word by word.
 *
 * compute unit                                    memory channel (each)
 * loads, stores ─► read log, write log ─► log cache
 * commit: credits ─► commit IDs (vendor)
 *         logs, packed by channel ── READ_SET, WRITE_SET, FILLED or SKIP ──► commit unit ⇄ L2 slice
 *         outcome of all units    ◄─ CU_PASS, CU_FAIL ─────────────────────    │ validates
 *                                 ── PASS, FAIL ───────────────────────────►   │ writes
 *         lanes go on             ◄─ CU_DONE ──────────────────────────────    ▼ retires
 *
 * Each lane is a transaction with a commit ID of its own; a wavefront's are contiguous, in lane
 * order. What commits does so in the order of these IDs, at each unit. Loads go past the L1. A
 * transaction may read words of different times (it is then doomed): it ends by its validation, or
 * by the watchdog's.
 *
 *     core.c        hooks of the seam, begin and end    log.c         rows, accesses
 *     walk.c        logs to messages, outcomes          log_cache.c   lines of the logs
 *     commit_unit.c its cycle, messages                 stages.c      an entry's way through it
 *     history.c     the last writer history             vendor.c      commit IDs
 *
 * Left out: nested transactions (the compute unit flattens them). docs/models/kilotm.md has
 * messages, sizes, and what the paper leaves open.
 * Source: Wilson W. L. Fung, Inderpreet Singh, Andrew Brownsword, Tor M. Aamodt, "Hardware
 * Transactional Memory for GPU Architectures", MICRO 2011, sections 4.1 to 4.6.
 */
#ifndef TM_KILOTM_H
#define TM_KILOTM_H

#include "sim/declare.h"

parameter_words kilotm_set_scheme_word, kilotm_history_word;

#define KILOTM_PARAMETERS(X)                                                                       \
    X(NUMBER, warps_per_core, "wavefronts", 2, 0, 64,                                              \
      "of a compute unit in transactions at one time; 0: no limit")                                \
    X(NUMBER, lanes_per_core, "lanes", 0, 0, 4096,                                                 \
      "of a compute unit in transactions at one time, instead of wavefronts; 0: these are "        \
      "counted")                                                                                   \
    X(NUMBER, log_rows, "rows", 256, 8, 65000, "of a wavefront's read log, and of its write log")  \
    X(NUMBER, log_kb, "KB", 48, 1, 1024, "log cache of a compute unit")                            \
    X(NUMBER, log_ways, "ways", 6, 1, 64, "its associativity")                                     \
    X(NUMBER, log_block_cycles, "cycles", 1, 1, 100,                                               \
      "for a block of a log: the addresses, or the values, of a row")                              \
    X(NUMBER, filter_cycles, "cycles", 0, 0, 1000,                                                 \
      "of the filter of written words, before a load of which a lane has written begins; the "     \
      "vector memory unit begins no other access meanwhile")                                       \
    X(NUMBER, backoff_cycles, "cycles", 500, 0, 1000000,                                           \
      "a wavefront waits after its nth attempt that fails: n times this")                          \
    X(NUMBER, backoff_most_cycles, "cycles", 5000, 0, 10000000, "and at most this")                \
    X(NUMBER, watchdog_cycles, "cycles", 100000, 1000, 1000000000,                                 \
      "after which a running attempt's reads are validated, and again")                            \
    X(NUMBER, commit_id_cycles, "cycles", 2, 0, 100000,                                            \
      "from asking for commit IDs to having them: 2 and more, or 0: when the instant ends, which " \
      "ties the simulation to one thread")                                                         \
    X(NUMBER, credits, "entries", 0, 0, 1000000,                                                   \
      "of commit units that a compute unit may use at one time, at each; 0: no limit")             \
    X(NUMBER, ring_entries, "entries", 0, 0, 65535,                                                \
      "of a commit unit: no fewer than all credits; 0: enough")                                    \
    X(NUMBER, unit_cycles, "cycles", 1, 1, 16, "core cycles of a commit unit's cycle")             \
    X(NUMBER, validation_always_hits, "", 0, 0, 1,                                                 \
      "1: a validation's load hits in L2 though its line is not there, which changes nothing")     \
    X(NUMBER, set_words, "words", 0, 0, 65535,                                                     \
      "of a commit unit's buffer for a read set, or a write set; what is longer is sent again "    \
      "when it is needed again; 0: no limit")                                                      \
    X(NUMBER, set_buffers, "buffers", 0, 0, 1000000,                                               \
      "of a commit unit; a set without one is sent again, too; 0: enough")                         \
    X(WORD, set_scheme, "", "needed", kilotm_set_scheme_word, 1, "which sets have a buffer")       \
    X(WORD, history, "", "lwh", kilotm_history_word, 1, "how hazards are found")                   \
    X(NUMBER, signature_bits, "bits", 512, 4, 65536, "of each of these, in 4 parts")               \
    X(NUMBER, history_entries, "words", 512, 4, 1048576, "of the table")                           \
    X(NUMBER, history_ways, "ways", 4, 1, 64, "its associativity")                                 \
    X(NUMBER, bloom_buckets, "buckets", 1024, 4, 1048576, "of the filter, in 4 arrays")            \
    X(NUMBER, acquire, "", 1, 0, 1,                                                                \
      "1: the L1 is invalidated when a wavefront has committed; 0: no plain load hits there")

struct kilotm_parameters {
    KILOTM_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter kilotm_parameters[];
extern const uint32_t kilotm_parameter_count;

#endif

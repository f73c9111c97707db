/* SPDX-License-Identifier: MIT */
/* SI: a store is seen by all acquires after its answer; L1s never hold what is newer than L2. */
#include "base/bits.h"
#include "verify/rules.h"

static const struct mutation mutations[] = {
    {"keep_line_at_store", "a store of part of a line leaves the old line in L1", LEAVES_OUT,
     ROLE_L1, "V", "STORE_PART", "drop_line", NULL},
    {"keep_line_at_atomic", "an atomic leaves the old line in L1", GOES_TO, ROLE_L1, "V", "ATOMIC",
     "V", NULL},
    {"keep_line_at_acquire", "an acquire leaves the lines in L1", GOES_TO, ROLE_L1, "V", "WALK",
     "V", NULL},
    {"keep_epoch_at_acquire", "an acquire does not mark the fills that are on their way",
     LEAVES_OUT, ROLE_L1, "I", "INVALIDATE", "new_epoch", NULL},
    {"cache_overtaken_fill", "a fill that a store or an acquire has overtaken is cached", TAKES_FOR,
     ROLE_L1, "F", "FILL_OVERTAKEN", "FILL", NULL},
    {"store_passes_fill", "a store under a fill does not overtake it", LEAVES_OUT, ROLE_L1, "F",
     "STORE_PART", "overtake", NULL},
    {"atomic_passes_fill", "an atomic under a fill does not overtake it", LEAVES_OUT, ROLE_L1, "F",
     "ATOMIC", "overtake", NULL},
    {"join_overtaken_fill", "a load joins a fill that it must wait for", TAKES_FOR, ROLE_L1, "F",
     "WAIT", "LOAD_MERGE", NULL},
    {"coherent_load_hits", "a load with GLC hits in L1", TAKES_FOR, ROLE_L1, "V", "LOAD_MISS",
     "LOAD_HIT", NULL},
    {"lose_store", "a store of part of a line is not sent to L2", LEAVES_OUT, ROLE_L1, "V",
     "STORE_PART", "forward", NULL},
    {"lose_whole_store", "a store of a whole line is not sent to L2", LEAVES_OUT, ROLE_L1, "V",
     "STORE_WHOLE", "forward", NULL},
    {"lose_answer", "an answer from L2 under a fill is not passed up", LEAVES_OUT, ROLE_L1, "F",
     "ANSWER", "pass_up", NULL},
    {"lose_victim", "a dirty line of L2 that is replaced is not written back", LEAVES_OUT, ROLE_L2,
     "D", "REPLACE", "write_back", NULL},
    {"store_stays_clean", "a store to a line of L2 leaves it clean", GOES_TO, ROLE_L2, "V", "STORE",
     "V", NULL},
    {"atomic_stays_clean", "an atomic on a line of L2 leaves it clean", GOES_TO, ROLE_L2, "V",
     "ATOMIC", "V", NULL},
    {"fill_cleans", "a fill under dirty bytes leaves the line of L2 clean", GOES_TO, ROLE_L2, "F",
     "FILL_DIRTY", "V", NULL},
    {"l2_store_passes_fill", "a store in L2 under a fill does not overtake it", LEAVES_OUT, ROLE_L2,
     "F", "STORE", "overtake", NULL},
    {"l2_atomic_passes_fill", "an atomic in L2 under a fill does not overtake it", LEAVES_OUT,
     ROLE_L2, "F", "ATOMIC", "overtake", NULL},
    {"l2_join_overtaken_fill", "a load joins a fill of L2 that it must wait for", TAKES_FOR,
     ROLE_L2, "F", "WAIT", "LOAD_MERGE", NULL},
    {"l2_loses_request", "what should wait for a fill of L2 does not wait", LEAVES_OUT, ROLE_L2,
     "F", "WAIT", "stall_line", NULL},
    {"merge_over_dirty", "a fill overwrites dirty bytes", BREAKS, ROLE_L2, NULL, NULL,
     "merge_over_dirty", NULL},
    {"drop_dirty_byte", "the highest dirty byte of a line that is written back is lost", BREAKS,
     ROLE_L2, NULL, NULL, "drop_dirty_byte", NULL},
};

extern const struct rules rules_si;
const struct rules rules_si = {
    .protocol = "si",
    .promise = {.publishes_stores = true, .tells_loads_apart = true},
    .mutations = mutations,
    .mutation_count = ARRAY_COUNT(mutations),
};

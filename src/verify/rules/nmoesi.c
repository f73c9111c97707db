/* SPDX-License-Identifier: MIT */
/* NMOESI: coherent accesses see what is answered; plain stores are seen after a release, by plain
 * loads after an acquire. */
#include "base/bits.h"
#include "verify/rules.h"

static const struct mutation mutations[] = {
    {"keep_shared_at_acquire", "an acquire leaves what a shared copy holds", LEAVES_OUT, ROLE_L1,
     "S", "WALK_CUT", "cut_clean"},
    {"keep_clean_at_acquire", "an acquire leaves the clean bytes of a copy in N", LEAVES_OUT,
     ROLE_L1, "N", "WALK_CUT", "cut_clean"},
    {"keep_fill_past_acquire", "a line that an acquire has passed is kept as if it came after",
     TAKES_FOR, ROLE_L1, "IN", "DATA_N_PAST", "DATA_N"},
    {"release_passes_stores", "a release does not wait for stores that wait for their lines",
     TAKES_FOR, ROLE_L1, "I", "RELEASE_EARLY", "RELEASE"},
    {"lose_released", "a release leaves the dirty bytes of a copy in N where they are", LEAVES_OUT,
     ROLE_L1, "N", "WALK_WRITE", "write_n"},
    {"lose_put_n", "a copy in N that L1 gives up takes its dirty bytes with it", LEAVES_OUT,
     ROLE_L1, "N", "REPLACE", "put_n"},
    {"coherent_load_hits", "a coherent load hits in a shared copy", TAKES_FOR, ROLE_L1, "S",
     "LOAD_AGAIN", "LOAD_HIT"},
    {"lose_store", "a plain store to a copy in N is answered and not done", LEAVES_OUT, ROLE_L1,
     "N", "PLAIN_HIT", "store_line_dirty"},
    {"silent_n", "a copy in N that is asked for its bytes does not answer", LEAVES_OUT, ROLE_L1,
     "N", "PROBE_DROP", "tell_dropped"},
    {"keep_n_copy", "a copy in N stays when another writes coherently", GOES_TO, ROLE_L1, "N",
     "PROBE_DROP", "N"},
    {"owner_stays_exclusive", "an exclusive copy stays so when another stores plainly", GOES_TO,
     ROLE_L1, "E", "PROBE_CLEAN", "E"},
    {"owner_stays_modified", "the same of a modified copy", GOES_TO, ROLE_L1, "M", "PROBE_CLEAN",
     "M"},
    {"disown_in_silence", "an exclusive copy becomes N and the directory is not told", LEAVES_OUT,
     ROLE_L1, "E", "PLAIN_HIT", "disown"},
    {"n_beside_owner", "a line for plain stores is given while an owner stays", TAKES_FOR, ROLE_L2,
     "O", "READ_CLEAN", "READ_OWNED"},
    {"lose_merged", "dirty bytes of a copy in N do not reach the line of L2", LEAVES_OUT, ROLE_L2,
     "S", "BYTES", "merge_bytes"},
    {"lose_last_merged", "the same of the last copy", LEAVES_OUT, ROLE_L2, "S", "BYTES_LAST",
     "merge_bytes"},
    {"lose_late_merged", "dirty bytes whose line has left L2 do not reach memory", LEAVES_OUT,
     ROLE_L2, "I", "BYTES_PAST", "write_to_memory"},
    {"write_beside_sharers", "leave to write is given while others have copies", TAKES_FOR,
     ROLE_L2, "S", "WRITE_HELD", "WRITE"},
    {"lose_victim", "a dirty line of L2 that is replaced is not written back", LEAVES_OUT, ROLE_L2,
     "V", "REPLACE", "write_back"},
    {"lose_recalled", "bytes that a recall brought are not written back", LEAVES_OUT, ROLE_L2, "R",
     "DROPPED_LAST", "write_to_memory"},
    {"lose_put_in_recall", "bytes that were given up before their recall came are lost", LEAVES_OUT,
     ROLE_L2, "R", "PUT", "gather_bytes"},
    {"lose_owners_bytes", "a writer gets the line without the bytes of copies that are dropped",
     LEAVES_OUT, ROLE_L2, "D", "DROPPED_LAST", "take_bytes"},
    {"drop_dirty_byte", "the highest dirty byte of a line that L2 writes back is lost", BREAKS,
     ROLE_L2, NULL, NULL, "drop_dirty_byte"},
};

extern const struct rules rules_nmoesi;
const struct rules rules_nmoesi = {
    .protocol = "nmoesi",
    .promise = {.tells_loads_apart = true, .tells_stores_apart = true, .exclusive = " E M ", .owners = " O M OM ON "},
    .mutations = mutations,
    .mutation_count = ARRAY_COUNT(mutations),
};

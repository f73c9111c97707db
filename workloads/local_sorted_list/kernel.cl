/* SPDX-License-Identifier: MIT */
/*
 * LISTS sorted lists in local memory: each work-item puts its key into list item % LISTS. It walks
 * from the list's head to the last node with a smaller key and links its own behind it, as one
 * critical section. Nodes 0 to GROUP - 1 are the work-items', then come the heads.
 *
 * The fine-grained version walks without a lock, and locks the node it would link behind. It looks
 * whether its successor is still the one that it saw, and starts again if not. Nodes never leave a
 * list, so that this is enough.
 */
#include "critical.cl"

enum { NODES = GROUP + LISTS, END = 0xffff };

/* The last node of the list with a key less than `mine`, or the head. */
static inline uint find_place(local_words next, local_words key, uint head, uint mine)
{
    uint before = head, after;

    while ((after = next[before]) != END && key[after] < mine)
        before = after;
    return before;
}

#if VERSION == VERSION_FINE
static void insert(local_words next, local_words key, local_words locks, uint item, uint mine)
{
    for (;;) {
        uint before = find_place(next, key, GROUP + item % LISTS, mine), after = next[before];
        uint is_place = after == END || key[after] >= mine;
        uint done = is_place && lock_try(locks + before);
        if (done) {
            done = next[before] == after;
            if (done) {
                next[item] = after;
                next[before] = item;
            }
            lock_release(locks + before);
        }
        MEET(done);
        if (done)
            break;
    }
}
#else
static void insert(local_words next, local_words key, local_words locks, uint item, uint mine)
{
    uint kept = 0;

    CRITICAL(item, locks, kept, {
        uint before = find_place(next, key, GROUP + item % LISTS, mine);

        next[item] = next[before];
        next[before] = item;
    });
}
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
insert_all(__global const uint *keys, __global uint *nexts)
{
    __local uint next[NODES], key[NODES], locks[NODES];
    uint item = get_local_id(0), group = get_group_id(0);

    for (uint i = item; i < NODES; i += GROUP) {
        next[i] = END;
        locks[i] = 0;
        key[i] = i < GROUP ? keys[group * GROUP + i] : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    insert(next, key, locks, item, key[item]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = item; i < NODES; i += GROUP)
        nexts[group * NODES + i] = next[i];
}

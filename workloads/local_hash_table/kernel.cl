/* SPDX-License-Identifier: MIT */
/*
 * Each of GROUP work-items puts its ID into entry ID % ENTRIES of a table of its group. It looks
 * through the entry for a free place and takes it, as one critical section. An entry has room for all
 * of its IDs. IDs are stored as ID + 1; 0 is free.
 */
#include "critical.cl"

#define ROOM (GROUP / ENTRIES)

/* Where the table lies; `both`: in local memory, and how many IDs each entry has in all tables in global memory. */
#define TABLE_LOCAL 0
#define TABLE_GLOBAL 1
#define TABLE_BOTH 2

#if TABLE == TABLE_GLOBAL
typedef volatile __global uint *table_words;
#define FENCE CLK_GLOBAL_MEM_FENCE
#else
typedef local_words table_words;
#define FENCE CLK_LOCAL_MEM_FENCE
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
insert_all(__global uint *tables, volatile __global uint *counts)
{
    __local uint locks[ENTRIES];
    uint item = get_local_id(0), entry = item % ENTRIES, kept = 0;
#if TABLE == TABLE_GLOBAL
    table_words table = tables + get_group_id(0) * GROUP;
#else
    __local uint table[GROUP];
#endif
    table_words place = table + entry * ROOM;

    table[item] = 0;
    if (item < ENTRIES)
        locks[item] = 0;
    barrier(FENCE);
    CRITICAL(item, LOCK_OF(locks, entry), kept, {
        for (uint i = 0; i < ROOM; i++)
            if (place[i] == 0) {
                place[i] = item + 1;
                break;
            }
        if (TABLE == TABLE_BOTH)
            counts[entry] += 1;
    });
    barrier(FENCE);
#if TABLE != TABLE_GLOBAL
    tables[get_group_id(0) * GROUP + item] = table[item];
#endif
}

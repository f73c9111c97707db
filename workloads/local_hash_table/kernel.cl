/* SPDX-License-Identifier: MIT */
/*
 * Each of GROUP work-items puts its ID into entry ID % ENTRIES of a table in local memory: it looks
 * through the entry for a free place and takes it, as one critical section. An entry has room for all
 * of its IDs. IDs are stored as ID + 1; 0 is free.
 */
#include "critical.cl"

#define ROOM (GROUP / ENTRIES)

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
insert_all(__global uint *tables)
{
    __local uint table[GROUP];
    __local uint locks[ENTRIES];
    uint item = get_local_id(0), entry = item % ENTRIES, kept = 0;
    local_words place = table + entry * ROOM;

    table[item] = 0;
    if (item < ENTRIES)
        locks[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    CRITICAL(item, LOCK_OF(locks, entry), kept, {
        for (uint i = 0; i < ROOM; i++)
            if (place[i] == 0) {
                place[i] = item + 1;
                break;
            }
    });
    barrier(CLK_LOCAL_MEM_FENCE);
    tables[get_group_id(0) * GROUP + item] = table[item];
}

/* SPDX-License-Identifier: MIT */
/*
 * Each of GROUP work-items puts its ID into entry ID % ENTRIES of a table of its group. It looks
 * through the entry for a free place and takes it. An entry has room for all of its IDs. IDs are
 * stored as ID + 1; 0 is free. A critical section is the whole search, or one place: is it free, then
 * take it.
 */
#include "critical.cl"

#define ROOM (GROUP / ENTRIES)

/* Where the table lies; `both`: in local memory, and how many IDs each entry has in all tables in global memory. */
#define TABLE_LOCAL 0
#define TABLE_GLOBAL 1
#define TABLE_BOTH 2

/* What a critical section covers. */
#define SECTION_ENTRY 0
#define SECTION_ELEMENT 1

/* Whether a work-item looks at a further place. Those that take turns must all come to each barrier. */
#if VERSION == VERSION_SERIAL
#define LOOKS_ON(is_in) 1
#else
#define LOOKS_ON(is_in) !(is_in)
#endif

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
    uint item = get_local_id(0), entry = item % ENTRIES, is_in = 0;
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
#if SECTION == SECTION_ELEMENT
    for (uint i = 0; i < ROOM && LOOKS_ON(is_in); i++)
        CRITICAL(item, LOCK_OF(locks, entry), is_in, {
            if (!is_in && place[i] == 0) {
                place[i] = item + 1;
                is_in = 1;
                if (TABLE == TABLE_BOTH)
                    counts[entry] += 1;
            }
        });
#else
    CRITICAL(item, LOCK_OF(locks, entry), is_in, {
        for (uint i = 0; i < ROOM; i++)
            if (place[i] == 0) {
                place[i] = item + 1;
                break;
            }
        if (TABLE == TABLE_BOTH)
            counts[entry] += 1;
    });
#endif
    barrier(FENCE);
#if TABLE != TABLE_GLOBAL
    tables[get_group_id(0) * GROUP + item] = table[item];
#endif
}

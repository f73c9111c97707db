/* SPDX-License-Identifier: MIT */
/* Each work-item takes one record of a data base and enters all pairs of its items among the candidates. A pair that is there
 * gets one more support, another a node. With transactions a record is one section; with locks each pair is. */
#include "exclusive.cl"

/* A node: the pair, its support, and the next of its bucket; numbered from 1. */
static inline void enter(global_words heads, global_words nodes, uint bucket, uint pair, uint fresh)
{
    uint node = heads[bucket];

    while (node != 0 && nodes[3 * node] != pair)
        node = nodes[3 * node + 2];
    if (node != 0) {
        nodes[3 * node + 1] += 1;
    } else {
        nodes[3 * fresh] = pair;
        nodes[3 * fresh + 1] = 1;
        nodes[3 * fresh + 2] = heads[bucket];
        heads[bucket] = fresh;
    }
}

static inline uint bucket_of(uint pair)
{
    return pair * 0x9e3779b1u >> 7 & (BUCKETS - 1);
}

/* `records`: ITEMS places each, the items first and zeros behind. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
enter_all(global_words heads, global_words nodes, global_words locks, __global const uint *records)
{
    uint item = get_global_id(0), kept = 0, fresh = 1 + item * (ITEMS * (ITEMS - 1) / 2);
    __global const uint *record = records + ITEMS * item;

    if (record[1] != 0) {
#if VERSION == VERSION_TRANSACTION
        WAVETANK_BEGIN();
#endif
        for (uint i = 0; i + 1 < ITEMS && record[i + 1] != 0; i++)
            for (uint j = i + 1; j < ITEMS && record[j] != 0; j++, fresh++) {
                uint pair = record[i] << 16 | record[j], bucket = bucket_of(pair);
#if VERSION == VERSION_TRANSACTION
                enter(heads, nodes, bucket, pair, fresh);
#else
                EXCLUSIVE(locks, bucket, kept, { enter(heads, nodes, bucket, pair, fresh); });
#endif
            }
#if VERSION == VERSION_TRANSACTION
        COMMIT_KEEP(kept);
#endif
    }
}

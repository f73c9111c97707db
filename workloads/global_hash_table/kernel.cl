/* SPDX-License-Identifier: MIT */
/* Each work-item inserts one element at the head of its key's chain: it reads one word, and writes four. */
#include "exclusive.cl"

/* Elements are numbered from 1; 0 ends a chain. `keys` is what the host chose, `nodes` three words each: key, value,
 * next. */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
insert_all(global_words heads, global_words nodes, global_words locks, __global const uint *keys)
{
    uint item = get_global_id(0), kept = 0;
    uint key = keys[item], head = key % HEADS;
    global_words node = nodes + 3 * item;

    EXCLUSIVE(locks, head, kept, {
        node[0] = key;
        node[1] = item;
        node[2] = heads[head];
        heads[head] = item + 1;
    });
}

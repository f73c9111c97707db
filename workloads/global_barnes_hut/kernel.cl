/* SPDX-License-Identifier: MIT */
/* Each work-item inserts a body into an octree. A step of it is one section: the work-item looks at its child of a
 * node, and takes it if it is empty, goes down if it is a node, and puts a new node with the body that is there into its place if it is
 * a body. The next step then finds the node. */
#include "exclusive.cl"

/* A child: 0 empty, a body (numbered from 1), or a node with the highest bit set. Node 0 is the root. */
#define NODE 0x80000000u

static inline uint octant(uint code, uint depth)
{
    return code >> (27 - 3 * depth) & 7;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
insert_all(global_words children, global_words locks, global_words used, __global const uint *codes,
           uint bodies)
{
    uint item = get_global_id(0), stride = get_global_size(0);

    for (uint body = item; body < bodies; body += stride) {
        uint code = codes[body], node = 0, depth = 0, spare = 0, child = 0;

        do {
            uint place = 8 * node + octant(code, depth), step = 0;

            if (spare == 0)
                spare = 1 + atomic_inc(used);
            EXCLUSIVE(locks, node, child, {
                child = children[place];
                if (child == 0) {
                    children[place] = body + 1;
                } else if ((child & NODE) == 0) {
                    children[8 * spare + octant(codes[child - 1], depth + 1)] = child;
                    children[place] = NODE | spare;
                }
            });
            step = child;
            if ((step & NODE) != 0) {
                node = step & ~NODE;
                depth++;
            } else if (step != 0) {
                node = spare;
                spare = 0;
                depth++;
            }
        } while (child != 0);
    }
}

/* SPDX-License-Identifier: MIT */
/* Each work-item inserts a body into an octree. A step of it is one section: the work-item looks at its child of a node. It takes the
 * child if that is empty, and goes down if it is a node. If it is a body, it puts a new node with that body into its place. The next
 * step then finds the node. With locks a child that is a node, and stays that, is found without one, and a lock is asked for when it
 * looks free. */
#include "exclusive.cl"

/* A child: 0 empty, a body (numbered from 1), or a node with the highest bit set. Node 0 is the root. */
#define NODE 0x80000000u

/* What is in a node must be there before the node is found by who takes no lock. */
#if VERSION == VERSION_FINE
#define NODE_IS_WHOLE() mem_fence(CLK_GLOBAL_MEM_FENCE)
#else
#define NODE_IS_WHOLE() ((void)0)
#endif

#define INSERT()                                                                                   \
    do {                                                                                           \
        child = children[place];                                                                   \
        if (child == 0) {                                                                          \
            children[place] = body + 1;                                                            \
        } else if ((child & NODE) == 0) {                                                          \
            children[8 * spare + octant(codes[child - 1], depth + 1)] = child;                     \
            NODE_IS_WHOLE();                                                                       \
            children[place] = NODE | spare;                                                        \
        }                                                                                          \
    } while (0)

static inline uint octant(uint code, uint depth)
{
    return code >> (27 - 3 * depth) & 7;
}

/* One step of a body at its child of the node; 0: it is to be done again. */
static inline uint step_down(global_words children, global_words locks, __global const uint *codes,
                             uint node, uint place, uint spare, uint depth, uint body, uint *found)
{
    uint child = 0, is_done = 1;

#if VERSION == VERSION_FINE
    child = children[place];
    if ((child & NODE) == 0) {
        is_done = locks[node] == 0 ? lock_try(&locks[node]) : 0;
        if (is_done) {
            INSERT();
            lock_release(&locks[node]);
        }
        MEET(is_done);
    }
#else
    EXCLUSIVE(locks, node, child, { INSERT(); });
#endif
    *found = child;
    return is_done;
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
            if (!step_down(children, locks, codes, node, place, spare, depth, body, &child)) {
                child = NODE; /* not the end */
                continue;
            }
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

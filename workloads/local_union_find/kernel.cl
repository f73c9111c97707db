/* SPDX-License-Identifier: MIT */
/*
 * Labels the connected parts of a tile of SIDE x SIDE pixels by union and find in local memory. Each
 * work-item joins its pixel with the ones to its right and below it that are alike. It walks from
 * both to their roots and hangs the larger root under the smaller, as one critical section. A root
 * is the least pixel of its part. The fine-grained version has no lock: it hangs a root by a
 * compare-and-swap that fails where it is no root any more.
 */
#include "critical.cl"

enum { PIXELS = SIDE * SIDE };

static inline uint root_of(local_words parent, uint pixel)
{
    uint up;

    while ((up = parent[pixel]) != pixel)
        pixel = up;
    return pixel;
}

#if VERSION == VERSION_FINE
static void join(local_words parent, local_words lock, uint item, uint a, uint b, uint alike)
{
    for (;;) {
        uint one = root_of(parent, a), other = root_of(parent, b);
        uint high = max(one, other), low = min(one, other);
        uint done = !alike || high == low || atomic_cmpxchg(parent + high, high, low) == high;

        MEET(done);
        if (done)
            break;
    }
}
#else
static void join(local_words parent, local_words lock, uint item, uint a, uint b, uint alike)
{
    uint kept = 0;

    CRITICAL(item, lock, kept, {
        if (alike) {
            uint one = root_of(parent, a), other = root_of(parent, b);
            if (one != other)
                parent[max(one, other)] = min(one, other);
        }
    });
}
#endif

__kernel __attribute__((reqd_work_group_size(PIXELS, 1, 1))) void
label_all(__global const uint *image, __global uint *labels)
{
    __local uint parent[PIXELS];
    __local uint colour[PIXELS];
    __local uint lock;
    uint item = get_local_id(0), at = get_group_id(0) * PIXELS + item;

    parent[item] = item;
    colour[item] = image[at];
    if (item == 0)
        lock = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint way = 0; way < 2; way++) {
        uint is_there = way ? item / SIDE != SIDE - 1 : item % SIDE != SIDE - 1;
        uint other = is_there ? item + (way ? SIDE : 1) : item;

        join(parent, &lock, item, item, other, is_there && colour[other] == colour[item]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    labels[at] = root_of(parent, item);
}

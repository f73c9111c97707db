/* SPDX-License-Identifier: MIT */
/* Transactions on local and global memory at once: what is in one must fit what is in the other, whichever two systems
 * isolate them. Each kernel's work-groups share the words of `out` below 64. */
#include "transactions.cl.h"

#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void

/* From eight local pools to n global accounts. */
KERNEL(128) transfer(__global uint *out, uint n)
{
    volatile __local uint pool[8];
    volatile __global uint *account = out;
    uint id = get_local_id(0), group = get_group_id(0);

    if (id < 8)
        pool[id] = 1000;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint left = pool[id % 8];
    pool[id % 8] = left - 2;
    account[(id * 7 + group) % n] += 2;
    WAVETANK_COMMIT();
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 8)
        out[256 + group * 8 + id] = pool[id];
}

/* The place of a global store is a local ticket. */
KERNEL(128) local_ticket(__global uint *out, uint n)
{
    volatile __local uint ticket;
    uint id = get_local_id(0), group = get_group_id(0);

    ticket = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint mine = ticket;
    ticket = mine + 1;
    out[256 + group * 128 + mine] = id + n;
    WAVETANK_COMMIT();
}

/* The place of a local store is a global ticket. */
KERNEL(128) global_ticket(__global uint *out, uint n)
{
    volatile __local uint taken[512];
    volatile __global uint *ticket = out;
    uint id = get_local_id(0);

    for (uint i = id; i < 512; i += 128)
        taken[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint mine = *ticket;
    *ticket = mine + 1;
    taken[mine % 512] = n + id;
    WAVETANK_COMMIT();
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < 512; i += 128)
        if (taken[i] != 0)
            atomic_add(&out[256 + i], taken[i]);
}

/* A word of each memory is raised in step; a transaction that commits has seen them equal. */
KERNEL(128) in_step(__global uint *out, uint n)
{
    volatile __local uint here[4];
    volatile __global uint *there = out + 64 + get_group_id(0) * 4;
    uint id = get_local_id(0), differed = 0;

    if (id < 4)
        here[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < n; i++) {
        uint seen = 0;

        WAVETANK_BEGIN();
        uint x = here[id % 4], y = there[id % 4];
        seen = x != y;
        there[id % 4] = y + 1;
        here[id % 4] = x + 1;
        WAVETANK_COMMIT_KEEP(seen);
        differed += seen;
    }
    atomic_add(&out[0], differed);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 4)
        out[256 + get_group_id(0) * 4 + id] = here[id];
}

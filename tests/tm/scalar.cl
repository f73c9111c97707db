/* SPDX-License-Identifier: MIT */
/* What clang reads by scalar loads passes every transactional memory by. `same` is the buffer `out` again, though the
 * kernel promises that nothing changes it. The lines with READ and WRITE are the two that a fault must name. Kernels
 * without them are right. */
#include "transactions.cl.h"

#define KERNEL __kernel __attribute__((reqd_work_group_size(64, 1, 1))) void

/* Raises the counter, from a value that is read once for the wavefront. */
KERNEL inside(__global uint *out, uint n, __global const uint *restrict same)
{
    WAVETANK_BEGIN();
    uint old = same[n]; /* READ */
    out[n] = old + 1;   /* WRITE */
    WAVETANK_COMMIT();
}

/* The scalar load is long done when the first transaction begins; the compiler may have moved it there. */
KERNEL before(__global uint *out, uint n, __global const uint *restrict same)
{
    uint old = same[n + 5]; /* READ */

    out[64 + get_global_id(0)] = old;
    barrier(CLK_GLOBAL_MEM_FENCE);
    WAVETANK_BEGIN();
    atomic_add(&out[n + 5], 1u); /* WRITE */
    WAVETANK_COMMIT();
}

/* The address of the store is not the load's, its words are. */
KERNEL overlapping(__global uint *out, uint n, __global const uint4 *restrict same)
{
    uint4 old = same[n]; /* READ */

    out[64 + get_global_id(0)] = old.x + old.y + old.z + old.w;
    WAVETANK_BEGIN();
    ((__global ulong *)out)[2 * n + 1] = 7; /* WRITE */
    WAVETANK_COMMIT();
}

/* A volatile read is a vector load. */
KERNEL as_volatile(__global uint *out, uint n, __global const volatile uint *restrict same)
{
    WAVETANK_BEGIN();
    uint old = same[n];
    out[n] = old + 1;
    WAVETANK_COMMIT();
}

/* One scalar load of another word in each attempt. */
KERNEL fixed_inside(__global uint *out, uint n, __global const uint *restrict same)
{
    WAVETANK_BEGIN();
    volatile __global uint *counter = &out[n];
    *counter = *counter + 1 + same[n + 1];
    WAVETANK_COMMIT();
}

/* Words beside those that transactions write. */
KERNEL beside(__global uint *out, uint n, __global const uint *restrict same)
{
    uint other = same[n + 1] + same[n - 1];

    WAVETANK_BEGIN();
    uint old = *(volatile __global uint *)&out[n];
    out[n] = old + 1 + other;
    WAVETANK_COMMIT();
}

/* All lanes see ticket 0 at first, and store for it; one of them commits that. The words of the others are read. */
KERNEL never_committed(__global uint *out, uint n, __global const uint *restrict same)
{
    volatile __global uint *ticket = out;
    uint id = get_local_id(0), sum = 0;

    for (uint i = 1; i < 64; i++)
        sum += same[600 + i];
    WAVETANK_BEGIN();
    uint mine = *ticket;
    *ticket = mine + n;
    out[mine == 0 ? 600 + id : 500] = 1;
    WAVETANK_COMMIT();
    out[64 + id] = sum;
}

/* The same, but the word that is committed is read. */
KERNEL at_last_committed(__global uint *out, uint n, __global const uint *restrict same)
{
    volatile __global uint *ticket = out;
    uint id = get_local_id(0), sum = 0;

    for (uint i = 0; i < 64; i++)
        sum += same[600 + i]; /* READ */
    WAVETANK_BEGIN();
    uint mine = *ticket;
    *ticket = mine + n;
    out[mine == 0 ? 600 + id : 500] = 1; /* WRITE */
    WAVETANK_COMMIT();
    out[64 + id] = sum;
}

/* Reads what an earlier kernel's transactions wrote. */
KERNEL afterwards(__global uint *out, uint n, __global const uint *restrict same)
{
    out[64 + get_global_id(0)] = same[n];
    WAVETANK_BEGIN();
    atomic_add(&out[1000], 1u);
    WAVETANK_COMMIT();
}

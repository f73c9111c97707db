/* SPDX-License-Identifier: MIT */
/* Transactions that a compiler which knows nothing of them, or a careless system, makes wrong. Each work-item, or the
 * group, leaves a word in `out`. The script kernels.py knows that word, or which fault stops the kernel in a line with FAULT. */
#include "transactions.cl.h"

#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void

/* Raises one of n counters. */
KERNEL(64) kept(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0);

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint old = c[id % n];
    c[id % n] = old + 1;
    WAVETANK_COMMIT_KEEP(old);
    out[get_global_id(0)] = old;
}

/* Entries with room for four: who found a place is a truth value, and clang's lane mask. */
KERNEL(64) truth_left(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), base = id % n * 8;
    bool stored = false;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    for (uint i = 0; i < 4; i++) {
        if (c[base + i] == 0) {
            c[base + i] = id + 1;
            stored = true;
            break;
        }
    }
    WAVETANK_COMMIT(); /* FAULT is near: the next instructions read the mask */
    if (stored)
        out[get_global_id(0)] = 1;
    else
        atomic_inc(&out[1000]);
}

KERNEL(64) truth_kept(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), base = id % n * 8, stored = 0;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    for (uint i = 0; i < 4; i++) {
        if (c[base + i] == 0) {
            c[base + i] = id + 1;
            stored = 1;
            break;
        }
    }
    WAVETANK_COMMIT_KEEP(stored);
    if (stored)
        out[get_global_id(0)] = 1;
    else
        atomic_inc(&out[1000]);
}

/* A word at one address for all lanes, looped on afterwards: clang takes it for uniform. */
KERNEL(64) uniform_left(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), sum = 0;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint old = c[n];
    c[n] = old + 1;
    WAVETANK_COMMIT();
    for (uint i = 0; i < old; i++)
        sum += out[64 + i] + 1;
    out[get_global_id(0)] = sum;
}

KERNEL(64) uniform_kept(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), sum = 0;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint old = c[n];
    c[n] = old + 1;
    WAVETANK_COMMIT_KEEP(old);
    for (uint i = 0; i < old; i++)
        sum += out[64 + i] + 1;
    out[get_global_id(0)] = sum;
}

/* A global counter in a branch, after accesses that may abort: the atomic optimiser must not be there. */
KERNEL(256) counted(__global uint *out, uint n)
{
    __local uint c[1024];
    uint id = get_local_id(0), lane = id % 64;

    for (uint i = id; i < 1024; i += 256)
        c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    if (c[id] != 77) {
        c[256 + (lane < n ? lane : id)] = 1;
        for (uint i = 0; i < 20; i++)
            c[id] = c[id] + i;
        atomic_add(&out[1000], 1u);
    }
    WAVETANK_COMMIT();
}

KERNEL(64) private_store(__global uint *out, uint n)
{
    __local uint c[64];
    volatile uint own[8];
    uint id = get_local_id(0);

    for (uint i = 0; i < 8; i++)
        own[i] = 0;
    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    own[id % n & 7] += 1; /* FAULT */
    c[id % n] += 1;
    WAVETANK_COMMIT();
    out[get_global_id(0)] = own[id % n & 7];
}

KERNEL(64) ends_inside(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0);

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint old = c[id % n];
    c[id % n] = old + 1;
    out[get_global_id(0)] = old;
    if (old < n)
        return;
    WAVETANK_COMMIT();
}

KERNEL(128) barrier_inside(__global uint *out, uint n)
{
    __local uint c[128];
    uint id = get_local_id(0);

    c[id] = 0;
    WAVETANK_BEGIN();
    c[id % n] += 1;
    barrier(CLK_LOCAL_MEM_FENCE); /* FAULT */
    WAVETANK_COMMIT();
    out[get_global_id(0)] = c[id % n];
}

KERNEL(64) two_commits(__global uint *out, uint n)
{
    __local uint c[128];
    uint id = get_local_id(0);

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    if (id & 1) {
        uint old = c[id];
        c[id] = old + 1;
        out[get_global_id(0)] = old;
        WAVETANK_COMMIT();
    } else {
        uint old = c[id];
        c[id] = old + 1;
        out[get_global_id(0)] = old;
        WAVETANK_COMMIT();
    }
}

/* Each side has a commit of its own, which clang cannot merge. */
KERNEL(64) two_sides(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), place = id % n;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    if (id < 32) {
        c[place] += 1;
        __asm__ volatile("s_nop 0x5a41 ; one" : : : "memory");
    } else {
        c[place] += 2;
        __asm__ volatile("s_nop 0x5a41 ; other" : : : "memory");
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = c[place];
}

/* Half of the lanes loop on what all may abort in: the wavefront comes out when none is left. */
KERNEL(64) loops_inside(__global uint *out, uint n)
{
    volatile __local uint c[64];
    uint id = get_local_id(0), i = 0;

    c[id] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint sum = c[id];
    if (id >= 32) {
        c[id % n] = 1;
        while (c[n + (i & 1)] == 0)
            i++;
        sum += i;
    }
    WAVETANK_COMMIT_KEEP(sum);
    out[get_global_id(0)] = sum;
}

/* A word at one address, computed with afterwards, in lanes: no branch, no mask. */
KERNEL(64) uniform_computed(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), old;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    old = c[n];
    c[n] = old + 1;
    WAVETANK_COMMIT();
    out[get_global_id(0)] = old * n + (old >> 1);
}

/* A counter in local memory in a branch: the atomic optimiser would let one lane add for all. */
KERNEL(64) counted_here(__global uint *out, uint n)
{
    __local uint c[64], total;
    uint id = get_local_id(0);

    c[id] = 0;
    total = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    uint old = c[id % n];
    if (old < 1000) {
        c[id % n] = old + 1;
        atomic_add(&total, 1u);
    }
    WAVETANK_COMMIT();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = total;
}

KERNEL(64) no_begin(__global uint *out, uint n)
{
    out[get_global_id(0)] = n;
    if (n == 77) {
        WAVETANK_BEGIN();
    }
    WAVETANK_COMMIT(); /* FAULT */
}

/* Three stores one behind the other, without a wait between: the last conflicts while the others still queue. */
#define WRITE(place, value)                                                                        \
    __asm__ volatile("ds_write_b32 %0, %1" : : "v"(place), "v"(value) : "memory")
KERNEL(64) queued(__global uint *out, uint n)
{
    __local uint c[1536];
    uint id = get_local_id(0);

    for (uint i = id; i < 1536; i += 64)
        c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __local uint *p = &c[id], *q = &c[512 + id], *r = &c[832 + id % n];
    __asm__ volatile("" : "+v"(p), "+v"(q), "+v"(r));
    WAVETANK_BEGIN();
    uint old = c[512 + id] + 1;
    __asm__ volatile("" : "+v"(old));
    WRITE(p, id);
    WRITE(q, old);
    WRITE(r, id);
    WAVETANK_COMMIT();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = c[512 + id];
}

/* Two wavefronts take two words in opposite order. */
KERNEL(256) crossed(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), wavefront = id / 64;

    if (id < 64)
        c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id % 64 == 0 && wavefront < 2) {
        volatile __local uint *first = &c[wavefront], *second = &c[1 - wavefront];
        WAVETANK_BEGIN();
        uint x = *first + 1;
        *first = x;
        for (uint i = 0; i < n; i++)
            x = x * 3 + 1;
        __asm__ volatile("" : "+v"(x));
        *second += 1;
        WAVETANK_COMMIT();
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = id < 2 ? c[id] : 0;
}

/* Eight rows apart a bank's words share a bit of its filter. What the first transaction stored must outlive the
 * aborts of the second. */
KERNEL(64) owner_again(__global uint *out, uint n)
{
    volatile __local uint c[512];
    uint id = get_local_id(0);

    for (uint i = id; i < 512; i += 64)
        c[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    c[id] = 5;
    WAVETANK_COMMIT();
    WAVETANK_BEGIN();
    uint other = c[256 + id];
    c[id] += 1 + other;
    c[480] += 1;
    WAVETANK_COMMIT();
    out[get_global_id(0)] = c[id];
}

/* Elements of two and four words, of a byte, pairs at two places, and atomics. */
KERNEL(64) wide(__global uint *out, uint n)
{
    volatile __local ulong pairs[64];
    volatile __local uchar bytes[64];
    volatile __local uint count;
    uint id = get_local_id(0);

    pairs[id] = 0;
    bytes[id] = 0;
    count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_BEGIN();
    pairs[id % n] += (1UL << 40) + 1;
    bytes[id % n] += 1;
    atomic_add(&count, 2u);
    WAVETANK_COMMIT();
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = (uint)(pairs[id % n] >> 40) + 100 * (uint)pairs[id % n] + 10000 * bytes[id % n] + 1000000 * count;
}

/* 16 KB of variables need 36 KB. */
KERNEL(64) large(__global uint *out, uint n)
{
    __local uint c[4096];
    uint id = get_local_id(0);

    c[id * 64] = id;
    WAVETANK_BEGIN();
    c[id] = n;
    WAVETANK_COMMIT();
    out[get_global_id(0)] = c[id];
}

/* No transaction: a lock. */
KERNEL(128) locked(__global uint *out, uint n)
{
    __local uint lock;
    volatile __local uint count;
    uint id = get_local_id(0);

    lock = 0;
    count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    WAVETANK_LOCKED(&lock, count = count + n;)
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count;
}

/* What a lane computes in an attempt that aborts is gone. */
KERNEL(64) registers(__global uint *out, uint n)
{
    __local uint c[64];
    uint id = get_local_id(0), mine = n;

    c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    __asm__ volatile("" : "+v"(mine));
    WAVETANK_BEGIN();
    __asm__ volatile("v_add_i32 %0, vcc, 1, %0" : "+v"(mine) : : "vcc", "memory");
    c[id % n] += 1;
    WAVETANK_COMMIT_KEEP(mine);
    out[get_global_id(0)] = mine;
}

/* A wavefront looks at a word, without a transaction, while another's transaction has changed it. */
KERNEL(128) weak(__global uint *out, uint n)
{
    volatile __local uint c[64];
    uint id = get_local_id(0), seen = 0;

    if (id < 64)
        c[id] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        WAVETANK_BEGIN();
        c[0] = 1;
        for (uint i = 0; i < 200; i++)
            c[1] += i;
        c[0] = 0;
        WAVETANK_COMMIT();
    } else if (id >= 64) {
        for (uint i = 0; i < 50; i++)
            seen |= c[0];
    }
    out[get_global_id(0)] = seen;
}

/* SPDX-License-Identifier: MIT */
/* Transactions in global memory, by many work-groups. global.py knows what each leaves in `out`. */
#include "transactions.cl.h"

#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void

/* Raises one of n counters, twice. */
KERNEL(64) counters(volatile __global uint *out, uint n)
{
    for (uint i = 0; i < 2; i++) {
        WAVETANK_BEGIN();
        out[(get_global_id(0) + i) % n] += 1;
        WAVETANK_COMMIT();
    }
}

/* Numbers from one counter: each work-item has another. */
KERNEL(64) tickets(volatile __global uint *out, uint n)
{
    WAVETANK_BEGIN();
    uint old = out[0];
    out[0] = old + 1;
    WAVETANK_COMMIT_KEEP(old);
    out[64 + old] = n;
}

/* Elements of one, two and four words, of a byte, and atomics of both widths, with and without a result. */
KERNEL(64) wide(volatile __global uint *out, uint n)
{
    volatile __global ulong *pairs = (volatile __global ulong *)out;
    volatile __global uint4 *fours = (volatile __global uint4 *)out;
    volatile __global uchar *bytes = (volatile __global uchar *)out;
    uint id = get_global_id(0), old;

    WAVETANK_BEGIN();
    pairs[id % n] += (1UL << 40) + 1;
    fours[16 + id % n] += (uint4)(1, 2, 3, 4);
    bytes[800 + id % n] += 1;
    atomic_add(&out[300], 2u);
    old = atomic_add(&out[301], 3u);
    atomic_sub(&out[302], old);
    atomic_add(&out[302], old + 1);
    WAVETANK_COMMIT();
}

/* What a transaction has stored it reads, in part. */
KERNEL(64) own(volatile __global uint *out, uint n)
{
    volatile __global ushort *halves = (volatile __global ushort *)out;
    uint id = get_global_id(0), seen;

    WAVETANK_BEGIN();
    out[id] = 0x10000 * n;
    halves[2 * id] = (ushort)(out[id] >> 16);
    seen = out[id];
    out[1024 + id] = seen;
    WAVETANK_COMMIT();
}

/* A list that grows at its head: nodes are words of `out` from 64 on, 0 ends it. */
KERNEL(64) list(volatile __global uint *out, uint n)
{
    uint node = 64 + get_global_id(0);

    WAVETANK_BEGIN();
    out[node] = out[n];
    out[n] = node;
    WAVETANK_COMMIT();
}

/* What a work-item has committed it finds afterwards, without a transaction, as well as what others have
 * committed before a barrier. */
KERNEL(256) afterwards(volatile __global uint *out, uint n)
{
    uint id = get_global_id(0), place = id % 256;
    uint first = out[id]; /* into this compute unit's L1, if it may be there */

    WAVETANK_BEGIN();
    out[id] = out[id] + n + first;
    WAVETANK_COMMIT();
    uint mine = out[id];
    barrier(CLK_GLOBAL_MEM_FENCE);
    uint other = out[id - place + 255 - place];
    atomic_add(&out[id], 1u);
    out[1024 + id] = mine * 100 + other;
}

/* The first work-group stores two words, far apart in time, in one transaction. The others look at them without
 * one: who finds the first finds the second, and how often neither was there counts. */
KERNEL(64) hidden(volatile __global uint *out, uint n)
{
    uint id = get_global_id(0), sum = 0;

    if (get_group_id(0) == 0) {
        if (id != 0)
            return;
        WAVETANK_BEGIN();
        out[0] = n;
        for (uint i = 0; i < 20; i++)
            sum += out[512 + 16 * i + sum];
        out[256] = n + sum;
        WAVETANK_COMMIT();
        return;
    }
    for (uint i = 0; i < 60; i++) {
        uint first = out[0], second = out[256];

        out[1024 + id] += first == n && second != n;
        out[1536 + id] += first != n;
    }
}

/* Transactions that only store, one after the other, each to lines of its own. For what is not volatile none waits. */
KERNEL(64) stores(__global uint *out, uint n)
{
    for (uint i = 0; i < n; i++) {
        WAVETANK_BEGIN();
        out[64 * i + get_local_id(0)] = n;
        WAVETANK_COMMIT();
    }
}

/* As `tickets`, without volatile. */
KERNEL(64) turns(__global uint *out, uint n)
{
    WAVETANK_BEGIN();
    out[0] += n;
    WAVETANK_COMMIT();
}

/* An atomic on a line of the lane's own, after a read that often has become old by then. */
KERNEL(64) behind(volatile __global uint *out, uint n)
{
    WAVETANK_BEGIN();
    uint first = out[0];
    atomic_add(&out[16 + 16 * get_local_id(0)], n);
    out[0] = first + 1;
    WAVETANK_COMMIT();
}

/* Atomics on all words of lines. */
KERNEL(64) lines(volatile __global uint *out, uint n)
{
    WAVETANK_BEGIN();
    atomic_add(&out[get_global_id(0)], n);
    WAVETANK_COMMIT();
}

/* The first work-group raises a counter in transactions. The others look at it without: how often it fell, and what it was. */
KERNEL(64) watched(volatile __global uint *out, uint n)
{
    uint id = get_global_id(0), before = 0, sum = 0, fell = 0;

    if (get_group_id(0) == 0) {
        if (id != 0)
            return;
        for (uint i = 0; i < n; i++) {
            WAVETANK_BEGIN();
            out[0] += 1;
            WAVETANK_COMMIT();
        }
        return;
    }
    for (uint i = 0; i < n; i++) {
        uint now = out[0];

        fell += now < before;
        sum += now * i;
        before = now;
    }
    out[512 + id] = fell;
    out[1024 + id] = sum;
}

/* The first work-group stores without transactions. A transaction of the others that reads twice never sees two values. */
KERNEL(64) twice(volatile __global uint *out, uint n)
{
    uint id = get_global_id(0), both = 0;

    for (uint i = 0; i < n; i++) {
        uint differ;

        if (get_group_id(0) == 0) {
            out[0] = i + 1;
            continue;
        }
        WAVETANK_BEGIN();
        uint first = out[0];
        differ = first != out[0];
        WAVETANK_COMMIT_KEEP(differ);
        both += differ;
    }
    out[512 + id] = both;
}

/* A load behind an atomic on what the lane has stored finds what the atomic made of it. */
KERNEL(64) own_atomic(__global uint *out, uint n)
{
    uint id = get_global_id(0), seen;

    WAVETANK_BEGIN();
    out[id] = 5;
    atomic_add(&out[id], n);
    seen = out[id];
    out[512 + id] = seen;
    WAVETANK_COMMIT();
}

/* Each raises n times a word in each of two lines, by its place in them: lines come and go, and attempts end between a load and its
 * store. */
KERNEL(64) pairs(__global volatile uint *out, uint n)
{
    uint id = get_global_id(0), place = id & 15;

    for (uint k = 0; k < n; k++) {
        uint first = (id * 7 + k * 13) % 61, second = (first + 1 + (id * 5 + k * 3) % 59) % 61;

        WAVETANK_BEGIN();
        out[16 * first + place] += 1;
        out[16 * second + place] += 1;
        WAVETANK_COMMIT();
    }
}

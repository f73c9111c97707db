/* SPDX-License-Identifier: MIT */
/* Transactions on global memory. The first words of `out` are shared by all work-items; kilotm.py knows what all
 * words must be in the end, whatever the order. */
#include "transactions.cl.h"

#define KERNEL(items) __kernel __attribute__((reqd_work_group_size(items, 1, 1))) void

uint mix(uint a, uint b)
{
    uint x = a * 0x9e3779b9u ^ b * 0x85ebca6bu;

    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 13;
}

/* Moves k + 1 from one of n accounts to another, for k = 0, 1, 2. */
KERNEL(64) transfer(__global volatile uint *out, uint n)
{
    uint id = get_global_id(0);

    for (uint k = 0; k < 3; k++) {
        uint from = mix(id, 2 * k) % n, to = mix(id, 2 * k + 1) % n;

        WAVETANK_BEGIN();
        out[from] -= k + 1;
        out[to] += k + 1;
        WAVETANK_COMMIT();
    }
}

/* n chains: head h at out[h]; work-item id's element is id + 1, its next at out[n + id]. */
KERNEL(64) insert(__global volatile uint *out, uint n)
{
    uint id = get_global_id(0), head = mix(id, 7) % n;

    WAVETANK_BEGIN();
    uint old = out[head];
    out[n + id] = old;
    out[head] = id + 1;
    WAVETANK_COMMIT();
}

/* A sorted list from out[0]; element id + 1 has the key mix(id, n), its next at out[id + 1]. */
KERNEL(64) sorted(__global volatile uint *out, uint n)
{
    uint id = get_global_id(0), key = mix(id, n), at = 0;

    WAVETANK_BEGIN();
    at = 0;
    WAVETANK_MEET(at); /* lanes may read different values there, and clang must not take one for all */
    uint next = out[at];
    while (next != 0 && mix(next - 1, n) < key) {
        at = next;
        next = out[at];
    }
    out[id + 1] = next;
    out[at] = id + 1;
    WAVETANK_COMMIT();
}

/* Each raises n counters at each of three widths, reading what it has just written. */
KERNEL(64) widths(__global volatile uint *out, uint n)
{
    __global volatile uchar *bytes = (__global volatile uchar *)(out + 64);
    __global volatile ulong *longs = (__global volatile ulong *)(out + 128);

    WAVETANK_BEGIN();
    for (uint i = 0; i < n; i++) {
        bytes[i] = bytes[i] + 1;
        longs[i] = longs[i] + 0x100000001ul;
        out[i] = out[i] + 1;
        out[i] = out[i] + 1; /* its own */
    }
    WAVETANK_COMMIT();
}

/* Two words that are always equal; who reads them different is doomed, and would never end. */
KERNEL(64) doomed(__global volatile uint *out, uint n)
{
    uint id = get_global_id(0);

    uint at = 0;

    WAVETANK_BEGIN();
    WAVETANK_MEET(at);
    uint a = out[at];
    for (uint i = 0; i < n * (id % 7); i++)
        a += out[256 + id] & 1; /* time passes: it is 0 */
    uint b = out[at + 1];
    while (a != b)
        WAVETANK_MEET(b);
    out[0] = a + 1;
    out[1] = b + 1;
    WAVETANK_COMMIT();
}

/* An attempt raises as many of three registers as the kernel's name says, and a fourth in a branch of half of the lanes. */
#define RAISE(register) __asm volatile("v_add_i32 %0, vcc, 1, %0" : "+v"(register) : : "vcc")
#define STAY(a, b, c, d) __asm volatile("" : "+v"(a), "+v"(b), "+v"(c), "+v"(d))
#define KEEPS(name, first, second, third, fourth)                                                  \
    KERNEL(64) name(__global volatile uint *out, uint n)                                           \
    {                                                                                              \
        uint id = get_global_id(0), a = id, b = id + n, c = id * n, d = id ^ n;                    \
                                                                                                   \
        STAY(a, b, c, d);                                                                          \
        WAVETANK_BEGIN();                                                                          \
        first;                                                                                     \
        second;                                                                                    \
        third;                                                                                     \
        if ((id & 1) != 0)                                                                         \
            fourth;                                                                                \
        WAVETANK_COMMIT();                                                                         \
        STAY(a, b, c, d); /* else sums would be made earlier */                                    \
        out[id] = a + b + c + d;                                                                   \
    }
KEEPS(keeps_none, , , , (void)0)
KEEPS(keeps_three, RAISE(a), RAISE(b), RAISE(c), (void)0)
KEEPS(keeps_half, , , , RAISE(d))
KEEPS(keeps_none_written_first, a = 7; __asm volatile("v_mov_b32 %0, 7" : "=v"(a)); RAISE(a), , , (void)0)

KERNEL(64) keeps_two_then_none(__global volatile uint *out, uint n)
{
    uint a = get_global_id(0), b = n, c = 0, d = 0;

    STAY(a, b, c, d);
    WAVETANK_BEGIN();
    RAISE(a);
    RAISE(b);
    WAVETANK_COMMIT();
    WAVETANK_BEGIN();
    STAY(a, b, c, d);
    WAVETANK_COMMIT();
    STAY(a, b, c, d);
    out[get_global_id(0)] = a + b;
}

/* n loads of lines that no cache has, each after the one before: behind a store of the lane, and before it. */
KERNEL(64) asked(__global volatile uint *out, uint n)
{
    uint id = get_local_id(0), at = id;

    WAVETANK_BEGIN();
    out[1984 + id] = n;
    for (uint i = 0; i < n; i++)
        at += out[at + 64 * i];
    out[id] = at - id;
    WAVETANK_COMMIT();
}

KERNEL(64) not_asked(__global volatile uint *out, uint n)
{
    uint id = get_local_id(0), at = id;

    WAVETANK_BEGIN();
    for (uint i = 0; i < n; i++)
        at += out[at + 64 * i];
    out[1984 + id] = n;
    out[id] = at - id;
    WAVETANK_COMMIT();
}

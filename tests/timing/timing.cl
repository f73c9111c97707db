/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose time has a closed form (test_timing.py). Pairs that differ only in how often a loop's body stands there. The
 * difference of their times is so many bodies and nothing else, neither the loop nor the launch.
 */
#define ARGUMENTS __global uint *out, __global const uint *in, uint a, uint b, uint c

/* Loads that each need the one before: words of `in` are byte offsets into it. From `a`, `b` rounds. No arithmetic stands
 * between two loads (the offset is the address register's low half): s_waitcnt alone. */
#define CHASE(name, count)                                                                         \
    __kernel void name(ARGUMENTS)                                                                  \
    {                                                                                              \
        uint at = a + (uint)get_local_id(0);                                                       \
        for (uint i = 0; i < b; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < count; k++) at =                                 \
                *(__global const uint *)((__global const char *)in + at);                          \
        }                                                                                          \
        out[get_global_id(0)] = at;                                                                \
    }
CHASE(chase_16, 16)
CHASE(chase_32, 32)

/* The same by scalar loads: the address is uniform and the memory constant. */
#define CHASE_SCALAR(name, count)                                                                  \
    __kernel void name(__global uint *out, __constant uint *in, uint a, uint b, uint c)            \
    {                                                                                              \
        uint at = a;                                                                               \
        for (uint i = 0; i < b; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < count; k++) at =                                 \
                *(__constant uint *)((__constant char *)in + at);                                  \
        }                                                                                          \
        out[get_global_id(0)] = at;                                                                \
    }
CHASE_SCALAR(scalar_16, 16)
CHASE_SCALAR(scalar_32, 32)

/* The same in local memory: each word is a pointer to itself. */
struct node {
    __local struct node *next;
};
#define CHASE_LOCAL(name, count)                                                                   \
    __kernel void name(ARGUMENTS)                                                                  \
    {                                                                                              \
        __local struct node nodes[64];                                                             \
        __local struct node *at = nodes + get_local_id(0);                                         \
        at->next = at;                                                                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (uint i = 0; i < b; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < count; k++) at = at->next;                       \
        }                                                                                          \
        out[get_global_id(0)] = (uint)at;                                                          \
    }
CHASE_LOCAL(local_16, 16)
CHASE_LOCAL(local_32, 32)

/* Independent loads. A wavefront reads sixteen times 256 bytes a round: a block of 4 KB, at first one of its own. Its next block
 * is `a` bytes on, within `b` + 1 bytes; `c` rounds. */
__kernel void stream(ARGUMENTS)
{
    uint at = (uint)get_global_id(0) / 64 * 4096 + (uint)get_global_id(0) % 64 * 4, sum = 0;

    for (uint i = 0; i < c; i++) {
        __global const char *block = (__global const char *)in + (at & b);
        _Pragma("unroll") for (int k = 0; k < 16; k++) sum +=
            *(__global const uint *)(block + k * 256);
        at += a;
    }
    out[get_global_id(0)] = sum;
}

/* All work-groups read the same bytes again and again, `count` loads a round, `c` rounds. `a` is 0. */
#define AGAIN(name, type, count, lane)                                                             \
    __kernel void name(ARGUMENTS)                                                                  \
    {                                                                                              \
        uint at = (uint)(lane) * sizeof(type);                                                     \
        type sum = 0;                                                                              \
        for (uint i = 0; i < c; i++) {                                                             \
            __global const char *block = (__global const char *)in + at;                           \
            _Pragma("unroll") for (int k = 0; k < count; k++) sum +=                               \
                *(__global const type *)(block + k * 64 * sizeof(type));                           \
            at += a;                                                                               \
        }                                                                                          \
        ((__global type *)out)[get_global_id(0)] = sum;                                            \
    }
AGAIN(again_1, uint, 16, get_local_id(0) % 64)
AGAIN(again_1_random, uint, 16, get_local_id(0) * 29 % 64)
AGAIN(again_2, uint2, 8, get_local_id(0) % 64)
AGAIN(again_4, uint4, 4, get_local_id(0) % 64)
AGAIN(again_4_random, uint4, 4, get_local_id(0) * 29 % 64)

/* Quarters of a wavefront read whole lines that are `a` words apart, `c` each. */
__kernel void lines(ARGUMENTS)
{
    uint line = (uint)get_global_id(0) / 16, count = (uint)get_global_size(0) / 16;
    uint lane = (uint)get_local_id(0) % 16, sum = 0;

    for (uint i = 0; i < c; i++)
        sum += in[(line + i * count) * a + lane];
    out[get_global_id(0)] = sum;
}

/* Each work-item has `a` words of its own. It goes through them one after the other and then on into its neighbour's: `b` + 1
 * words, sixteen a round, `c` rounds. (The shape of SHOC's readGlobalMemoryUnit and writeGlobalMemoryUnit, where `a` is 512.) */
__kernel void apart_read(ARGUMENTS)
{
    uint at = (uint)get_global_id(0) * a, sum = 0;

    for (uint i = 0; i < c; i++) {
        _Pragma("unroll") for (uint k = 0; k < 16; k++) sum += in[(at + k) & b];
        at = (at + 16) & b;
    }
    out[get_global_id(0)] = sum;
}

__kernel void apart_write(ARGUMENTS)
{
    uint at = (uint)get_global_id(0) * a;

    for (uint i = 0; i < c; i++) {
        _Pragma("unroll") for (uint k = 0; k < 16; k++) out[(at + k) & b] = at;
        at = (at + 16) & b;
    }
}

/* Whole lines in order: what `stream` reads, written. */
__kernel void stream_write(ARGUMENTS)
{
    uint at = (uint)get_global_id(0) / 64 * 4096 + (uint)get_global_id(0) % 64 * 4;

    for (uint i = 0; i < c; i++) {
        __global char *block = (__global char *)out + (at & b);
        _Pragma("unroll") for (int k = 0; k < 16; k++) *(__global uint *)(block + k * 256) = at;
        at += a;
    }
}

/* Dependent vector arithmetic, `c` rounds. */
#define CHAIN(name, type, count, step)                                                             \
    __kernel void name(ARGUMENTS)                                                                  \
    {                                                                                              \
        type x = (type)((uint)get_local_id(0) + a), y = (type)b;                                   \
        for (uint i = 0; i < c; i++) {                                                             \
            _Pragma("unroll") for (int k = 0; k < count; k++) x = step;                            \
        }                                                                                          \
        out[get_global_id(0)] = (uint)x;                                                           \
    }
#define CHAINS(name, type, step)                                                                   \
    CHAIN(name##_16, type, 16, step)                                                               \
    CHAIN(name##_112, type, 112, step)
CHAINS(full, float, x *y + 1.0f)
CHAINS(quarter, float, native_recip(x))
CHAINS(multiply, uint, x *x)
CHAINS(double_add, double, x + y)
CHAINS(double_multiply, double, x *y)

/* Work-groups in turn do local, vector and scalar work: `a`, `b` and `c` rounds. */
__kernel void kinds(ARGUMENTS)
{
    __local struct node nodes[256];
    __local struct node *at = nodes + get_local_id(0);
    float x = (float)get_local_id(0);
    uint y = a;

    at->next = at;
    if (get_group_id(0) % 3 == 0) {
        for (uint i = 0; i < a; i++) {
            _Pragma("unroll") for (int k = 0; k < 16; k++) at = at->next;
        }
    } else if (get_group_id(0) % 3 == 1) {
        for (uint i = 0; i < b; i++) {
            _Pragma("unroll") for (int k = 0; k < 64; k++) x = x * 1.5f + 1.0f;
        }
    } else {
        for (uint i = 0; i < c; i++) {
            _Pragma("unroll") for (uint k = 0; k < 16; k++) y = (y ^ (i + k)) + 77u;
        }
    }
    out[get_global_id(0)] = (uint)at + (uint)x + y;
}

/* Local reads whose lanes are `a` words apart: sixteen a round, `c` rounds. `b` is 0. */
__kernel void banks(ARGUMENTS)
{
    __local uint words[2048];
    uint lane = (uint)get_local_id(0), sum = 0;
    __local volatile uint *place = words + (lane * a & 2047);

    words[lane] = b;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < c; i++) {
        _Pragma("unroll") for (int k = 0; k < 16; k++) sum += *place;
    }
    out[get_global_id(0)] = sum;
}

__kernel void nothing(ARGUMENTS)
{
}

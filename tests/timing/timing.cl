/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose time has a closed form (test_timing.py). Pairs that differ only in how often a loop's body stands there: the
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

/* Independent loads. A wavefront reads sixteen times 256 bytes a round: a block of 4 KB. Its next block is `a` bytes on, within
 * `b` + 1 bytes; `c` rounds. In `stream` each wavefront begins at a block of its own, in `stream_same` each work-group at the same.
 */
#define STREAM(name, type, item)                                                                   \
    __kernel void name(ARGUMENTS)                                                                  \
    {                                                                                              \
        uint at = (uint)(item) / 64 * 64 * 16 * sizeof(type) + (uint)(item) % 64 * sizeof(type);   \
        type sum = 0;                                                                              \
        for (uint i = 0; i < c; i++) {                                                             \
            __global const char *block = (__global const char *)in + (at & b);                     \
            _Pragma("unroll") for (int k = 0; k < 16; k++) sum +=                                  \
                *(__global const type *)(block + k * 64 * sizeof(type));                           \
            at += a;                                                                               \
        }                                                                                          \
        ((__global type *)out)[get_global_id(0)] = sum;                                            \
    }
STREAM(stream, uint, get_global_id(0))
STREAM(stream_same, uint, get_local_id(0))

/* Quarters of a wavefront read whole lines that are `a` words apart, `c` each. */
__kernel void lines(ARGUMENTS)
{
    uint line = (uint)get_global_id(0) / 16, count = (uint)get_global_size(0) / 16;
    uint lane = (uint)get_local_id(0) % 16, sum = 0;

    for (uint i = 0; i < c; i++)
        sum += in[(line + i * count) * a + lane];
    out[get_global_id(0)] = sum;
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
#define CHAINS(name, type, step) CHAIN(name##_16, type, 16, step) CHAIN(name##_32, type, 32, step)
CHAINS(full, float, x *y + 1.0f)
CHAINS(quarter, float, native_recip(x))
CHAINS(multiply, uint, x *x)
CHAINS(double_add, double, x + y)
CHAINS(double_multiply, double, x *y)

/* Work-groups in turn are vector, scalar and local work: `a`, `b` and `c` rounds. */
__kernel void kinds(ARGUMENTS)
{
    __local uint words[256];
    uint x = a, sum = 0;
    float y = (float)get_local_id(0);

    if (get_group_id(0) % 3 == 0) {
        for (uint i = 0; i < a; i++) {
            _Pragma("unroll") for (int k = 0; k < 32; k++) y = y * 1.5f + 1.0f;
        }
    } else if (get_group_id(0) % 3 == 1) {
        for (uint i = 0; i < b; i++) {
            _Pragma("unroll") for (uint k = 0; k < 16; k++) x = (x ^ (i + k)) + 77u;
        }
    } else {
        for (uint i = 0; i < c; i++) {
            _Pragma("unroll") for (uint k = 0; k < 8; k++) sum +=
                *(__local volatile uint *)&words[get_local_id(0)];
        }
    }
    out[get_global_id(0)] = x + (uint)y + sum;
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

/* SPDX-License-Identifier: MIT */
/*
 * Small kernels that each stress one part of a GPU. Loads are kept alive by sums that are stored, and depend on work-item ids so
 * that a compiler does not make scalar loads of them.
 */
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* Follows a chain: each load's address is the word before. For one work-item. */
__kernel void chase(__global const uint *next, __global uint *result, uint start, uint steps)
{
    uint at = start + get_local_id(0);

    for (uint i = 0; i < steps; i++)
        at = next[at];
    result[get_global_id(0)] = at;
}

/* The same by scalar loads, where a compiler makes them of uniform addresses. */
__kernel void chase_uniform(__global const uint *restrict next, __global uint *restrict result,
                            uint start, uint steps)
{
    uint at = start;

    for (uint i = 0; i < steps; i++)
        at = next[at];
    result[get_global_id(0)] = at;
}

/* The same in local memory. */
__kernel void chase_local(__global const uint *next, __global uint *result, uint start, uint steps)
{
    __local uint chain[1024];
    uint at = start;

    for (uint i = get_local_id(0); i < 1024; i += get_local_size(0))
        chain[i] = next[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    at += get_local_id(0);
    for (uint i = 0; i < steps; i++)
        at = chain[at];
    result[get_global_id(0)] = at;
}

/* Eight loads a round whose lanes are `stride` words apart, all within `mask` + 1 words. */
__kernel void strided_loads(__global const uint *words, __global uint *result, uint stride,
                            uint mask, uint rounds)
{
    uint at = get_local_id(0) * stride, sum = 0;

    for (uint i = 0; i < rounds; i++) {
#pragma unroll
        for (uint n = 0; n < 8; n++)
            sum += words[(at + 16 * n) & mask];
        at += 128;
    }
    result[get_global_id(0)] = sum;
}

#define STREAM_READ(name, type, add)                                                               \
    __kernel void name(__global const type *words, __global uint *result, uint count)              \
    {                                                                                              \
        type sum = (type)(0);                                                                      \
        for (uint i = get_global_id(0); i < count; i += get_global_size(0))                        \
            sum += words[i];                                                                       \
        result[get_global_id(0)] = add;                                                            \
    }
STREAM_READ(read_1, uint, sum)
STREAM_READ(read_4, uint4, sum.x + sum.y + sum.z + sum.w)

__kernel void write_4(__global uint4 *words, uint value, uint count)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        words[i] = (uint4)(value, value, value, i);
}

__kernel void copy_4(__global const uint4 *from, __global uint4 *to, uint count)
{
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        to[i] = from[i];
}

/* All groups read the same `mask` + 1 elements again and again: hits in L1 after the first round. */
#define READ_AGAIN(name, type, add)                                                                \
    __kernel void name(__global const type *words, __global uint *result, uint mask, uint rounds)  \
    {                                                                                              \
        uint at = get_local_id(0), step = get_local_size(0);                                       \
        type sum = (type)(0);                                                                      \
        for (uint i = 0; i < rounds; i++) {                                                        \
            sum += words[at & mask] + words[(at + step) & mask] + words[(at + 2 * step) & mask] +  \
                   words[(at + 3 * step) & mask];                                                  \
            at += 4 * step;                                                                        \
        }                                                                                          \
        result[get_global_id(0)] = add;                                                            \
    }
READ_AGAIN(again_1, uint, sum)
READ_AGAIN(again_2, uint2, sum.x + sum.y)
READ_AGAIN(again_4, uint4, sum.x + sum.y + sum.z + sum.w)

/* Quarter wavefronts read whole lines that are `stride` words apart, eight each: which channels do they meet? */
__kernel void channel_stride(__global const uint *words, __global uint *result, uint stride)
{
    uint line = get_global_id(0) / 16, lines = get_global_size(0) / 16;
    uint lane = get_local_id(0) % 16, sum = 0;

#pragma unroll
    for (uint i = 0; i < 8; i++)
        sum += words[(line + i * lines) * stride + lane];
    result[get_global_id(0)] = sum;
}

/* Arithmetic: eight operations a round, in four independent chains. */
#define ARITHMETIC(name, type, operation)                                                          \
    __kernel void name(__global type *result, type x, type y, uint rounds)                         \
    {                                                                                              \
        type a = x + (type)get_local_id(0), b = a + y, c = b + y, d = c + y;                       \
        for (uint i = 0; i < rounds; i++) {                                                        \
            a = operation(a);                                                                      \
            b = operation(b);                                                                      \
            c = operation(c);                                                                      \
            d = operation(d);                                                                      \
            a = operation(a);                                                                      \
            b = operation(b);                                                                      \
            c = operation(c);                                                                      \
            d = operation(d);                                                                      \
        }                                                                                          \
        result[get_global_id(0)] = a + b + c + d;                                                  \
    }
#define FLOAT_MAD(v) mad(v, x, y)
#define INTEGER_ADD(v) ((v + x) ^ y)
#define INTEGER_MULTIPLY(v) (v * v) /* (v * x) * x would become v * (x * x) */
#define FLOAT_RECIPROCAL(v) native_recip(v)
ARITHMETIC(float_mad, float, FLOAT_MAD)
ARITHMETIC(integer_add, uint, INTEGER_ADD)
ARITHMETIC(integer_multiply, uint, INTEGER_MULTIPLY)
ARITHMETIC(float_reciprocal, float, FLOAT_RECIPROCAL)
#ifdef cl_khr_fp64
#define DOUBLE_ADD(v) (v + x)
#define DOUBLE_FMA(v) fma(v, x, y)
ARITHMETIC(double_add, double, DOUBLE_ADD)
ARITHMETIC(double_fma, double, DOUBLE_FMA)
#endif

/* Reads of local memory whose lanes are `stride` words apart: eight a round. Volatile, so that no two become one. */
__kernel void local_stride(__global const uint *words, __global uint *result, uint stride,
                           uint rounds)
{
    __local uint table[1024 + 8];
    uint lane = get_local_id(0), at = lane * stride & 1023, sum = 0;

    for (uint i = lane; i < 1024 + 8; i += get_local_size(0))
        table[i] = words[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < rounds; i++) {
        __local volatile uint *place = table + at;
        sum += place[0] + place[1] + place[2] + place[3];
        sum += place[4] + place[5] + place[6] + place[7];
    }
    result[get_global_id(0)] = sum;
}

__kernel void empty(void)
{
}

/* SPDX-License-Identifier: MIT */
/* Atomics on global and local words. input[0] is a number of the host's choice, or more. */

/* Every kind whose end state does not depend on the order; 12 words. */
#define ALL_KINDS(words, i)                                                                        \
    atomic_add(&words[0], i + 1);                                                                  \
    atomic_sub(&words[1], i * 3);                                                                  \
    atomic_inc(&words[2]);                                                                         \
    atomic_dec(&words[3]);                                                                         \
    atomic_min(&words[4], (i * 2654435761u) >> 3);                                                 \
    atomic_max(&words[5], (i * 2654435761u) >> 3);                                                 \
    atomic_and(&words[6], ~(1u << (i % 29)));                                                      \
    atomic_or(&words[7], 1u << (i % 31));                                                          \
    atomic_xor(&words[8], i * i);                                                                  \
    atomic_min((int_pointer)&words[9], (int)(i * 2654435761u));                                    \
    atomic_max((int_pointer)&words[10], (int)(i * 2654435761u));                                   \
    atomic_cmpxchg(&words[11], i, i + 1)

__kernel void global_results(__global const uint *input, __global uint *output)
{
#define int_pointer __global int *
    uint i = get_global_id(0) + input[0];
    ALL_KINDS(output, i);
#undef int_pointer
}

/* The same in local memory; each group writes its 12 words. */
__kernel void local_results(__global const uint *input, __global uint *output)
{
#define int_pointer __local int *
    __local uint words[12];
    uint i = get_local_id(0) + input[0], group = get_group_id(0);

    if (get_local_id(0) < 12)
        words[get_local_id(0)] = output[group * 12 + get_local_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    ALL_KINDS(words, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) < 12)
        output[group * 12 + get_local_id(0)] = words[get_local_id(0)];
#undef int_pointer
}

/* Tickets: word 0 counts, and each work-item marks the place its ticket names. Exchanges: item i puts its number into one of four
 * words and notes what it took out. */
__kernel void global_tickets(__global const uint *input, __global uint *output)
{
    uint i = get_global_id(0), count = get_global_size(0);
    uint ticket = atomic_inc(&output[0]);

    output[8 + ticket] += 1;
    output[8 + count + i] = atomic_xchg(&output[1 + i % 4], i + input[0]);
}

__kernel void local_tickets(__global const uint *input, __global uint *output)
{
    __local uint next, kept[4];
    uint i = get_local_id(0), count = get_local_size(0), base = get_group_id(0) * (2 * count + 4);

    if (i == 0)
        next = 0;
    if (i < 4)
        kept[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint ticket = atomic_add(&next, 1);
    output[base + ticket] += 1;
    output[base + count + i] = atomic_xchg(&kept[i % 4], i + input[0]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < 4)
        output[base + 2 * count + i] = kept[i];
}

/* Floats added by compare-and-swap: whole numbers, so that the order does not matter. */
__kernel void cmpxchg_loop(__global const uint *input, __global volatile uint *output)
{
    uint i = get_global_id(0), place = i % 7, seen = output[place], wanted;

    for (;;) {
        wanted = as_uint(as_float(seen) + (float)(i % 100 + input[0]));
        uint found = atomic_cmpxchg(&output[place], seen, wanted);
        if (found == seen)
            break;
        seen = found;
    }
}

/* A word that is added to and read atomically by items of other groups: a counter that only grows, as each item sees it. */
__kernel void monotonic(__global const uint *input, __global uint *output)
{
    uint i = get_global_id(0), last = 0, bad = 0;

    for (uint n = 0; n < 8; n++) {
        uint now = atomic_add(&output[0], input[0]);
        if (n > 0 && now < last + input[0])
            bad = 1;
        last = now;
    }
    output[1 + i] = bad;
}

#ifdef cl_khr_int64_base_atomics
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
__kernel void long_results(__global const uint *input, __global ulong *output)
{
    ulong i = get_global_id(0) + input[0];

    atom_add(&output[0], i << 31);
    atom_sub(&output[1], i * i);
    atom_inc(&output[2]);
    atom_dec(&output[3]);
}
#endif

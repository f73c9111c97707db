/* SPDX-License-Identifier: MIT */
/*
 * Sobol's quasi-random sequence: a row of the range a dimension, four points of it a work-item. A point is the exclusive or of those of the dimension's 32
 * direction numbers whose bit is set in the point's index. The work-group keeps the numbers in local memory.
 * Source: Sobol, "On the distribution of points in a cube", USSR Computational Mathematics and Mathematical Physics 7 (4), 1967.
 */
#define BITS 32

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sobol(__global const uint *directions, __global float4 *output, uint quads)
{
    __local uint numbers[BITS];
    uint item = get_local_id(0), quad = get_global_id(0), dimension = get_global_id(1);
    uint4 index = 4 * quad + (uint4)(0, 1, 2, 3), point = 0;

    if (item < BITS)
        numbers[item] = directions[dimension * BITS + item];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bit = 0; bit < BITS; bit++)
        point ^= (0 - ((index >> bit) & 1)) & numbers[bit];
    if (quad < quads)
        output[dimension * quads + quad] = convert_float4(point >> 8) * 0x1p-24f;
}

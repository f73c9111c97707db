/* SPDX-License-Identifier: MIT */
/*
 * One pass of a sum: each work-group of GROUP work-items (a power of two) adds GROUP * PER_ITEM elements of the input and
 * writes one word. Sums wrap at 32 bits.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
reduce(__global const uint *input, __global uint *sums, uint count)
{
    __local uint partial[GROUP];
    uint item = get_local_id(0);
    uint start = get_group_id(0) * GROUP * PER_ITEM + item;
    uint sum = 0;

    for (uint i = 0; i < PER_ITEM; i++) {
        uint index = start + i * GROUP;
        if (index < count)
            sum += input[index];
    }
    partial[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            partial[item] += partial[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = partial[0];
}

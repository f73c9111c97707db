/* SPDX-License-Identifier: MIT */
/*
 * Mean over a square around each point, in two passes. Rows go through local memory: a work-group of GROUP items loads its points and REACH on
 * either side. Columns are read straight. Points beyond the border count as the border's.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sum_rows(__global const uchar4 *input, __global uint4 *sums, uint width)
{
    __local uint4 row[GROUP + 2 * REACH];
    int start = (int)(get_group_id(0) * GROUP) - REACH;
    uint item = get_local_id(0), x = get_global_id(0), y = get_global_id(1);

    for (uint i = item; i < GROUP + 2 * REACH; i += GROUP)
        row[i] = convert_uint4(input[y * width + clamp(start + (int)i, 0, (int)width - 1)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint4 sum = 0;
    for (uint i = 0; i <= 2 * REACH; i++)
        sum += row[item + i];
    if (x < width)
        sums[y * width + x] = sum;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
mean_of_columns(__global const uint4 *sums, __global uchar4 *output, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    uint4 sum = 0;

    if (x >= width)
        return;
    for (int i = -REACH; i <= REACH; i++)
        sum += sums[clamp((int)y + i, 0, (int)height - 1) * width + x];
    output[y * width + x] = convert_uchar4(sum / ((2 * REACH + 1) * (2 * REACH + 1)));
}

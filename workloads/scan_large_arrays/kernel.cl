/* SPDX-License-Identifier: MIT */
/*
 * Exclusive sums of blocks of 2 * GROUP words, two words an item. The sum of each block goes to `sums`, which is scanned in turn and added
 * to the blocks.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
scan_blocks(__global const uint *input, __global uint *output, __global uint *sums, uint count)
{
    __local uint row[2][GROUP];
    uint item = get_local_id(0), index = (get_group_id(0) * GROUP + item) * 2;
    uint first = index < count ? input[index] : 0, second = index + 1 < count ? input[index + 1] : 0;
    uint from = 0;

    row[0][item] = first + second;
    for (uint distance = 1; distance < GROUP; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint sum = row[from][item];
        if (item >= distance)
            sum += row[from][item - distance];
        from ^= 1;
        row[from][item] = sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = item > 0 ? row[from][item - 1] : 0;
    if (index < count)
        output[index] = before;
    if (index + 1 < count)
        output[index + 1] = before + first;
    if (item == GROUP - 1)
        sums[get_group_id(0)] = row[from][item];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
add_sums(__global uint *output, __global const uint *sums, uint count)
{
    uint index = (get_group_id(0) * GROUP + get_local_id(0)) * 2, before = sums[get_group_id(0)];

    if (index < count)
        output[index] += before;
    if (index + 1 < count)
        output[index + 1] += before;
}

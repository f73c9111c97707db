/* SPDX-License-Identifier: MIT */
/*
 * Two kernels that want different numbers of misses in flight. `transpose` reads rows and writes columns of a matrix of `size` words
 * a side by tiles. The more lines are on their way, the more of them leave each other their set before they are used again. `sum`
 * reads a vector once, each word by one work-item: the more misses at once, the better.
 */
__kernel __attribute__((reqd_work_group_size(TILE, TILE, 1))) void
transpose(__global const uint *input, __global uint *output, uint size)
{
    __local uint tile[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_group_id(0) * TILE, row = get_group_id(1) * TILE;

    tile[y][x] = input[(row + y) * size + column + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    output[(column + y) * size + row + x] = tile[x][y];
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
sum(__global const uint *input, __global uint *sums)
{
    uint start = get_group_id(0) * GROUP * PER_ITEM + get_local_id(0), value = 0;

    for (uint i = 0; i < PER_ITEM; i++)
        value += input[start + i * GROUP];
    sums[get_global_id(0)] = value;
}

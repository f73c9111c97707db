/* SPDX-License-Identifier: MIT */
/*
 * Out-of-place transpose of a matrix of `rows` x `columns` words, row by row in memory.
 * TILE and PADDING come from the host. The tile in local memory has PADDING words after each row, so that reading a column
 * of it meets different banks.
 */
__kernel void transpose_tiled(__global const uint *input, __global uint *output, uint rows,
                              uint columns)
{
    __local uint tile[TILE][TILE + PADDING];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_group_id(0) * TILE + x, row = get_group_id(1) * TILE + y;

    if (row < rows && column < columns)
        tile[y][x] = input[row * columns + column];
    barrier(CLK_LOCAL_MEM_FENCE);
    column = get_group_id(0) * TILE + y;
    row = get_group_id(1) * TILE + x;
    if (row < rows && column < columns)
        output[column * rows + row] = tile[x][y];
}

/* Reads rows, writes columns: every lane of a store meets a line of its own. */
__kernel void transpose_naive(__global const uint *input, __global uint *output, uint rows,
                              uint columns)
{
    uint column = get_global_id(0), row = get_global_id(1);

    if (row < rows && column < columns)
        output[column * rows + row] = input[row * columns + column];
}

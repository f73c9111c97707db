/* SPDX-License-Identifier: MIT */
/*
 * Discrete cosine transform of blocks of 8 x 8, one block a work-group, one point a work-item. It is the matrix of cosines times the
 * block, then that times the transposed matrix. With is_inverse the other way round.
 */
#define BLOCK 8

__kernel __attribute__((reqd_work_group_size(BLOCK, BLOCK, 1))) void
transform(__global const float *input, __global float *output, __global const float *cosines, uint width, uint is_inverse)
{
    __local float half_way[BLOCK * BLOCK];
    uint column = get_local_id(0), row = get_local_id(1);
    uint corner = get_group_id(1) * BLOCK * width + get_group_id(0) * BLOCK;
    float sum = 0;

    for (uint k = 0; k < BLOCK; k++)
        sum += cosines[is_inverse ? k * BLOCK + row : row * BLOCK + k] * input[corner + k * width + column];
    half_way[row * BLOCK + column] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (uint k = 0; k < BLOCK; k++)
        sum += half_way[row * BLOCK + k] * cosines[is_inverse ? k * BLOCK + column : column * BLOCK + k];
    output[corner + row * width + column] = sum;
}

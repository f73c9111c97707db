/* SPDX-License-Identifier: MIT */
/*
 * c = a * b for square matrices of `size` x `size` floats, row by row in memory. BLOCK comes from the host and is the
 * work-group's edge.
 */
__kernel void multiply_blocked(__global const float *a, __global const float *b, __global float *c,
                               uint size)
{
    __local float block_a[BLOCK][BLOCK], block_b[BLOCK][BLOCK];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;

    for (uint start = 0; start < size; start += BLOCK) {
        uint k_a = start + x, k_b = start + y;
        block_a[y][x] = row < size && k_a < size ? a[row * size + k_a] : 0.0f;
        block_b[y][x] = column < size && k_b < size ? b[k_b * size + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        /* Unrolled whole it would need more registers, and fewer wavefronts would fit. */
#pragma unroll 8
        for (uint k = 0; k < BLOCK; k++)
            sum += block_a[y][k] * block_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < size && column < size)
        c[row * size + column] = sum;
}

__kernel void multiply_naive(__global const float *a, __global const float *b, __global float *c,
                             uint size)
{
    uint column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;

    if (row >= size || column >= size)
        return;
    for (uint k = 0; k < size; k++)
        sum += a[row * size + k] * b[k * size + column];
    c[row * size + column] = sum;
}

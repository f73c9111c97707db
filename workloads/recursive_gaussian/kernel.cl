/* SPDX-License-Identifier: MIT */
/*
 * Gaussian blur by a recursive filter of second order: a work-item walks down its column, then up again, and adds both answers. The rows are
 * filtered by the same kernel after a transposition through tiles in local memory. The image lies in plain buffers.
 * Source: Deriche, "Recursively implementing the Gaussian and its derivatives", INRIA research report 1893, 1993.
 */
__kernel void transpose(__global const uchar4 *input, __global uchar4 *output, uint width, uint height)
{
    __local uchar4 tile[TILE * TILE];
    uint x = get_global_id(0), y = get_global_id(1);
    uint column = get_local_id(0), row = get_local_id(1);

    if (x < width && y < height)
        tile[row * TILE + column] = input[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * TILE + column;
    y = get_group_id(0) * TILE + row;
    if (x < height && y < width)
        output[y * height + x] = tile[column * TILE + row];
}

/* forward.xy weigh this and the last point going down, backward.xy the two last points going up; feedback.xy the two last answers. The edges go on for ever: edge.x
 * and edge.y are the answers to a constant image of ones. */
__kernel void filter_columns(__global const uchar4 *input, __global uchar4 *output, __global float4 *half_way, uint width, uint height,
                             float2 forward, float2 backward, float2 feedback, float2 edge)
{
    uint x = get_global_id(0);

    if (x >= width)
        return;
    float4 last = convert_float4(input[x]), answer = last * edge.x, older = answer;
    for (uint y = 0; y < height; y++) {
        float4 point = convert_float4(input[y * width + x]);
        float4 next = forward.x * point + forward.y * last - feedback.x * answer - feedback.y * older;
        half_way[y * width + x] = next;
        last = point;
        older = answer;
        answer = next;
    }
    last = convert_float4(input[(height - 1) * width + x]);
    float4 before = last;
    answer = last * edge.y;
    older = answer;
    for (int y = height - 1; y >= 0; y--) {
        float4 point = convert_float4(input[y * width + x]);
        float4 next = backward.x * last + backward.y * before - feedback.x * answer - feedback.y * older;
        output[y * width + x] = convert_uchar4_sat(half_way[y * width + x] + next + 0.5f);
        before = last;
        last = point;
        older = answer;
        answer = next;
    }
}

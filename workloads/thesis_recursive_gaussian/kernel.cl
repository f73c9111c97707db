/* SPDX-License-Identifier: MIT */
/*
 * Gaussian blur of an image of four bytes a point by a recursive filter of second order, black
 * outside. A work-item filters a column down and then up. Rows are filtered by the same kernel,
 * between two transpositions. The way down leaves bytes in the result, to which the way up adds.
 * Source: Deriche, "Recursively implementing the Gaussian and its derivatives", INRIA research
 * report 1893, 1993.
 */

/*
 * Each point goes through local memory and is stored by the work-item that loaded it: a store of a
 * wavefront writes a part of each of 16 lines.
 */
__kernel void turn_image(__global const uchar4 *image, __global uchar4 *turned,
                         __local uchar4 *tile, uint width, uint height, uint tile_edge)
{
    uint2 point = (uint2)(get_global_id(0), get_global_id(1));
    __local uchar4 *slot = tile + (uint)get_local_id(1) * tile_edge + (uint)get_local_id(0);

    *slot = image[point.y * width + point.x];
    barrier(CLK_LOCAL_MEM_FENCE);
    turned[point.x * height + point.y] = *slot;
}

/* The last two inputs and answers, the newest first. */
struct history {
    float4 input, older_input, answer, older_answer;
};

/* The next answer: `weights` are those of two inputs, then of two answers. */
static float4 respond(struct history *history, float4 weights, float4 newest, float4 second)
{
    float4 answer = weights.x * newest + weights.y * second - weights.z * history->answer -
                    weights.w * history->older_answer;

    history->older_answer = history->answer;
    history->answer = answer;
    return answer;
}

__kernel void blur_columns(__global const uchar4 *image, __global uchar4 *result, int width,
                           int height, float4 down, float4 up)
{
    int x = get_global_id(0), rows = x < width ? height : 0;
    struct history way_down = {0}, way_up = {0};

    for (int y = 0; y < rows; y++) {
        float4 input = convert_float4(image[y * width + x]);

        result[y * width + x] = convert_uchar4(respond(&way_down, down, input, way_down.input));
        way_down.input = input;
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    for (int y = rows - 1; y >= 0; y--) {
        int at = y * width + x;
        float4 input = convert_float4(image[at]);
        float4 answer = respond(&way_up, up, way_up.input, way_up.older_input);

        result[at] = convert_uchar4(convert_float4(result[at]) + answer);
        way_up.older_input = way_up.input;
        way_up.input = input;
    }
}

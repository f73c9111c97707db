/* SPDX-License-Identifier: MIT */
/* One point a work-item: half the length of the gradient, for each of four channels. The border stays as it is in `output`. */
__kernel void sobel(__global const uchar4 *input, __global uchar4 *output, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1), at = y * width + x;

    if (x < 1 || y < 1 || x + 1 >= width || y + 1 >= height)
        return;
    float4 above_left = convert_float4(input[at - width - 1]), above = convert_float4(input[at - width]);
    float4 above_right = convert_float4(input[at - width + 1]), left = convert_float4(input[at - 1]);
    float4 right = convert_float4(input[at + 1]), below_left = convert_float4(input[at + width - 1]);
    float4 below = convert_float4(input[at + width]), below_right = convert_float4(input[at + width + 1]);
    float4 across = above_left + 2 * left + below_left - above_right - 2 * right - below_right;
    float4 along = above_left + 2 * above + above_right - below_left - 2 * below - below_right;

    output[at] = convert_uchar4_sat(sqrt(across * across + along * along) / 2);
}

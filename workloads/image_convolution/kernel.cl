/* SPDX-License-Identifier: MIT */
/* A weighted mean of the square around each point, with whole weights whose sum is TOTAL. Points beyond the border count as the border's. */
__constant sampler_t clamped = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

__kernel void convolve(read_only image2d_t input, write_only image2d_t output, __constant uint *weights)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    uint4 sum = 0;

    if (at.x >= get_image_width(output) || at.y >= get_image_height(output))
        return;
    for (int y = -REACH; y <= REACH; y++)
        for (int x = -REACH; x <= REACH; x++)
            sum += weights[y + REACH] * weights[x + REACH] * read_imageui(input, clamped, at + (int2)(x, y));
    write_imageui(output, at, sum / TOTAL);
}

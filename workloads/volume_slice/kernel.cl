/* SPDX-License-Identifier: MIT */
/*
 * A slanted slice through a volume, SLAB steps thick. The argument `plane`: where the slice's first point lies, and the steps to the next in x, y and
 * depth. All are fractions of the volume's sizes. Outside the volume is nothing.
 */
__kernel void slice(read_only image3d_t volume, sampler_t sampler, __constant float4 *plane, __global float *output, uint width, uint height)
{
    uint x = get_global_id(0), y = get_global_id(1);
    float sum = 0;

    if (x >= width || y >= height)
        return;
    float4 at = plane[0] + (float)x * plane[1] + (float)y * plane[2];
    for (uint i = 0; i < SLAB; i++)
        sum += read_imagef(volume, sampler, at + (float)i * plane[3]).x;
    output[y * width + x] = sum / SLAB;
}

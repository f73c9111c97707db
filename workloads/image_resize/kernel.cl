/* SPDX-License-Identifier: MIT */
/* Bilinear resize: where a point of the output lies in the input is a fraction of its width and height. */
__constant sampler_t bilinear = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;

__kernel void resize(read_only image2d_t input, write_only image2d_t output)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1)), sizes = get_image_dim(output);

    if (at.x < sizes.x && at.y < sizes.y)
        write_imagef(output, at, read_imagef(input, bilinear, (convert_float2(at) + 0.5f) / convert_float2(sizes)));
}

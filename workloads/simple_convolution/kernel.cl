/* SPDX-License-Identifier: MIT */
/* One point of the result a work-item: the points around it, weighted by a mask. Points outside count nothing. */
__kernel void convolve(__global const uint *input, __global const float *mask, __global float *output, uint width, uint height,
                       uint mask_width)
{
    uint x = get_global_id(0) % width, y = get_global_id(0) / width;
    int reach = mask_width / 2;
    float sum = 0;

    if (y >= height)
        return;
    int left = max((int)x - reach, 0), right = min((int)x + reach, (int)width - 1);
    int top = max((int)y - reach, 0), bottom = min((int)y + reach, (int)height - 1);
    for (int row = top; row <= bottom; row++)
        for (int column = left; column <= right; column++)
            sum += (float)input[row * width + column] *
                   mask[(row - (int)y + reach) * mask_width + (column - (int)x + reach)];
    output[y * width + x] = sum;
}

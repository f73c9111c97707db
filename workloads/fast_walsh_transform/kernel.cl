/* SPDX-License-Identifier: MIT */
/* One step of the transform, in place: the two words that lie `distance` apart become their sum and their difference. */
__kernel void butterfly(__global float *data, uint distance)
{
    uint item = get_global_id(0);
    uint low = item / distance * distance * 2 + item % distance, high = low + distance;
    float a = data[low], b = data[high];

    data[low] = a + b;
    data[high] = a - b;
}

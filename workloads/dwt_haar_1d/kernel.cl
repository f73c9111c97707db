/* SPDX-License-Identifier: MIT */
/*
 * Haar's wavelet transform of blocks of 2 * GROUP values, one block a work-group, up to `levels` levels of it in local memory. At each level
 * pairs become a mean (times the root of 2), which goes on, and a difference, which is a coefficient of that level. The coefficients of a level of
 * n values are output[n / 2 .. n - 1]. The block's last mean goes to means[group].
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
transform(__global const float *input, __global float *output, __global float *means, uint count, uint levels)
{
    __local float row[2 * GROUP];
    uint item = get_local_id(0), group = get_group_id(0);
    uint items = min(GROUP, (int)count / 2);
    const float scale = 0.70710678118654752f;

    if (item < items) {
        row[item] = input[group * 2 * GROUP + item];
        row[item + items] = input[group * 2 * GROUP + items + item];
    }
    for (uint level = 0; level < levels; level++) {
        float left = 0, right = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < items) {
            left = row[2 * item];
            right = row[2 * item + 1];
            output[count / 2 + group * items + item] = (left - right) * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < items)
            row[item] = (left + right) * scale;
        items /= 2;
        count /= 2;
    }
    if (item == 0)
        means[group] = row[0];
}

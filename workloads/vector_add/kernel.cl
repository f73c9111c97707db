/* SPDX-License-Identifier: MIT */
/* sum[i] = a[i] + b[i]; the range may be longer than the vectors. */
__kernel void vector_add(__global const float *a, __global const float *b, __global float *sum,
                         uint count)
{
    uint i = get_global_id(0);

    if (i < count)
        sum[i] = a[i] + b[i];
}

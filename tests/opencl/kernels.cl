/* SPDX-License-Identifier: MIT */
/* Kernels of the driver's tests. fake_machine.c knows the same by name. */

__kernel void add(__global int *sums, __global const int *terms, int bias)
{
    size_t i = get_global_id(0);

    sums[i] += terms[i] + bias;
}

/* The work-group's sum of a local copy: local memory given by the host. */
__kernel void group_sum(__global const int *values, __global int *sums, __local int *first,
                        __local int *second)
{
    size_t i = get_local_id(0);
    int sum = 0;

    first[i] = values[get_global_id(0)];
    second[i] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) {
        for (size_t k = 0; k < get_local_size(0); k++)
            sum += first[k] * second[k];
        sums[get_group_id(0)] = sum;
    }
}

/* Where each work-item stands, in its linear place. */
__kernel void place(__global uint4 *places)
{
    size_t x = get_global_id(0) - get_global_offset(0);
    size_t y = get_global_id(1) - get_global_offset(1);
    size_t z = get_global_id(2) - get_global_offset(2);
    size_t i = (z * get_global_size(1) + y) * get_global_size(0) + x;

    places[i] = (uint4)((uint)get_global_id(0), (uint)get_global_id(1), (uint)get_global_id(2),
                        (uint)(get_local_size(0) + 1000 * get_local_size(1) +
                               1000000 * get_local_size(2)));
}

__kernel __attribute__((reqd_work_group_size(32, 2, 1))) void required(__global int *out)
{
    out[get_global_id(1) * get_global_size(0) + get_global_id(0)] = (int)get_local_size(0);
}

typedef struct {
    int a;
    float b[3];
} pair;

__kernel void by_value(__global float *out, pair value, char small, float4 vector, long large)
{
    out[0] = (float)value.a;
    out[1] = value.b[2];
    out[2] = (float)small;
    out[3] = vector.w;
    out[4] = (float)large;
}

/* Goes far outside of any buffer. */
__kernel void faulty(__global int *out)
{
    out[get_global_id(0) + ((size_t)1 << 38)] = 1;
}

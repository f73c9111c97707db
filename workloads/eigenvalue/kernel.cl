/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues of a symmetric tridiagonal matrix by bisection. The number of eigenvalues below x is the number of negative terms of the Sturm
 * sequence at x. Source: Barth, Martin, Wilkinson, "Calculation of the eigenvalues of a symmetric tridiagonal matrix by the method of bisection",
 * Numerische Mathematik 9, 1967.
 */
static uint count_below(__global const float *diagonal, __global const float *beside, uint length, float x)
{
    float term = diagonal[0] - x;
    uint count = term < 0;

    for (uint i = 1; i < length; i++) {
        term = diagonal[i] - x - beside[i - 1] * beside[i - 1] / term;
        count += term < 0;
    }
    return count;
}

/* How many eigenvalues lie in each interval. */
__kernel void count_in_intervals(__global const float2 *intervals, __global uint *counts, __global const float *diagonal,
                                 __global const float *beside, uint length)
{
    uint item = get_global_id(0);

    if (item >= length)
        return;
    float2 interval = intervals[item];
    counts[item] = count_below(diagonal, beside, length, interval.y) - count_below(diagonal, beside, length, interval.x);
}

/* The item's eigenvalue is the item-th. It finds the interval where that lies, and halves it, or cuts it into as many parts as it has eigenvalues. */
__kernel void refine_intervals(__global const float2 *intervals, __global const uint *counts, __global float2 *refined,
                               __global const float *diagonal, __global const float *beside, uint length, float tolerance)
{
    uint item = get_global_id(0), index = 0, left = item;

    if (item >= length)
        return;
    while (index < length - 1 && left >= counts[index])
        left -= counts[index++];
    float2 interval = intervals[index];
    uint count = max(counts[index], 1u);
    float part = (interval.y - interval.x) / count;
    if (count == 1) {
        float middle = 0.5f * (interval.x + interval.y);
        bool is_below = count_below(diagonal, beside, length, middle) > item;
        if (interval.y - interval.x > tolerance)
            interval = is_below ? (float2)(interval.x, middle) : (float2)(middle, interval.y);
    } else {
        interval = (float2)(interval.x + part * left, interval.x + part * (left + 1));
    }
    refined[item] = interval;
}

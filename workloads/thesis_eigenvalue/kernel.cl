/* SPDX-License-Identifier: MIT */
/*
 * Eigenvalues of a symmetric tridiagonal matrix by bisection, an interval a work-item, its low and high bound side by side. As
 * many eigenvalues lie below x as the Sturm sequence at x has negative terms: each work-item walks the whole matrix.
 * Source: Barth, Martin, Wilkinson, "Calculation of the eigenvalues of a symmetric tridiagonal matrix by the method of
 * bisection", Numerische Mathematik 9, 1967.
 */
#ifdef VECTOR_LOADS /* an address in each lane, though all are equal, since `none` is 0 */
#define FIRST(none) min((uint)get_global_id(0), none)
#else
#define FIRST(none) none
#endif

static uint count_below(__global const float *diagonal, __global const float *beside, uint rows, float x)
{
    float term = diagonal[0] - x;
    uint count = term < 0;

    for (uint row = 1; row < rows; row++) {
        float next_to = beside[row - 1];
        term = diagonal[row] - x - next_to * next_to / term;
        count += term < 0;
    }
    return count;
}

/* Eigenvalues in each interval. */
__kernel void count_intervals(__global const float *bounds, __global uint *counts, __global const float *diagonal,
                              __global const float *beside, uint rows, uint none)
{
    uint item = get_global_id(0);
    float low = bounds[2 * item], high = bounds[2 * item + 1];

    diagonal += FIRST(none);
    beside += FIRST(none);
    uint below_low = count_below(diagonal, beside, rows, low);
    counts[item] = count_below(diagonal, beside, rows, high) - below_low;
}

/*
 * The work-item's eigenvalue is the item-th of all. Its interval is found by adding up counts. Alone there, it gets the half
 * that it lies in, or the whole if that is narrow; otherwise one of as many equal parts as there are eigenvalues.
 */
__kernel void refine_intervals(__global const float *bounds, __global const uint *counts, __global float *refined,
                               __global const float *diagonal, __global const float *beside, uint rows, float tolerance, uint none)
{
    uint item = get_global_id(0), rank = item, found = 0;
    __global float *result = refined + 2 * item;

    diagonal += FIRST(none);
    beside += FIRST(none);
    for (; rank >= counts[found] && found + 1 < rows; found++)
        rank -= counts[found];

    __global const float *interval = bounds + 2 * found;
    float low = interval[0], width = interval[1] - low;
    uint count = counts[found];
    if (count == 1) {
        float middle = low + 0.5f * width;
        uint below_middle = count_below(diagonal, beside, rows, middle);
        uint below_low = count_below(diagonal, beside, rows, low);
        if (width < tolerance) {
            result[0] = low;
            result[1] = interval[1];
        } else if (below_middle > below_low) {
            result[0] = low;
            result[1] = middle;
        } else {
            result[0] = middle;
            result[1] = interval[1];
        }
    } else {
        float part = width / count;
        result[0] = low + part * rank;
        result[1] = low + part * (rank + 1);
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Sobol's quasi-random sequence, a dimension a work-group, four points a work-item. Each work-item writes all of the dimension's
 * numbers to local memory, four at a time and the same as the others, so that no barrier is needed. A point is the exclusive or of
 * the numbers whose bits are set in its index.
 * Source: Sobol, "On the distribution of points in a cube", USSR Computational Mathematics and Mathematical Physics 7 (4), 1967.
 */
#define QUADS 8

#ifdef VECTOR_LOADS /* an address in each lane, though all are equal, since `none` is 0 */
#define FIRST(none) min((uint)get_global_id(0), none)
#else
#define FIRST(none) none
#endif

/* The bit's mask; a power of two in floating point, which AMD's compiler of 2012 made a constant. */
static uint mask_of(uint bit)
{
    return pow(2.0f, (float)bit);
}

__kernel void sobol_points(__global const uint4 *directions, __global float4 *coordinates, __local uint4 *numbers,
                           uint none)
{
    __global const uint4 *own = directions + get_group_id(0) * QUADS + FIRST(none);
    uint4 lanes = (uint4)(0, 1, 2, 3), points = 4 * (uint)get_local_id(0) + lanes, sum = 0;

    for (uint quad = 0; quad < QUADS; quad++)
        numbers[quad] = own[quad];
    for (uint quad = 0; quad < QUADS; quad++) {
        uint4 bits = 4 * quad + lanes;

        sum ^= ((points & mask_of(bits.x)) >> bits.x) * numbers[quad].x;
        sum ^= ((points & mask_of(bits.y)) >> bits.y) * numbers[quad].y;
        sum ^= ((points & mask_of(bits.z)) >> bits.z) * numbers[quad].z;
        sum ^= ((points & mask_of(bits.w)) >> bits.w) * numbers[quad].w;
    }
    coordinates[get_global_id(0)] = convert_float4(sum) * 0x1p-32f;
}

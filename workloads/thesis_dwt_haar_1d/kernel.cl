/* SPDX-License-Identifier: MIT */
/*
 * Haar's wavelet transform of a block of values a work-group, two values a work-item, down to the block's mean. The first
 * launch divides the values by the root of their number. A level makes of each pair a sum, over the root of 2, and as much of
 * their difference, a coefficient: those of a level of n values lie at n / 2. Half of the work-items go on to the next level.
 * Sums go to and fro between two rows, so that none takes the place of a value that a neighbour has yet to read.
 */
#define ROOT_2 1.41421356f

struct level {
    uint item, block;
    uint pairs; /* of the block */
    uint place; /* of the coefficients */
};

static void scale_pair(__local float *pair, float divisor)
{
    pair[0] /= divisor;
    pair[1] /= divisor;
}

static void do_level(struct level *level, __local const float *from, __local float *to, __global float *coefficients)
{
    uint item = level->item;

    if (item < level->pairs) {
        float left = from[2 * item], right = from[2 * item + 1];
        to[item] = (left + right) / ROOT_2;
        coefficients[level->place + level->block * level->pairs + item] = (left - right) / ROOT_2;
    }
    level->pairs /= 2;
    level->place /= 2;
    barrier(CLK_LOCAL_MEM_FENCE);
}

/* `row` has the block's values and, behind them, room for half as many. */
__kernel void transform_blocks(__global const float *values, __global float *coefficients, __global float *means,
                               __local float *row, uint length, uint levels, uint is_first)
{
    struct level level = {get_local_id(0), get_group_id(0), 1u << levels >> 1, length / 2};
    __local float *sums = row + 2 * get_local_size(0);
    __local float *pair = row + 2 * level.item, *last = row;
    __global const float *source = values + 2 * get_global_id(0);

    pair[0] = source[0];
    pair[1] = source[1];
    if (is_first)
        scale_pair(pair, native_sqrt((float)length));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (; levels > 1; levels -= 2) {
        do_level(&level, row, sums, coefficients);
        do_level(&level, sums, row, coefficients);
    }
    if (levels != 0) {
        do_level(&level, row, sums, coefficients);
        last = sums;
    }
    if (level.item == 0)
        means[level.block] = last[0];
}

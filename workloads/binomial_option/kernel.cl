/* SPDX-License-Identifier: MIT */
/*
 * Four European calls a work-group, by a binomial lattice of STEPS steps (Cox, Ross and Rubinstein). Each of the STEPS + 1 items has one leaf.
 * The value of a node is the discounted mean of the two above it. The values go to and fro between two rows of local memory.
 */
__kernel __attribute__((reqd_work_group_size(STEPS + 1, 1, 1))) void
price_calls(__global const float4 *draws, __global float4 *prices)
{
    __local float4 values[2][STEPS + 1];
    uint item = get_local_id(0), group = get_group_id(0);
    float4 draw = draws[group];
    float4 price = 5.0f + 25.0f * draw, strike = 1.0f + 99.0f * (1.0f - draw), years = 0.25f + 9.75f * draw;
    float4 step = years / STEPS, deviation = VOLATILITY * sqrt(step), growth = exp(RATE * step);
    float4 up = exp(deviation), down = 1.0f / up;
    float4 chance = (growth - down) / (up - down);
    float4 up_weight = chance / growth, down_weight = (1.0f - chance) / growth;

    values[0][item] = max(price * exp(deviation * (2.0f * item - STEPS)) - strike, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int level = STEPS; level > 0; level -= 2) {
        if (item < level)
            values[1][item] = up_weight * values[0][item + 1] + down_weight * values[0][item];
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < level - 1)
            values[0][item] = up_weight * values[1][item + 1] + down_weight * values[1][item];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        prices[group] = values[0][0];
}

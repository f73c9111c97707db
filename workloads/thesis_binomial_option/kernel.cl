/* SPDX-License-Identifier: MIT */
/*
 * European calls by a binomial lattice, four calls a work-group, a leaf a work-item. A level's values are folded from one
 * row of local memory into another and back, two levels a turn. The up move of a node is its right neighbour.
 * Source: Cox, Ross, Rubinstein, "Option pricing: a simplified approach", Journal of Financial Economics 7, 1979.
 */
struct lattice {
    float4 spot, strike;
    float4 log_move;       /* logarithm of the up move */
    float4 up, down;       /* discounted chances of the moves */
};

static struct lattice lattice_of(float4 draw, float steps)
{
    float4 period = mix((float4)(0.25f), (float4)(10.0f), draw) / steps;
    float4 growth = exp(RATE * period), log_move = VOLATILITY * native_sqrt(period);
    float4 rise = exp(log_move), fall = 1.0f / rise, chance = (growth - fall) / (rise - fall);

    return (struct lattice){mix((float4)(5.0f), (float4)(30.0f), draw),
                            mix((float4)(1.0f), (float4)(100.0f), draw), log_move,
                            chance / growth, (1.0f - chance) / growth};
}

/* Values of the next lower level, of as many nodes as `nodes`. */
static void fold(const struct lattice *lattice, __local const float4 *from, __local float4 *to, uint node, uint nodes)
{
    if (node < nodes)
        to[node] = lattice->down * from[node] + lattice->up * from[node + 1];
    barrier(CLK_LOCAL_MEM_FENCE);
}

__kernel void price_calls(uint steps, __global const float4 *draws, __global float4 *prices,
                          __local float4 *even, __local float4 *odd)
{
    uint node = get_local_id(0), quad = get_group_id(0);
    struct lattice lattice = lattice_of(draws[quad], steps);
    float moves = 2.0f * node - steps;

    even[node] = fmax(lattice.spot * exp(lattice.log_move * moves) - lattice.strike, 0.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint nodes = steps; nodes != 0; nodes -= 2) {
        fold(&lattice, even, odd, node, nodes);
        fold(&lattice, odd, even, node, nodes - 1);
    }
    if (node == 0)
        prices[quad] = even[0];
}

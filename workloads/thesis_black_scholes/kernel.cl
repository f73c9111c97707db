/* SPDX-License-Identifier: MIT */
/*
 * Prices of European calls and puts by Black and Scholes, four options a work-item. The work-items
 * form a square of `width` columns; its work-groups are squares too, so a wavefront's access is
 * four pieces of 256 bytes. All of an option follows from one number of [0, 1) in `draws`. Each is
 * at the money: the strike price is the price. LOGARITHM is log, whose implementations read tables,
 * or native_log, an instruction.
 */
#define CHEAPEST 10.0f
#define DEAREST 100.0f

static float4 interpolate(float4 draw, float first, float last)
{
    return first * (1.0f - draw) + last * draw;
}

/* The standard normal distribution at x and at -x: Abramowitz and Stegun 26.2.17. */
static float4 both_tails(float4 x, float4 *at_minus_x)
{
    float4 size = fabs(x), t = 1.0f / (0.2316419f * size + 1.0f);
    float4 sum = 1.330274429f;

    sum = sum * t - 1.821255978f;
    sum = sum * t + 1.781477937f;
    sum = sum * t - 0.356563782f;
    sum = sum * t + 0.319381530f;
    float4 outside = 0.398942280f * exp(-0.5f * size * size) * sum * t, inside = 1.0f - outside;

    *at_minus_x = x < 0.0f ? inside : outside;
    return x < 0.0f ? outside : inside;
}

__kernel void price_options(__global const float4 *draws, __global float4 *calls,
                            __global float4 *puts, uint width)
{
    uint at = (uint)get_global_id(1) * width + (uint)get_global_id(0);
    float4 draw = draws[at];
    float4 price = interpolate(draw, DEAREST, CHEAPEST);
    float4 strike = interpolate(draw, DEAREST, CHEAPEST);
    float4 years = interpolate(draw, 10.0f, 1.0f), rate = interpolate(draw, 0.05f, 0.01f);
    float4 volatility = interpolate(draw, 0.10f, 0.01f);
    float4 spread = volatility * sqrt(years);
    float4 growth = (0.5f * volatility * volatility + rate) * years;
    float4 far = (LOGARITHM(price / strike) + growth) / spread;
    float4 bought, paid, not_bought, not_paid;

    bought = both_tails(far, &not_bought);
    paid = both_tails(far - spread, &not_paid);
    strike *= exp(-rate * years);
    calls[at] = price * bought - strike * paid;
    puts[at] = strike * not_paid - price * not_bought;
}

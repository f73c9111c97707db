/* SPDX-License-Identifier: MIT */
/*
 * Prices of European call and put options by the Black-Scholes formula, an option a work-item. `draws` holds one number in
 * [0, 1) an option, from which all of its five inputs follow by interpolation.
 */
#define LEAST_PRICE 10.0f
#define MOST_PRICE 100.0f
#define LEAST_YEARS 1.0f
#define MOST_YEARS 10.0f
#define LEAST_RATE 0.01f
#define MOST_RATE 0.05f
#define LEAST_VOLATILITY 0.01f
#define MOST_VOLATILITY 0.10f

float between(float draw, float least, float most)
{
    return least * draw + most * (1.0f - draw);
}

/* Standard normal distribution: Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8. */
float normal_distribution(float x)
{
    float magnitude = fabs(x);
    float t = 1.0f / (1.0f + 0.2316419f * magnitude);
    float polynomial =
        t * (0.319381530f +
             t * (-0.356563782f + t * (1.781477937f + t * (-1.821255978f + t * 1.330274429f))));
    float tail = 0.398942280f * exp(-0.5f * magnitude * magnitude) * polynomial;

    return x >= 0.0f ? 1.0f - tail : tail;
}

__kernel void black_scholes(__global const float *draws, __global float *call, __global float *put,
                            uint count)
{
    uint i = get_global_id(0);

    if (i >= count)
        return;
    float draw = draws[i];
    float price = between(draw, LEAST_PRICE, MOST_PRICE);
    float strike = between(1.0f - draw, LEAST_PRICE, MOST_PRICE);
    float years = between(draw, LEAST_YEARS, MOST_YEARS);
    float rate = between(draw, LEAST_RATE, MOST_RATE);
    float volatility = between(draw, LEAST_VOLATILITY, MOST_VOLATILITY);
    float deviation = volatility * sqrt(years);
    float d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / deviation;
    float d2 = d1 - deviation;
    float present_strike = strike * exp(-rate * years);

    call[i] = price * normal_distribution(d1) - present_strike * normal_distribution(d2);
    put[i] = present_strike * normal_distribution(-d2) - price * normal_distribution(-d1);
}

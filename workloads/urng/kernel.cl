/* SPDX-License-Identifier: MIT */
/*
 * Adds uniform noise to a point of an image, a point a work-item. The generator is the minimal standard one of Park and Miller (16807 modulo
 * 2^31 - 1, by Schrage's method). A table of TABLE entries in local memory shuffles the numbers, as in Bays and Durham; the seed is the point.
 * Source: Park, Miller, "Random number generators: good ones are hard to find", Communications of the ACM 31 (10), 1988.
 */
#define MODULUS 2147483647
#define QUOTIENT 127773
#define REMAINDER 2836

static int next_number(int state)
{
    int high = state / QUOTIENT;

    state = 16807 * (state - high * QUOTIENT) - REMAINDER * high;
    return state < 0 ? state + MODULUS : state;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
add_noise(__global const uchar4 *input, __global uchar4 *output, uint count, int factor)
{
    __local int table[TABLE * GROUP];
    uint index = get_global_id(0), item = get_local_id(0);

    if (index >= count)
        return;
    int4 point = convert_int4(input[index]);
    int state = point.x + 256 * point.y + 65536 * point.z + 4099 * point.w + 1;
    for (int i = TABLE + 7; i >= 0; i--) { /* the first eight only warm up */
        state = next_number(state);
        if (i < TABLE)
            table[i * GROUP + item] = state;
    }
    int last = table[item];
    state = next_number(state);
    last = table[last % TABLE * GROUP + item];
    int noise = (last >> 16) * (2 * factor + 1) / 32768 - factor;
    output[index] = convert_uchar4_sat(point + noise);
}

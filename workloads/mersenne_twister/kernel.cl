/* SPDX-License-Identifier: MIT */
/*
 * Random numbers of the Mersenne twister MT19937, PER_ITEM of them a work-item, each item from a seed of its own. Pairs of them give normally
 * distributed ones by Box and Muller's transform. The first PER_ITEM numbers need PER_ITEM + 397 words of the seeded state, which are made as they
 * come. The recurrence of the initialisation runs at two places.
 * Sources: Matsumoto, Nishimura, "Mersenne twister", ACM TOMACS 8 (1), 1998, and the 2002 initialisation; Box, Muller, Annals of Mathematical
 * Statistics 29 (2), 1958. The numbers of all items at one turn lie side by side.
 */
#define FAR 397

static uint next_state(uint state, uint index)
{
    return 1812433253u * (state ^ (state >> 30)) + index;
}

static uint tempered(uint y)
{
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

__kernel void gaussian(__global const uint *seeds, __global uint *uniform, __global float *normal, uint items)
{
    uint item = get_global_id(0);

    if (item >= items)
        return;
    uint here = seeds[item], far = here;
    for (uint i = 1; i <= FAR; i++)
        far = next_state(far, i);
    float first = 0;
    for (uint i = 0; i < PER_ITEM; i++) {
        uint next = next_state(here, i + 1);
        uint y = (here & 0x80000000u) | (next & 0x7fffffffu);
        uint number = tempered(far ^ (y >> 1) ^ (y & 1 ? 0x9908b0dfu : 0));
        float draw = ((float)(number >> 8) + 0.5f) * 0x1p-24f;

        uniform[i * items + item] = number;
        if (i % 2 == 1) {
            float radius = sqrt(-2.0f * log(first)), angle = 6.28318530717958648f * draw;
            normal[(i - 1) * items + item] = radius * cos(angle);
            normal[i * items + item] = radius * sin(angle);
        }
        first = draw;
        here = next;
        far = next_state(far, FAR + 1 + i);
    }
}

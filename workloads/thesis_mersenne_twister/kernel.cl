/* SPDX-License-Identifier: MIT */
/*
 * Normally distributed numbers: each work-item seeds an SFMT607 generator, whose words have four
 * lanes, and makes two vectors of four numbers of each two words by Box and Muller's transform. A
 * work-item's `vectors` vectors lie side by side. Sources: Saito, Matsumoto, "SIMD-oriented fast
 * Mersenne twister", MCQMC 2006, parameters of period 2^607 - 1; Box, Muller, Annals of
 * Mathematical Statistics 29 (2), 1958.
 */
#define STATE 5
#define VECTORS_MAX 8

struct twister {
    uint4 words[STATE]; /* the oldest first */
};

/* The 128 bits of `word` moved by three bytes towards the upper end, or towards the lower one. */
static uint4 moved_up(uint4 word)
{
    return word << 24 | (uint4)(0, word.xyz) >> 8;
}

static uint4 moved_down(uint4 word)
{
    return word >> 24 | (uint4)(word.yzw, 0) << 8;
}

static struct twister twister_of(uint4 seed)
{
    struct twister twister;

    twister.words[0] = seed;
    for (uint i = 1; i < STATE; i++)
        twister.words[i] = 1812433253u * (twister.words[i - 1] ^ twister.words[i - 1] >> 30) + i;
    return twister;
}

static uint4 next_word(struct twister *twister)
{
    const uint4 mask = (uint4)(0xfdff37ff, 0xef7f3f7d, 0xff777b7d, 0x7ff7fb2f);
    uint4 *words = twister->words;
    uint4 next = words[0] ^ moved_up(words[0]) ^ (words[2] >> 13 & mask) ^ moved_down(words[3]) ^
                 words[4] << 15;

    for (uint i = 1; i < STATE; i++)
        words[i - 1] = words[i];
    words[STATE - 1] = next;
    return next;
}

/* In (0, 1]. */
static float4 draw_of(uint4 word)
{
    return convert_float4(word) * 0x1p-32f + 0x1p-33f;
}

__kernel void normal_numbers(__global const uint4 *seeds, __global float4 *numbers, uint width,
                             uint vectors)
{
    uint item = (uint)get_global_id(1) * width + (uint)get_global_id(0);
    struct twister twister = twister_of(seeds[item]);
    __global float4 *mine = numbers + item * vectors;
    uint4 drawn[VECTORS_MAX]; /* compilers make indexed registers of it */

    for (uint i = 0; i < vectors; i++)
        drawn[i] = next_word(&twister);
    for (uint i = 0; i < vectors; i += 2) {
        float4 radius = sqrt(-2.0f * LOGARITHM(draw_of(drawn[i])));
        float4 angle = 6.28318530717958648f * draw_of(drawn[i + 1]);

        mine[i] = radius * cos(angle);
        mine[i + 1] = radius * sin(angle);
    }
}

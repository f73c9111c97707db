/* SPDX-License-Identifier: MIT */
/*
 * One pass of a stable radix sort by eight bits. A work-item has DIGITS consecutive words, and as many 16-bit counters in local
 * memory, a row of its own. The host makes places of the counts, so that there are at most 65,536 words.
 */
#define DIGITS 256

static uint digit_of(uint word, uint shift)
{
    return word >> shift & (DIGITS - 1);
}

__kernel void count_digits(__global const uint *words, __global uint *counts, uint shift, __local ushort *rows)
{
    size_t first = get_global_id(0) * DIGITS;
    __local ushort *row = rows + get_local_id(0) * DIGITS;

    for (uint digit = 0; digit < DIGITS; digit++)
        row[digit] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < DIGITS; i++)
        row[digit_of(words[first + i], shift)]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint digit = 0; digit < DIGITS; digit++)
        counts[first + digit] = row[digit];
}

/* The work-items of a group go from word to word together. */
__kernel void place_words(__global const uint *words, __global const uint *places, __global uint *sorted,
                          uint shift, __local ushort *rows)
{
    size_t first = get_global_id(0) * DIGITS;
    __local ushort *row = rows + get_local_id(0) * DIGITS;

    for (uint digit = 0; digit < DIGITS; digit++)
        row[digit] = places[first + digit];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < DIGITS; i++) {
        uint word = words[first + i], digit = digit_of(word, shift), place = row[digit];

        sorted[place] = word;
        row[digit] = place + 1;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

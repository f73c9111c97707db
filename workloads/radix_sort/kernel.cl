/* SPDX-License-Identifier: MIT */
/*
 * One pass of a stable radix sort by eight bits. Each of a group's GROUP items has PER_ITEM consecutive words. It counts their digits in a column of local
 * memory of its own. The counts, ordered by digit, group and item, are scanned; then each item puts its words in their places, in order.
 */
#define DIGITS 256

static uint digit_of(uint word, uint shift)
{
    return (word >> shift) % DIGITS;
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_digits(__global const uint *words, __global uint *counts, uint count, uint shift)
{
    __local ushort columns[DIGITS * GROUP];
    uint item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    uint first = (group * GROUP + item) * PER_ITEM;

    for (uint digit = 0; digit < DIGITS; digit++)
        columns[digit * GROUP + item] = 0;
    for (uint i = first; i < min(first + PER_ITEM, count); i++)
        columns[digit_of(words[i], shift) * GROUP + item]++;
    for (uint digit = 0; digit < DIGITS; digit++)
        counts[(digit * groups + group) * GROUP + item] = columns[digit * GROUP + item];
}

/* Exclusive sums in place, by one work-group: each item adds up its share, the shares are scanned, and it goes over its own again. */
__kernel __attribute__((reqd_work_group_size(SCANNERS, 1, 1))) void
scan_counts(__global uint *counts, uint count)
{
    __local uint sums[2][SCANNERS];
    uint item = get_local_id(0), share = (count + SCANNERS - 1) / SCANNERS, sum = 0, from = 0;
    uint first = min(item * share, count), end = min(first + share, count);

    for (uint i = first; i < end; i++)
        sum += counts[i];
    sums[0][item] = sum;
    for (uint distance = 1; distance < SCANNERS; distance *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint added = sums[from][item] + (item >= distance ? sums[from][item - distance] : 0);
        from ^= 1;
        sums[from][item] = added;
    }
    sum = sums[from][item] - sum;
    for (uint i = first; i < end; i++) {
        uint own = counts[i];
        counts[i] = sum;
        sum += own;
    }
}

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
permute(__global const uint *words, __global const uint *places, __global uint *output, uint count, uint shift)
{
    __local ushort columns[DIGITS * GROUP];
    uint item = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
    uint first = (group * GROUP + item) * PER_ITEM;

    for (uint digit = 0; digit < DIGITS; digit++)
        columns[digit * GROUP + item] = 0;
    for (uint i = first; i < min(first + PER_ITEM, count); i++) {
        uint word = words[i], digit = digit_of(word, shift);
        output[places[(digit * groups + group) * GROUP + item] + columns[digit * GROUP + item]++] = word;
    }
}

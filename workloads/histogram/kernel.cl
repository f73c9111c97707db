/* SPDX-License-Identifier: MIT */
/*
 * Each of the GROUP work-items counts PER_ITEM values in BINS bytes of its own, which lie GROUP apart in local memory. Then each sums
 * some bins over all items. A count is at most PER_ITEM, which a byte holds.
 */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
count_values(__global const uint *values, __global uint *partial, uint count)
{
    __local uchar counts[BINS * GROUP];
    __local uint *words = (__local uint *)counts;
    uint item = get_local_id(0), group = get_group_id(0);

    for (uint i = item; i < BINS * GROUP / 4; i += GROUP)
        words[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = 0; i < PER_ITEM; i++) {
        uint index = (group * PER_ITEM + i) * GROUP + item;
        if (index < count)
            counts[(values[index] % BINS) * GROUP + item]++;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = item; bin < BINS; bin += GROUP) {
        uint sum = 0;
        for (uint other = 0; other < GROUP; other++)
            sum += counts[bin * GROUP + (other + 4 * item) % GROUP];
        partial[group * BINS + bin] = sum;
    }
}

/* Adds the groups' histograms, one bin a work-item. */
__kernel void add_groups(__global const uint *partial, __global uint *total, uint groups)
{
    uint bin = get_global_id(0), sum = 0;

    for (uint group = 0; group < groups; group++)
        sum += partial[group * BINS + bin];
    total[bin] = sum;
}

/* SPDX-License-Identifier: MIT */
/*
 * Adds vectors of four words: a work-group of a power of two of work-items takes one each into
 * local memory, and halves their number until one is left, which is stored. Sums wrap at 32 bits.
 */
__kernel void fold_groups(__global const uint4 *vectors, __global uint4 *sums,
                          __local uint4 *folded)
{
    uint item = get_local_id(0), active = get_local_size(0);

    folded[item] = vectors[(uint)get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    while ((active /= 2) != 0) {
        if (item < active)
            folded[item] += folded[active + item];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = folded[0];
}

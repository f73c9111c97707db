/* SPDX-License-Identifier: MIT */
/*
 * Adds vectors of four words: a work-group of a power of two of work-items takes one each into
 * local memory, and halves their number until one is left, which is stored. Sums wrap at 32 bits.
 * With -D WORDS vectors are accessed there by words.
 */
#ifdef WORDS
uint4 load_folded(__local const uint4 *vector)
{
    __local const volatile uint *word = (__local const uint *)vector;

    return (uint4)(word[0], word[1], word[2], word[3]);
}

void store_folded(__local uint4 *vector, uint4 value)
{
    __local volatile uint *word = (__local uint *)vector;

    word[0] = value.x;
    word[1] = value.y;
    word[2] = value.z;
    word[3] = value.w;
}
#else
uint4 load_folded(__local const uint4 *vector)
{
    return *vector;
}

void store_folded(__local uint4 *vector, uint4 value)
{
    *vector = value;
}
#endif

__kernel void fold_groups(__global const uint4 *vectors, __global uint4 *sums,
                          __local uint4 *folded)
{
    uint item = get_local_id(0), active = get_local_size(0);

    store_folded(&folded[item], vectors[(uint)get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    while ((active /= 2) != 0) {
        if (item < active)
            store_folded(&folded[item],
                         load_folded(&folded[item]) + load_folded(&folded[active + item]));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = load_folded(&folded[0]);
}

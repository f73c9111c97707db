/* SPDX-License-Identifier: MIT */
/*
 * Exclusive sums of independent blocks of BLOCK words, one work-group of BLOCK / 2 items a block: up a tree in local memory, and down again.
 * A word is put after each SKIP words (0: none), so that items of a wavefront meet different banks.
 */
#if SKIP
#define PLACE(i) ((i) + (i) / SKIP)
#else
#define PLACE(i) (i)
#endif

__kernel __attribute__((reqd_work_group_size(BLOCK / 2, 1, 1))) void
scan_blocks(__global const uint *input, __global uint *output)
{
    __local uint tree[PLACE(BLOCK - 1) + 1];
    uint item = get_local_id(0), start = get_group_id(0) * BLOCK;
    uint distance = 1;

    tree[PLACE(2 * item)] = input[start + 2 * item];
    tree[PLACE(2 * item + 1)] = input[start + 2 * item + 1];
    for (uint nodes = BLOCK / 2; nodes > 0; nodes /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < nodes)
            tree[PLACE(distance * (2 * item + 2) - 1)] += tree[PLACE(distance * (2 * item + 1) - 1)];
        distance *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item == 0)
        tree[PLACE(BLOCK - 1)] = 0;
    for (uint nodes = 1; nodes < BLOCK; nodes *= 2) {
        distance /= 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < nodes) {
            uint left = PLACE(distance * (2 * item + 1) - 1), right = PLACE(distance * (2 * item + 2) - 1);
            uint below = tree[left];
            tree[left] = tree[right];
            tree[right] += below;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    output[start + 2 * item] = tree[PLACE(2 * item)];
    output[start + 2 * item + 1] = tree[PLACE(2 * item + 1)];
}

/* SPDX-License-Identifier: MIT */
/*
 * One pass: is the way from row to column shorter through the node `through`? Row and column of `through` do not change in its own
 * pass (its distance to itself is 0). And only shorter ways are stored, so that no item writes what another reads.
 */
__kernel void shorten(__global uint *distance, __global uint *next, uint nodes, uint through)
{
    uint column = get_global_id(0), row = get_global_id(1);

    if (column >= nodes || row >= nodes)
        return;
    uint old = distance[row * nodes + column];
    uint found = distance[row * nodes + through] + distance[through * nodes + column];
    if (found < old) {
        distance[row * nodes + column] = found;
        next[row * nodes + column] = through;
    }
}

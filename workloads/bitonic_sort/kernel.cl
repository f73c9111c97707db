/* SPDX-License-Identifier: MIT */
/* One pass of one stage: a work-item puts two words that lie `distance` apart in order. Runs of `run` pairs are ascending and descending in
 * turn. */
__kernel void order_pairs(__global uint *words, uint distance, uint run)
{
    uint item = get_global_id(0);
    uint low = item / distance * distance * 2 + item % distance, high = low + distance;
    uint a = words[low], b = words[high];
    bool is_ascending = item / run % 2 == 0;

    words[low] = is_ascending ? min(a, b) : max(a, b);
    words[high] = is_ascending ? max(a, b) : min(a, b);
}

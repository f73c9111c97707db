/* SPDX-License-Identifier: MIT */
/*
 * Out-of-place transpose of a matrix of floats, an element a work-item, in work-groups of TILE x
 * TILE. Each element goes through local memory, and the work-item that loaded it also stores it:
 * neighbours in a row store to neighbouring rows. So a store of a wavefront meets TILE lines, and
 * writes a part of each.
 */
__kernel void transpose_elements(__global const float *matrix, __global float *result,
                                 __local float *tile, uint rows, uint columns, uint tile_edge)
{
    uint2 place = (uint2)(get_global_id(0), get_global_id(1));
    uint2 inside = (uint2)(get_local_id(0), get_local_id(1));
    __local float *slot = tile + inside.y * tile_edge + inside.x;

    *slot = matrix[place.y * columns + place.x];
    barrier(CLK_LOCAL_MEM_FENCE);
    place = (uint2)(get_group_id(0), get_group_id(1)) * tile_edge + inside;
    result[place.x * rows + place.y] = *slot;
}

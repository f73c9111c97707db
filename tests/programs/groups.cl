/* SPDX-License-Identifier: MIT */
/* Functions of work-groups and sub-groups: what each gives, one row a function. */

#define GROUP(type, name)                                                                            \
    __kernel void group_##name##_##type(__global const type *input, __global type *output)           \
    {                                                                                                \
        size_t i = get_global_linear_id();                                                           \
        size_t count = get_global_size(0) * get_global_size(1) * get_global_size(2);                 \
        type value = input[i];                                                                       \
                                                                                                     \
        output[i] = work_group_reduce_##name(value);                                                 \
        output[count + i] = work_group_scan_inclusive_##name(value);                                 \
        output[2 * count + i] = work_group_scan_exclusive_##name(value);                             \
        output[3 * count + i] = work_group_broadcast(value, get_local_size(0) - 1,                   \
                                                     get_local_size(1) / 2, get_local_size(2) / 2);  \
        output[4 * count + i] = (type)(work_group_all(value > 0) + 2 * work_group_any(value == 3));  \
    }
#define SUB(type, name)                                                                              \
    __kernel void sub_##name##_##type(__global const type *input, __global type *output)             \
    {                                                                                                \
        size_t i = get_global_linear_id();                                                           \
        size_t count = get_global_size(0) * get_global_size(1) * get_global_size(2);                 \
        type value = input[i];                                                                       \
                                                                                                     \
        output[i] = sub_group_reduce_##name(value);                                                  \
        output[count + i] = sub_group_scan_inclusive_##name(value);                                  \
        output[2 * count + i] = sub_group_scan_exclusive_##name(value);                              \
        output[3 * count + i] = sub_group_broadcast(value, get_sub_group_size() / 2);                \
        output[4 * count + i] = (type)(sub_group_all(value > 0) + 2 * sub_group_any(value == 3));    \
    }
#define EACH(DO, type) DO(type, add) DO(type, min) DO(type, max)
#define ALL(DO) EACH(DO, int) EACH(DO, uint) EACH(DO, long) EACH(DO, ulong) EACH(DO, float) EACH(DO, double)

ALL(GROUP)
#ifdef __opencl_c_subgroups
ALL(SUB)

/* Each work-item tells its neighbour in the sub-group; the sub-groups of a work-group do so apart. */
__kernel void sub_sizes(__global const uint *input, __global uint *output)
{
    __local uint words[256];
    uint item = (uint)get_local_linear_id(), lane = get_sub_group_local_id();
    uint first = item - lane, size = get_sub_group_size();
    __global uint *row = output + get_global_linear_id() * 8;

    words[item] = input[get_global_linear_id()];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    row[0] = words[first + (lane + 1) % size];
    row[1] = get_sub_group_id();
    row[2] = lane;
    row[3] = size;
    row[4] = get_max_sub_group_size();
    row[5] = get_num_sub_groups();
    row[6] = get_enqueued_num_sub_groups();
    sub_group_barrier(CLK_LOCAL_MEM_FENCE, memory_scope_work_group);
    row[7] = words[first + (lane + size - 1) % size];
}
#endif

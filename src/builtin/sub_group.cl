/* SPDX-License-Identifier: MIT */
/*
 * Sub-groups (OpenCL C 3.0, 6.15.18): each is a wavefront. Only on machines whose wavefronts have 64
 * lanes (opencl/device_info.c).
 */
#include "builtin/wave.h"

enum { SUB_GROUP_ITEMS = 64 };

OVERLOAD uint get_max_sub_group_size(void)
{
    return (uint)min(group_items(), (size_t)SUB_GROUP_ITEMS);
}

OVERLOAD uint get_num_sub_groups(void)
{
    return (uint)((group_items() + SUB_GROUP_ITEMS - 1) / SUB_GROUP_ITEMS);
}

OVERLOAD uint get_enqueued_num_sub_groups(void)
{
    return get_num_sub_groups();
}

OVERLOAD uint get_sub_group_id(void)
{
    return (uint)(get_local_linear_id() / SUB_GROUP_ITEMS);
}

OVERLOAD uint get_sub_group_local_id(void)
{
    return wave_lane();
}

OVERLOAD uint get_sub_group_size(void)
{
    return (uint)min(group_items() - (size_t)get_sub_group_id() * SUB_GROUP_ITEMS,
                     (size_t)SUB_GROUP_ITEMS);
}

/* Lanes go in step: what is left is that accesses on both sides keep their order. */
OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags)
{
    (void)flags;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

OVERLOAD void sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    atomic_work_item_fence(flags, memory_order_acq_rel, scope);
    sub_group_barrier(flags);
}

OVERLOAD int sub_group_all(int predicate)
{
    return __builtin_amdgcn_ballot_w64(predicate == 0) == 0;
}

OVERLOAD int sub_group_any(int predicate)
{
    return __builtin_amdgcn_ballot_w64(predicate != 0) != 0;
}

#define BROADCAST(type)                                                                            \
    OVERLOAD type sub_group_broadcast(type value, uint lane)                                       \
    {                                                                                              \
        return wave_read_##type(value, __builtin_amdgcn_readfirstlane((int)lane));                 \
    }
FOR_GROUP_TYPES(BROADCAST)

#define FUNCTIONS(type, name, COMBINE, identity)                                                   \
    WAVE_SCAN(type, name, COMBINE, identity)                                                       \
    OVERLOAD type sub_group_scan_inclusive_##name(type value)                                      \
    {                                                                                              \
        type before;                                                                               \
                                                                                                   \
        return wave_scan_##name##_##type(value, &before);                                          \
    }                                                                                              \
    OVERLOAD type sub_group_scan_exclusive_##name(type value)                                      \
    {                                                                                              \
        type before;                                                                               \
                                                                                                   \
        wave_scan_##name##_##type(value, &before);                                                 \
        return before;                                                                             \
    }                                                                                              \
    OVERLOAD type sub_group_reduce_##name(type value)                                              \
    {                                                                                              \
        type before;                                                                               \
                                                                                                   \
        return wave_read_##type(wave_scan_##name##_##type(value, &before), wave_count() - 1);      \
    }
FOR_OPERATIONS(FUNCTIONS)

/* Half precision: through single, rounded once. */
#define HALF(name)                                                                                 \
    OVERLOAD half sub_group_##name(half value)                                                     \
    {                                                                                              \
        return (half)sub_group_##name((float)value);                                               \
    }
HALF(reduce_add) HALF(reduce_min) HALF(reduce_max)
HALF(scan_inclusive_add) HALF(scan_inclusive_min) HALF(scan_inclusive_max)
HALF(scan_exclusive_add) HALF(scan_exclusive_min) HALF(scan_exclusive_max)

OVERLOAD half sub_group_broadcast(half value, uint lane)
{
    return as_half((short)sub_group_broadcast((int)as_short(value), lane));
}

/* SPDX-License-Identifier: MIT */
/* Fences and barriers with an order and a scope (OpenCL C 3.0, 6.15.8 and 6.15.13). */
#include "builtin/builtin.h"
#include "builtin/memory_order.h"

/* clang wants both the scope and the kinds of memory in plain words. */
#define FENCE_OF(order, scope, flags)                                                              \
    do {                                                                                           \
        switch ((flags) & (CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)) {                          \
        case CLK_LOCAL_MEM_FENCE:                                                                  \
            __builtin_amdgcn_fence(order, scope, "local");                                         \
            break;                                                                                 \
        case CLK_GLOBAL_MEM_FENCE:                                                                 \
            __builtin_amdgcn_fence(order, scope, "global");                                        \
            break;                                                                                 \
        case CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE:                                           \
            __builtin_amdgcn_fence(order, scope, "local", "global");                               \
            break;                                                                                 \
        default:                                                                                   \
            break;                                                                                 \
        }                                                                                          \
    } while (0)

#define FENCE_AT(name, scope)                                                                      \
    static INLINE void fence_##name(cl_mem_fence_flags flags, memory_order order)                  \
    {                                                                                              \
        switch (order) {                                                                           \
        case memory_order_relaxed:                                                                 \
            break;                                                                                 \
        case memory_order_acquire:                                                                 \
            FENCE_OF(__ATOMIC_ACQUIRE, scope, flags);                                              \
            break;                                                                                 \
        case memory_order_release:                                                                 \
            FENCE_OF(__ATOMIC_RELEASE, scope, flags);                                              \
            break;                                                                                 \
        case memory_order_acq_rel:                                                                 \
            FENCE_OF(__ATOMIC_ACQ_REL, scope, flags);                                              \
            break;                                                                                 \
        case memory_order_seq_cst:                                                                 \
            FENCE_OF(__ATOMIC_SEQ_CST, scope, flags);                                              \
            break;                                                                                 \
        }                                                                                          \
    }

FENCE_AT(work_item, "singlethread")
FENCE_AT(work_group, "workgroup")
FENCE_AT(device, "agent")
FENCE_AT(all_devices, "")

#define SAY(order, scope) WAVETANK_HINT(WAVETANK_HINT_FENCE(order, scope))

/* Beyond the work-group the memory system must know what a fence is. */
#define SAY_AT(name, scope)                                                                        \
    static INLINE void say_##name(cl_mem_fence_flags flags, memory_order order)                    \
    {                                                                                              \
        if ((flags & CLK_GLOBAL_MEM_FENCE) == 0)                                                   \
            return;                                                                                \
        switch (order) {                                                                           \
        case memory_order_relaxed:                                                                 \
            break;                                                                                 \
        case memory_order_acquire:                                                                 \
            SAY(WAVETANK_ORDER_ACQUIRE, scope);                                                    \
            break;                                                                                 \
        case memory_order_release:                                                                 \
            SAY(WAVETANK_ORDER_RELEASE, scope);                                                    \
            break;                                                                                 \
        default:                                                                                   \
            SAY(WAVETANK_ORDER_ACQUIRE_RELEASE, scope);                                            \
            break;                                                                                 \
        }                                                                                          \
    }

SAY_AT(device, WAVETANK_SCOPE_DEVICE)
SAY_AT(all_devices, WAVETANK_SCOPE_SYSTEM)

INLINE void atomic_work_item_fence(cl_mem_fence_flags flags, memory_order order, memory_scope scope)
{
    if ((flags & CLK_IMAGE_MEM_FENCE) != 0)
        flags |= CLK_GLOBAL_MEM_FENCE; /* where images lie */
    switch (scope) {
    case memory_scope_work_item:
        fence_work_item(flags, order);
        break;
    case memory_scope_sub_group:
    case memory_scope_work_group:
        fence_work_group(flags, order);
        break;
    case memory_scope_device:
        say_device(flags, order);
        fence_device(flags, order);
        break;
    case memory_scope_all_svm_devices:
        say_all_devices(flags, order);
        fence_all_devices(flags, order);
        break;
    }
}

INLINE void work_group_barrier(cl_mem_fence_flags flags, memory_scope scope)
{
    /* Nothing may be moved across a barrier, even one that orders no memory. */
    atomic_work_item_fence(flags, memory_order_release, scope);
    __builtin_amdgcn_s_barrier();
    atomic_work_item_fence(flags, memory_order_acquire, scope);
}

INLINE void work_group_barrier(cl_mem_fence_flags flags)
{
    work_group_barrier(flags, memory_scope_work_group);
}

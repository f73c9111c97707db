/* SPDX-License-Identifier: MIT */
/*
 * For OpenCL C 3.0 kernels: atomics of remote scope, which the standard cannot say. A remote
 * operation reaches the device, and besides meets what others did on the same object with the scope
 * of their work-group only. A remote acquire sees what a work-group released to itself. A
 * work-group's own acquire sees what a remote release published. Source: Orr et al.,
 * "Synchronization Using Remote-Scope Promotion", ASPLOS 2015.
 *
 *     wavetank_remote_load_acquire(object)
 *     wavetank_remote_store_release(object, value)
 *     wavetank_remote_OP_ORDER(object, value)      the old value
 *     wavetank_remote_compare_exchange_ORDER(object, expected, desired)
 *
 * OP: exchange, fetch_add, fetch_sub, fetch_or, fetch_xor, fetch_and, fetch_min, fetch_max. ORDER: acquire,
 * release, acquire_release. Objects are atomic_int or atomic_uint in global memory; `expected` is private and
 * gets the value that was seen if that is another.
 *
 * On other devices they are atomics of device scope, and so they are for protocols of Wavetank that
 * have no remote scope. A work-group's own accesses to the object must then be of device scope too,
 * or there is a race. Give those WAVETANK_OWNER_SCOPE: memory_scope_device, or what the program is
 * built with.
 */
#ifndef WAVETANK_SCOPES_CL_H
#define WAVETANK_SCOPES_CL_H

#include "wavetank/hints.cl.h"

#ifndef WAVETANK_OWNER_SCOPE
#define WAVETANK_OWNER_SCOPE memory_scope_device
#endif

#if defined(__AMDGCN__)
#define WAVETANK_SAY_REMOTE(order)                                                                 \
    WAVETANK_HINT(WAVETANK_HINT_SCOPED(order, WAVETANK_REMOTE, WAVETANK_SCOPE_DEVICE))
#define WAVETANK_REMOTE_END() __asm__ volatile("" : : : "memory")
/* clang's own: the built-in library's functions would say a hint of their own. */
#define WAVETANK_ATOMIC(name, ...) __opencl_atomic_##name(__VA_ARGS__, memory_scope_device)
#define WAVETANK_COMPARE_EXCHANGE(...) WAVETANK_ATOMIC(compare_exchange_strong, __VA_ARGS__)
#else
#define WAVETANK_SAY_REMOTE(order)
#define WAVETANK_REMOTE_END()
#define WAVETANK_ATOMIC(name, ...) atomic_##name##_explicit(__VA_ARGS__, memory_scope_device)
#define WAVETANK_COMPARE_EXCHANGE(...)                                                             \
    atomic_compare_exchange_strong_explicit(__VA_ARGS__, memory_scope_device)
#endif

#define WAVETANK_REMOTE_FUNCTION static inline __attribute__((overloadable, always_inline))

#define WAVETANK_REMOTE_CHANGE(type, name, suffix, order, said)                                    \
    WAVETANK_REMOTE_FUNCTION type wavetank_remote_##name##_##suffix(                               \
        volatile __global atomic_##type *object, type value)                                       \
    {                                                                                              \
        type old;                                                                                  \
        WAVETANK_SAY_REMOTE(said);                                                                 \
        old = WAVETANK_ATOMIC(name, object, value, order);                                         \
        WAVETANK_REMOTE_END();                                                                     \
        return old;                                                                                \
    }

#define WAVETANK_REMOTE_COMPARE(type, suffix, order, failure, said)                                \
    WAVETANK_REMOTE_FUNCTION bool wavetank_remote_compare_exchange_##suffix(                       \
        volatile __global atomic_##type *object, type *expected, type desired)                     \
    {                                                                                              \
        type seen = *expected;                                                                     \
        bool is_done;                                                                              \
        WAVETANK_SAY_REMOTE(said);                                                                 \
        is_done = WAVETANK_COMPARE_EXCHANGE(object, &seen, desired, order, failure);               \
        WAVETANK_REMOTE_END();                                                                     \
        *expected = seen;                                                                          \
        return is_done;                                                                            \
    }

#define WAVETANK_REMOTE_CHANGES(type, suffix, order, failure, said)                                \
    WAVETANK_REMOTE_CHANGE(type, exchange, suffix, order, said)                                    \
    WAVETANK_REMOTE_CHANGE(type, fetch_add, suffix, order, said)                                   \
    WAVETANK_REMOTE_CHANGE(type, fetch_sub, suffix, order, said)                                   \
    WAVETANK_REMOTE_CHANGE(type, fetch_or, suffix, order, said)                                    \
    WAVETANK_REMOTE_CHANGE(type, fetch_xor, suffix, order, said)                                   \
    WAVETANK_REMOTE_CHANGE(type, fetch_and, suffix, order, said)                                   \
    WAVETANK_REMOTE_CHANGE(type, fetch_min, suffix, order, said)                                   \
    WAVETANK_REMOTE_CHANGE(type, fetch_max, suffix, order, said)                                   \
    WAVETANK_REMOTE_COMPARE(type, suffix, order, failure, said)

#define WAVETANK_REMOTE_TYPE(type)                                                                 \
    WAVETANK_REMOTE_FUNCTION type wavetank_remote_load_acquire(                                    \
        volatile __global atomic_##type *object)                                                   \
    {                                                                                              \
        type value;                                                                                \
        WAVETANK_SAY_REMOTE(WAVETANK_ORDER_ACQUIRE);                                               \
        value = WAVETANK_ATOMIC(load, object, memory_order_acquire);                               \
        WAVETANK_REMOTE_END();                                                                     \
        return value;                                                                              \
    }                                                                                              \
    WAVETANK_REMOTE_FUNCTION void wavetank_remote_store_release(                                   \
        volatile __global atomic_##type *object, type value)                                       \
    {                                                                                              \
        WAVETANK_SAY_REMOTE(WAVETANK_ORDER_RELEASE);                                               \
        WAVETANK_ATOMIC(store, object, value, memory_order_release);                               \
        WAVETANK_REMOTE_END();                                                                     \
    }                                                                                              \
    WAVETANK_REMOTE_CHANGES(type, acquire, memory_order_acquire, memory_order_acquire,             \
                            WAVETANK_ORDER_ACQUIRE)                                                \
    WAVETANK_REMOTE_CHANGES(type, release, memory_order_release, memory_order_relaxed,             \
                            WAVETANK_ORDER_RELEASE)                                                \
    WAVETANK_REMOTE_CHANGES(type, acquire_release, memory_order_acq_rel, memory_order_acquire,     \
                            WAVETANK_ORDER_ACQUIRE_RELEASE)

WAVETANK_REMOTE_TYPE(int)
WAVETANK_REMOTE_TYPE(uint)

#endif

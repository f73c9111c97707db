/* SPDX-License-Identifier: MIT */
/*
 * The atomic functions of OpenCL C 3.0 (6.15.12) for global and local pointers. Each is clang's own
 * builtin; on global memory the memory system is told its order and scope. Local memory belongs to the
 * work-group alone. The shorter forms mean sequential consistency and the device.
 */
#include "builtin/builtin.h"
#include "builtin/memory_order.h"

#define FOR_OBJECTS(DO, ...) DO(__global, __VA_ARGS__) DO(__local, __VA_ARGS__)

/* The three forms of a function: with order and scope, with order, with neither. `parameters` and
 * `arguments` are what stands before them. */
#define SHORTER_FORMS(result, name, parameters, arguments)                                         \
    INLINE result name##_explicit(parameters, memory_order order)                                  \
    {                                                                                              \
        return name##_explicit(arguments, order, memory_scope_device);                             \
    }                                                                                              \
                                                                                                   \
    INLINE result name(parameters)                                                                 \
    {                                                                                              \
        return name##_explicit(arguments, memory_order_seq_cst, memory_scope_device);              \
    }

#define LIST(...) __VA_ARGS__

/* kind: LOAD, STORE or CHANGE; access: a macro of order and scope. */
#define ORDERED(space, kind, access) ORDERED_##space(kind, access)
#define ORDERED___global(kind, access) HINTED_##kind(access)
#define ORDERED___local(kind, access) access(order, scope)

/* ---- Load, store, exchange ---- */

#define INIT(space, type)                                                                          \
    OVERLOAD void atomic_init(volatile space atomic_##type *object, type value)                    \
    {                                                                                              \
        __opencl_atomic_init(object, value);                                                       \
    }

#define LOAD_AS(order, scope) result = __opencl_atomic_load(object, order, scope)
#define STORE_AS(order, scope) __opencl_atomic_store(object, value, order, scope)

#define LOAD(space, type)                                                                          \
    INLINE type atomic_load_explicit(volatile space atomic_##type *object, memory_order order,     \
                                     memory_scope scope)                                           \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        ORDERED(space, LOAD, LOAD_AS);                                                             \
        return result;                                                                             \
    }                                                                                              \
    SHORTER_FORMS(type, atomic_load, LIST(volatile space atomic_##type *object), LIST(object))

#define STORE(space, type)                                                                         \
    INLINE void atomic_store_explicit(volatile space atomic_##type *object, type value,            \
                                      memory_order order, memory_scope scope)                      \
    {                                                                                              \
        ORDERED(space, STORE, STORE_AS);                                                           \
    }                                                                                              \
    SHORTER_FORMS(void, atomic_store, LIST(volatile space atomic_##type *object, type value),      \
                  LIST(object, value))

#define exchange_AS(order, scope) result = __opencl_atomic_exchange(object, value, order, scope)
#define fetch_add_AS(order, scope) result = __opencl_atomic_fetch_add(object, value, order, scope)
#define fetch_sub_AS(order, scope) result = __opencl_atomic_fetch_sub(object, value, order, scope)
#define fetch_or_AS(order, scope) result = __opencl_atomic_fetch_or(object, value, order, scope)
#define fetch_xor_AS(order, scope) result = __opencl_atomic_fetch_xor(object, value, order, scope)
#define fetch_and_AS(order, scope) result = __opencl_atomic_fetch_and(object, value, order, scope)
#define fetch_min_AS(order, scope) result = __opencl_atomic_fetch_min(object, value, order, scope)
#define fetch_max_AS(order, scope) result = __opencl_atomic_fetch_max(object, value, order, scope)

#define CHANGE(space, type, operand, name)                                                         \
    INLINE type atomic_##name##_explicit(volatile space atomic_##type *object, operand value,      \
                                         memory_order order, memory_scope scope)                   \
    {                                                                                              \
        type result;                                                                               \
                                                                                                   \
        ORDERED(space, CHANGE, name##_AS);                                                         \
        return result;                                                                             \
    }                                                                                              \
    SHORTER_FORMS(type, atomic_##name, LIST(volatile space atomic_##type *object, operand value),  \
                  LIST(object, value))

#define EXCHANGE(space, type) CHANGE(space, type, type, exchange)

/* ---- Compare and exchange ---- */

/* The access is one, whatever comes of it: its order has the parts of both. */
static INLINE memory_order order_of_both(memory_order success, memory_order failure)
{
    if (failure == memory_order_relaxed || success == memory_order_seq_cst)
        return success;
    if (failure == memory_order_seq_cst)
        return failure;
    return success == memory_order_relaxed || success == memory_order_acquire
               ? memory_order_acquire
               : memory_order_acq_rel;
}

/* What of an order an access that stores nothing can have. */
#define FAILURE_OF(order)                                                                          \
    ((order) == memory_order_release    ? memory_order_relaxed                                     \
     : (order) == memory_order_acq_rel ? memory_order_acquire                                      \
                                        : (order))
#define COMPARE_AS(name, order, scope)                                                             \
    is_done = __opencl_atomic_compare_exchange_##name(object, &seen, desired, order,               \
                                                      FAILURE_OF(order), scope)
#define COMPARE_strong_AS(order, scope) COMPARE_AS(strong, order, scope)
#define COMPARE_weak_AS(order, scope) COMPARE_AS(weak, order, scope)

#define COMPARE(space, type, kept, name)                                                           \
    INLINE bool atomic_compare_exchange_##name##_explicit(                                         \
        volatile space atomic_##type *object, kept type *expected, type desired,                   \
        memory_order success, memory_order failure, memory_scope scope)                            \
    {                                                                                              \
        memory_order order = order_of_both(success, failure);                                      \
        type seen = *expected;                                                                     \
        bool is_done;                                                                              \
                                                                                                   \
        ORDERED(space, CHANGE, COMPARE_##name##_AS);                                               \
        if (!is_done)                                                                              \
            *expected = seen;                                                                      \
        return is_done;                                                                            \
    }                                                                                              \
                                                                                                   \
    INLINE bool atomic_compare_exchange_##name##_explicit(                                         \
        volatile space atomic_##type *object, kept type *expected, type desired,                   \
        memory_order success, memory_order failure)                                                \
    {                                                                                              \
        return atomic_compare_exchange_##name##_explicit(object, expected, desired, success,       \
                                                         failure, memory_scope_device);            \
    }                                                                                              \
                                                                                                   \
    INLINE bool atomic_compare_exchange_##name(volatile space atomic_##type *object,               \
                                               kept type *expected, type desired)                  \
    {                                                                                              \
        return atomic_compare_exchange_##name##_explicit(                                          \
            object, expected, desired, memory_order_seq_cst, memory_order_seq_cst,                 \
            memory_scope_device);                                                                  \
    }

#define COMPARES(space, type, name)                                                                \
    COMPARE(space, type, __global, name)                                                           \
    COMPARE(space, type, __local, name)                                                            \
    COMPARE(space, type, __private, name)

#define OBJECT(space, type)                                                                        \
    INIT(space, type)                                                                              \
    LOAD(space, type)                                                                              \
    STORE(space, type)                                                                             \
    EXCHANGE(space, type)                                                                          \
    COMPARES(space, type, strong)                                                                  \
    COMPARES(space, type, weak)

FOR_OBJECTS(OBJECT, int)
FOR_OBJECTS(OBJECT, uint)
FOR_OBJECTS(OBJECT, long)
FOR_OBJECTS(OBJECT, ulong)
FOR_OBJECTS(OBJECT, float)
FOR_OBJECTS(OBJECT, double)

/* ---- Read, modify, write ---- */

#define FETCHES(space, type)                                                                       \
    CHANGE(space, type, type, fetch_add)                                                           \
    CHANGE(space, type, type, fetch_sub)                                                           \
    CHANGE(space, type, type, fetch_or)                                                            \
    CHANGE(space, type, type, fetch_xor)                                                           \
    CHANGE(space, type, type, fetch_and)                                                           \
    CHANGE(space, type, type, fetch_min)                                                           \
    CHANGE(space, type, type, fetch_max)

FOR_OBJECTS(FETCHES, int)
FOR_OBJECTS(FETCHES, uint)
FOR_OBJECTS(FETCHES, long)
FOR_OBJECTS(FETCHES, ulong)

/* clang also declares these with an operand of the other signedness: uintptr_t takes a ptrdiff_t.
 */
#define MIXED_FETCHES(space, type, operand)                                                        \
    CHANGE(space, type, operand, fetch_or)                                                         \
    CHANGE(space, type, operand, fetch_xor)                                                        \
    CHANGE(space, type, operand, fetch_and)                                                        \
    CHANGE(space, type, operand, fetch_min)

FOR_OBJECTS(MIXED_FETCHES, long, ulong)
FOR_OBJECTS(MIXED_FETCHES, ulong, long)
FOR_OBJECTS(CHANGE, ulong, long, fetch_add)
FOR_OBJECTS(CHANGE, ulong, long, fetch_sub)

/* ---- Flags ---- */

#define FLAG(space, unused)                                                                        \
    INLINE bool atomic_flag_test_and_set_explicit(volatile space atomic_flag *object,              \
                                                  memory_order order, memory_scope scope)          \
    {                                                                                              \
        int value = 1, result;                                                                     \
                                                                                                   \
        ORDERED(space, CHANGE, exchange_AS);                                                       \
        return result != 0;                                                                        \
    }                                                                                              \
    SHORTER_FORMS(bool, atomic_flag_test_and_set, LIST(volatile space atomic_flag *object),        \
                  LIST(object))                                                                    \
                                                                                                   \
    INLINE void atomic_flag_clear_explicit(volatile space atomic_flag *object, memory_order order, \
                                           memory_scope scope)                                     \
    {                                                                                              \
        int value = 0;                                                                             \
                                                                                                   \
        ORDERED(space, STORE, STORE_AS);                                                           \
    }                                                                                              \
    SHORTER_FORMS(void, atomic_flag_clear, LIST(volatile space atomic_flag *object), LIST(object))

FOR_OBJECTS(FLAG, )

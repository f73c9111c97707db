/* SPDX-License-Identifier: MIT */
/*
 * The atomic functions of OpenCL C 3.0 (6.15.12) for global and local pointers: each is clang's own
 * builtin, whose order and scope are constants where they are so in the program. The shorter forms
 * mean sequential consistency and the device.
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

/* ---- Load, store, exchange ---- */

#define INIT(space, type)                                                                          \
    OVERLOAD void atomic_init(volatile space atomic_##type *object, type value)                    \
    {                                                                                              \
        __opencl_atomic_init(object, value);                                                       \
    }

#define LOAD(space, type)                                                                          \
    INLINE type atomic_load_explicit(volatile space atomic_##type *object, memory_order order,     \
                                     memory_scope scope)                                           \
    {                                                                                              \
        MEMORY_HINT(order, scope);                                                                 \
        return __opencl_atomic_load(object, order, scope);                                         \
    }                                                                                              \
    SHORTER_FORMS(type, atomic_load, LIST(volatile space atomic_##type *object), LIST(object))

#define STORE(space, type)                                                                         \
    INLINE void atomic_store_explicit(volatile space atomic_##type *object, type value,            \
                                      memory_order order, memory_scope scope)                      \
    {                                                                                              \
        MEMORY_HINT(order, scope);                                                                 \
        __opencl_atomic_store(object, value, order, scope);                                        \
    }                                                                                              \
    SHORTER_FORMS(void, atomic_store, LIST(volatile space atomic_##type *object, type value),      \
                  LIST(object, value))

#define CHANGE(space, type, operand, name)                                                         \
    INLINE type atomic_##name##_explicit(volatile space atomic_##type *object, operand value,      \
                                         memory_order order, memory_scope scope)                   \
    {                                                                                              \
        MEMORY_HINT(order, scope);                                                                 \
        return __opencl_atomic_##name(object, value, order, scope);                                \
    }                                                                                              \
    SHORTER_FORMS(type, atomic_##name, LIST(volatile space atomic_##type *object, operand value),  \
                  LIST(object, value))

#define EXCHANGE(space, type) CHANGE(space, type, type, exchange)

/* ---- Compare and exchange ---- */

#define COMPARE(space, type, kept, name)                                                           \
    INLINE bool atomic_compare_exchange_##name##_explicit(                                         \
        volatile space atomic_##type *object, kept type *expected, type desired,                   \
        memory_order success, memory_order failure, memory_scope scope)                            \
    {                                                                                              \
        type seen = *expected;                                                                     \
        bool is_done;                                                                              \
                                                                                                   \
        MEMORY_HINT(success, scope);                                                               \
        is_done = __opencl_atomic_compare_exchange_##name(object, &seen, desired, success,         \
                                                          failure, scope);                         \
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
        MEMORY_HINT(order, scope);                                                                 \
        return __opencl_atomic_exchange(object, 1, order, scope) != 0;                             \
    }                                                                                              \
    SHORTER_FORMS(bool, atomic_flag_test_and_set, LIST(volatile space atomic_flag *object),        \
                  LIST(object))                                                                    \
                                                                                                   \
    INLINE void atomic_flag_clear_explicit(volatile space atomic_flag *object, memory_order order, \
                                           memory_scope scope)                                     \
    {                                                                                              \
        MEMORY_HINT(order, scope);                                                                 \
        __opencl_atomic_store(object, 0, order, scope);                                            \
    }                                                                                              \
    SHORTER_FORMS(void, atomic_flag_clear, LIST(volatile space atomic_flag *object), LIST(object))

FOR_OBJECTS(FLAG, )

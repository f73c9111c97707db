/* SPDX-License-Identifier: MIT */
/*
 * Orders and scopes that a memory system is told. The instruction set has neither. So a hint stands
 * before each standard atomic on global memory and before each fence (include/wavetank/hints.cl.h):
 * an s_nop of our own, detached. The access itself stays clang's builtin, which knows what it
 * stores and returns. Hint and access in one block of assembly would be translated wrongly, because
 * clang would then know of no store. The empty assembly behind it keeps other accesses from coming
 * between.
 *
 * Each order and scope has its own hint and its own access, chosen by a switch, since hints are
 * constants. Where order or scope differ by lane, each lane's access gets the hint that is its own.
 * Where they are constants, as mostly, the switch vanishes.
 */
#ifndef BUILTIN_MEMORY_ORDER_H
#define BUILTIN_MEMORY_ORDER_H

#include "wavetank/hints.cl.h"

/* Of sequential consistency the three kinds of access take the half that concerns them. */
#define STRICT_LOAD WAVETANK_ORDER_ACQUIRE
#define STRICT_STORE WAVETANK_ORDER_RELEASE
#define STRICT_CHANGE WAVETANK_ORDER_ACQUIRE_RELEASE

#define HINTED(access, order, hint_order, scope, hint_scope)                                       \
    do {                                                                                           \
        WAVETANK_HINT(WAVETANK_HINT_SCOPED(hint_order, WAVETANK_LOCAL, hint_scope));               \
        access(order, scope);                                                                      \
        __asm__ volatile("" : : : "memory");                                                       \
    } while (0)

#define HINTED_AT_SCOPE(access, order, hint_order)                                                 \
    switch (scope) {                                                                               \
    case memory_scope_sub_group:                                                                   \
    case memory_scope_work_group:                                                                  \
        HINTED(access, order, hint_order, memory_scope_work_group, WAVETANK_SCOPE_WORK_GROUP);     \
        break;                                                                                     \
    case memory_scope_device:                                                                      \
        HINTED(access, order, hint_order, memory_scope_device, WAVETANK_SCOPE_DEVICE);             \
        break;                                                                                     \
    default:                                                                                       \
        HINTED(access, order, hint_order, memory_scope_all_svm_devices, WAVETANK_SCOPE_SYSTEM);    \
        break;                                                                                     \
    }                                                                                              \
    break

/* `access` is a macro of a constant order and scope; `order` and `scope` are the function's. */
#define HINTED_LOAD(access)                                                                        \
    switch (order) {                                                                               \
    case memory_order_relaxed:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_relaxed, WAVETANK_ORDER_RELAXED);                     \
    case memory_order_acquire:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_acquire, WAVETANK_ORDER_ACQUIRE);                     \
    default:                                                                                       \
        HINTED_AT_SCOPE(access, memory_order_seq_cst, STRICT_LOAD);                                \
    }

#define HINTED_STORE(access)                                                                       \
    switch (order) {                                                                               \
    case memory_order_relaxed:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_relaxed, WAVETANK_ORDER_RELAXED);                     \
    case memory_order_release:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_release, WAVETANK_ORDER_RELEASE);                     \
    default:                                                                                       \
        HINTED_AT_SCOPE(access, memory_order_seq_cst, STRICT_STORE);                               \
    }

#define HINTED_CHANGE(access)                                                                      \
    switch (order) {                                                                               \
    case memory_order_relaxed:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_relaxed, WAVETANK_ORDER_RELAXED);                     \
    case memory_order_acquire:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_acquire, WAVETANK_ORDER_ACQUIRE);                     \
    case memory_order_release:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_release, WAVETANK_ORDER_RELEASE);                     \
    case memory_order_acq_rel:                                                                     \
        HINTED_AT_SCOPE(access, memory_order_acq_rel, WAVETANK_ORDER_ACQUIRE_RELEASE);             \
    default:                                                                                       \
        HINTED_AT_SCOPE(access, memory_order_seq_cst, STRICT_CHANGE);                              \
    }

#endif

/* SPDX-License-Identifier: MIT */
/*
 * For OpenCL kernels: transactions, and locks that work where lanes run in lockstep. Include it instead of
 * hints.cl.h.
 *
 *     WAVETANK_BEGIN();
 *     uint old = table[place];
 *     table[place] = old + 1;
 *     WAVETANK_COMMIT_KEEP(old);       // `old` is used afterwards
 *
 * Lanes that abort start again at the begin with the registers that they had there, while those
 * that have committed wait. That is unknown to clang. It keeps truth values, and values that it
 * takes for equal in all lanes, in scalar registers, which a wavefront has once. What one attempt
 * wrote there is gone after the next. So what is computed in a transaction and used behind it must
 * pass through its commit. WAVETANK_COMMIT_KEEP takes up to four variables of 32 or 64 bits (truth
 * values as uint). They come out in vector registers, different in each lane. WAVETANK_COMMIT() is
 * for transactions from which nothing leaves.
 *
 * In a transaction there must be no barrier, no return, no array of the work-item's own (private
 * memory has one version). Each lane that begins must reach the same commit. Wavetank stops at what
 * it cannot undo. Local memory that transactions and other work-items use at the same time is
 * volatile, or is used by none outside of transactions.
 *
 * WAVETANK_LOCKED(lock, statements) runs statements under a lock (a local or global uint, 0: free).
 * Those that do not get it ask again only after a place where all lanes of the wavefront meet. Of
 * the usual loop around a compare-and-swap clang makes one in which lanes spin until each has the
 * lock. The one that has it then never goes on.
 */
#ifndef WAVETANK_TRANSACTIONS_CL_H
#define WAVETANK_TRANSACTIONS_CL_H

#include "hints.cl.h"

#if defined(__AMDGCN__)
#define WAVETANK_KEEP_1(a) __asm__ volatile("s_nop 0x5a41" : "+v"(a) : : "memory")
#define WAVETANK_KEEP_2(a, b) __asm__ volatile("s_nop 0x5a41" : "+v"(a), "+v"(b) : : "memory")
#define WAVETANK_KEEP_3(a, b, c)                                                                   \
    __asm__ volatile("s_nop 0x5a41" : "+v"(a), "+v"(b), "+v"(c) : : "memory")
#define WAVETANK_KEEP_4(a, b, c, d)                                                                \
    __asm__ volatile("s_nop 0x5a41" : "+v"(a), "+v"(b), "+v"(c), "+v"(d) : : "memory")
/* A place where all lanes come together, with a value that differs between them. */
#define WAVETANK_MEET(value) __asm__ volatile("" : "+v"(value) : : "memory")
#else
#define WAVETANK_KEEP_1(a) (void)(a)
#define WAVETANK_KEEP_2(a, b) (void)(a), (void)(b)
#define WAVETANK_KEEP_3(a, b, c) (void)(a), (void)(b), (void)(c)
#define WAVETANK_KEEP_4(a, b, c, d) (void)(a), (void)(b), (void)(c), (void)(d)
#define WAVETANK_MEET(value) (void)(value)
#endif

#define WAVETANK_KEEP_CHOOSE(a, b, c, d, name, ...) name
#define WAVETANK_COMMIT_KEEP(...)                                                                  \
    WAVETANK_KEEP_CHOOSE(__VA_ARGS__, WAVETANK_KEEP_4, WAVETANK_KEEP_3, WAVETANK_KEEP_2,           \
                         WAVETANK_KEEP_1, )                                                        \
    (__VA_ARGS__)

#define WAVETANK_LOCKED(lock, ...)                                                                 \
    for (;;) {                                                                                     \
        uint wavetank_got = atomic_cmpxchg((lock), 0u, 1u) == 0u;                                  \
        if (wavetank_got) {                                                                        \
            __VA_ARGS__                                                                            \
            mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);                                 \
            atomic_xchg((lock), 0u);                                                               \
        }                                                                                          \
        WAVETANK_MEET(wavetank_got);                                                               \
        if (wavetank_got)                                                                          \
            break;                                                                                 \
    }

#endif

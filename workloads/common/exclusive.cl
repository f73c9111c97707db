/* SPDX-License-Identifier: MIT */
/*
 * Critical sections over global memory, three ways, chosen by VERSION when the program is built:
 *
 *     VERSION_TRANSACTION  what the section does is a transaction (a machine with transactional memory)
 *     VERSION_SERIAL       one lock for all sections
 *     VERSION_FINE         locks that the program chooses for each section
 *
 * EXCLUSIVE(locks, a, kept, body) runs `body`, which works on volatile global memory; `kept` is the one
 * variable that leaves it. EXCLUSIVE_PAIR takes two locks, the lower number first, and gives the first
 * back where it does not get the second. Locks are words that are 0 at the start.
 *
 * Locks are asked for again by those that did not get them, after a place where all lanes meet. Where a
 * wavefront's lanes spin until each has its lock, the one that has it would never go on.
 */
#ifndef EXCLUSIVE_CL
#define EXCLUSIVE_CL

#include "wavetank/hints.cl.h"

#define VERSION_TRANSACTION 0
#define VERSION_SERIAL 1
#define VERSION_FINE 2

#if defined(__AMDGCN__)
#define MEET(value) __asm__ volatile("" : "+v"(value) : : "memory")
#define COMMIT_KEEP(value) __asm__ volatile("s_nop 0x5a41" : "+v"(value) : : "memory")
#else
#define MEET(value) (void)(value)
#define COMMIT_KEEP(value) mem_fence(CLK_GLOBAL_MEM_FENCE)
#endif

typedef volatile __global uint *global_words;

/* One try: 1 if the lock was free and is now the work-item's. */
static inline uint lock_try(global_words lock)
{
    return atomic_cmpxchg(lock, 0, 1) == 0;
}

static inline void lock_release(global_words lock)
{
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}

#if VERSION == VERSION_FINE
#define LOCK_OF(locks, index) (&(locks)[index])
#else
#define LOCK_OF(locks, index) (&(locks)[0 * (index)])
#endif

#if VERSION == VERSION_TRANSACTION
#define EXCLUSIVE(locks, a, kept, ...)                                                             \
    do {                                                                                           \
        WAVETANK_BEGIN();                                                                          \
        __VA_ARGS__ COMMIT_KEEP(kept);                                                             \
    } while (0)
#else
#define EXCLUSIVE(locks, a, kept, ...)                                                             \
    for (;;) {                                                                                     \
        uint got_ = lock_try(LOCK_OF(locks, a));                                                   \
        if (got_) {                                                                                \
            __VA_ARGS__ lock_release(LOCK_OF(locks, a));                                           \
        }                                                                                          \
        MEET(got_);                                                                                \
        if (got_)                                                                                  \
            break;                                                                                 \
    }
#endif

#if VERSION == VERSION_FINE
#define EXCLUSIVE_PAIR(locks, a, b, kept, ...)                                                     \
    for (;;) {                                                                                     \
        uint got_ = lock_try(LOCK_OF(locks, min(a, b)));                                           \
        if (got_) {                                                                                \
            got_ = lock_try(LOCK_OF(locks, max(a, b)));                                            \
            if (got_) {                                                                            \
                __VA_ARGS__ lock_release(LOCK_OF(locks, max(a, b)));                               \
            }                                                                                      \
            lock_release(LOCK_OF(locks, min(a, b)));                                               \
        }                                                                                          \
        MEET(got_);                                                                                \
        if (got_)                                                                                  \
            break;                                                                                 \
    }
#else
#define EXCLUSIVE_PAIR(locks, a, b, kept, ...) EXCLUSIVE(locks, a, kept, __VA_ARGS__)
#endif

#endif

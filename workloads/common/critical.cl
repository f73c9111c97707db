/* SPDX-License-Identifier: MIT */
/*
 * Critical sections over local memory, four ways, chosen by VERSION when the program is built:
 *
 *     VERSION_TRANSACTION  what the section does is a transaction (a machine with transactional memory)
 *     VERSION_SERIAL       the work-items of the group take turns, a barrier apart
 *     VERSION_FINE         a lock that the program chooses for each section
 *     VERSION_COARSE       one lock for the group
 *
 * CRITICAL(item, lock, kept, body) runs `body`, which works on volatile local memory. `kept` is the
 * one variable that leaves it. All work-items of the group must reach it together: taking turns needs
 * barriers. `lock` is a pointer to a local word that is 0 at the start.
 *
 * A lock is asked for again by those that did not get it, after a place where all lanes meet. Where a
 * wavefront's lanes spin until each has it, the one that has it would never go on.
 */
#ifndef CRITICAL_CL
#define CRITICAL_CL

#include "wavetank/hints.cl.h"

#define VERSION_TRANSACTION 0
#define VERSION_SERIAL 1
#define VERSION_FINE 2
#define VERSION_COARSE 3

#if defined(__AMDGCN__)
#define MEET(value) __asm__ volatile("" : "+v"(value) : : "memory")
#define COMMIT_KEEP(value) __asm__ volatile("s_nop 0x5a41" : "+v"(value) : : "memory")
#else
#define MEET(value) (void)(value)
#define COMMIT_KEEP(value) mem_fence(CLK_LOCAL_MEM_FENCE)
#endif

typedef volatile __local uint *local_words;

/* One try: 1 if the lock was free and is now the work-item's. */
static inline uint lock_try(local_words lock)
{
    return atomic_cmpxchg(lock, 0, 1) == 0;
}

static inline void lock_release(local_words lock)
{
    mem_fence(CLK_LOCAL_MEM_FENCE);
    atomic_xchg(lock, 0);
}

#if VERSION == VERSION_TRANSACTION
#define CRITICAL(item, lock, kept, ...)                                                            \
    do {                                                                                           \
        (void)(item), (void)(lock);                                                                \
        WAVETANK_BEGIN();                                                                          \
        __VA_ARGS__ COMMIT_KEEP(kept);                                                                    \
    } while (0)
#elif VERSION == VERSION_SERIAL
#define CRITICAL(item, lock, kept, ...)                                                            \
    do {                                                                                           \
        (void)(lock);                                                                              \
        for (uint turn_ = 0; turn_ < GROUP; turn_++) {                                             \
            if (turn_ == (item)) {                                                                 \
                __VA_ARGS__                                                                               \
            }                                                                                      \
            barrier(CLK_LOCAL_MEM_FENCE);                                                          \
        }                                                                                          \
    } while (0)
#else
#define CRITICAL(item, lock, kept, ...)                                                            \
    do {                                                                                           \
        (void)(item);                                                                              \
        for (;;) {                                                                                 \
            uint got_ = lock_try(lock);                                                            \
            if (got_) {                                                                            \
                __VA_ARGS__ lock_release(lock);                                                           \
            }                                                                                      \
            MEET(got_);                                                                            \
            if (got_)                                                                              \
                break;                                                                             \
        }                                                                                          \
    } while (0)
#endif

/* The lock of a section: the program's own for it, or the group's. */
#if VERSION == VERSION_FINE
#define LOCK_OF(locks, index) (&(locks)[index])
#else
#define LOCK_OF(locks, index) (&(locks)[0])
#endif

#endif

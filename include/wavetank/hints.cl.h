/* SPDX-License-Identifier: MIT */
/*
 * For OpenCL kernels: what a program can say to Wavetank that the instruction set cannot. A hint is
 * an s_nop whose immediate is 0x5Axx. Hardware looks at its lowest bits only and idles a few
 * cycles. So a program with hints runs there as if it had none. On targets other than AMD's GPUs
 * they are nothing at all.
 *
 *     0x5a00 | order << 4 | remote << 2 | scope     of an access
 *     0x5a40, 0x5a41                                begin and commit of a transaction
 *     0x5a80 | order << 4 | remote << 2 | scope     a fence
 *
 * Accesses: the hint holds for the wavefront's next access of vector memory that is not to scratch,
 * whatever stands between. One that no active lane reaches is none. Write it before clang's own
 * builtin, never into one block of assembly with the access: clang would not know what is stored.
 * Standard atomics on global memory have such hints from Wavetank's own library already;
 * scopes.cl.h has what the standard cannot say.
 *
 * Fences: a release sends what the compute unit's L1 keeps from others down to the scope, before later
 * accesses of the wavefront; VM_CNT counts it. An acquire is what the next buffer_wbinvl1 completes.
 * Both come before clang's own fence; atomic_work_item_fence has them already.
 *
 * Transactions: lanes that execute WAVETANK_BEGIN together run the code up to WAVETANK_COMMIT as a
 * transaction. The machine must have transactional memory (gpu.transactional_memory). Lanes that
 * abort start again at the begin. Begin and commit must be reached by the same lanes. Without
 * transactional memory nothing is isolated.
 */
#ifndef WAVETANK_HINTS_CL_H
#define WAVETANK_HINTS_CL_H

#define WAVETANK_SCOPE_WAVEFRONT 0
#define WAVETANK_SCOPE_WORK_GROUP 1
#define WAVETANK_SCOPE_DEVICE 2
#define WAVETANK_SCOPE_SYSTEM 3

#define WAVETANK_ORDER_RELAXED 0
#define WAVETANK_ORDER_ACQUIRE 1
#define WAVETANK_ORDER_RELEASE 2
#define WAVETANK_ORDER_ACQUIRE_RELEASE 3

#define WAVETANK_REMOTE 1
#define WAVETANK_LOCAL 0

/* The immediates, for assembly of your own. */
#define WAVETANK_HINT_SCOPED(order, remote, scope) (0x5a00 | (order) << 4 | (remote) << 2 | (scope))
#define WAVETANK_HINT_FENCE(order, scope) (0x5a80 | (order) << 4 | (scope))
#define WAVETANK_HINT_BEGIN 0x5a40
#define WAVETANK_HINT_COMMIT 0x5a41

#if defined(__AMDGCN__)
/* One hint, in its place among memory accesses. `hint` is a constant. */
#define WAVETANK_HINT(hint) __asm__ volatile("s_nop %0" : : "n"(hint) : "memory")
#else
#define WAVETANK_HINT(hint)
#endif

#define WAVETANK_BEGIN() WAVETANK_HINT(WAVETANK_HINT_BEGIN)
#define WAVETANK_COMMIT() WAVETANK_HINT(WAVETANK_HINT_COMMIT)

#endif

/* SPDX-License-Identifier: MIT */
/*
 * For OpenCL kernels: what a program can say to Wavetank that the instruction set cannot. A hint is an s_nop whose
 * immediate is 0x5Axx. Hardware looks at its lowest bits only and idles a few cycles, so that a program with hints runs there
 * as if they were not; on targets other than AMD's GPUs they are nothing at all.
 *
 *     0x5a00 to 0x5a3f   scope, order and remoteness of the next memory access: 0x5a00 | order << 4 | remote << 2 | scope
 *     0x5a40, 0x5a41     begin and commit of a transaction
 *
 * A hint concerns the instruction that follows it, so nothing may be scheduled between: WAVETANK_SCOPED puts both into
 * one block of assembly. The scope hints are reserved: no coherence protocol of this version reads them.
 *
 * Transactions: lanes that execute WAVETANK_BEGIN together run the code up to WAVETANK_COMMIT as a transaction, if the machine
 * has transactional memory (gpu.transactional_memory); lanes that abort start again at the begin. Begin and commit must be
 * reached by the same lanes. Without transactional memory nothing is isolated.
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
#define WAVETANK_HINT_BEGIN 0x5a40
#define WAVETANK_HINT_COMMIT 0x5a41

#if defined(__AMDGCN__)
/* One hint, in its place among memory accesses. `hint` is a constant. */
#define WAVETANK_HINT(hint) __asm__ volatile("s_nop %0" : : "n"(hint) : "memory")
/* A scope hint and the instruction that it is about, adjacent: outputs, then at least one input, as in extended assembly. */
#define WAVETANK_SCOPED(order, remote, scope, instruction, ...)                                    \
    __asm__ volatile("s_nop %[wavetank_hint]\n\t" instruction                                      \
                     : __VA_ARGS__, [wavetank_hint] "n"(WAVETANK_HINT_SCOPED(order, remote, scope)) \
                     : "memory")
#else
#define WAVETANK_HINT(hint)
#endif

#define WAVETANK_BEGIN() WAVETANK_HINT(WAVETANK_HINT_BEGIN)
#define WAVETANK_COMMIT() WAVETANK_HINT(WAVETANK_HINT_COMMIT)

#endif

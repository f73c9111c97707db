/* SPDX-License-Identifier: MIT */
/*
 * The proof that two accesses to an array are apart. For each way in which two iterations can
 * differ, the difference of the places is bounded by the loops' limits (Banerjee's test, with
 * symbols), or misses 0 by the greatest common divisor. What is not proven is not apart.
 */
#ifndef NUDACC_APART_H
#define NUDACC_APART_H

#include "kernel.h"

/* Begins proofs for a kernel's accesses; `written`: arrays whose values may change meanwhile. */
struct apart *apart_new(struct kernel *kernel, uint64_t written);

/*
 * Whether no two iterations, of different numbers in the loops from kernel->believed on, touch the
 * same byte. `distance`: bytes from the start of `other`'s array to that of `one`.
 */
bool apart_is_proven(struct apart *apart, const struct access *one, const struct access *other,
                     const struct form *distance);

#endif

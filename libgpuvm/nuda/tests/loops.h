/* SPDX-License-Identifier: MIT */
/* Loops as nudacc makes them, written by hand: each a static description, and a function that
 * does what the generated code does. */
#ifndef NUDA_TESTS_LOOPS_H
#define NUDA_TESTS_LOOPS_H

#include <nuda.h>
#include <stdint.h>

/* a[i] = a[i] * 3 + s, for n elements. Returns whether a device ran it. Its line is
 * LOOPS_ADVANCE_LINE. */
#define LOOPS_ADVANCE_LINE 101
bool loops_advance(uint32_t *a, uint32_t s, size_t n);
/* The same, for a global array or a parameter with a length. */
bool loops_advance_typed(uint32_t *a, uint32_t s, size_t n, size_t nbytes);
/* The same on the host. */
void loops_advance_host(uint32_t *a, uint32_t s, size_t n);

/* c[i] = a[i] + b[i]. */
bool loops_add(uint32_t *c, const uint32_t *a, const uint32_t *b, size_t n);

/* a[i] = i for even i below n: of a nothing is read (NUDA_WRITE). */
bool loops_every_other(uint32_t *a, size_t n);

/* a[z][y][x] += 1 + x + 10 y + 100 z, in blocks of block[] (0: chosen); x is dimension 0. */
bool loops_grid(uint32_t *a, const size_t counts[3], const size_t block[3]);

/* a[i] = i + s: each element is overwritten (NUDA_OVERWRITE). */
bool loops_overwrite(uint32_t *a, uint32_t s, size_t n);

/* A kernel that no compiler takes. */
bool loops_broken(uint32_t *a, size_t n);

#endif

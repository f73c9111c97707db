/* SPDX-License-Identifier: MIT */
/* A SIMD's turn: who issues (issue.c), and what is consumed in the buffer (control.c). */
#ifndef GPU_ISSUE_H
#define GPU_ISSUE_H

#include <stdbool.h>
#include <stdint.h>

struct compute_unit;
struct wavefront;

void issue_simd(struct compute_unit *unit, unsigned simd);

/* Consumes an internal instruction. False: it has to wait, and the wavefront's state says for what.
 */
bool control_consume(struct compute_unit *unit, struct wavefront *wave);

#endif

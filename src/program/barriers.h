/* SPDX-License-Identifier: MIT */
/*
 * Kernels whose barriers the compiler has removed: their work-groups have 64 work-items at most,
 * which are one wavefront of the hardware's. The backend leaves their names, each ended by a zero,
 * in the section .wavetank.lost_barriers (backend/barriers.c). A code object of another compiler
 * has none.
 *
 * With the build option -wavetank-narrow-wavefronts none is removed; the driver adds it where the
 * simulated GPU's wavefronts have fewer lanes.
 */
#ifndef PROGRAM_BARRIERS_H
#define PROGRAM_BARRIERS_H

#include "program/code_object.h"

/* Sets lost_barriers, and what such an option left of max_group_size, of the program's kernels. */
void barriers_read(struct code_object *object);

#endif

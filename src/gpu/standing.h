/* SPDX-License-Identifier: MIT */
/* Where the wavefronts of the present launch stand, for pages that people read. */
#ifndef GPU_STANDING_H
#define GPU_STANDING_H

#include <stdint.h>

struct compute_unit;
struct functional_device;

/* Is called for each resident wavefront, with the device address of its next instruction. `state`
 * is what it waits for, in words ("running", "waiting for vector memory"; static). */
typedef void standing_visit(void *context, uint64_t pc, const char *waits_for);

void compute_unit_visit(const struct compute_unit *unit, standing_visit *visit, void *context);
/* During a launch, and after one that was stopped. */
void functional_visit(const struct functional_device *device, standing_visit *visit, void *context);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A kernel's start and end, as its caches see them. Before the first work-group each cache above
 * the crossbar is told to invalidate. After the last one each L1 that keeps stores is told to
 * flush. The dispatcher asks every compute unit and waits for all. The scalar and instruction
 * caches that compute units share are told by the first of those that share them.
 */
#ifndef GPU_BOUNDARY_H
#define GPU_BOUNDARY_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/launch.h"

struct compute_unit_parameters;
struct compute_unit_ports;
struct compute_unit_statistics;
struct message;

/* Of a compute unit; all that it points at is borrowed. */
struct boundary {
    const struct compute_unit_ports *ports;
    const struct compute_unit_parameters *parameters;
    struct compute_unit_statistics *statistics;
    uint64_t breaks;
    bool tells_shared_caches;
    uint32_t answers; /* to come */
};

void boundary_begin(struct boundary *boundary, enum launch_boundary which);
/* Whether the reply is an answer to that. */
bool boundary_answer(struct boundary *boundary, const struct message *message);
static inline bool boundary_takes(struct boundary *boundary, const struct message *message)
{
    return __builtin_expect(boundary->answers > 0, 0) && boundary_answer(boundary, message);
}

#endif

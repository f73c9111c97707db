/* SPDX-License-Identifier: MIT */
/*
 * The inside of a compute unit, shared by the files that are its parts:
 *
 * compute_unit.c, compute_unit_parameters.c   this header
 * gpu/boundary.h       boundary.c
 * gpu/issue.h          issue.c, control.c
 * gpu/wavefront.h      wavefront.c, execute.c, group.c, instruction_buffer.c; account.c,
 *                      wavefront_time.c
 * gpu/front_end.h      front_end.c
 * gpu/vector_memory.h  vector_entries.c, vector_memory.c, vector_return.c, memory_trace.c,
 *                      check_release.c
 * gpu/scalar_memory.h, gpu/local_unit.h
 * gpu/transaction.h    transaction.c and the others of that name
 *
 * What stands below struct wavefronts knows no unit: these hold a pointer to it.
 * No file calls another that calls it, also by way of others (tests/tidy/circles.py): wavefronts
 * know no unit, the memory units no issue, compute_unit.c all.
 *
 * Within a tick: replies, launches, results that fall due, issue, then what the memory units and
 * the fetch send. So an instruction issued in cycle c can be sent in c at the earliest, and data
 * that arrives in c can be used in c.
 */
#ifndef GPU_UNIT_H
#define GPU_UNIT_H

#include "base/bits.h"
#include "base/check.h"
#include "gpu/boundary.h"
#include "gpu/compute_unit.h"
#include "gpu/front_end.h"
#include "gpu/issue.h"
#include "gpu/issue_order.h"
#include "gpu/local_unit.h"
#include "gpu/scalar_memory.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

struct compute_unit {
    struct component component;
    struct compute_unit_statistics statistics;
    const struct compute_unit_parameters *parameters;
    struct wavefronts waves;
    struct compute_unit_ports ports;
    bool sends_releases;
    struct boundary boundary;
    uint64_t valu_cycles[ISA_LATENCY_COUNT];
    const struct issue_order *order;
    bool is_by_key; /* the order is that of the keys alone */
    struct front_end front_end;
    struct vector_memory vmem;
    struct local_unit local;
    struct scalar_memory smem;
};

static inline uint64_t unit_cycle(const struct compute_unit *unit)
{
    return component_cycle(&unit->component);
}

#endif

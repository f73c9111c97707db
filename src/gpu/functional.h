/* SPDX-License-Identifier: MIT */
/*
 * The functional device: the same instructions as the compute units', without time. Memory
 * instructions read and write the device's memory at once. It is the oracle for the timed model,
 * and the quick way to an answer.
 *
 * Work-groups run interleaved, as many as the GPU would hold at a time, started in linear order, x
 * fastest. Each has its turn of `group_quantum` instructions of each of its wavefronts. So a
 * work-group that spins until another one acts ends, if it ends on the GPU. Within a work-group the
 * wavefronts take turns of `quantum` instructions, one by default, and a turn ends at each barrier.
 * So programs that are right only because wavefronts advance at one pace are right here too. A
 * work-group's registers fit into the host's caches, so that these turns cost little.
 *
 * It counts instructions as the compute units do, so that for race-free programs the two counts are
 * equal.
 *
 * A transaction is its lanes one after the other, whatever transactional memory the GPU has
 * (gpu/functional_transaction.h).
 *
 * Left out: caches (memory is sequentially consistent here), time.
 */
#ifndef GPU_FUNCTIONAL_H
#define GPU_FUNCTIONAL_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "gpu/bounds.h"
#include "gpu/compute_unit.h"
#include "gpu/launch.h"
#include "gpu/touched.h"
#include "sim/declare.h"
#include "sim/registry.h"

#define FUNCTIONAL_PARAMETERS(X)                                                                   \
    X(NUMBER, groups, "groups", 0, 0, 16384,                                                       \
      "work-groups that take turns; 0: as many as the GPU holds of that kernel")                   \
    X(NUMBER, quantum, "instructions", 1, 1, 1000000,                                              \
      "instructions of a wavefront before the next one of its work-group has its turn")            \
    X(NUMBER, group_quantum, "instructions", 256, 1, 1000000,                                      \
      "instructions of each wavefront before the next work-group has its turn")

struct functional_parameters {
    FUNCTIONAL_PARAMETERS(PARAMETER_FIELD)
};
#define FUNCTIONAL_PARAMETER_ROW(...) PARAMETER_ROW(struct functional_parameters, __VA_ARGS__)
extern const struct parameter functional_parameters[];
extern const uint32_t functional_parameter_count;
void functional_defaults(struct functional_parameters *parameters);

#define FUNCTIONAL_STATISTICS(X)                                                                   \
    INSTRUCTION_STATISTICS(X)                                                                      \
    X(COUNTER, branches_taken, "branches",                                                         \
      "branches that went elsewhere than to the next instruction")                                 \
    X(COUNTER, groups, "groups", "work-groups that ended")                                         \
    OUTSIDE_STATISTICS(X)

struct functional_statistics {
    FUNCTIONAL_STATISTICS(STATISTIC_FIELD)
};

struct functional_device;

struct functional_options {
    const struct functional_parameters *parameters;
    const struct compute_unit_parameters *compute_unit; /* of all compute units: what fits there */
    uint32_t compute_unit_count;
    const struct isa *isa;
    struct bounds bounds;                   /* memory, and what becomes of accesses outside */
    struct registry *registry;              /* kind "functional" */
    const char *path;                       /* "device" */
    const volatile sig_atomic_t *interrupt; /* NULL: none */
    uint64_t breaks; /* sim/debug.h: STORE_ALL_LANES and IGNORE_BARRIER are honoured */
    /* Called every few thousand turns; NULL: not. */
    void (*beat)(void *context);
    void *beat_context;
    struct touched *touched; /* notes accesses to memory; NULL: not */
};

struct functional_device *functional_create(const struct functional_options *options);
void functional_destroy(struct functional_device *device);

/* How many scratch slots a launch needs: wave_init's slot_index is below this. */
uint32_t functional_scratch_slots(const struct functional_device *device,
                                  const struct launch *launch);

enum functional_outcome {
    FUNCTIONAL_DONE,
    FUNCTIONAL_FAULT,
    FUNCTIONAL_INTERRUPTED,
    FUNCTIONAL_LIMIT
};

/* Runs a launch to its end, or until `limit` instructions of it were executed (0: no limit). */
enum functional_outcome functional_run(struct functional_device *device,
                                       const struct launch *launch, uint64_t limit);

struct functional_progress {
    uint64_t groups_done, groups_started, groups_total, instructions; /* of the present launch */
};
struct functional_progress functional_progress(const struct functional_device *device);
/* What stopped the latest launch (FUNCTIONAL_FAULT). */
const struct fault *functional_fault(const struct functional_device *device);
/* What was dropped in the latest launch. */
const struct outside *functional_outside(const struct functional_device *device);

#endif

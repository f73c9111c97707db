/* SPDX-License-Identifier: MIT */
/*
 * The dispatcher sends a launch's work-groups, in linear order (x fastest), to compute units that
 * have room. It stops the engine when the last one has ended. One launch at a time.
 *
 * Room is what gpu/residency.h says. A compute unit's resources are free again when its completion
 * message has arrived here, so no state is shared inside an instant. Each shader engine starts one
 * wavefront every wavefront_cycles.
 *
 * Before the first work-group the caches above the crossbar are invalidated. After the last one
 * those that keep stores are flushed. Each compute unit is asked, and all must have answered.
 *
 * A launch on a sub-device (struct launch: first_unit, unit_count) goes to its compute units alone;
 * engines, turns and the boundaries are the whole GPU's.
 *
 * Left out: several queues at once, priorities, the order in which hardware retires groups.
 * Sources: AMD, OpenCL Optimization Guide 2.1.1 (order); launch rate and placement are choices.
 */
#ifndef GPU_DISPATCHER_H
#define GPU_DISPATCHER_H

#include <stdbool.h>
#include <stdint.h>

#include "gpu/compute_unit.h"
#include "gpu/launch.h"
#include "sim/component.h"
#include "sim/declare.h"
#include "sim/port.h"
#include "sim/registry.h"

parameter_words placement_word;

#define DISPATCHER_PARAMETERS(X)                                                                   \
    X(NUMBER, shader_engines, "engines", 2, 1, 64,                                                 \
      "compute units are divided among them in runs; each starts wavefronts on its own")           \
    X(NUMBER, wavefront_cycles, "cycles", 1, 1, 1000,                                              \
      "a shader engine starts a wavefront this often")                                             \
    X(NUMBER, launch_cycles, "cycles", 4, 1, 1000,                                                 \
      "from the dispatcher to the compute unit, initial registers included")                       \
    X(WORD, placement, "", "round_robin", placement_word, 1, "which compute unit gets a work-group")

struct dispatcher_parameters {
    DISPATCHER_PARAMETERS(PARAMETER_FIELD)
};
#define DISPATCHER_PARAMETER_ROW(...) PARAMETER_ROW(struct dispatcher_parameters, __VA_ARGS__)
extern const struct parameter dispatcher_parameters[];
extern const uint32_t dispatcher_parameter_count;

void dispatcher_defaults(struct dispatcher_parameters *parameters);

#define DISPATCHER_STATISTICS(X)                                                                   \
    X(COUNTER, launches, "kernels", "launches that ended")                                         \
    X(COUNTER, groups, "groups", "work-groups dispatched")                                         \
    X(COUNTER, wavefronts, "wavefronts", "wavefronts dispatched")                                  \
    X(COUNTER, busy_cycles, "cycles", "cycles from a launch's start to its end")                   \
    X(COUNTER, full_cycles, "cycles",                                                              \
      "of these, with a work-group waiting because no compute unit has room for it")               \
    X(COUNTER, start_cycles, "cycles", "of these, until all caches had invalidated at a start")    \
    X(COUNTER, end_cycles, "cycles", "of these, until all caches had flushed at an end")

struct dispatcher_statistics {
    DISPATCHER_STATISTICS(STATISTIC_FIELD)
};

struct dispatcher;

struct dispatcher_options {
    const struct dispatcher_parameters *parameters;
    const struct compute_unit_parameters *compute_unit; /* of all compute units */
    uint32_t compute_unit_count;
    struct clock_domain *clock;
    struct registry *registry; /* kind "dispatcher" */
    const char *path;          /* "dispatcher" */
    bool invalidates;          /* caches are told of a launch's start */
    bool flushes;              /* and of its end */
};

struct dispatcher *dispatcher_create(const struct dispatcher_options *options);
void dispatcher_destroy(struct dispatcher *dispatcher);
struct component *dispatcher_component(struct dispatcher *dispatcher);

/* The ports to and from compute unit `number`: struct group_launch, struct group_done. Once each,
 * before engine_start. */
void dispatcher_connect(struct dispatcher *dispatcher, uint32_t number, struct port *launches,
                        struct port *completions);

/* Whether one work-group of the launch fits into an empty compute unit; the diagnosis names the
 * resource that is short. */
bool dispatcher_can_run(const struct compute_unit_parameters *parameters,
                        const struct launch *launch, struct diagnosis *diagnosis) MUST_USE;

/* Begins a launch (between engine runs). `launch` is borrowed until it is done. A launch without
 * work-groups is done in the next cycle. engine_run returns ENGINE_STOPPED when it is done, or
 * when a compute unit has a fault. Instruction fetches that are of no use any more may then be
 * in flight: engine_run until ENGINE_IDLE lets them arrive. */
void dispatcher_start(struct dispatcher *dispatcher, const struct launch *launch);

struct dispatcher_progress {
    uint64_t groups_done, groups_total, groups_started;
    uint64_t start_cycle, end_cycle; /* of the launch; the last completion's arrival */
    bool is_done;
};
struct dispatcher_progress dispatcher_progress(const struct dispatcher *dispatcher);

#endif

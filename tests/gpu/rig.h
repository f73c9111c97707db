/* SPDX-License-Identifier: MIT */
/*
 * A test rig: some compute units and a dispatcher, with a mock memory behind each compute unit. The
 * mock answers every request from the backing store after a fixed number of cycles, in order for
 * each port.
 */
#ifndef TESTS_GPU_RIG_H
#define TESTS_GPU_RIG_H

#include "gpu/dispatcher.h"
#include "gpu/functional.h"
#include "gpu/tape.h"
#include "mem/backing.h"
#include "sim/engine.h"
#include "tm/parameters.h"

enum { RIG_MAX_UNITS = 4, RIG_MAX_LOG = 4096 };

struct held_message { /* a request to the slow page, answered later */
    struct message message;
    uint64_t due;
};

enum { RIG_MAX_HELD = 256 };

struct mock_memory {
    struct component component;
    struct rig *rig;
    struct port ports[6]; /* requests and replies: L1, scalar, instruction */
    struct held_message held[RIG_MAX_HELD];
    uint32_t held_count;
};

struct rig_message { /* what the mock saw on the L1's port */
    struct message message;
    uint64_t cycle;
};

struct rig {
    /* Set by rig_init to defaults; a test changes them before rig_build. */
    struct compute_unit_parameters parameters;
    struct dispatcher_parameters dispatch;
    struct functional_parameters functional;
    const struct isa *isa;
    const struct tm_system *tm, *second_tm; /* NULL: none */
    struct tm_parameters tm_parameters;
    uint32_t unit_count;
    uint32_t first_unit, range_units; /* of launches; 0 units: all */
    uint32_t wave_lanes;
    uint64_t breaks;
    bool has_exact_bounds, drops_outside, sends_releases, invalidates, flushes;
    bool sleep;
    uint64_t order_seed;
    uint64_t vector_latency, store_latency, scalar_latency, fetch_latency;
    uint32_t vector_take_every;       /* the mock takes an L1 request only in each n-th cycle */
    uint64_t slow_page, slow_latency; /* L1 requests to this page take longer, past others */
    uint32_t port_capacity;
    uint64_t cycle_limit; /* of a launch */

    struct engine engine;
    struct clock_domain *clock;
    struct registry registry;
    struct backing backing;
    struct compute_unit *units[RIG_MAX_UNITS];
    struct dispatcher *dispatcher;
    struct mock_memory memories[RIG_MAX_UNITS];
    struct port launches[RIG_MAX_UNITS], completions[RIG_MAX_UNITS];
    struct functional_device *device;
    struct launch launch;
    struct isa_launch isa_launch;
    struct trace *trace;
    struct rig_message log[RIG_MAX_LOG];
    uint32_t log_count;
    struct rig_message fetches[RIG_MAX_LOG]; /* what it saw on the port of instruction fetches */
    uint32_t fetch_count;
    /* Adds components and connects them to the compute units, before the engine starts; NULL: none. */
    void (*add_components)(struct rig *rig);
    bool is_built;
};

void rig_init(struct rig *rig);
/* Builds the machine; memory is there already after rig_init. */
void rig_build(struct rig *rig);
void rig_finish(struct rig *rig);

/* Runs a launch of `groups` work-groups of `items` items on the timed model to its end, until the
 * machine is idle. Returns the cycles from its start to its last completion; fails the test on a
 * fault. */
uint64_t rig_run(struct rig *rig, const struct isa_kernel *kernel, uint32_t groups, uint32_t items);
uint64_t rig_run_tape(struct rig *rig, const struct tape *tape, uint32_t groups, uint32_t items);
/* What rig->launch says. */
uint64_t rig_run_launch(struct rig *rig);
/* The same launch, whatever comes of it. */
enum engine_outcome rig_try(struct rig *rig);
void rig_set_launch(struct rig *rig, const struct isa_kernel *kernel, uint32_t groups,
                    uint32_t items);
/* On the functional device. */
enum functional_outcome rig_run_functional(struct rig *rig);

/* A counter of compute unit 0 ("lds_cycles"), brought up to the present. */
uint64_t rig_counter(struct rig *rig, const char *path);
uint64_t rig_digest(struct rig *rig);
uint32_t *rig_words(struct rig *rig, uint64_t addr);
uint64_t rig_allocate(struct rig *rig, uint64_t bytes);
/* Cycle at which the first message of the kind was seen, from the launch's start; and how many
 * there were. */
uint32_t rig_count_messages(const struct rig *rig, unsigned kind);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What the machine asks of its GPU, whichever model it is. Models: cycle by cycle (timed_gpu.h),
 * only what kernels compute (functional_gpu.c), or each for a part of the launches (mixed_gpu.c).
 * No other file of machine/ asks which it is.
 */
#ifndef MACHINE_MODEL_H
#define MACHINE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "gpu/standing.h"
#include "isa/isa.h"

struct diagnosis;
struct machine;
struct machine_effort;
struct machine_launch;
struct machine_launch_result;
struct machine_progress;
struct model;
struct registry;
struct touched;

/* All are there. Times are nanoseconds of the device. */
struct model_operations {
    bool has_caches; /* what they hold is lost when a launch is stopped in the middle */
    bool has_time;   /* what happens is ordered by it, also what kernels print */
    void (*destroy)(struct model *model);
    /* A launch, to its end. False: the diagnosis says why it failed. */
    bool (*run)(struct model *model, const struct isa_launch *launch,
                const struct machine_launch *request, struct machine_launch_result *result,
                struct diagnosis *diagnosis);
    /* Whether an empty compute unit takes a work-group of it. False: the diagnosis says why not. */
    bool (*fits)(const struct model *model, const struct isa_launch *launch,
                 const struct machine_launch *request, struct diagnosis *diagnosis);
    /* Of the running launch. */
    void (*progress)(const struct model *model, struct machine_progress *progress);
    void (*visit)(const struct model *model, standing_visit *visit, void *context);
    /* How many wavefronts of the launch may be resident: what scratch has to be there for. */
    uint32_t (*wavefront_slots)(const struct model *model, const struct isa_launch *launch);
    /* What the protocol asks of new code. */
    void (*prepare_code)(const struct model *model, struct isa_code *code);
    /* The host's accesses to device memory, at no cost. */
    void (*write)(struct model *model, uint64_t addr, const void *bytes, uint64_t count);
    void (*read)(struct model *model, uint64_t addr, void *bytes, uint64_t count);
    /* Drops what caches hold of whole lines. */
    void (*discard)(struct model *model, uint64_t addr, uint64_t count);
    uint64_t (*now_ns)(const struct model *model);
    void (*wait_ns)(struct model *model, uint64_t nanoseconds);
    /* Brings statistics that count cycles up to the present. */
    void (*settle)(struct model *model);
    /* Adds what the simulation has done so far. */
    void (*effort)(const struct model *model, struct machine_effort *effort);
    /* What caches add to the digest of memory (digest.c). */
    uint64_t (*digest)(const struct model *model);
    /* How often each row of the protocol was used. */
    void (*print_coverage)(const struct model *model, struct text *text);
};

struct model {
    const struct model_operations *operations;
};

/* NULL: the diagnosis says why. */
struct model *timed_model_create(struct machine *machine, struct diagnosis *diagnosis);
/* Its statistics go to `registry`; accesses are noted in `touched` (gpu/touched.h), NULL: they are
 * not. Both are borrowed. */
struct model *functional_model_create(struct machine *machine, struct registry *registry,
                                      struct touched *touched);
/* The timed GPU, and the functional one for launches that machine_options.timed_launches leaves
 * out. */
struct model *mixed_model_create(struct machine *machine, struct diagnosis *diagnosis);

#endif

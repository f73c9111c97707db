/* SPDX-License-Identifier: MIT */
/* Real kernels for tests: compiled from OpenCL C, placed in a rig's memory, given arguments, run on
 * both models. */
#ifndef TESTS_GPU_KERNELS_H
#define TESTS_GPU_KERNELS_H

#include "gpu/rig.h"
#include "program/program.h"

struct real_kernel {
    struct program *program;
    const struct program_kernel *metadata;
    struct isa_code *code;
    struct isa_kernel kernel;
    uint64_t image, arguments;
};

/* Compiles OpenCL C 1.2 and places it. The rig's isa must be the GCN one. */
void kernel_load(struct real_kernel *kernel, struct rig *rig, const char *source, const char *name);
void kernel_load_with(struct real_kernel *kernel, struct rig *rig, const char *source,
                      const char *name, const char *options);
void kernel_finish(struct real_kernel *kernel, struct rig *rig);

/* Visible argument `index`: a value of the kernel's size. */
void kernel_set(struct real_kernel *kernel, struct rig *rig, uint32_t index, uint64_t value);

/* Fills the hidden arguments and the dispatch packet and prepares rig->launch (rig_run_launch,
 * rig_run_functional). Sizes in up to two dimensions; the last work-group in x may be a part of
 * one. */
void kernel_prepare(struct real_kernel *kernel, struct rig *rig, uint32_t global_x,
                    uint32_t global_y, uint32_t local_x, uint32_t local_y);
#endif

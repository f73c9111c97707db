/* SPDX-License-Identifier: MIT */
/*
 * The least that can run a kernel on the instruction set alone. One flat memory serves requests.
 * Work-groups run one after another, wavefronts of a group in turn until each waits at the
 * barrier. For tests of isa/; the functional device proper is elsewhere.
 */
#ifndef TESTS_ISA_FUNCTIONAL_H
#define TESTS_ISA_FUNCTIONAL_H

#include "isa/isa.h"
#include "program/program.h"

#define FUNCTIONAL_BASE UINT64_C(0x100000)
#define FUNCTIONAL_BYTES (UINT64_C(64) << 20)

struct functional {
    const struct isa *isa;
    struct program *program;
    struct isa_code *code;
    unsigned char *memory; /* device address FUNCTIONAL_BASE + i is memory[i] */
    uint64_t used;
    uint64_t image_address;
    uint64_t instructions; /* wavefront instructions executed so far */
};

struct functional_argument {
    const void *value; /* NULL with bytes != 0: local memory of that size */
    uint32_t bytes;
};

struct functional_size {
    uint32_t dimensions;
    uint32_t global[3], local[3];
};

/* Compiles and loads `source`; ends the test program with clang's messages if that fails. */
void functional_init(struct functional *functional, const struct isa *isa, const char *source,
                     const char *options);
void functional_finish(struct functional *functional);

/* The device address of `bytes` zero bytes; they stay until functional_finish. */
uint64_t functional_allocate(struct functional *functional, uint64_t bytes);
void *functional_host(const struct functional *functional, uint64_t address);

/* Runs a kernel to its end. Arguments in order, hidden ones are supplied. */
void functional_run(struct functional *functional, const char *kernel,
                    const struct functional_size *size, const struct functional_argument *arguments,
                    unsigned count);

#endif

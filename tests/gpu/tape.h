/* SPDX-License-Identifier: MIT */
/*
 * An instruction set for tests: a program is an array of instructions ("a tape"). Each has the
 * unit, latency class, flags and effect that the test wants. So a compute unit's timing can be
 * asked about without any machine code.
 *
 * A wavefront has eight vector registers of 64 lanes, one scalar counter and an active mask.
 * Register 0 starts as the global item number in one dimension. The transactional calls keep all of
 * it.
 */
#ifndef TESTS_GPU_TAPE_H
#define TESTS_GPU_TAPE_H

#include "isa/isa.h"

enum { TAPE_REGISTERS = 8, TAPE_MAX = 512 };

#define TAPE_ADDRESS UINT64_C(0x550000001000)

enum tape_operation {
    TAPE_NOTHING,
    TAPE_SET,      /* v[target] = value */
    TAPE_ADD,      /* v[target] += value */
    TAPE_MULTIPLY, /* v[target] *= value */
    TAPE_AND,      /* v[target] &= value */
    TAPE_SUM,      /* v[target] += v[source] */
    TAPE_LANES,    /* active = value */
    TAPE_COUNTER,  /* counter = value */
    TAPE_LOOP,     /* if (--counter != 0) go to instruction `value` */
    TAPE_LOAD,     /* v[target] = [v[source] + value] */
    TAPE_STORE,    /* [v[source] + value] = v[target] */
    TAPE_ATOMIC, /* add v[target] to [v[source] + value], the old word to v[target] if it returns */
    TAPE_SCALAR, /* counter = [value] */
    TAPE_INVALIDATE,
    TAPE_RELEASE
};

struct tape_instruction {
    struct isa_instruction base;
    uint8_t operation; /* enum tape_operation */
    uint8_t target, source;
    bool returns, local;
    int32_t second_delta; /* local: a second element of each lane lies there */
    uint64_t value;
};

struct tape {
    struct tape_instruction instructions[TAPE_MAX];
    uint32_t count;
    struct isa_code code;
    struct isa_kernel kernel;
};

struct tape_wave {
    struct isa_wave base;
    uint64_t exec, left;
    uint64_t counter;
    uint32_t vector[TAPE_REGISTERS][ISA_MAX_LANES] __attribute__((aligned(64)));
};

extern const struct isa tape_isa;

/* An empty tape at TAPE_ADDRESS. It must not be moved. */
void tape_init(struct tape *tape);

/* Each appends one instruction and returns it for further changes; 4 bytes long. */
struct tape_instruction *tape_vector(struct tape *tape, enum isa_latency latency,
                                     enum tape_operation operation, unsigned target,
                                     uint64_t value);
struct tape_instruction *tape_scalar(struct tape *tape);
struct tape_instruction *tape_loop(struct tape *tape, uint32_t to);
/* bytes per lane; local: in local memory. Loads and stores raise the counters that GCN's do. */
struct tape_instruction *tape_load(struct tape *tape, unsigned target, unsigned source,
                                   uint64_t base, unsigned bytes);
struct tape_instruction *tape_store(struct tape *tape, unsigned target, unsigned source,
                                    uint64_t base, unsigned bytes);
struct tape_instruction *tape_local_load(struct tape *tape, unsigned target, unsigned source,
                                         unsigned bytes);
struct tape_instruction *tape_local_store(struct tape *tape, unsigned target, unsigned source,
                                          unsigned bytes);
struct tape_instruction *tape_atomic(struct tape *tape, unsigned target, unsigned source,
                                     uint64_t base, bool returns);
/* A release fence. */
struct tape_instruction *tape_release(struct tape *tape);
struct tape_instruction *tape_scalar_load(struct tape *tape, uint64_t address, unsigned bytes);
struct tape_instruction *tape_wait(struct tape *tape, unsigned vm, unsigned exp, unsigned lgkm);
struct tape_instruction *tape_control(struct tape *tape, enum isa_control control,
                                      unsigned argument);
struct tape_instruction *tape_hint(struct tape *tape, unsigned hint);
void tape_end(struct tape *tape);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Instruction traces: one line for each instruction of the chosen wavefronts.
 *
 *     SELECTION = [kernel=NAME][,group=X[:Y[:Z]]][,wave=N]
 *
 * What is not said is every one; "all" is all of them.
 *
 *     kernel group wavefront sequence pc disassembly ; registers written
 *     saxpy 3:0:0 1 17 0x000000000a4c v_add_f32 v2, v3, v4 ; v2=3f800000...
 *
 * sequence counts the wavefront's instructions from 0; pc is an offset into the code. A load's line
 * is written when its data has arrived, so lines of a wavefront may be out of order; sorted by
 * group, wavefront and sequence the traces of a timed and of a functional run are equal for
 * race-free programs.
 */
#ifndef GPU_TRACE_H
#define GPU_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diagnosis.h"
#include "isa/isa.h"

struct launch;

struct trace {
    char kernel[256];  /* empty: every one */
    int64_t group[3];  /* -1: every one */
    int64_t wavefront; /* of its work-group; -1: every one */
    FILE *stream;      /* borrowed */
    uint64_t lines;    /* written so far */
};

bool trace_parse(struct trace *trace, const char *selection, FILE *stream,
                 struct diagnosis *diagnosis) MUST_USE;

/* Whether this wavefront is to be traced. `launch->trace` may be NULL. */
bool trace_selects(const struct launch *launch, const uint32_t group[3], uint32_t wavefront);

/* Writes the line of an instruction that has had its effect on the registers. */
void trace_write(const struct launch *launch, const struct isa *isa, const uint32_t group[3],
                 uint32_t wavefront, uint32_t sequence, const struct isa_wave *wave,
                 const struct isa_instruction *instruction);

#endif

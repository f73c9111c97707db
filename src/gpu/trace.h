/* SPDX-License-Identifier: MIT */
/*
 * Traces: one line for each instruction of the chosen wavefronts, and one for each access to
 * memory.
 *
 *     SELECTION = [kernel=NAME][,group=X[:Y[:Z]]][,wave=N]
 *         and of accesses [,cu=N][,address=FIRST-LAST]
 *         and for a timeline (gpu/slices.h) [,cu=N][,launch=N][,address=FIRST-LAST], the last for
 *         accesses alone
 *
 * What is not said is every one; "all" is all of them.
 *
 *     kernel group wavefront sequence pc disassembly ; registers written [@cycle]
 *     saxpy 3:0:0 1 17 0x000a4c v_add_f32 v2, v3, v4 ; v2=[3f800000 40000000 ...] @1207
 *
 * sequence counts the wavefront's instructions from 0; pc is an offset into the code. The cycle, of
 * the core clock and on the timed model only, is that in which the registers were written. A load's
 * line is written when its data has arrived, so lines of a wavefront may be out of order. Sorted by
 * group, wavefront and sequence, and without the cycles, traces of race-free programs are equal on
 * both models.
 *
 * The line of an access of a vector memory instruction (timed model), written at the instruction's
 * end:
 *
 *     memory kernel group wavefront sequence pc cu kind access address bytes start part@end ...
 *         [last]
 *     memory saxpy 3:0:0 1 17 0x000a4c 5 load 2/4 0x556000001040 64 1200 address@1209
 *         l1_lookup@1229 last
 *
 * start is the core cycle at which the instruction's address processing began. Each part of the
 * journey (mem/journey.h) has the cycle at which it ended. `last` marks the access that was
 * answered last, whose parts go on to the registers and are what the latency stacks count. An
 * access is chosen by an address range if its line holds a byte of it.
 */
#ifndef GPU_TRACE_H
#define GPU_TRACE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diagnosis.h"
#include "isa/isa.h"

struct launch;

struct trace_choice {
    bool is_on;
    char kernel[256];     /* empty: every one */
    int64_t group[3];     /* -1: every one */
    int64_t wavefront;    /* of its work-group; -1: every one */
    int64_t unit;         /* compute unit; -1: every one */
    int64_t launch;       /* from 1; -1: every one */
    uint64_t first, last; /* bytes of memory */
};

struct trace {
    struct trace_choice instructions, accesses;
    FILE *stream;   /* borrowed */
    uint64_t lines; /* written so far */
};

/* A trace of instructions. */
bool trace_parse(struct trace *trace, const char *selection, FILE *stream,
                 struct diagnosis *diagnosis) MUST_USE;
/* Accesses too, to the same stream. */
bool trace_parse_accesses(struct trace *trace, const char *selection,
                          struct diagnosis *diagnosis) MUST_USE;

/* Whether this wavefront is to be traced. `launch->trace` may be NULL. */
bool trace_selects(const struct launch *launch, const uint32_t group[3], uint32_t wavefront);

/* Whether accesses of the wavefront are to be traced, as far as their addresses are chosen. */
bool trace_selects_accesses(const struct launch *launch, uint32_t unit, const uint32_t group[3],
                            uint32_t wavefront);

/* A choice for a timeline, and what it chooses. */
bool trace_choice_parse(struct trace_choice *choice, const char *selection,
                        struct diagnosis *diagnosis) MUST_USE;
bool trace_choice_selects(const struct trace_choice *choice, const char *kernel, uint32_t unit,
                          const uint32_t group[3], uint32_t wavefront);
/* Whether it chooses a byte of the line. */
bool trace_choice_holds(const struct trace_choice *choice, uint64_t line);

#define TRACE_NO_CYCLE UINT64_MAX

/* Writes the line of an instruction that has had its effect on the registers, in `cycle`. */
void trace_write(const struct launch *launch, const struct isa *isa, const uint32_t group[3],
                 uint32_t wavefront, uint32_t sequence, const struct isa_wave *wave,
                 const struct isa_instruction *instruction, uint64_t cycle);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What chosen wavefronts of a launch did when, for a timeline. It is noted where a profile counts
 * (gpu/profile.h), so that it costs nothing where none is made, and sums are equal.
 *
 *     time     the wavefront spent these cycles so (gpu/wavefront_time.h), at the instruction that
 *              was next, or with `is_behind` at the one before
 *     issue    it has executed or issued this instruction
 *     access   a line access of vector memory, from its address to its answer, with its journey
 *
 * Times and issues of a wavefront slot are in the order of time; accesses are noted when their
 * instruction is over.
 */
#ifndef GPU_SLICES_H
#define GPU_SLICES_H

#include "gpu/trace.h"
#include "mem/msg.h"

enum slice_kind { SLICE_TIME, SLICE_ISSUE, SLICE_ACCESS };

struct slice_access {
    uint64_t line;
    uint32_t bytes;
    bool is_last; /* answered last of its instruction: the latency stacks count its parts */
    uint16_t leg_count;
    uint32_t legs[JOURNEY_MAX_LEGS];
};

struct slice {
    uint64_t begin, end, pc; /* core cycles; a device address */
    uint32_t group[3];
    uint32_t access; /* of an access, its place in `accesses` */
    uint16_t unit, slot;
    uint8_t wavefront; /* of its work-group */
    uint8_t kind;
    uint8_t what; /* enum wavefront_time; of an access its stack: load, store, atomic */
    bool is_behind;
};

/* Of the running launch. A zeroed one is empty. */
struct slices {
    struct trace_choice choice; /* what of a launch that is chosen */
    struct slice *list;
    struct slice_access *accesses;
    uint32_t count, room, access_count, access_room;
};

struct wavefronts;
struct wavefront;
struct vector_memory;
struct vmem_entry;

/* The wavefront's present time has lasted for so many cycles, up to now. */
void slices_time(struct slices *slices, const struct wavefronts *waves,
                 const struct wavefront *wave, uint64_t pc, bool is_behind, uint64_t cycles);
/* Its next instruction is executed or issued. */
void slices_issue(struct slices *slices, const struct wavefronts *waves,
                  const struct wavefront *wave);
/* The instruction is over: all its accesses. */
void slices_accesses(struct slices *slices, const struct vector_memory *vmem,
                     const struct vmem_entry *entry);
void slices_clear(struct slices *slices);
void slices_finish(struct slices *slices);

#endif

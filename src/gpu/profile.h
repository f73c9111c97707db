/* SPDX-License-Identifier: MIT */
/*
 * A profile: of each instruction of a kernel what it did, and what was waited for at it. All is
 * counted where the statistics of the whole run are counted, so that sums are equal.
 *
 *     instructions, lanes        where the instruction was executed or issued
 *     time_*                     the wavefronts' time (gpu/wavefront_time.h), by the instruction
 *                                that was next: so an s_waitcnt has the wait. At a barrier, in a
 *                                pause and after the end it is the instruction before.
 *     accesses, lanes            of vector memory, as they are sent
 *     l1_*, l2_*                 what the access's lookup found there, if the access is a load
 *     latency_*                  the journey of its last access (mem/journey.h)
 *
 * Values lie in rows of PROFILE_COLUMNS numbers, one row for each word of code.
 */
#ifndef GPU_PROFILE_H
#define GPU_PROFILE_H

#include <stdint.h>

#include "gpu/wavefront_time.h"
#include "mem/msg.h"

#define PROFILE_COUNTS(X)                                                                          \
    X(INSTRUCTIONS, instructions, "instructions", "wavefront instructions")                        \
    X(VECTOR_INSTRUCTIONS, vector_instructions, "instructions",                                    \
      "of these, of the vector ALUs, vector memory and local memory")                              \
    X(VECTOR_LANES, vector_lanes, "lanes", "active lanes of these")                                \
    X(LOAD_LANES, load_lanes, "lanes", "lanes that loaded")                                        \
    X(LOAD_ACCESSES, load_accesses, "accesses", "line accesses that these became")                 \
    X(STORE_LANES, store_lanes, "lanes", "lanes that stored")                                      \
    X(STORE_ACCESSES, store_accesses, "accesses", "line accesses that these became")               \
    X(ATOMIC_LANES, atomic_lanes, "lanes", "lanes with an atomic")                                 \
    X(ATOMIC_ACCESSES, atomic_accesses, "accesses", "line accesses that these became")             \
    X(L1_HITS, l1_hits, "accesses", "of loads, that hit in the vector L1")                         \
    X(L1_MISSES, l1_misses, "accesses", "of loads, that sent a request below")                     \
    X(L1_MERGES, l1_merges, "accesses", "of loads, that joined an outstanding miss of L1")         \
    X(L2_HITS, l2_hits, "accesses", "of loads that went below, that hit in L2")                    \
    X(L2_MISSES, l2_misses, "accesses", "of loads that went below, that missed in L2")             \
    X(L2_MERGES, l2_merges, "accesses", "of loads that went below, that joined a miss of L2")      \
    X(LDS_LANES, lds_lanes, "lanes", "lanes with an access to local memory")                       \
    X(LDS_CYCLES, lds_cycles, "cycles", "of local memory's banks")                                 \
    X(LDS_CONFLICT_CYCLES, lds_conflict_cycles, "cycles", "of these, those of bank conflicts")     \
    X(SMEM_ACCESSES, smem_accesses, "accesses", "of scalar loads, to the scalar cache")            \
    X(LATENCY_INSTRUCTIONS, latency_instructions, "instructions",                                  \
      "vector memory instructions whose latency is counted")

enum profile_column {
#define PROFILE_ENUM(NAME, ...) PROFILE_##NAME,
    PROFILE_COUNTS(PROFILE_ENUM)
#undef PROFILE_ENUM
        PROFILE_TIMES,
    PROFILE_LATENCIES = PROFILE_TIMES + TIME_COUNT,
    PROFILE_COLUMNS = PROFILE_LATENCIES + PART_COUNT
};

struct profile_column_name {
    const char *name, *unit, *help; /* "time_vm", "cycles", ... */
};
extern const struct profile_column_name profile_columns[PROFILE_COLUMNS];

struct slices; /* gpu/slices.h */

/* Of a range of code. */
struct profile {
    uint64_t address; /* device address of the first word */
    uint64_t words;
    uint64_t (*rows)[PROFILE_COLUMNS]; /* [words + 1]: the last for what lies outside */
    struct slices *slices;             /* of the running launch; NULL: nothing of it is chosen */
};

void profile_init(struct profile *profile, uint64_t address, uint64_t bytes);
void profile_finish(struct profile *profile);

/* The row of the instruction at device address `pc`. */
static inline uint64_t *profile_row(const struct profile *profile, uint64_t pc)
{
    uint64_t word = (pc - profile->address) / 4;

    return profile->rows[word < profile->words ? word : profile->words];
}

struct isa_instruction;

/* `lanes`: those active when it was executed. */
void profile_instruction(const struct profile *profile, uint64_t pc,
                         const struct isa_instruction *instruction, uint64_t lanes);
/* An access of a load at `pc` was answered. */
void profile_access(const struct profile *profile, uint64_t pc, const struct journey *journey);
/* A vector memory instruction has ended; the journey is that of its last access. */
void profile_latency(const struct profile *profile, uint64_t pc, const struct journey *journey);

#endif

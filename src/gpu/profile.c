/* SPDX-License-Identifier: MIT */
#include "gpu/profile.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/text.h"
#include "isa/isa.h"

const struct profile_column_name profile_columns[PROFILE_COLUMNS] = {
#define COUNT(NAME, name, unit, help) [PROFILE_##NAME] = {#name, unit, help},
    PROFILE_COUNTS(COUNT)
#undef COUNT
#define TIME(NAME, name, help)                                                                     \
    [PROFILE_TIMES + TIME_##NAME] = {"time_" #name, "cycles", "of wavefronts: " help},
        WAVEFRONT_TIMES(TIME)
#undef TIME
#define LATENCY(NAME, name, help)                                                                  \
    [PROFILE_LATENCIES + PART_##NAME] = {"latency_" #name, "cycles", help},
            JOURNEY_PARTS(LATENCY)
#undef LATENCY
};

void profile_init(struct profile *profile, uint64_t address, uint64_t bytes)
{
    profile->address = address;
    profile->words = bytes / 4;
    profile->rows = allocate(profile->words + 1, sizeof *profile->rows);
}

void profile_finish(struct profile *profile)
{
    free(profile->rows);
    profile->rows = NULL;
}

static bool is_vector(const struct isa_instruction *instruction)
{
    return instruction->unit == ISA_UNIT_VALU || instruction->unit == ISA_UNIT_VMEM ||
           instruction->unit == ISA_UNIT_LDS || instruction->unit == ISA_UNIT_EXPORT;
}

void profile_instruction(const struct profile *profile, uint64_t pc,
                         const struct isa_instruction *instruction, uint64_t lanes)
{
    uint64_t *row = profile_row(profile, pc);

    row[PROFILE_INSTRUCTIONS]++;
    if (!is_vector(instruction))
        return;
    row[PROFILE_VECTOR_INSTRUCTIONS]++;
    row[PROFILE_VECTOR_LANES] += count_bits(lanes);
}

void profile_access(const struct profile *profile, uint64_t pc, const struct journey *journey)
{
    uint64_t *row = profile_row(profile, pc);

    if (journey->found[JOURNEY_L1] != FOUND_NOTHING)
        row[PROFILE_L1_HITS + journey->found[JOURNEY_L1] - FOUND_HIT]++;
    if (journey->found[JOURNEY_L2] != FOUND_NOTHING)
        row[PROFILE_L2_HITS + journey->found[JOURNEY_L2] - FOUND_HIT]++;
}

void profile_latency(const struct profile *profile, uint64_t pc, const struct journey *journey)
{
    uint64_t *row = profile_row(profile, pc);

    row[PROFILE_LATENCY_INSTRUCTIONS]++;
    for (uint32_t i = 0; i < journey->leg_count; i++)
        row[PROFILE_LATENCIES + journey_leg_part(journey->legs[i])] +=
            journey_leg_cycles(journey->legs[i]);
}

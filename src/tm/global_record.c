/* SPDX-License-Identifier: MIT */
/* What the oracle on global memory has seen, as text: `wavetank signatures` reads it. */
#include "tm/global_oracle_private.h"

/* A store came with what was loaded before it. */
static void write_attempt(const struct global_attempt *attempt, FILE *file)
{
    uint64_t cycle = attempt->began;

    fprintf(file, "attempt %llu %llu %u\n", (unsigned long long)attempt->began,
            (unsigned long long)attempt->ended, attempt->has_committed);
    for (uint32_t i = 0; i < attempt->count; i++) {
        const struct global_step *step = &attempt->steps[i];

        if (step->landed > cycle)
            cycle = step->landed;
        for (unsigned j = 0; j < (step->is_wide ? 2u : 1u); j++)
            fprintf(file, "%c %llx %llu\n", "rwu"[step->action],
                    (unsigned long long)step -> word + j, (unsigned long long)cycle);
    }
}

void global_oracle_record(const struct global_oracle *oracle, FILE *file)
{
    fprintf(file, "launch\n");
    for (uint32_t i = 0; i < oracle->unit_count; i++)
        for (uint32_t j = 0; j < oracle->units[i].ended_count; j++)
            write_attempt(&oracle->units[i].ended[j], file);
}

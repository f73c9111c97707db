/* SPDX-License-Identifier: MIT */
#include "cli/verify_programs.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/verify.h"
#include "verify/litmus.h"

static const char *end_of(enum explore_end end)
{
    switch (end) {
    case EXPLORE_EXHAUSTED:
        return "exhausted, no fault";
    case EXPLORE_FAULT:
        return "a fault";
    default:
        return "NOT exhausted";
    }
}

int verify_programs(const struct protocol *protocol, const char *name, uint64_t most_states)
{
    int status = 0;

    if (!protocol->acquires_at_access) {
        struct diagnosis diagnosis;

        diagnose(&diagnosis, "%s: its acquires end with a fence, which the programs lack", name);
        diagnose_hint(&diagnosis, "--litmus runs such programs on a simulated GPU");
        return complain(&diagnosis);
    }
    for (uint32_t i = 0; i < litmus_program_count && status != 1; i++) {
        const struct litmus *litmus = &litmus_programs[i];
        struct explore_result result;
        struct text story = {0};
        struct diagnosis diagnosis;

        if (litmus->is_remote && !protocol->has_remote_scope)
            continue;
        if (!litmus_explore(litmus, protocol, most_states, &result, &story, &diagnosis))
            return complain(&diagnosis);
        printf("%s, program %s: %s, %llu states\n", name, litmus->name, end_of(result.end),
               (unsigned long long)result.counts.states);
        fputs(text_chars(&story), stdout);
        fflush(stdout);
        if (result.end == EXPLORE_FAULT)
            status = 1;
        else if (result.end != EXPLORE_EXHAUSTED)
            status = 6;
        text_finish(&story);
        explore_result_finish(&result);
    }
    return status;
}

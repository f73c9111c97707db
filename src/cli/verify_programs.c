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

/* Status of the program, after its story. */
static int explore_program(const struct litmus *litmus, const struct protocol *protocol,
                           const char *name, bool evicts, uint64_t most_states)
{
    struct explore_result result;
    struct text story = {0};
    struct diagnosis diagnosis;
    int status = 0;

    if (!litmus_explore(litmus, protocol, evicts, most_states, &result, &story, &diagnosis))
        return complain(&diagnosis);
    printf("%s, program %s%s: %s, %llu states\n", name, litmus->name,
           evicts ? ", with evictions" : "", end_of(result.end),
           (unsigned long long)result.counts.states);
    fputs(text_chars(&story), stdout);
    fflush(stdout);
    if (result.end == EXPLORE_FAULT)
        status = 1;
    else if (result.end != EXPLORE_EXHAUSTED)
        status = 6;
    text_finish(&story);
    explore_result_finish(&result);
    return status;
}

/* The longer ones have too many states with evictions. */
static bool is_run(const struct litmus *litmus, const struct protocol *protocol, bool evicts)
{
    enum { MOST_OPERATIONS = 6 };

    return (!litmus->is_remote || protocol->has_remote_scope) &&
           (!evicts || litmus_operations(litmus) <= MOST_OPERATIONS);
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
    for (unsigned evicts = 0; evicts < 2; evicts++)
        for (uint32_t i = 0; i < litmus_program_count; i++) {
            int one = 0;

            if (is_run(&litmus_programs[i], protocol, evicts))
                one = explore_program(&litmus_programs[i], protocol, name, evicts, most_states);
            if (one != 0 && one != 6)
                return one;
            status = one != 0 ? one : status;
        }
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "cli/verify_programs.h"

#include <stdio.h>
#include <time.h>

#include "cli/command.h"
#include "verify/litmus_random.h"

enum { RANDOM_EVICTING = 8 }; /* of so many random programs one runs with evictions too */

bool verify_runs_programs(const struct protocol *protocol)
{
    return protocol->acquires_at_access;
}

int verify_programs_refuse(const struct verify_request *request)
{
    struct diagnosis diagnosis;

    diagnose(&diagnosis, "%s: its acquires end with a fence, which the programs lack",
             request->protocol_name);
    diagnose_hint(&diagnosis, "--litmus runs such programs on a simulated GPU");
    return mistake_print(&diagnosis);
}

static void coverage_look(void *context, const struct world *world)
{
    const struct verify_request *request = context;

    for (uint32_t i = 0; i < world->controller_count; i++)
        verify_coverage_add(request->coverage, &world->controllers[i]);
}

struct litmus_search verify_search(struct verify_request *request, bool evicts,
                                   const struct litmus_outcomes *outcomes)
{
    return (struct litmus_search){.protocol = request->protocol,
                                  .breaks = request->exhaustive.shape.breaks,
                                  .states_max = request->exhaustive.states_max,
                                  .bytes_max = request->exhaustive.bytes_max,
                                  .slices = request->exhaustive.shape.slices,
                                  .evicts = evicts,
                                  .has_columns = request->has_columns,
                                  .outcomes = outcomes,
                                  .look = coverage_look,
                                  .context = request};
}

static int status_of(const struct litmus *litmus, const struct litmus_result *result)
{
    switch (result->explored.end) {
    case EXPLORE_EXHAUSTED:
        return litmus->verdict == VERDICT_SHOWN ? EXIT_FAULTY : 0;
    case EXPLORE_FAULT:
        return result->is_shown ? 0 : EXIT_FAULTY;
    default:
        return EXIT_UNDECIDED;
    }
}

static const char *end_of(const struct litmus *litmus, const struct litmus_result *result)
{
    switch (result->explored.end) {
    case EXPLORE_EXHAUSTED:
        return litmus->verdict == VERDICT_SHOWN
                   ? "a fault: exhausted, and what its race allows is never shown"
                   : "exhausted, no fault";
    case EXPLORE_FAULT:
        return result->is_shown ? "shows what its race allows" : "a fault";
    default:
        return "NOT exhausted";
    }
}

bool verify_goes_on(const struct verify_request *request, int one, int *status)
{
    if (one != 0 && *status != EXIT_FAULTY)
        *status = one;
    return one == 0 || one == EXIT_UNDECIDED || (one == EXIT_FAULTY && request->goes_on);
}

/* ---- Those of the list ---- */

static int explore_program(struct verify_request *request, const struct litmus *litmus, bool evicts)
{
    struct litmus_outcomes outcomes;
    struct litmus_search search = verify_search(request, evicts, &outcomes);
    struct litmus_result result;
    struct text story = {0};
    struct diagnosis diagnosis;
    int status;

    litmus_find_outcomes(&outcomes, litmus);
    if (outcomes.has_race)
        search.outcomes = NULL;
    if (!litmus_explore(litmus, &search, &result, &story, &diagnosis)) {
        litmus_outcomes_finish(&outcomes);
        return mistake_print(&diagnosis);
    }
    status = status_of(litmus, &result);
    printf("%s, program %s%s: %s, %llu states\n", request->protocol_name, litmus->name,
           evicts ? ", with evictions" : "", end_of(litmus, &result),
           (unsigned long long)result.explored.counts.states);
    fputs(text_chars(&story), stdout);
    fflush(stdout);
    text_finish(&story);
    explore_result_finish(&result.explored);
    litmus_outcomes_finish(&outcomes);
    return status;
}

static bool is_run(const struct verify_request *request, const struct litmus *litmus, bool evicts)
{
    if (litmus->is_remote && !request->protocol->has_remote_scope)
        return false;
    if (evicts)
        return request->exhaustive.shape.evicts &&
               litmus_operations(litmus) <= request->operations_max;
    return litmus->verdict != VERDICT_SHOWN || !litmus->needs_evictions;
}

int verify_programs(struct verify_request *request)
{
    int status = 0;

    if (!verify_runs_programs(request->protocol))
        return verify_programs_refuse(request);
    for (unsigned evicts = 0; evicts < 2; evicts++)
        for (uint32_t i = 0; i < litmus_program_count; i++) {
            int one = 0;

            if (is_run(request, &litmus_programs[i], evicts))
                one = explore_program(request, &litmus_programs[i], evicts);
            if (!verify_goes_on(request, one, &status))
                return one;
        }
    return status;
}

/* ---- Random ones ---- */

struct drawn_run {
    struct verify_request *request;
    bool evicts;
    uint64_t states, draws, programs, undecided;
};

/* Status of the program; its story. */
static int explore_drawn(struct drawn_run *run, const struct litmus_drawn *drawn,
                         struct text *story)
{
    struct litmus_search search = verify_search(run->request, run->evicts, &drawn->outcomes);
    struct litmus_result result;
    struct diagnosis diagnosis;
    int status;

    if (!litmus_explore(&drawn->litmus, &search, &result, story, &diagnosis))
        return mistake_print(&diagnosis);
    run->states += result.explored.counts.states;
    status = status_of(&drawn->litmus, &result);
    explore_result_finish(&result.explored);
    return status;
}

static bool is_wrong(void *context, const struct litmus_drawn *drawn)
{
    struct text story = {0};
    int status = explore_drawn(context, drawn, &story);

    text_finish(&story);
    return status == EXIT_FAULTY;
}

static int tell_wrong(struct drawn_run *run, struct litmus_drawn *drawn, uint64_t seed)
{
    uint32_t operations = litmus_operations(&drawn->litmus), gone = 0;
    struct text story = {0};

    if (run->request->is_shrunk)
        gone = litmus_shrink(drawn, is_wrong, run);
    explore_drawn(run, drawn, &story);
    printf("  a fault: seed %llu%s, %u of its %u operations are enough\n", (unsigned long long)seed,
           run->evicts ? ", with evictions" : "", operations - gone, operations);
    fputs(text_chars(&story), stdout);
    text_finish(&story);
    return EXIT_FAULTY;
}

static int try_seed(struct drawn_run *run, uint64_t seed)
{
    struct litmus_drawn drawn;
    int status = 0;

    litmus_draw(&drawn, seed, run->request->protocol->has_remote_scope);
    run->programs++;
    run->draws += drawn.draws + 1;
    for (unsigned evicts = 0; evicts < 2 && status != EXIT_FAULTY; evicts++) {
        struct text story = {0};

        run->evicts = evicts != 0;
        if (evicts && (seed % RANDOM_EVICTING != 0 || !run->request->exhaustive.shape.evicts))
            break;
        status = explore_drawn(run, &drawn, &story);
        run->undecided += status == EXIT_UNDECIDED;
        text_finish(&story);
    }
    if (status == EXIT_FAULTY)
        tell_wrong(run, &drawn, seed);
    litmus_drawn_finish(&drawn);
    return status;
}

int verify_random_programs(struct verify_request *request)
{
    struct drawn_run run = {.request = request};
    time_t begun = time(NULL);
    clock_t processor = clock();
    int status = 0;

    if (!verify_runs_programs(request->protocol))
        return verify_programs_refuse(request);
    printf("%s%s%s, random programs without races: seeds from %llu\n", request->protocol_name,
           request->break_name != NULL ? " with the fault " : "",
           request->break_name != NULL ? request->break_name : "",
           (unsigned long long)request->first_seed);
    fflush(stdout);
    for (uint64_t seed = request->first_seed; !verify_is_over(request, seed, begun); seed++) {
        int one = try_seed(&run, seed);

        if (!verify_goes_on(request, one, &status))
            return one;
    }
    printf("  %s: %llu programs of %llu drawn, %llu states, %.1f s\n",
           status == EXIT_FAULTY ? "a fault"
           : run.undecided > 0   ? "NOT exhausted"
                                 : "exhausted, no fault",
           (unsigned long long)run.programs, (unsigned long long)run.draws,
           (unsigned long long)run.states, (double)(clock() - processor) / CLOCKS_PER_SEC);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* wavetank verify --exhaustive: progress and results in words. */
#include <stdio.h>
#include <time.h>

#include "cli/command.h"
#include "cli/verify.h"

static double seconds_of_processor(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

struct watch {
    struct verify_request *request;
    double begun, shown;
};

static void show_progress(void *context, const struct explore_counts *counts)
{
    enum { EVERY_SECONDS = 5 };
    struct watch *watch = context;
    double now = seconds_of_processor();

    if (watch->request->is_quiet || now - watch->shown < EVERY_SECONDS)
        return;
    watch->shown = now;
    fprintf(stderr, "  %llu states, %llu to look at, %llu transitions, %.0f s, %llu MB\n",
            (unsigned long long)counts->states, (unsigned long long)counts->waiting,
            (unsigned long long)counts->transitions, now - watch->begun,
            (unsigned long long)counts->bytes >> 20);
}

static void coverage_look(void *context, const struct world *world)
{
    const struct watch *watch = context;

    for (uint32_t i = 0; i < world->controller_count; i++)
        verify_coverage_add(watch->request->coverage, &world->controllers[i]);
}

static const char *end_in_words(enum explore_end end)
{
    switch (end) {
    case EXPLORE_EXHAUSTED:
        return "exhausted, no fault";
    case EXPLORE_FAULT:
        return "a fault";
    case EXPLORE_OUT_OF_MEMORY:
        return "NOT exhausted: the memory of --memory is used up";
    default:
        return "NOT exhausted: the states of --states are met";
    }
}

int verify_exhaustive(struct verify_request *request)
{
    const struct world_shape *shape = &request->exhaustive.shape;
    struct watch watch = {.request = request, .begun = seconds_of_processor()};
    struct explore_result result;
    struct text story = {0};
    struct diagnosis diagnosis;
    int status;

    request->exhaustive.progress = show_progress;
    request->exhaustive.look = coverage_look;
    request->exhaustive.context = &watch;
    request->exhaustive.counts_rows = true;
    printf("%s%s%s, exhaustive: %u L1s x %u slices x %u lines, %u requests of an L1 at once, at "
           "most %llu MB\n",
           request->protocol_name, request->break_name != NULL ? " with the fault " : "",
           request->break_name != NULL ? request->break_name : "", shape->l1s, shape->slices,
           shape->lines, request->exhaustive.outstanding,
           (unsigned long long)request->exhaustive.bytes_max >> 20);
    fflush(stdout);
    if (!exhaustive_run(&request->exhaustive, &result, &story, &diagnosis))
        return mistake_print(&diagnosis);
    printf("  %s: %llu states, ", end_in_words(result.end),
           (unsigned long long)result.counts.states);
    if (result.counts.told_apart != result.counts.states)
        printf("which stand for %llu, ", (unsigned long long)result.counts.told_apart);
    if (result.counts.settled != result.counts.states)
        printf("%llu after prompt moves, ", (unsigned long long)result.counts.settled);
    printf("%llu at rest, ", (unsigned long long)result.counts.at_rest);
    printf("%llu transitions, %.1f s, %llu MB\n", (unsigned long long)result.counts.transitions,
           seconds_of_processor() - watch.begun, (unsigned long long)result.counts.bytes >> 20);
    fputs(text_chars(&story), stdout);
    status = result.end == EXPLORE_EXHAUSTED ? 0
             : result.end == EXPLORE_FAULT   ? EXIT_FAULTY
                                             : EXIT_UNDECIDED;
    explore_result_finish(&result);
    text_finish(&story);
    return status;
}

/* SPDX-License-Identifier: MIT */
#include "cli/verify_files.h"

#include <stdio.h>

#include "cli/command.h"
#include "cli/verify_programs.h"
#include "verify/litmus_report.h"

struct file_run {
    struct verify_request *request;
    struct litmus_file file;
    struct axioms_found model; /* of the test, as the protocol has it */
    bool is_judged;
};

/* Under a protocol without remote operations these are the device's. */
static void forget_remote(struct litmus *litmus)
{
    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            if (litmus->threads[i][j].reach == REACH_REMOTE)
                litmus->threads[i][j].reach = REACH_DEVICE;
    litmus->is_remote = false;
}

static const char *why_not_judged(const struct file_run *run)
{
    if (run->model.has_diverged)
        return "a barrier is not met";
    return run->model.undefined > 0 ? "it has a race" : "work-groups share a word of local memory";
}

static const char *end_of(const struct litmus_result *result)
{
    switch (result->explored.end) {
    case EXPLORE_EXHAUSTED:
        return "exhausted, no fault";
    case EXPLORE_FAULT:
        return "a fault";
    default:
        return "NOT exhausted";
    }
}

static int status_of(const struct litmus_result *result)
{
    switch (result->explored.end) {
    case EXPLORE_EXHAUSTED:
        return 0;
    case EXPLORE_FAULT:
        return EXIT_FAULTY;
    default:
        return EXIT_UNDECIDED;
    }
}

static int explore_file(struct file_run *run, bool evicts)
{
    struct verify_request *request = run->request;
    struct litmus_search search =
        verify_search(request, evicts, run->is_judged ? &run->model.outcomes : NULL);
    struct litmus_outcomes shown = {0};
    struct litmus_result result;
    struct text story = {0};
    struct diagnosis diagnosis;
    uint32_t states, allowed;
    int status;

    search.shown = &shown;
    if (!litmus_explore(&run->file.litmus, &search, &result, &story, &diagnosis))
        return mistake_print(&diagnosis);
    states = litmus_count_states(&run->file, &shown, &run->model.outcomes, &allowed);
    printf("%s, %s%s: %s, %llu states; shows %u of the model's %u", request->protocol_name,
           run->file.name, evicts ? ", with evictions" : "", end_of(&result),
           (unsigned long long)result.explored.counts.states, allowed,
           litmus_count_states(&run->file, &run->model.outcomes, &shown, &allowed));
    if (states > allowed)
        printf(" and %u others", states - allowed);
    if (!run->is_judged)
        printf("; not judged: %s", why_not_judged(run));
    printf("\n%s", text_chars(&story));
    fflush(stdout);
    text_finish(&story);
    litmus_outcomes_finish(&shown);
    status = status_of(&result);
    explore_result_finish(&result.explored);
    return status;
}

static int explore_both(struct file_run *run)
{
    const struct verify_request *request = run->request;
    int status = explore_file(run, false), evicting;

    if (status == EXIT_FAULTY || status == EXIT_USAGE || !request->exhaustive.shape.evicts ||
        litmus_operations(&run->file.litmus) > request->operations_max)
        return status;
    evicting = explore_file(run, true);
    return evicting != 0 ? evicting : status;
}

/* The verdict, and the model that the protocol is held to. */
static bool find_verdict(struct file_run *run, struct diagnosis *diagnosis)
{
    const struct verify_request *request = run->request;
    struct text report = {0};

    if (!axioms_find(&run->model, &run->file.litmus, diagnosis))
        return false;
    litmus_report(&run->file, &run->model, &report);
    fputs(text_chars(&report), stdout);
    text_finish(&report);
    if (!run->file.litmus.is_remote || request->protocol->has_remote_scope)
        return true;
    printf("%s has no remote operations: here they are the device's\n", request->protocol_name);
    litmus_outcomes_finish(&run->model.outcomes);
    forget_remote(&run->file.litmus);
    return axioms_find(&run->model, &run->file.litmus, diagnosis);
}

static int verify_file(struct verify_request *request, const char *path)
{
    struct file_run run = {.request = request};
    struct diagnosis diagnosis;
    int status;

    if (!litmus_file_read(&run.file, path, &diagnosis))
        return mistake_print(&diagnosis);
    if (!find_verdict(&run, &diagnosis)) {
        diagnose_at(&diagnosis, path, 0);
        return mistake_print(&diagnosis);
    }
    run.is_judged = run.model.undefined == 0 && !run.file.shares_local;
    status = explore_both(&run);
    litmus_outcomes_finish(&run.model.outcomes);
    return status;
}

int verify_files(struct verify_request *request)
{
    int status = 0;

    if (!verify_runs_programs(request->protocol))
        return verify_programs_refuse(request);
    for (uint32_t i = 0; i < request->file_count; i++) {
        int one = verify_file(request, request->files[i]);

        if (!verify_goes_on(request, one, &status))
            return one;
    }
    return status;
}

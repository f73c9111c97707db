/* SPDX-License-Identifier: MIT */
/*
 * Runs the litmus tests of litmus.cl in several placements, paddings and distances between
 * variables, counts the outcomes and judges them: a forbidden outcome is an error; with --observe
 * so is an outcome that the timed machine must be able to show and did not. Names on the command
 * line choose tests.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "litmus.cl.h"
#include "workload.h"

enum {
    GROUP = 256,
    GROUPS = 40,
    ITERATION_WORDS = 512,
    MAX_ROLES = 4,
    REGISTERS = 4,
    MAX_OUTCOMES = 32
};

typedef bool outcome_predicate(const cl_uint *r);

struct litmus {
    const char *name;
    unsigned roles;
    unsigned groups[MAX_ROLES];    /* which of the placement's groups each role is in */
    outcome_predicate *forbidden;  /* NULL: nothing is */
    outcome_predicate *observable; /* must occur on the timed machine; NULL: nothing must */
};

struct outcome {
    cl_uint registers[REGISTERS];
    uint64_t count;
};

struct tally {
    struct outcome outcomes[MAX_OUTCOMES];
    unsigned count;
    uint64_t forbidden, observed;
};

static bool stale_message(const cl_uint *r)
{
    return r[0] == 1 && r[1] == 0;
}

static bool both_early(const cl_uint *r)
{
    return r[0] == 0 && r[1] == 0;
}

static bool own_store_lost(const cl_uint *r)
{
    return r[0] == 0 || (r[0] == 2 && r[1] != 2) || r[1] == 0;
}

static bool readers_disagree(const cl_uint *r)
{
    return r[0] == 1 && r[1] == 0 && r[2] == 1 && r[3] == 0;
}

static bool chain_broken(const cl_uint *r)
{
    return r[0] == 1 && r[1] == 1 && r[2] == 0;
}

static bool both_late(const cl_uint *r)
{
    return r[0] == 1 && r[1] == 1;
}

/* Each of 0 to 3 exactly once. */
static bool addition_lost(const cl_uint *r)
{
    unsigned seen = 0;

    for (unsigned i = 0; i < 4; i++)
        if (r[i] < 4)
            seen |= 1u << r[i];
    return seen != 15;
}

static const struct litmus tests[] = {
    {"mp_group", 2, {0, 0}, stale_message, NULL},
    {"mp_device", 2, {0, 1}, stale_message, NULL},
    {"mp_fences", 2, {0, 1}, stale_message, NULL},
    {"mp_atomics", 2, {0, 1}, stale_message, NULL},
    /* the reader's acquire does not reach across groups: its warm copy of x stays */
    {"mp_group_acquire", 2, {0, 1}, NULL, stale_message},
    {"mp_relaxed", 2, {0, 1}, NULL, NULL},
    {"sb_device", 2, {0, 1}, both_early, NULL},
    {"sb_group", 2, {0, 0}, both_early, NULL},
    {"sb_atomics", 2, {0, 1}, both_early, NULL},
    {"sb_relaxed", 2, {0, 1}, NULL, NULL},
    {"corr_device", 2, {0, 1}, stale_message, NULL},
    {"corr_group", 2, {0, 1}, stale_message, NULL},
    {"corr_together", 2, {0, 1}, stale_message, NULL},
    {"cowr", 2, {0, 1}, own_store_lost, NULL},
    {"iriw_device", 4, {0, 1, 2, 3}, readers_disagree, NULL},
    {"iriw_release", 4, {0, 1, 2, 3}, readers_disagree, NULL},
    {"isa2", 3, {0, 0, 1}, chain_broken, NULL},
    {"wrc_device", 3, {0, 1, 2}, chain_broken, NULL},
    {"lb_relaxed", 2, {0, 1}, both_late, NULL},
    {"adds", 4, {0, 0, 1, 1}, addition_lost, NULL},
    {"overtaken_fill", 3, {0, 1, 1}, stale_message, NULL},
};
enum { TESTS = sizeof tests / sizeof tests[0] };

static void count_outcome(struct tally *tally, const struct litmus *test, const cl_uint *registers)
{
    struct outcome *outcome = tally->outcomes;
    const struct outcome *end = tally->outcomes + tally->count;

    tally->forbidden += test->forbidden != NULL && test->forbidden(registers);
    tally->observed += test->observable != NULL && test->observable(registers);
    while (outcome < end && memcmp(outcome->registers, registers, sizeof outcome->registers) != 0)
        outcome++;
    if (outcome == tally->outcomes + MAX_OUTCOMES)
        return;
    if (outcome == end) {
        memcpy(outcome->registers, registers, sizeof outcome->registers);
        tally->count++;
    }
    outcome->count++;
}

struct setup {
    cl_uint scale;   /* pauses last 0 to scale - 1 rounds */
    cl_uint spacing; /* words between variables */
    cl_uint seed;
    unsigned first, step; /* the placement's groups: first, first + step, ... */
    unsigned wavefront;   /* of role 0; the others follow, so that roles of a group differ */
};

static void run_setup(const struct workload *workload, cl_kernel kernel, const struct litmus *test,
                      const struct setup *setup, struct tally *tally)
{
    cl_uint iterations = (cl_uint)workload->size, zero = 0;
    size_t words = (iterations + 1) * (size_t)ITERATION_WORDS;
    cl_uint plan[4 + 2 * MAX_ROLES] = {setup->scale, setup->spacing, setup->seed};
    cl_uint *memory = workload_allocate(words, sizeof *memory);
    cl_uint *results = workload_allocate(iterations * (size_t)REGISTERS, sizeof *results);
    size_t results_bytes = iterations * REGISTERS * sizeof *results;
    size_t global = (size_t)GROUP * GROUPS, group = GROUP;

    for (unsigned r = 0; r < test->roles; r++) {
        plan[4 + 2 * r] = setup->first + test->groups[r] * setup->step;
        plan[5 + 2 * r] = (setup->wavefront + r) % 4;
    }
    cl_mem device_memory = workload_buffer(workload, words * sizeof *memory, memory);
    cl_mem device_results = workload_buffer(workload, results_bytes, results);
    cl_mem device_plan = workload_buffer(workload, sizeof plan, plan);
    workload_argument(kernel, 0, sizeof device_memory, &device_memory);
    workload_argument(kernel, 1, sizeof device_results, &device_results);
    workload_argument(kernel, 2, sizeof device_plan, &device_plan);
    workload_argument(kernel, 3, sizeof iterations, &iterations);
    workload_argument(kernel, 4, sizeof zero, &zero);
    workload_run(workload, kernel, 1, &global, &group);
    workload_read(workload, device_results, results, results_bytes);
    for (cl_uint i = 0; i < iterations; i++)
        count_outcome(tally, test, results + (size_t)i * REGISTERS);
    clReleaseMemObject(device_memory);
    clReleaseMemObject(device_results);
    clReleaseMemObject(device_plan);
    free(memory);
    free(results);
}

static void print_tally(const struct litmus *test, const struct tally *tally)
{
    for (unsigned i = 0; i < tally->count; i++) {
        const struct outcome *outcome = &tally->outcomes[i];
        const cl_uint *r = outcome->registers;
        bool is_forbidden = test->forbidden != NULL && test->forbidden(r);
        printf("  %u %u %u %u  %8" PRIu64 "%s\n", r[0], r[1], r[2], r[3], outcome->count,
               is_forbidden ? "  forbidden" : "");
    }
}

static bool run_test(const struct workload *workload, const struct litmus *test, bool observe)
{
    static const struct setup setups[] = {
        {4, 64, 1, 0, 1, 0},    {100, 16, 2, 3, 4, 1}, {30, 1, 3, 31, 1, 2},
        {400, 112, 4, 5, 8, 3}, {8, 16, 5, 6, 1, 0},
    };
    struct tally tally = {0};
    cl_kernel kernel = workload_kernel(workload, test->name);

    for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++)
        run_setup(workload, kernel, test, &setups[i], &tally);
    clReleaseKernel(kernel);
    bool right =
        tally.forbidden == 0 && (!observe || test->observable == NULL || tally.observed > 0);
    printf("%s: %s, %u outcomes, forbidden %" PRIu64, test->name, right ? "passed" : "FAILED",
           tally.count, tally.forbidden);
    if (test->observable != NULL)
        printf(", weak %" PRIu64, tally.observed);
    printf("\n");
    if (!right || workload->verbose)
        print_tally(test, &tally);
    return right;
}

static bool is_chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    uint64_t observe = 0;
    const struct workload_option options[] = {
        {"observe", NULL, "demand the weak outcomes of the timed machine too", &observe, 0, 0},
    };
    struct workload workload = {.name = "litmus",
                                .summary = "Litmus tests; their names may precede the options.",
                                .size_help = "iterations of a test in each of its setups",
                                .options = options,
                                .option_count = 1,
                                .size = 60,
                                .size_least = 1,
                                .size_most = 10000,
                                .iterations = 1,
                                .seed = 1};
    int names = 1;
    unsigned count = 0, failed = 0;

    while (names < argc && strncmp(argv[names], "--", 2) != 0)
        names++;
    workload_parse(&workload, argc - names + 1, argv + names - 1);
    workload_open(&workload, kernel_source, "-cl-std=CL3.0");
    for (unsigned i = 0; i < TESTS; i++)
        if (is_chosen(tests[i].name, names, argv)) {
            failed += !run_test(&workload, &tests[i], observe != 0);
            count++;
        }
    workload_close(&workload);
    printf("litmus: %u run, %u failed\n", count, failed);
    return failed == 0 && count > 0 ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

/* SPDX-License-Identifier: MIT */
/*
 * Runs the litmus tests of litmus.cl. Every test runs in each placement that its scopes allow, with
 * warm and cold lines, random pauses and several distances between variables. Outcomes are counted
 * and judged by the table `verdicts`. What OpenCL C forbids is an error on every device. With
 * protocol=NAME so is what that protocol must be able to show and did not. Names of tests on the
 * command line choose them.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "judge.h"
#include "litmus.cl.h"
#include "verdicts.h"
#include "workload.h"

enum { GROUP = 256, LANES = 64, ITERATION_WORDS = 512, MAX_ROLES = 4, UNITS_MAX = 64 };

struct litmus {
    const char *name;
    unsigned roles;
    unsigned groups[MAX_ROLES]; /* which of the placement's work-groups each role is in */
    bool may_join; /* its scopes reach the device: roles may be in one work-group too */
};

static const struct litmus tests[] = {
    {"mp_group", 2, {0, 0}, false},         {"mp_group_apart", 2, {0, 1}, false},
    {"mp_device", 2, {0, 1}, true},         {"mp_fences", 2, {0, 1}, true},
    {"mp_atomics", 2, {0, 1}, true},        {"mp_strict", 2, {0, 1}, true},
    {"mp_systems", 2, {0, 1}, true},        {"mp_group_release", 2, {0, 1}, false},
    {"mp_group_acquire", 2, {0, 1}, false}, {"mp_group_reader", 2, {0, 0}, false},
    {"mp_relaxed", 2, {0, 1}, true},        {"sb_device", 2, {0, 1}, true},
    {"sb_systems", 2, {0, 1}, true},        {"sb_group", 2, {0, 0}, false},
    {"sb_atomics", 2, {0, 1}, true},        {"sb_relaxed", 2, {0, 1}, true},
    {"corr_device", 2, {0, 1}, true},       {"corr_group", 2, {0, 0}, false},
    {"corr_together", 2, {0, 1}, true},     {"cowr", 2, {0, 1}, true},
    {"iriw_device", 4, {0, 1, 2, 3}, true}, {"iriw_systems", 4, {0, 1, 2, 3}, true},
    {"iriw_group", 4, {0, 0, 0, 0}, false}, {"iriw_release", 4, {0, 1, 2, 3}, true},
    {"isa2", 3, {0, 0, 1}, true},           {"wrc_group", 3, {0, 0, 0}, false},
    {"wrc_device", 3, {0, 1, 2}, true},     {"wrc_unit", 3, {0, 0, 1}, true},
    {"lb_relaxed", 2, {0, 1}, true},
    {"adds", 4, {0, 0, 1, 1}, true},        {"overtaken_fill", 3, {0, 1, 1}, false},
};
enum { TESTS = sizeof tests / sizeof tests[0] };

/* ---- placements ---- */

/* Where a test's work-groups are. Work-groups 0 and N of a launch share a compute unit, where the GPU
 * has N of them; 0 and 1 do not. */
enum place { PLACE_WAVEFRONT, PLACE_GROUP, PLACE_UNIT, PLACE_DEVICE, PLACES };
static const char *const place_names[PLACES] = {"one wavefront", "one work-group",
                                                "one compute unit", "compute units"};

static bool is_possible(const struct litmus *test, enum place place)
{
    bool has_one = true, has_two = false;

    for (unsigned r = 1; r < test->roles; r++) {
        has_one &= test->groups[r] == test->groups[0];
        has_two |= test->groups[r] > 1;
    }
    if (place == PLACE_WAVEFRONT || place == PLACE_GROUP)
        return has_one || test->may_join;
    return !has_one && (place == PLACE_DEVICE || !has_two);
}

struct setup {
    cl_uint scale;   /* pauses last 0 to scale - 1 rounds */
    cl_uint spacing; /* words between variables */
    cl_uint seed;
    unsigned first;     /* work-group of role 0 */
    unsigned wavefront; /* of role 0; the others follow, so that roles of a group differ */
};

static void place_role(cl_uint *place, const struct litmus *test, const struct setup *setup,
                       enum place where, unsigned role, unsigned units)
{
    unsigned group = test->groups[role];

    if (where == PLACE_UNIT)
        place[0] = setup->first % units + group * units;
    else
        place[0] = (setup->first + (where == PLACE_DEVICE ? group : 0)) % (2 * units);
    place[1] = (setup->wavefront + (where == PLACE_WAVEFRONT ? 0 : role)) % (GROUP / LANES);
    place[2] = where == PLACE_WAVEFRONT ? role * 17 : 0;
}

/* ---- runs ---- */

static void run_setup(const struct workload *workload, cl_kernel kernel, const struct litmus *test,
                      const struct setup *setup, enum place place, unsigned units,
                      struct judge *judge)
{
    cl_uint iterations = (cl_uint)workload->size, zero = 0;
    size_t words = (iterations + 1) * (size_t)ITERATION_WORDS;
    cl_uint plan[4 + 3 * MAX_ROLES] = {setup->scale, setup->spacing, setup->seed};
    cl_uint *memory = workload_allocate(words, sizeof *memory);
    cl_uint *results = workload_allocate(iterations * (size_t)JUDGE_REGISTERS, sizeof *results);
    size_t results_bytes = iterations * JUDGE_REGISTERS * sizeof *results;
    size_t global = (size_t)GROUP * 2 * units, group = GROUP;

    for (unsigned r = 0; r < test->roles; r++)
        place_role(&plan[4 + 3 * r], test, setup, place, r, units);
    cl_mem device_memory = workload_buffer(workload, words * sizeof *memory, memory);
    cl_mem device_results = workload_buffer(workload, results_bytes, results);
    cl_mem device_plan = workload_buffer(workload, sizeof plan, plan);
    workload_arguments(kernel, "bbbuu", device_memory, device_results, device_plan, iterations,
                       zero);
    workload_run(workload, kernel, 1, &global, &group);
    workload_read(workload, device_results, results, results_bytes);
    for (cl_uint i = 0; i < iterations; i++)
        judge_add(judge, results + (size_t)i * JUDGE_REGISTERS);
    clReleaseMemObject(device_memory);
    clReleaseMemObject(device_results);
    clReleaseMemObject(device_plan);
    free(memory);
    free(results);
}

static void print_outcomes(const struct judge *judge)
{
    for (unsigned i = 0; i < judge->outcome_count; i++) {
        const struct judge_outcome *outcome = &judge->outcomes[i];
        const uint32_t *r = outcome->registers;

        printf("  %u %u %u %u  %8" PRIu64 "%s%s\n", r[0], r[1], r[2], r[3], outcome->count,
               outcome->verdict == VERDICT_ALLOWED ? "" : "  ",
               outcome->verdict == VERDICT_ALLOWED ? "" : judge_verdict_name(outcome->verdict));
    }
    for (unsigned i = 0; i < judge->row_count; i++)
        if (judge->rows[i].verdict == VERDICT_REQUIRED && judge->rows[i].seen == 0)
            printf("  %.4s was not seen, and is required\n", judge->rows[i].pattern);
}

static bool run_test(const struct workload *workload, const struct litmus *test,
                     const char *protocol, unsigned units)
{
    static const struct setup setups[] = {{4, 64, 1, 0, 0}, {100, 16, 2, 3, 1}, {30, 1, 3, 1, 2}};
    struct judge judge;
    cl_kernel kernel = workload_kernel(workload, test->name);
    bool right;

    if (!judge_init(&judge, verdicts, test->name, protocol))
        return false;
    printf("%s:", test->name);
    for (enum place place = 0; place < PLACES; place++) {
        uint64_t forbidden = judge.forbidden;

        if (!is_possible(test, place))
            continue;
        for (size_t i = 0; i < sizeof setups / sizeof setups[0]; i++)
            run_setup(workload, kernel, test, &setups[i], place, units, &judge);
        if (judge.forbidden != forbidden)
            printf(" forbidden on %s,", place_names[place]);
    }
    clReleaseKernel(kernel);
    right = judge_is_right(&judge);
    printf(" %s, %" PRIu64 " runs, %u outcomes, forbidden %" PRIu64 "\n",
           right ? "passed" : "FAILED", judge.runs, judge.outcome_count, judge.forbidden);
    if (!right || workload->verbose)
        print_outcomes(&judge);
    return right;
}

/* ---- command line ---- */

static bool is_chosen(const char *name, int argc, char **argv)
{
    bool has_names = false;

    for (int i = 1; i < argc; i++) {
        has_names |= strchr(argv[i], '=') == NULL;
        if (strcmp(argv[i], name) == 0)
            return true;
    }
    return !has_names;
}

static const char *protocol_of(int argc, char **argv)
{
    static const char key[] = "protocol=";

    for (int i = 1; i < argc; i++)
        if (strncmp(argv[i], key, sizeof key - 1) == 0)
            return argv[i] + sizeof key - 1;
    return NULL;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "litmus",
                                .summary = "Litmus tests; their names, and protocol=NAME, may "
                                           "precede the options.",
                                .size_help = "iterations of a test in each of its setups",
                                .size = 40,
                                .size_min = 1,
                                .size_max = 10000,
                                .iterations = 1,
                                .seed = 1};
    cl_uint units;
    int names = 1;
    unsigned count = 0, failed = 0;

    while (names < argc && strncmp(argv[names], "--", 2) != 0)
        names++;
    workload_parse(&workload, argc - names + 1, argv + names - 1);
    workload_open(&workload, kernel_source, "-cl-std=CL3.0");
    workload_check(
        clGetDeviceInfo(workload.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL),
        "clGetDeviceInfo");
    units = units > UNITS_MAX ? UNITS_MAX : units;
    for (unsigned i = 0; i < TESTS; i++)
        if (is_chosen(tests[i].name, names, argv)) {
            failed += !run_test(&workload, &tests[i], protocol_of(names, argv), units);
            count++;
        }
    workload_close(&workload);
    printf("litmus: %u run, %u failed\n", count, failed);
    return failed == 0 && count > 0 ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

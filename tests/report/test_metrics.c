/* SPDX-License-Identifier: MIT */
/* Formulas: how they are read, that every name in them exists, and what they give on hand-made
 * counts. */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "fixture.h"

static bool letters(const struct formula_names *names, const char *name, double *value)
{
    *value = name[0] == 'a' ? 6 : name[0] == 'b' ? 3 : 0;
    return name[0] >= 'a' && name[0] <= 'c';
}

static double evaluate(const char *formula)
{
    const struct formula_names names = {.value = letters};
    double value;

    assert_true(formula_evaluate(formula, &names, &value));
    return value;
}

static bool is_defined(const char *formula)
{
    const struct formula_names names = {.value = letters};
    double value;

    return formula_evaluate(formula, &names, &value);
}

static void operators_bind_as_usual(void **state)
{
    assert_true(evaluate("a + b * 2") == 12);
    assert_true(evaluate("(a + b) * 2") == 18);
    assert_true(evaluate("a - b - 2") == 1);
    assert_true(evaluate("a / b / 2") == 1);
    assert_true(evaluate("1000 * b/a") == 500);
    assert_true(evaluate("2.5 * a") == 15);
}

static void a_ratio_of_nothing_is_not_defined(void **state)
{
    assert_false(is_defined("a / c"));
    assert_false(is_defined("a + b / c"));
    assert_true(is_defined("c / a"));
}

static void an_unknown_name_is_not_defined(void **state)
{
    assert_false(is_defined("x"));
    assert_false(is_defined("a + x * 0"));
}

/* In this locale strtod("2.5") is 2. */
static void numbers_do_not_read_the_locale(void **state)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL)
        skip();
    assert_true(evaluate("2.5 * a") == 15);
    setlocale(LC_ALL, "C");
}

struct checker {
    struct formula_names names;
    const struct fixture *fixture;
    struct measurement *measurement;
    const char *metric;
};

static bool must_exist(const struct formula_names *names, const char *name, double *value)
{
    const struct checker *checker = container_of(names, struct checker, names);
    uint64_t number;

    *value = 1;
    if (strncmp(name, "kernel.", 7) == 0 && metric_find(name) == NULL &&
        checker->measurement->names.value(&checker->measurement->names, name, value))
        return true;
    if (metric_find(name) == NULL &&
        !levels_value(checker->measurement->levels, checker->measurement->sums, name, &number))
        fail_msg("metric %s: there is no %s", checker->metric, name);
    return true;
}

static void every_name_in_a_formula_exists(void **state)
{
    struct fixture fixture;
    struct measurement measurement;

    fixture_init(&fixture);
    measurement_init(&measurement, &fixture.levels, 1000000);
    assert_true(metric_count > 40);
    for (unsigned i = 0; i < metric_count; i++) {
        struct checker checker = {{.value = must_exist}, &fixture, &measurement, metrics[i].name};
        double value;

        formula_evaluate(metrics[i].formula, &checker.names, &value);
        assert_ptr_equal(metric_find(metrics[i].name), &metrics[i]); /* names are unique */
        assert_true(metrics[i].help[0] != '\0' && metrics[i].unit[0] != '\0');
    }
    measurement_finish(&measurement);
    fixture_finish(&fixture);
}

static void fill(struct fixture *fixture)
{
    fixture_set(fixture, "cu0.lane_operations", 60000);
    fixture_set(fixture, "cu1.lane_operations", 40000);
    fixture_set(fixture, "cu0.l1.loads", 100);
    fixture_set(fixture, "cu0.l1.load_hits", 90);
    fixture_set(fixture, "cu0.l1.load_misses", 6);
    fixture_set(fixture, "cu0.l1.load_merges", 4);
    fixture_set(fixture, "cu1.l1.loads", 300);
    fixture_set(fixture, "cu1.l1.load_hits", 30);
    fixture_set(fixture, "cu1.l1.load_misses", 244);
    fixture_set(fixture, "cu1.l1.load_merges", 26);
    fixture_add(fixture, "cu0.load_latency", 100, 30);
    fixture_add(fixture, "cu1.load_latency", 500, 10);
    fixture_set(fixture, "cu0.load_lanes", 640);
    fixture_set(fixture, "cu0.load_accesses", 40);
    fixture_set(fixture, "cu0.l1.stall_set_cycles", 900);
    fixture_set(fixture, "cu0.l1.stall_output_cycles", 500);
    fixture_add(fixture, "cu0.l1.mshr_occupancy", 0, 1500);
    fixture_add(fixture, "cu0.l1.mshr_occupancy", 8, 500);
    fixture_set(fixture, "dram0.read_bytes", 64000);
    fixture_set(fixture, "dram1.read_bytes", 32000);
    fixture_set(fixture, "dram1.write_bytes", 4000);
    fixture_set(fixture, "dram0.row_hits", 30);
    fixture_set(fixture, "dram1.row_misses", 6);
    fixture_set(fixture, "dram1.row_conflicts", 4);
    fixture_set(fixture, "crossbar.requests.bytes", 1000);
    fixture_set(fixture, "crossbar.write_backs.bytes", 500);
    fixture_set(fixture, "crossbar.responses.bytes", 8300);
    fixture_set(fixture, "crossbar.probes.bytes", 200);
    fixture_set(fixture, "cu0.slots_issued", 700);
    fixture_set(fixture, "cu0.stall_vm", 1000);
    fixture_set(fixture, "cu1.stall_vm", 1700);
    fixture_set(fixture, "cu0.stall_barrier", 100);
    fixture_set(fixture, "cu0.slots_internal", 200);
    fixture_set(fixture, "cu1.stall_empty", 300);
}

static void assert_metric(const struct measurement *measurement, const char *name, double expected)
{
    double value;

    assert_true(measurement_metric(measurement, name, &value));
    if (fabs(value - expected) > 1e-9 * fabs(expected))
        fail_msg("%s is %.12g, expected %.12g", name, value, expected);
}

/* One kernel: 5000 instructions in 2000 cycles of 1 GHz, so 2000 ns. */
static void formulas_give_what_they_say(void **state)
{
    struct fixture fixture;
    struct sample_run sample;
    struct measurement one;

    fixture_init(&fixture);
    fill(&fixture);
    sample_run_init(&sample, &fixture);
    measurement_init(&one, &fixture.levels, 1000000);
    measurement_add(&one, &sample.kernels[0]);
    assert_metric(&one, "kernel.ipc", 2.5);
    assert_metric(&one, "kernel.opc", 50);           /* 100,000 / 2000 */
    assert_metric(&one, "l1.hit_ratio", 0.3);        /* 120 / 400: not the mean of 0.9 and 0.1 */
    assert_metric(&one, "l1.merge_ratio", 0.075);    /* 30 / 400 */
    assert_metric(&one, "l1.mpki", 50);              /* 250 misses, 5 thousand instructions */
    assert_metric(&one, "l1.stall_set_ratio", 0.45); /* of 2,000 cycles */
    assert_metric(&one, "l1.stall_output_ratio", 0.25);
    assert_metric(&one, "l1.stall_mshr_ratio", 0);
    assert_metric(&one, "l1.mshr_mean", 2);          /* 8 entries for a quarter of the time */
    assert_metric(&one, "vmem.latency_cycles", 200); /* (30 * 100 + 10 * 500) / 40 */
    assert_metric(&one, "vmem.lanes_per_load_access", 16);
    assert_metric(&one, "dram.bytes", 100000);
    assert_metric(&one, "dram.bandwidth", 50); /* 100,000 bytes in 2000 ns: 50 GB/s */
    assert_metric(&one, "dram.row_hit_ratio", 0.75);
    assert_metric(&one, "crossbar.bytes", 10000);
    assert_metric(&one, "issue.slots", 4000);
    assert_metric(&one, "issue.vm_ratio", 0.675);
    measurement_finish(&one);
    sample_run_finish(&sample);
    fixture_finish(&fixture);
}

static void issue_shares_add_up_to_one(void **state)
{
    struct fixture fixture;
    struct sample_run sample;
    struct measurement one;
    double total = 0;

    fixture_init(&fixture);
    for (uint32_t i = 0; i < fixture.levels.count; i++) {
        const struct level *level = &fixture.levels.level[i];

        for (uint32_t j = 0; strcmp(level->name, "cu") == 0 && j < level->statistic_count; j++) {
            char path[64];

            snprintf(path, sizeof path, "cu0.%s", level->statistics[j].name);
            if (strcmp(level->statistics[j].unit, "slots") == 0)
                fixture_set(&fixture, path, j * j + 1);
        }
    }
    sample_run_init(&sample, &fixture);
    measurement_init(&one, &fixture.levels, 1000000);
    measurement_add(&one, &sample.kernels[0]);
    for (unsigned i = 0; i < metric_count; i++) {
        double value;

        if (strncmp(metrics[i].name, "issue.", 6) == 0 && strcmp(metrics[i].unit, "ratio") == 0) {
            assert_true(metric_value(&metrics[i], &one, &value));
            total += value;
        }
    }
    assert_true(fabs(total - 1) < 1e-12);
    measurement_finish(&one);
    sample_run_finish(&sample);
    fixture_finish(&fixture);
}

/* Twice the same kernel: the same ratios, not their sums. */
static void several_launches_share_one_ratio(void **state)
{
    struct fixture fixture;
    struct sample_run sample;
    const struct measurement *all;

    fixture_init(&fixture);
    fill(&fixture);
    sample_run_init(&sample, &fixture);
    sample_run_log(&sample);
    all = &sample.log.all;
    assert_int_equal(all->launches, 2);
    assert_int_equal(all->cycles, 4000);
    assert_metric(all, "kernel.ipc", 2.5);
    assert_metric(all, "l1.hit_ratio", 0.3);
    assert_metric(all, "dram.bytes", 200000);
    assert_metric(all, "dram.bandwidth", 50);
    sample_run_finish(&sample);
    fixture_finish(&fixture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"formula/operators_bind_as_usual", operators_bind_as_usual, NULL, NULL, NULL},
        {"formula/a_ratio_of_nothing_is_not_defined", a_ratio_of_nothing_is_not_defined, NULL, NULL,
         NULL},
        {"formula/an_unknown_name_is_not_defined", an_unknown_name_is_not_defined, NULL, NULL,
         NULL},
        {"formula/numbers_do_not_read_the_locale", numbers_do_not_read_the_locale, NULL, NULL,
         NULL},
        {"metrics/every_name_in_a_formula_exists", every_name_in_a_formula_exists, NULL, NULL,
         NULL},
        {"metrics/formulas_give_what_they_say", formulas_give_what_they_say, NULL, NULL, NULL},
        {"metrics/issue_shares_add_up_to_one", issue_shares_add_up_to_one, NULL, NULL, NULL},
        {"metrics/several_launches_share_one_ratio", several_launches_share_one_ratio, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests_name("report/metrics", tests, NULL, NULL);
}

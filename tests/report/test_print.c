/* SPDX-License-Identifier: MIT */
/* The JSON report and the table: what stands in them, and that equal runs make equal bytes. */
#include <jansson.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "fixture.h"

struct both {
    struct fixture fixture;
    struct sample_run sample;
};

static void both_init(struct both *both)
{
    fixture_init(&both->fixture);
    fixture_set(&both->fixture, "cu0.l1.loads", 100);
    fixture_set(&both->fixture, "cu0.l1.load_hits", 75);
    fixture_set(&both->fixture, "cu1.l1.loads", 20);
    fixture_set(&both->fixture, "cu1.slots_issued", 12);
    fixture_set(&both->fixture, "cu1.stall_vm", 36);
    fixture_set(&both->fixture, "cu0.l1.stall_set_cycles", 21);
    fixture_set(&both->fixture, "cu0.load_stack.instructions", 4);
    fixture_set(&both->fixture, "cu0.load_stack.cycles", 200);
    fixture_set(&both->fixture, "cu0.load_stack.address", 50);
    fixture_set(&both->fixture, "cu0.load_stack.l1_set", 150);
    fixture_set(&both->fixture, "crossbar.responses.messages", 7);
    fixture_set(&both->fixture, "crossbar.responses.stall_room_cycles", 5);
    fixture_add(&both->fixture, "crossbar.responses.queued", 0, 50);
    fixture_add(&both->fixture, "cu0.l1.mshr_occupancy", 0, 50);
    fixture_add(&both->fixture, "cu0.load_latency", 0, 1);
    fixture_add(&both->fixture, "cu0.load_latency", 5, 3);
    sample_run_init(&both->sample, &both->fixture);
}

static void both_finish(struct both *both)
{
    sample_run_finish(&both->sample);
    fixture_finish(&both->fixture);
}

static json_t *parse(const char *text)
{
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);

    if (root == NULL)
        fail_msg("line %d: %s", error.line, error.text);
    return root;
}

static json_t *at(json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    if (value == NULL)
        fail_msg("there is no %s", key);
    return value;
}

static void keys_are_the_paths_of_statistics(void **state)
{
    struct both both;
    json_t *root, *run, *kernel, *histogram;
    char *text;

    both_init(&both);
    text = printed_json(&both.sample);
    root = parse(text);
    run = at(root, "run");
    assert_int_equal(json_integer_value(at(at(run, "sums"), "cu.l1.loads")), 240);
    assert_int_equal(json_integer_value(at(at(run, "places"), "cu0.l1.loads")), 100);
    assert_true(json_real_value(at(at(run, "metrics"), "l1.hit_ratio")) == 0.625);
    assert_int_equal(json_array_size(at(root, "kernels")), 2);
    kernel = json_array_get(at(root, "kernels"), 1);
    assert_string_equal(json_string_value(at(kernel, "name")), "transpose");
    assert_int_equal(json_integer_value(at(at(kernel, "sums"), "cu.l1.loads")), 120);
    histogram = at(at(kernel, "sums"), "cu.load_latency");
    assert_int_equal(json_integer_value(at(histogram, "count")), 4);
    assert_int_equal(json_integer_value(at(histogram, "sum")), 15);
    assert_true(json_real_value(at(histogram, "mean")) == 3.75);
    assert_int_equal(json_array_size(at(histogram, "buckets")), 4); /* 0; 1; 2-3; 4-7 */
    assert_int_equal(json_integer_value(json_array_get(at(histogram, "buckets"), 3)), 3);
    json_decref(root);
    free(text);
    both_finish(&both);
}

static void configuration_says_where_values_come_from(void **state)
{
    struct both both;
    json_t *root, *parameters, *versions;
    char *text;

    both_init(&both);
    text = printed_json(&both.sample);
    root = parse(text);
    parameters = at(at(root, "configuration"), "parameters");
    assert_int_equal(json_integer_value(at(at(parameters, "l1.mshr_entries"), "value")), 32);
    assert_string_equal(json_string_value(at(at(parameters, "dram.model"), "origin")),
                        "hd7970.yaml:12");
    assert_string_equal(json_string_value(at(at(parameters, "dram.model"), "source")),
                        "JESD212 \"GDDR5\"");
    versions = at(root, "versions");
    assert_int_equal(json_array_size(at(versions, "code_objects")),
                     1); /* both kernels are of one */
    assert_string_equal(json_string_value(json_array_get(at(versions, "code_objects"), 0)),
                        "0123456789abcdeffedcba9876543210");
    json_decref(root);
    free(text);
    both_finish(&both);
}

/* `sums` have every name; `places` only what is not zero; a ratio of nothing is null. */
static void what_is_zero_is_left_out_of_places_alone(void **state)
{
    struct both both;
    json_t *root, *run;
    char *text;

    both_init(&both);
    text = printed_json(&both.sample);
    root = parse(text);
    run = at(root, "run");
    assert_int_equal(json_integer_value(at(at(run, "sums"), "l2.loads")), 0);
    assert_null(json_object_get(at(run, "places"), "l2_0.loads"));
    assert_int_equal(json_object_size(at(run, "places")), 15); /* as both_init has set */
    assert_true(
        json_equal(at(run, "places"), at(json_array_get(at(root, "kernels"), 1), "places")));
    assert_true(json_is_null(at(at(run, "metrics"), "l2.hit_ratio")));
    json_decref(root);
    free(text);
    both_finish(&both);
}

static void only_simulator_depends_on_the_host(void **state)
{
    struct both both;
    char *first, *second;
    json_t *a, *b;

    both_init(&both);
    first = printed_json(&both.sample);
    both.sample.report.simulator = (struct run_simulator){.kernel_seconds = 1.5,
                                                          .process_seconds = 2,
                                                          .instants = 7,
                                                          .ticks = 8,
                                                          .started = 1,
                                                          .command = "wavetank run -- \xff\"x\"",
                                                          .program = "/p",
                                                          .directory = "/d",
                                                          .configuration_file = "/c.yaml"};
    second = printed_json(&both.sample);
    a = parse(first);
    b = parse(second);
    assert_false(json_equal(a, b));
    assert_string_equal(json_string_value(at(at(b, "simulator"), "started")),
                        "1970-01-01T00:00:01Z");
    json_object_del(a, "simulator");
    json_object_del(b, "simulator");
    assert_true(json_equal(a, b));
    /* and in bytes: all that stands before */
    assert_int_equal(strstr(first, "\"simulator\"") - first,
                     strstr(second, "\"simulator\"") - second);
    assert_memory_equal(first, second, (size_t)(strstr(first, "\"simulator\"") - first));
    json_decref(a);
    json_decref(b);
    free(first);
    free(second);
    both_finish(&both);
}

static void a_locale_with_commas_changes_nothing(void **state)
{
    struct both both;
    char *plain, *german;

    both_init(&both);
    plain = printed_json(&both.sample);
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL) {
        free(plain);
        both_finish(&both);
        skip();
    }
    german = printed_json(&both.sample);
    setlocale(LC_ALL, "C");
    assert_string_equal(plain, german);
    free(plain);
    free(german);
    both_finish(&both);
}

static void the_table_says_where_time_went(void **state)
{
    struct both both;
    char *text;

    both_init(&both);
    text = printed_table(&both.sample);
    assert_non_null(strstr(text, "hd7970 (AMD Radeon HD 7970), timed model"));
    assert_non_null(strstr(text, "transpose"));
    assert_non_null(strstr(text, "10,000")); /* instructions of both launches */
    assert_non_null(strstr(text, "4.00 us"));
    assert_non_null(strstr(text, "62.5 %"));
    assert_non_null(
        strstr(text, "75.0 %  #######################         waiting for vector memory"));
    assert_non_null(strstr(text, "L1           0.0 %  42.0 %         0.0 %  0.0 %     0.0 %   0.0 %"));
    assert_non_null(strstr(text, "help of address                           12.5   25.0 %\n"));
    assert_non_null(strstr(text, "help of l1_set                            37.5   75.0 %\n"));
    assert_null(strstr(text, "store  ")); /* there was none */
    assert_non_null(strstr(text, "responses  0.0 %              0.0 %   10.0 %\n"));
    assert_non_null(strstr(text, "set by the user: l1.mshr_entries=32"));
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "NOT FINISHED"));
    free(text);
    both_finish(&both);
}

static void the_table_names_what_did_not_finish(void **state)
{
    struct both both;
    char *text;

    both_init(&both);
    both.sample.kernels[1].outcome = "interrupted";
    both.sample.kernels[1].groups_done = 5;
    text = printed_table(&both.sample);
    assert_non_null(strstr(text, "NOT FINISHED: launch 2, transpose: interrupted after 5 of 16"));
    free(text);
    both_finish(&both);
}

static void a_functional_run_claims_no_time(void **state)
{
    struct both both;
    char *text;

    both_init(&both);
    both.sample.report.model = "functional";
    text = printed_table(&both.sample);
    assert_non_null(strstr(text, "functional model"));
    assert_null(strstr(text, "cycles"));
    assert_null(strstr(text, "DRAM"));
    free(text);
    both_finish(&both);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"json/keys_are_the_paths_of_statistics", keys_are_the_paths_of_statistics, NULL, NULL,
         NULL},
        {"json/configuration_says_where_values_come_from",
         configuration_says_where_values_come_from, NULL, NULL, NULL},
        {"json/what_is_zero_is_left_out_of_places_alone", what_is_zero_is_left_out_of_places_alone,
         NULL, NULL, NULL},
        {"json/only_simulator_depends_on_the_host", only_simulator_depends_on_the_host, NULL, NULL,
         NULL},
        {"json/a_locale_with_commas_changes_nothing", a_locale_with_commas_changes_nothing, NULL,
         NULL, NULL},
        {"table/the_table_says_where_time_went", the_table_says_where_time_went, NULL, NULL, NULL},
        {"table/the_table_names_what_did_not_finish", the_table_names_what_did_not_finish, NULL,
         NULL, NULL},
        {"table/a_functional_run_claims_no_time", a_functional_run_claims_no_time, NULL, NULL,
         NULL},
    };

    return cmocka_run_group_tests_name("report/print", tests, NULL, NULL);
}

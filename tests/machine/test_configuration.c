/* SPDX-License-Identifier: MIT */
/* Questions about configurations: what wins, what is refused, and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "machine/machine.h"
#include "machine/parameters.h"

static char folder[] = "/tmp/wavetank-configuration-XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[512];
    FILE *stream;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    stream = fopen(path, "wb");
    assert_non_null(stream);
    fputs(text, stream);
    fclose(stream);
}

static struct configuration *load(const char *name, struct diagnosis *diagnosis)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return configuration_load(path, NULL, 0, diagnosis);
}

static int make_folder(void **state)
{
    return mkdtemp(folder) == NULL;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"child.yaml", "bad.yaml", "loop.yaml", "base.yaml",
                                        "below/child.yaml"};
    char path[512];

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/below", folder);
    rmdir(path);
    return rmdir(folder);
}

static void check_sources(const char *name)
{
    struct diagnosis diagnosis;
    struct configuration *configuration = configuration_load(name, NULL, 0, &diagnosis);

    if (configuration == NULL)
        diagnosis_print(&diagnosis, stderr);
    assert_non_null(configuration);
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];

        if (strncmp(setting->path, "sim.", 4) == 0 || strncmp(setting->path, "debug.", 6) == 0)
            continue; /* these are not about a GPU */
        if (setting->source == NULL)
            fail_msg("%s has no source in %s.yaml", setting->path, name);
    }
    configuration_destroy(configuration);
}

static void configurations_are_known_and_every_value_has_a_source(void **state)
{
    uint32_t count;
    char **names = configuration_list(&count);
    bool has_default = false;

    for (uint32_t i = 0; i < count; i++) {
        has_default = has_default || strcmp(names[i], "hd7970") == 0;
        check_sources(names[i]);
        free(names[i]);
    }
    free(names);
    assert_true(has_default);
}

static void child_wins_over_parent_and_command_line_over_both(void **state)
{
    static const char *const overrides[] = {"l1.mshr_entries=7", "l1.mshr_entries=9"};
    struct diagnosis diagnosis;
    struct configuration *configuration;
    char path[512];

    write_file("child.yaml", "title: small\nl1:\n  mshr_entries: 5\ninherit: hd7970\n");
    configuration = load("child.yaml", &diagnosis);
    assert_non_null(configuration);
    assert_int_equal(configuration->parameters->l1.mshr_entries, 5);
    assert_int_equal(configuration->parameters->gpu.compute_units, 32);
    assert_string_equal(configuration->title, "small");
    assert_string_equal(configuration_find(configuration, "l1.mshr_entries")->origin,
                        "child.yaml:3");
    configuration_destroy(configuration);

    snprintf(path, sizeof path, "%s/child.yaml", folder);
    configuration = configuration_load(path, overrides, 2, &diagnosis);
    assert_non_null(configuration);
    assert_int_equal(configuration->parameters->l1.mshr_entries, 9);
    assert_string_equal(configuration_find(configuration, "l1.mshr_entries")->origin,
                        "command line");
    configuration_destroy(configuration);
}

static void expect_refusal(const char *text, int line, const char *message, const char *hint)
{
    struct diagnosis diagnosis;

    write_file("bad.yaml", text);
    assert_null(load("bad.yaml", &diagnosis));
    if (strstr(diagnosis.message, message) == NULL)
        fail_msg("'%s' does not say '%s'", diagnosis.message, message);
    assert_int_equal(diagnosis.line, line);
    if (hint != NULL && strstr(diagnosis.hint, hint) == NULL)
        fail_msg("'%s' does not hint '%s'", diagnosis.hint, hint);
}

static void mistakes_are_named_with_their_line(void **state)
{
    expect_refusal("l1:\n  mhsr_entries: 5\n", 2, "no parameter 'l1.mhsr_entries'",
                   "l1.mshr_entries");
    expect_refusal("l1:\n  mshr_entries: 0\n", 2, "outside 1 to", NULL);
    expect_refusal("l1:\n  mshr_entries: many\n", 2, "not a whole number", NULL);
    expect_refusal("l1:\n  mshr_entries: [1, 2]\n", 2, "a value was expected", NULL);
    expect_refusal("l1:\n  mshr_entries: { value: 3, sauce: x }\n", 2, "not 'sauce'", NULL);
    expect_refusal("\nl1: 3\n", 2, "parameters were expected", NULL);
    expect_refusal("l1:\n\tways: 3\n", 2, "not YAML", NULL);
    expect_refusal("- 1\n", 1, "not a configuration", NULL);
    expect_refusal("\ninherit: hd7790\n", 2, "no GPU configuration 'hd7790'", "hd7970");
    expect_refusal("gpu:\n  protocol: is\n", 2, "gpu.protocol: there is no 'is'", "si, moesi");
    expect_refusal("nmoesi:\n  fence_scope: unit\n", 2, "nmoesi.fence_scope: there is no 'unit'",
                   "work-group, device");
    expect_refusal("gpu:\n  protocol: nmoesi\ndebug:\n  break: partial_fill\n", 0,
                   "partial_fill is a fault of si, and gpu.protocol is nmoesi", "gpu.protocol=si");
}

/* The fields of s_waitcnt have four, three and four bits: it could not wait for more. */
static void counters_end_where_a_wait_can_name_them(void **state)
{
    static const char *const largest[] = {"cu.vm_count_max=15", "cu.exp_count_max=7",
                                          "cu.lgkm_count_max=15"};
    struct diagnosis diagnosis;
    struct configuration *configuration = configuration_load("hd7970", largest, 3, &diagnosis);

    assert_non_null(configuration);
    configuration_destroy(configuration);
    expect_refusal("cu:\n  vm_count_max: 16\n", 2, "outside 1 to 15", NULL);
    expect_refusal("cu:\n  exp_count_max: 8\n", 2, "outside 1 to 7", NULL);
    expect_refusal("cu:\n  lgkm_count_max: 16\n", 2, "outside 2 to 15", NULL);
}

/* One value would win in silence. */
static void what_stands_twice_is_refused_with_both_lines(void **state)
{
    expect_refusal("l1:\n  ways: 2\n  ports: 1\n  ways: 4\n", 4, "'ways' stands here a second time",
                   "once");
    expect_refusal("l1:\n  ways: 2\n  ports: 1\n  ways: 4\n", 4, "the first is in line 2", NULL);
    expect_refusal("l1:\n  ways: 2\nl2:\n  ways: 2\nl1:\n  ports: 1\n", 5,
                   "'l1' stands here a second time: the first is in line 1", NULL);
    expect_refusal("inherit: hd7970\n\ninherit: hd7970\n", 3, "the first is in line 1", NULL);
    expect_refusal("title: a\ntitle: b\n", 2, "'title' stands here a second time", NULL);
    expect_refusal("l1:\n  ways: { value: 2,\n    value: 4 }\n", 3, "'value' stands here", NULL);
}

static void what_stands_behind_the_document_is_refused(void **state)
{
    expect_refusal("l1:\n  ways: 2\n---\nl1:\n  ways: 4\n", 4, "more text behind", NULL);
    expect_refusal("l1:\n  ways: 2\n...\nl1:\n  ways: 4\n", 4, "more text behind", NULL);
    expect_refusal("l1:\n  ways: 2\n...\ntext\n", 4, "more text behind", NULL);
    expect_refusal("l1:\n  ways: 2\n...\n{\n", 4, "more text behind", NULL);
}

static void a_zero_character_is_refused(void **state)
{
    expect_refusal("gpu:\n  protocol: \"si\\0x\"\n", 2, "'si' is followed by a zero character",
                   NULL);
    expect_refusal("\"gpu\\0\":\n  protocol: si\n", 1, "zero character", NULL);
}

static void numbers_are_read_as_they_look(void **state)
{
    static const char *const taken[][2] = {{"0", "0"},      {"0x10", "16"},  {"0Xff", "255"},
                                           {"12", "12"},    {"true", "1"},   {"false", "0"},
                                           {"0x00a", "10"}, {"1000", "1000"}};
    static const char *const refused[] = {"010",
                                          "00",
                                          "0x",
                                          "0x0x1",
                                          "1f",
                                          "+1",
                                          "-1",
                                          " 1",
                                          "1 ",
                                          "1_000",
                                          "1e3",
                                          "0b11",
                                          "",
                                          "0xg",
                                          "9007199254740992",
                                          "18446744073709551615",
                                          "18446744073709551616"};
    struct diagnosis diagnosis;

    for (unsigned i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        char text[64];
        const char *override = text;
        struct configuration *configuration;

        snprintf(text, sizeof text, "sim.order_seed=%s", taken[i][0]);
        configuration = configuration_load("hd7970", &override, 1, &diagnosis);
        if (configuration == NULL)
            fail_msg("'%s': %s", taken[i][0], diagnosis.message);
        assert_int_equal(configuration->parameters->sim.order_seed, atoi(taken[i][1]));
        configuration_destroy(configuration);
    }
    for (unsigned i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        char text[64];
        const char *override = text;

        snprintf(text, sizeof text, "sim.order_seed=%s", refused[i]);
        if (configuration_load("hd7970", &override, 1, &diagnosis) != NULL)
            fail_msg("'%s' is taken", refused[i]);
    }
    expect_refusal("l1:\n  ways: 010\n", 2, "'010' begins with 0", "decimal");
}

/* Whatever is allowed is written to JSON files, which are read by programs that compute in
 * doubles. */
static void no_range_goes_beyond_what_json_keeps_exact(void **state)
{
    struct diagnosis diagnosis;
    struct configuration *configuration = configuration_load("hd7970", NULL, 0, &diagnosis);

    assert_non_null(configuration);
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct parameter *parameter = configuration->settings[i].parameter;

        if (parameter->kind == PARAMETER_NUMBER &&
            (uint64_t)(double)(parameter->max + 1) != parameter->max + 1)
            fail_msg("%s may be %llu", configuration->settings[i].path,
                     (unsigned long long)parameter->max);
        if (parameter->kind == PARAMETER_NUMBER && parameter->max > PARAMETER_MAX)
            fail_msg("%s may be too large", configuration->settings[i].path);
    }
    configuration_destroy(configuration);
}

/* Wherever the program was started. */
static void an_inherited_path_is_relative_to_the_file_that_says_it(void **state)
{
    static const char *const names[] = {"../base.yaml", "./../base.yaml"};
    struct configuration *configuration;
    struct diagnosis diagnosis;
    char path[512];

    snprintf(path, sizeof path, "%s/below", folder);
    mkdir(path, 0700);
    write_file("base.yaml", "inherit: hd7970\nl1:\n  mshr_entries: 5\n");
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        char text[100];

        snprintf(text, sizeof text, "inherit: %s\n", names[i]);
        write_file("below/child.yaml", text);
        configuration = load("below/child.yaml", &diagnosis);
        if (configuration == NULL)
            fail_msg("%s: %s", names[i], diagnosis.message);
        assert_int_equal(configuration->parameters->l1.mshr_entries, 5);
        configuration_destroy(configuration);
    }
    write_file("child.yaml", "inherit: base.yaml\n"); /* beside it, not in the present folder */
    configuration = load("child.yaml", &diagnosis);
    assert_non_null(configuration);
    assert_int_equal(configuration->parameters->l1.mshr_entries, 5);
    configuration_destroy(configuration);
    write_file("below/child.yaml", "l1:\n  ways: 2\ninherit: ./base.yaml\n"); /* not there */
    assert_null(load("below/child.yaml", &diagnosis));
    assert_non_null(strstr(diagnosis.message, "below/./base.yaml"));
    assert_non_null(strstr(diagnosis.file, "below/child.yaml"));
    assert_int_equal(diagnosis.line, 3);
    write_file("base.yaml", "l1:\n\n  wais: 5\n"); /* a mistake in what is inherited */
    write_file("below/child.yaml", "inherit: ../base.yaml\n");
    assert_null(load("below/child.yaml", &diagnosis));
    assert_non_null(strstr(diagnosis.file, "base.yaml"));
    assert_int_equal(diagnosis.line, 3);
}

static void clocks_and_local_memory_must_go_together(void **state)
{
    static const char *const clocks[] = {"gpu.core_khz=9999999", "gpu.memory_khz=9999998"};
    static const char *const local[] = {"cu.lds_bytes=16384"};
    struct diagnosis diagnosis;

    assert_null(configuration_load("hd7970", clocks, 2, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "gpu.core_khz and gpu.memory_khz"));
    assert_null(configuration_load("hd7970", local, 1, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "gpu.group_lds_bytes"));
    assert_non_null(strstr(diagnosis.message, "cu.lds_bytes"));
}

/* Ranges allow no such machine: one with more units than they do is asked for behind their back. */
static void caches_that_a_directory_cannot_tell_apart_are_refused(void **state)
{
    static const char *const private[] = {"gpu.units_per_shared_cache=1", "gpu.compute_units=256"};
    struct machine_parameters parameters;
    struct configuration *configuration;
    struct diagnosis diagnosis = {0};

    configuration = configuration_load("hd7970", private, 2, &diagnosis);
    assert_non_null(configuration); /* the largest */
    parameters = *configuration->parameters;
    parameters.gpu.compute_units++;
    assert_false(parameters_check(&parameters, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "gpu.compute_units: 257 units have 771 caches"));
    assert_non_null(strstr(diagnosis.hint, "gpu.units_per_shared_cache (now 1)"));
    configuration_destroy(configuration);
}

static void circles_of_inheritance_end(void **state)
{
    struct diagnosis diagnosis;
    char text[600];

    snprintf(text, sizeof text, "inherit: %s/loop.yaml\n", folder);
    write_file("loop.yaml", text);
    assert_null(load("loop.yaml", &diagnosis));
    assert_non_null(strstr(diagnosis.message, "circle"));
}

static void overrides_without_a_value_are_explained(void **state)
{
    static const char *const overrides[] = {"l1.mshr_entries"};
    struct diagnosis diagnosis;

    assert_null(configuration_load("hd7970", overrides, 1, &diagnosis));
    assert_non_null(strstr(diagnosis.hint, "path=value"));
}

/* What --print-config prints, read again, is the same configuration. */
static void printed_configuration_reads_back(void **state)
{
    static const char *const overrides[] = {"l2.ways=8", "gpu.compute_units=4"};
    struct diagnosis diagnosis;
    struct configuration *first = configuration_load("hd7970", overrides, 2, &diagnosis);
    struct configuration *second;
    char path[512];
    FILE *stream;

    assert_non_null(first);
    snprintf(path, sizeof path, "%s/child.yaml", folder);
    stream = fopen(path, "wb");
    configuration_print(first, stream);
    fclose(stream);
    second = configuration_load(path, NULL, 0, &diagnosis);
    if (second == NULL)
        diagnosis_print(&diagnosis, stderr);
    assert_non_null(second);
    assert_memory_equal(first->parameters, second->parameters, sizeof *first->parameters);
    assert_string_equal(first->title, second->title);
    configuration_destroy(first);
    configuration_destroy(second);
}

/* Damaged files are a diagnosis, or a configuration; never anything else. Deletes, repeats and
 * changes bytes of the real one. */
static void damaged_files_are_survived(void **state)
{
    struct random random = {.state = 2026};
    struct diagnosis diagnosis;
    char path[600], text[32768];
    size_t bytes;
    FILE *stream;
    unsigned refused = 0;

    snprintf(path, sizeof path, "%s/hd7970.yaml", GPUS_FOLDER);
    stream = fopen(path, "rb");
    assert_non_null(stream);
    bytes = fread(text, 1, sizeof text - 1, stream);
    fclose(stream);
    for (unsigned round = 0; round < 500; round++) {
        char damaged[sizeof text];
        struct configuration *configuration;

        memcpy(damaged, text, bytes);
        for (unsigned i = 0; i < 1 + round % 8; i++) {
            size_t at = random_below(&random, bytes - 64), from = random_below(&random, bytes - 64);

            if (random_below(&random, 2) == 0)
                damaged[at] = (char)(1 + random_below(&random, 127));
            else
                memmove(damaged + at, damaged + from, 1 + random_below(&random, 60));
        }
        damaged[random_below(&random, 4) == 0 ? random_below(&random, bytes) : bytes] = '\0';
        write_file("bad.yaml", damaged);
        configuration = load("bad.yaml", &diagnosis);
        refused += configuration == NULL;
        configuration_destroy(configuration);
    }
    assert_in_range(refused, 100, 499); /* some damage is in comments and sources */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(configurations_are_known_and_every_value_has_a_source),
        cmocka_unit_test(child_wins_over_parent_and_command_line_over_both),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(counters_end_where_a_wait_can_name_them),
        cmocka_unit_test(what_stands_twice_is_refused_with_both_lines),
        cmocka_unit_test(what_stands_behind_the_document_is_refused),
        cmocka_unit_test(a_zero_character_is_refused),
        cmocka_unit_test(numbers_are_read_as_they_look),
        cmocka_unit_test(no_range_goes_beyond_what_json_keeps_exact),
        cmocka_unit_test(an_inherited_path_is_relative_to_the_file_that_says_it),
        cmocka_unit_test(clocks_and_local_memory_must_go_together),
        cmocka_unit_test(caches_that_a_directory_cannot_tell_apart_are_refused),
        cmocka_unit_test(circles_of_inheritance_end),
        cmocka_unit_test(overrides_without_a_value_are_explained),
        cmocka_unit_test(printed_configuration_reads_back),
        cmocka_unit_test(damaged_files_are_survived),
    };

    return cmocka_run_group_tests_name("configuration", tests, make_folder, remove_folder);
}

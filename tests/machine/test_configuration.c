/* SPDX-License-Identifier: MIT */
/* Questions about configurations: what wins, what is refused, and with which words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    static const char *const names[] = {"child.yaml", "bad.yaml", "loop.yaml"};
    char path[512];

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    return rmdir(folder);
}

static void hd7970_is_known_and_every_value_has_a_source(void **state)
{
    struct diagnosis diagnosis;
    struct configuration *configuration = configuration_load("hd7970", NULL, 0, &diagnosis);

    if (configuration == NULL)
        diagnosis_print(&diagnosis, stderr);
    assert_non_null(configuration);
    assert_int_equal(configuration->parameters->gpu.compute_units, 32);
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];

        if (strncmp(setting->path, "sim.", 4) == 0 || strncmp(setting->path, "debug.", 6) == 0)
            continue; /* these are not about a GPU */
        if (setting->source == NULL)
            fail_msg("%s has no source in hd7970.yaml", setting->path);
    }
    configuration_destroy(configuration);
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
    expect_refusal("inherit: hd7790\n", 0, "no GPU configuration 'hd7790'", "hd7970");
    expect_refusal("gpu:\n  protocol: is\n", 0, "no protocol 'is'", "si");
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
        cmocka_unit_test(hd7970_is_known_and_every_value_has_a_source),
        cmocka_unit_test(child_wins_over_parent_and_command_line_over_both),
        cmocka_unit_test(mistakes_are_named_with_their_line),
        cmocka_unit_test(circles_of_inheritance_end),
        cmocka_unit_test(overrides_without_a_value_are_explained),
        cmocka_unit_test(printed_configuration_reads_back),
        cmocka_unit_test(damaged_files_are_survived),
    };

    return cmocka_run_group_tests_name("configuration", tests, make_folder, remove_folder);
}

/* SPDX-License-Identifier: MIT */
#include "cli/saved_run.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* ---- The machine ---- */

/* A text stands as YAML has it: in quotes where it needs some. */
static char *text_override(const char *path, const char *text)
{
    size_t length = strlen(text);
    bool is_quoted = length >= 2 && text[0] == '"' && text[length - 1] == '"';

    return format_string("%s=%.*s", path, (int)(length - 2 * is_quoted), text + is_quoted);
}

/* "path=value" of each parameter: a list of strings that the caller frees, NULL at its end. */
static char **overrides_of(const json_t *parameters, uint32_t *count)
{
    char **overrides = allocate(json_object_size(parameters) + 1, sizeof *overrides);
    const char *path;
    json_t *parameter;

    *count = 0;
    json_object_foreach((json_t *)(uintptr_t)parameters, path, parameter)
    {
        const json_t *value = json_object_get(parameter, "value");

        if (json_is_integer(value))
            overrides[(*count)++] = format_string("%s=%lld", path, json_integer_value(value));
        else if (json_is_string(value))
            overrides[(*count)++] = text_override(path, json_string_value(value));
    }
    return overrides;
}

static struct configuration *configuration_of(const json_t *parameters, struct diagnosis *diagnosis)
{
    uint32_t count;
    char **overrides = overrides_of(parameters, &count);
    struct configuration *configuration =
        configuration_load("hd7970", (const char *const *)overrides, count, diagnosis);

    for (uint32_t i = 0; i < count; i++)
        free(overrides[i]);
    free(overrides);
    return configuration;
}

static void fill_settings(struct run_report *run, const struct configuration *configuration)
{
    struct run_setting *settings = allocate(configuration->setting_count, sizeof *settings);

    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];
        struct text value = {0};

        setting_print_value(setting, &value);
        settings[i] =
            (struct run_setting){.path = setting->path,
                                 .value = copy_string(text_chars(&value)),
                                 .is_number = setting->parameter->kind == PARAMETER_NUMBER,
                                 .unit = setting->parameter->unit,
                                 .origin = "file"};
        text_finish(&value);
    }
    run->settings = settings;
    run->setting_count = configuration->setting_count;
}

/* ---- Statistics ---- */

static void add_change(struct changes *changes, uint32_t word, const json_t *value)
{
    if (json_integer_value(value) == 0)
        return;
    if (changes->count == changes->capacity) {
        changes->capacity = 2 * changes->capacity + 64;
        changes->list = reallocate(changes->list, changes->capacity, sizeof *changes->list);
    }
    changes->list[changes->count].word = word;
    changes->list[changes->count++].value = (uint64_t)json_integer_value(value);
}

static void add_statistic(struct changes *changes, uint32_t word, const json_t *value)
{
    const json_t *buckets = json_object_get(value, "buckets");

    if (!json_is_object(value)) {
        add_change(changes, word, value);
        return;
    }
    add_change(changes, word, json_object_get(value, "count"));
    add_change(changes, word + 1, json_object_get(value, "sum"));
    for (size_t i = 0; i < json_array_size(buckets) && i < HISTOGRAM_BUCKETS; i++)
        add_change(changes, word + 2 + (uint32_t)i, json_array_get(buckets, i));
}

/* Sums of a level are given to its first place. */
static void add_level(struct changes *changes, const struct levels *levels, uint32_t group,
                      const json_t *sums)
{
    const struct level *level = &levels->level[levels->of_group[group]];

    for (uint32_t i = 0; i < level->statistic_count; i++) {
        char *path = format_string("%s.%s", level->name, level->statistics[i].name);
        const json_t *value = json_object_get(sums, path);

        if (value != NULL)
            add_statistic(changes, levels->group_word[group] + level->statistics[i].offset / 8,
                          value);
        free(path);
    }
}

static void fill_changes(struct changes *changes, const struct levels *levels, const json_t *sums)
{
    changes->count = 0;
    for (uint32_t i = 0; i < levels->count; i++)
        for (uint32_t group = 0; group < levels->registry->group_count; group++)
            if (levels->of_group[group] == i) {
                add_level(changes, levels, group, sums);
                break;
            }
}

static uint64_t number_of(const json_t *object, const char *key)
{
    return (uint64_t)json_integer_value(json_object_get(object, key));
}

/* An object that stands for several launches has their sums: the others had nothing. */
static void add_other_launches(struct run_log *log, const char *name, uint64_t launches)
{
    const struct changes nothing = {0};
    const struct run_kernel launch = {.name = name, .outcome = "done", .changes = &nothing};

    for (uint64_t i = 1; i < launches; i++)
        run_log_add(log, &launch, true);
}

static void add_kernels(struct saved_run *saved, const json_t *kernels)
{
    struct changes changes = {0};

    for (size_t i = 0; i < json_array_size(kernels); i++) {
        const json_t *kernel = json_array_get(kernels, i);
        const char *name = json_string_value(json_object_get(kernel, "name"));
        struct run_kernel launch = {.name = name != NULL ? name : "",
                                    .outcome = "done",
                                    .start_ns = number_of(kernel, "start_ns"),
                                    .end_ns = number_of(kernel, "end_ns") +
                                              number_of(kernel, "kernel_time_ns"),
                                    .cycles = number_of(kernel, "cycles"),
                                    .instructions = number_of(kernel, "instructions"),
                                    .groups_done = number_of(kernel, "groups_done"),
                                    .groups_total = number_of(kernel, "groups_total"),
                                    .changes = &changes};

        fill_changes(&changes, &saved->log.levels, json_object_get(kernel, "sums"));
        run_log_add(&saved->log, &launch, true);
        add_other_launches(&saved->log, launch.name, number_of(kernel, "launches"));
    }
    changes_finish(&changes);
}

/* ---- The whole ---- */

static bool refuse_file(const char *path, const char *why, struct diagnosis *diagnosis)
{
    diagnose(diagnosis, "%s: %s", path, why);
    return diagnose_hint(diagnosis, "`wavetank run --json FILE` writes what can be explained");
}

static bool build_machine(struct saved_run *saved, const json_t *root, struct diagnosis *diagnosis)
{
    const json_t *configuration = json_object_get(root, "configuration");
    const char *gpu = json_string_value(json_object_get(configuration, "gpu"));

    saved->configuration =
        configuration_of(json_object_get(configuration, "parameters"), diagnosis);
    if (saved->configuration == NULL)
        return false;
    if (!catalogue_init(&saved->catalogue, saved->configuration, diagnosis)) {
        configuration_destroy(saved->configuration);
        return false;
    }
    free(saved->configuration->name);
    saved->configuration->name = copy_string(gpu != NULL ? gpu : "");
    fill_settings(&saved->run, saved->configuration);
    saved->run.gpu = saved->configuration->name;
    saved->run.model = "timed";
    saved->run.core_khz = number_of(
        json_object_get(json_object_get(configuration, "parameters"), "gpu.core_khz"), "value");
    return true;
}

bool saved_run_read(struct saved_run *saved, const char *path, struct diagnosis *diagnosis)
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    const json_t *configuration = json_object_get(root, "configuration");
    const char *model = json_string_value(json_object_get(configuration, "model"));
    bool is_built;

    memset(saved, 0, sizeof *saved);
    if (root == NULL)
        return refuse_file(path, error.text, diagnosis);
    if (model == NULL || strcmp(model, "timed") != 0) {
        json_decref(root);
        return refuse_file(path, "this is no report of a run on the timed model", diagnosis);
    }
    is_built = build_machine(saved, root, diagnosis);
    if (is_built) {
        run_log_init(&saved->log, saved->catalogue.levels.registry, saved->run.core_khz);
        add_kernels(saved, json_object_get(root, "kernels"));
        add_kernels(saved, json_object_get(root, "kernel_sums"));
    }
    json_decref(root);
    return is_built;
}

void saved_run_finish(struct saved_run *saved)
{
    for (uint32_t i = 0; i < saved->run.setting_count; i++)
        free((char *)(uintptr_t)saved->run.settings[i].value);
    free((void *)(uintptr_t)saved->run.settings);
    run_log_finish(&saved->log);
    catalogue_finish(&saved->catalogue);
    configuration_destroy(saved->configuration);
    memset(saved, 0, sizeof *saved);
}

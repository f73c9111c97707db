/* SPDX-License-Identifier: MIT */
/* wavetank list WHAT: what there is to choose from. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/gpu_options.h"
#include "cli/workloads.h"

static const struct option options[] = {GPU_OPTION_ROWS};

static bool list_gpus(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    uint32_t count;
    char **names = configuration_list(&count);

    for (uint32_t i = 0; i < count; i++) {
        struct configuration *configuration = configuration_load(names[i], NULL, 0, diagnosis);

        printf("%-16s  %s\n", names[i],
               configuration == NULL          ? "(damaged)"
               : configuration->title == NULL ? ""
                                              : configuration->title);
        configuration_destroy(configuration);
        free(names[i]);
    }
    free(names);
    return true;
}

static bool list_choices(bool (*get)(uint32_t index, struct machine_choice *choice))
{
    struct machine_choice choice;
    size_t width = 0;

    for (uint32_t i = 0; get(i, &choice); i++)
        if (strlen(choice.name) > width)
            width = strlen(choice.name);
    for (uint32_t i = 0; get(i, &choice); i++)
        printf("%-*s  %s\n", (int)width, choice.name, choice.help);
    return true;
}

static bool list_protocols(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    return list_choices(machine_protocol);
}

static bool list_transactional(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    return list_choices(machine_transactional_memory);
}

static bool print_workload(void *context, const char *name, const char *summary)
{
    printf("%-24s  %s\n", name, summary);
    return true;
}

static bool list_workloads(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    return workloads_visit(print_workload, NULL, diagnosis);
}

static bool list_breaks(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    return list_choices(machine_break);
}

static bool list_parameters(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    struct configuration *configuration = gpu_options_load(gpu, diagnosis);

    if (configuration == NULL)
        return false;
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];
        struct text value = {0}, words = {0};

        setting_print_value(setting, &value);
        printf("%-32s %12s %-14s %s", setting->path, text_chars(&value), setting->parameter->unit,
               setting->parameter->help);
        if (setting->parameter->kind == PARAMETER_WORD) {
            parameter_words_print(setting->parameter, &words);
            printf(" (%s)", text_chars(&words));
        }
        printf("\n");
        text_finish(&value);
        text_finish(&words);
    }
    configuration_destroy(configuration);
    return true;
}

static bool list_names(const struct gpu_options *gpu, enum name_kind kind,
                       struct diagnosis *diagnosis)
{
    struct configuration *configuration = gpu_options_load(gpu, diagnosis);
    struct catalogue catalogue;

    if (configuration == NULL)
        return false;
    if (!catalogue_init(&catalogue, configuration, diagnosis)) {
        configuration_destroy(configuration);
        return false;
    }
    for (unsigned i = 0; i < catalogue.count; i++)
        if (catalogue.names[i].kind == kind)
            printf("%-32s  %-14s %s\n", catalogue.names[i].path, name_unit(&catalogue.names[i]),
                   name_help(&catalogue.names[i]));
    catalogue_finish(&catalogue);
    configuration_destroy(configuration);
    return true;
}

static bool list_statistics(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    return list_names(gpu, NAME_STATISTIC, diagnosis);
}

static bool list_metrics(const struct gpu_options *gpu, struct diagnosis *diagnosis)
{
    return list_names(gpu, NAME_METRIC, diagnosis);
}

static const struct {
    const char *name;
    bool (*print)(const struct gpu_options *gpu, struct diagnosis *diagnosis);
} lists[] = {
    {"gpus", list_gpus},
    {"workloads", list_workloads},
    {"protocols", list_protocols},
    {"transactional-memory", list_transactional},
    {"breaks", list_breaks},
    {"parameters", list_parameters},
    {"statistics", list_statistics},
    {"metrics", list_metrics},
};

static int unknown_list(const char *asked)
{
    const char *known[ARRAY_COUNT(lists)];
    struct diagnosis diagnosis;
    const char *nearest;

    for (unsigned i = 0; i < ARRAY_COUNT(lists); i++)
        known[i] = lists[i].name;
    nearest = asked != NULL ? nearest_word(asked, known, ARRAY_COUNT(lists)) : NULL;
    if (asked == NULL)
        diagnose(&diagnosis, "list lacks the name of what to list");
    else
        diagnose(&diagnosis, "there is no list of '%s'", asked);
    if (nearest != NULL)
        diagnose_hint(&diagnosis, "did you mean `wavetank list %s`?", nearest);
    else
        diagnose_hint(&diagnosis, "wavetank list %s", command_list.usage);
    return mistake_print(&diagnosis);
}

static int print_list(const struct gpu_options *gpu, const char *asked)
{
    struct diagnosis diagnosis;

    for (unsigned i = 0; asked != NULL && i < ARRAY_COUNT(lists); i++)
        if (strcmp(lists[i].name, asked) == 0)
            return lists[i].print(gpu, &diagnosis) ? 0 : mistake_print(&diagnosis);
    return unknown_list(asked);
}

static int list_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct gpu_options gpu = {0};
    const char *asked = NULL;
    int index, status;

    for (;;) {
        while ((index = option_next(&reader)) >= 0)
            gpu_options_take(&gpu, index, reader.value);
        if (index != OPTION_END || reader.at == argc || asked != NULL)
            break;
        asked = argv[reader.at++]; /* options may follow */
    }
    status = index == OPTION_END ? print_list(&gpu, asked) : index == OPTION_HELP ? 0 : EXIT_USAGE;
    gpu_options_finish(&gpu);
    return status;
}

const struct command command_list = {
    .name = "list",
    .usage = "[OPTIONS] "
             "gpus|workloads|protocols|transactional-memory|breaks|parameters|statistics|metrics",
    .summary = "Lists what there is to choose from, to set and to read",
    .details = "  gpus                  configurations for --gpu\n"
               "  workloads             programs for run --workload\n"
               "  protocols             coherence protocols for -o gpu.protocol=NAME\n"
               "  transactional-memory  systems for -o gpu.transactional_memory=NAME\n"
               "  breaks                deliberate faults for -o debug.break=NAME\n"
               "  parameters            all that -o can set, with the values of --gpu\n"
               "  statistics            all that a run counts\n"
               "  metrics               ratios, means and rates that reports derive from these\n"
               "\n"
               "`wavetank explain NAME` tells more of each name.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = list_main,
};

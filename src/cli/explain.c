/* SPDX-License-Identifier: MIT */
/* wavetank explain WHAT: what a component, a parameter, a statistic or a derived metric means. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/catalogue.h"
#include "cli/command.h"
#include "cli/explain.h"
#include "cli/gpu_options.h"
#include "machine/parameters.h"

enum { OPTION_DOT = GPU_OPTION_COUNT };

static const struct option options[] = {
    GPU_OPTION_ROWS,
    {"--dot", NULL, "of protocols: their states as a drawing, in Graphviz's language"},
};

static const char *const kind_names[] = {"parameter", "statistic", "derived metric"};

static void print_words(const struct parameter *parameter)
{
    const char *word, *help;

    for (unsigned i = 0; (word = parameter->words(i, &help)) != NULL; i++)
        printf("  %-8s %-12s %s\n", i == 0 ? "values" : "", word, help);
}

static void print_range(const struct setting *setting)
{
    const struct parameter *parameter = setting->parameter;

    if (parameter->kind != PARAMETER_NUMBER) {
        printf("  default  %s\n", parameter->initial_text[0] ? parameter->initial_text : "(none)");
        if (parameter->kind == PARAMETER_WORD)
            print_words(parameter);
        return;
    }
    printf("  default  %llu\n", (unsigned long long)parameter->initial);
    if (parameter->max == UINT64_MAX)
        printf("  range    %llu or more\n", (unsigned long long)parameter->min);
    else
        printf("  range    %llu to %llu\n", (unsigned long long)parameter->min,
               (unsigned long long)parameter->max);
}

static void print_setting(const struct catalogue *catalogue, const struct setting *setting)
{
    struct text value = {0};

    setting_print_value(setting, &value);
    printf("  value    %s%s%s in %s (%s)\n", text_chars(&value),
           setting->parameter->unit[0] ? " " : "", setting->parameter->unit,
           catalogue->configuration->name, setting->origin);
    print_range(setting);
    if (setting->source != NULL)
        printf("  source   %s\n", setting->source);
    printf("  set it   wavetank run -o %s=VALUE\n", setting->path);
    text_finish(&value);
}

static const char *place_of(const struct catalogue *catalogue, const struct level *level, bool last)
{
    const struct registry *registry = catalogue->levels.registry;
    const char *path = "";

    for (uint32_t i = 0; i < registry->group_count; i++)
        if (&catalogue->levels.level[catalogue->levels.of_group[i]] == level) {
            path = registry->groups[i].path;
            if (!last)
                return path;
        }
    return path;
}

static void print_statistic(const struct catalogue *catalogue, const struct name *name)
{
    const struct level *level = name->level;

    printf("  unit     %s\n", name->statistic->unit);
    if (name->statistic->kind == STATISTIC_HISTOGRAM)
        printf("  form     histogram: count, sum, mean and buckets 0, 1, 2-3, 4-7, 8-15, ...\n");
    else
        printf("  form     counter\n");
    if (level->places == 1)
        printf("  place    %s\n", place_of(catalogue, level, false));
    else
        printf("  places   %u: %s to %s; %s is their sum\n", level->places,
               place_of(catalogue, level, false), place_of(catalogue, level, true), level->name);
}

static void print_name(const struct catalogue *catalogue, const struct name *name)
{
    printf("%s (%s): %s\n", name->path, kind_names[name->kind], name_help(name));
    if (name->kind == NAME_PARAMETER)
        print_setting(catalogue, name->setting);
    else if (name->kind == NAME_STATISTIC)
        print_statistic(catalogue, name);
    else
        printf("  unit     %s\n  formula  %s\n", name->metric->unit, name->metric->formula);
    printf("\n");
}

static unsigned print_matches(const struct catalogue *catalogue, const char *asked)
{
    unsigned found = 0;

    for (unsigned i = 0; i < catalogue->count; i++)
        if (name_matches(&catalogue->names[i], asked)) {
            print_name(catalogue, &catalogue->names[i]);
            found++;
        }
    return found;
}

static int widest_path(const struct catalogue *catalogue, const char *asked, enum name_kind kind)
{
    size_t widest = 0;

    for (unsigned i = 0; i < catalogue->count; i++) {
        const struct name *name = &catalogue->names[i];

        if (name->kind == kind && name_is_in_group(catalogue, name, asked) &&
            strlen(name->path) > widest)
            widest = strlen(name->path);
    }
    return (int)widest;
}

static void print_value_column(const struct name *name)
{
    struct text value = {0};

    if (name->kind == NAME_PARAMETER) {
        setting_print_value(name->setting, &value);
        printf("%10s %-13s", text_chars(&value), name_unit(name));
    } else {
        printf("%-13s", name_unit(name));
    }
    text_finish(&value);
}

static unsigned print_section(const struct catalogue *catalogue, const char *asked,
                              enum name_kind kind, const char *heading)
{
    int width = widest_path(catalogue, asked, kind);
    unsigned found = 0;

    for (unsigned i = 0; i < catalogue->count; i++) {
        const struct name *name = &catalogue->names[i];

        if (name->kind != kind || !name_is_in_group(catalogue, name, asked))
            continue;
        if (found++ == 0)
            printf("\n%s\n", heading);
        printf("  %-*s  ", width, name->path);
        print_value_column(name);
        printf("  %s\n", name_help(name));
        if (kind == NAME_METRIC)
            printf("  %-*s  %-13s  = %s\n", width, "", "", name->metric->formula);
    }
    return found;
}

static bool is_group(const struct catalogue *catalogue, const char *asked)
{
    for (unsigned i = 0; i < catalogue->count; i++)
        if (name_is_in_group(catalogue, &catalogue->names[i], asked))
            return true;
    return false;
}

static void print_storage(const struct catalogue *catalogue, const char *asked)
{
    struct text text = {0};

    if (machine_storage(catalogue->configuration, asked, &text))
        printf("\n%s", text_chars(&text));
    text_finish(&text);
}

static void print_group(const struct catalogue *catalogue, const char *asked)
{
    char *heading =
        format_string("Parameters, with their values in %s:", catalogue->configuration->name);

    printf("%s", asked);
    for (uint32_t i = 0; i < parameter_group_count; i++)
        if (strcmp(parameter_groups[i].path, asked) == 0 && parameter_groups[i].help[0] != '\0')
            printf(": %s", parameter_groups[i].help);
    printf("\n");
    print_section(catalogue, asked, NAME_PARAMETER, heading);
    print_storage(catalogue, asked);
    print_section(
        catalogue, asked, NAME_STATISTIC,
        "Statistics (sums over all places of the kind; the JSON file has each place too):");
    print_section(catalogue, asked, NAME_METRIC, "Derived:");
    free(heading);
}

static const struct {
    bool (*get)(uint32_t index, struct machine_choice *choice);
    const char *kind, *option;
} choices[] = {
    {machine_protocol, "coherence protocol", "-o gpu.protocol="},
    {machine_transactional_memory, "transactional memory system", "-o gpu.transactional_memory="},
    {machine_break, "deliberate fault", "-o debug.break="},
};

/* What is a value and no name. */
static bool print_choice(const char *asked)
{
    struct machine_choice choice;

    for (unsigned i = 0; i < ARRAY_COUNT(choices); i++)
        for (uint32_t j = 0; choices[i].get(j, &choice); j++)
            if (strcmp(choice.name, asked) == 0) {
                printf("%s (%s): %s\n  set it   wavetank run %s%s\n", asked, choices[i].kind,
                       choice.help, choices[i].option, asked);
                if (choices[i].get == machine_protocol)
                    printf("  tables   wavetank explain protocol %s\n", asked);
                printf("\n");
                return true;
            }
    return false;
}

/* Names that have the word somewhere: what a person may have meant by it. */
static unsigned print_related(const struct catalogue *catalogue, const char *asked)
{
    unsigned found = 0;

    for (unsigned i = 0; i < catalogue->count; i++) {
        const struct name *name = &catalogue->names[i];

        if (strstr(name->path, asked) == NULL)
            continue;
        if (found++ == 0)
            printf("Nothing is called '%s'. These have it in their names:\n", asked);
        printf("  %s (%s): %s\n", name->path, kind_names[name->kind], name_help(name));
    }
    return found;
}

static int name_unknown(const struct catalogue *catalogue, const char *asked)
{
    const char **known = allocate(catalogue->count + parameter_group_count, sizeof *known);
    struct diagnosis diagnosis;
    const char *nearest;

    for (unsigned i = 0; i < catalogue->count; i++)
        known[i] = catalogue->names[i].path;
    for (uint32_t i = 0; i < parameter_group_count; i++)
        known[catalogue->count + i] = parameter_groups[i].path;
    nearest = nearest_word(asked, known, catalogue->count + parameter_group_count);
    diagnose(&diagnosis, "there is nothing called '%s'", asked);
    if (nearest != NULL)
        diagnose_hint(&diagnosis, "did you mean '%s'?", nearest);
    else
        diagnose_hint(&diagnosis,
                      "`wavetank list parameters` and `wavetank list statistics` print all names");
    free(known);
    return mistake_print(&diagnosis);
}

static int name_explain(const struct catalogue *catalogue, const char *asked)
{
    if (is_group(catalogue, asked)) {
        print_group(catalogue, asked);
        print_choice(asked);
        return 0;
    }
    if (print_matches(catalogue, asked) > 0 || print_choice(asked) ||
        (strlen(asked) >= 3 && print_related(catalogue, asked) > 0))
        return 0;
    return name_unknown(catalogue, asked);
}

static int explain_all(const struct gpu_options *gpu, int count, char **words)
{
    struct diagnosis diagnosis;
    struct catalogue catalogue;
    struct configuration *configuration = gpu_options_load(gpu, &diagnosis);
    int status = 0;

    if (configuration == NULL)
        return mistake_print(&diagnosis);
    if (!catalogue_init(&catalogue, configuration, &diagnosis)) {
        configuration_destroy(configuration);
        return mistake_print(&diagnosis);
    }
    for (int i = 0; i < count && status == 0; i++)
        status = name_explain(&catalogue, words[i]);
    catalogue_finish(&catalogue);
    configuration_destroy(configuration);
    return status;
}

/* Names of the catalogue have no file's ending. */
static bool is_report(const char *word)
{
    size_t length = strlen(word);

    return length > 5 && strcmp(word + length - 5, ".json") == 0;
}

static int explain_words(const struct gpu_options *gpu, int count, char **words)
{
    int status = 0;

    if (!is_report(words[0]))
        return explain_all(gpu, count, words);
    for (int i = 0; i < count && status == 0; i++)
        status = explain_run(words[i]);
    return status;
}

static bool is_word_protocol(const struct option_reader *reader)
{
    return reader->at < reader->argc && strcmp(reader->argv[reader->at], "protocol") == 0;
}

static int explain_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct gpu_options gpu = {0};
    struct diagnosis diagnosis;
    bool as_drawing = false, is_of_protocols = false;
    int index, status;

    while ((index = option_next(&reader)) >= 0 ||
           (index == OPTION_END && !is_of_protocols && is_word_protocol(&reader))) {
        if (index == OPTION_END) {
            is_of_protocols = true;
            reader.at++;
        } else if (!gpu_options_take(&gpu, index, reader.value)) {
            as_drawing = true;
        }
    }
    if (index != OPTION_END) {
        status = index == OPTION_HELP ? 0 : EXIT_USAGE;
    } else if (is_of_protocols) {
        status = explain_protocols(argc - reader.at, argv + reader.at, as_drawing);
    } else if (reader.at == argc) {
        diagnose(&diagnosis, "explain needs a name");
        diagnose_hint(&diagnosis,
                      "for example `wavetank explain l1`, `wavetank explain l1.hit_ratio`");
        status = mistake_print(&diagnosis);
    } else if (as_drawing) {
        diagnose(&diagnosis, "--dot draws protocols alone");
        diagnose_hint(&diagnosis, "for example `wavetank explain protocol --dot si`");
        status = mistake_print(&diagnosis);
    } else {
        status = explain_words(&gpu, argc - reader.at, argv + reader.at);
    }
    gpu_options_finish(&gpu);
    return status;
}

const struct command command_explain = {
    .name = "explain",
    .usage = "[OPTIONS] WHAT... | protocol NAME... | FILE.json...",
    .summary =
        "Says what a component, parameter, statistic or metric means, a protocol does, a run shows",
    .details =
        "WHAT is a component (l1, dram), a parameter (l1.mshr_entries), a statistic "
        "(l1.load_hits,\n"
        "cu3.l1.load_hits), a derived metric (l1.hit_ratio), or the name of a coherence protocol,\n"
        "transactional memory system or deliberate fault (si, none, ignore_waitcnt). `wavetank "
        "list`\n"
        "prints all of them. `explain protocol si` prints the tables that the simulator runs, in\n"
        "Markdown; with --dot the states alone, for Graphviz: "
        "`wavetank explain protocol --dot si | dot -Tsvg`.\n"
        "`explain FILE.json` reads what `wavetank run --json` wrote: the run's table, what limits "
        "each\n"
        "of its kernels, and their operations and bytes against the machine's peaks.\n"
        "Sources of values are abbreviated: keys at the top of "
        "gpus/hd7970.yaml.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = explain_main,
};

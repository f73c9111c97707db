/* SPDX-License-Identifier: MIT */
#include "cli/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

static struct name *catalogue_add(struct catalogue *catalogue, enum name_kind kind, char *path)
{
    struct name *name;

    catalogue->names = reallocate(catalogue->names, catalogue->count + 1, sizeof *catalogue->names);
    name = &catalogue->names[catalogue->count++];
    memset(name, 0, sizeof *name);
    name->kind = kind;
    name->path = path;
    return name;
}

static void add_level(struct catalogue *catalogue, const struct level *level)
{
    for (uint32_t i = 0; i < level->statistic_count; i++) {
        struct name *name =
            catalogue_add(catalogue, NAME_STATISTIC,
                          format_string("%s.%s", level->name, level->statistics[i].name));

        name->level = level;
        name->statistic = &level->statistics[i];
    }
}

bool catalogue_init(struct catalogue *catalogue, struct configuration *configuration,
                    struct diagnosis *diagnosis)
{
    struct machine_options options = {.configuration = configuration, .model = MACHINE_TIMED};

    memset(catalogue, 0, sizeof *catalogue);
    catalogue->configuration = configuration;
    catalogue->machine = machine_create(&options, diagnosis);
    if (catalogue->machine == NULL)
        return false;
    levels_init(&catalogue->levels, machine_registry(catalogue->machine));
    for (uint32_t i = 0; i < configuration->setting_count; i++)
        catalogue_add(catalogue, NAME_PARAMETER, copy_string(configuration->settings[i].path))
            ->setting = &configuration->settings[i];
    for (uint32_t i = 0; i < catalogue->levels.count; i++)
        add_level(catalogue, &catalogue->levels.level[i]);
    for (unsigned i = 0; i < metric_count; i++)
        catalogue_add(catalogue, NAME_METRIC, copy_string(metrics[i].name))->metric = &metrics[i];
    return true;
}

void catalogue_finish(struct catalogue *catalogue)
{
    for (unsigned i = 0; i < catalogue->count; i++)
        free(catalogue->names[i].path);
    free(catalogue->names);
    levels_finish(&catalogue->levels);
    machine_destroy(catalogue->machine);
    memset(catalogue, 0, sizeof *catalogue);
}

static bool ends_at_dot(const char *path, const char *end)
{
    size_t path_length = strlen(path), end_length = strlen(end);

    if (path_length < end_length || strcmp(path + path_length - end_length, end) != 0)
        return false;
    return path_length == end_length || path[path_length - end_length - 1] == '.';
}

bool name_matches(const struct name *name, const char *asked)
{
    const char *dot = strrchr(asked, '.');
    char *group, *level, *plain;
    bool is_place;

    if (ends_at_dot(name->path, asked))
        return true;
    if (name->kind != NAME_STATISTIC || dot == NULL)
        return false;
    group = format_string("%.*s", (int)(dot - asked), asked);
    level = level_name(group);
    plain = format_string("%s%s", level, dot);
    is_place = ends_at_dot(name->path, plain);
    free(plain);
    free(level);
    free(group);
    return is_place;
}

static bool is_level(const struct catalogue *catalogue, const char *asked)
{
    for (uint32_t i = 0; i < catalogue->levels.count; i++)
        if (strcmp(catalogue->levels.level[i].name, asked) == 0)
            return true;
    return false;
}

bool name_is_in_group(const struct catalogue *catalogue, const struct name *name, const char *asked)
{
    char *group = copy_string(name->path);
    size_t length = strlen(asked);
    bool is_in;

    *strrchr(group, '.') = '\0';
    is_in = ends_at_dot(group, asked) || (strncmp(group, asked, length) == 0 &&
                                          group[length] == '.' && !is_level(catalogue, asked));
    free(group);
    return is_in;
}

const char *name_help(const struct name *name)
{
    switch (name->kind) {
    case NAME_PARAMETER:
        return name->setting->parameter->help;
    case NAME_STATISTIC:
        return name->statistic->help;
    default:
        return name->metric->help;
    }
}

const char *name_unit(const struct name *name)
{
    switch (name->kind) {
    case NAME_PARAMETER:
        return name->setting->parameter->unit;
    case NAME_STATISTIC:
        return name->statistic->unit;
    default:
        return name->metric->unit;
    }
}

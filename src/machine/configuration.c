/* SPDX-License-Identifier: MIT */
/* From a YAML file, what it inherits and the command line to a value for each declared parameter.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "machine/configuration_file.h"
#include "machine/parameters.h"

static void add_settings(struct configuration *configuration, const struct parameter_group *group)
{
    char *values = (char *)configuration->parameters + group->offset;

    for (uint32_t i = 0; i < *group->count; i++) {
        struct setting *setting = &configuration->settings[configuration->setting_count++];
        const struct parameter *parameter = &group->parameters[i];

        setting->path = format_string("%s.%s", group->path, parameter->name);
        setting->parameter = parameter;
        setting->field = values + parameter->offset;
        setting->origin = copy_string("default");
    }
    parameters_set_initial(group->parameters, *group->count, values);
}

static struct configuration *configuration_create(void)
{
    struct configuration *configuration = allocate(1, sizeof *configuration);
    uint32_t total = 0;

    for (uint32_t i = 0; i < parameter_group_count; i++)
        total += *parameter_groups[i].count;
    configuration->parameters = allocate(1, sizeof *configuration->parameters);
    configuration->settings = allocate(total, sizeof *configuration->settings);
    for (uint32_t i = 0; i < parameter_group_count; i++)
        add_settings(configuration, &parameter_groups[i]);
    return configuration;
}

void configuration_destroy(struct configuration *configuration)
{
    if (configuration == NULL)
        return;
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        free(configuration->settings[i].path);
        free(configuration->settings[i].origin);
        free(configuration->settings[i].source);
    }
    free(configuration->settings);
    free(configuration->parameters);
    free(configuration->name);
    free(configuration->title);
    free(configuration->file);
    free(configuration);
}

const struct setting *configuration_find(const struct configuration *configuration,
                                         const char *path)
{
    for (uint32_t i = 0; i < configuration->setting_count; i++)
        if (strcmp(configuration->settings[i].path, path) == 0)
            return &configuration->settings[i];
    return NULL;
}

/* A path's last part. */
static const char *name_of(const char *path)
{
    const char *dot = strrchr(path, '.');

    return dot != NULL ? dot + 1 : path;
}

static bool is_of_group(const char *path, const char *group, size_t bytes)
{
    return strncmp(path, group, bytes) == 0 && path[bytes] == '.';
}

/* Of one group the path whose name is nearest to the name; NULL: none is near. */
static const char *nearest_of_group(const struct configuration *configuration, const char *group,
                                    size_t group_bytes, const char *name)
{
    const char **names = allocate(configuration->setting_count, sizeof *names), *nearest;
    unsigned count = 0;

    for (uint32_t i = 0; i < configuration->setting_count; i++)
        if (is_of_group(configuration->settings[i].path, group, group_bytes))
            names[count++] = configuration->settings[i].path + group_bytes + 1;
    nearest = nearest_word(name, names, count);
    free(names);
    return nearest != NULL ? nearest - group_bytes - 1 : NULL;
}

/* The first path whose name goes on from that one: mshr_entries from mshrs. An empty group is
 * every one. */
static const char *longer_name(const struct configuration *configuration, const char *group,
                               size_t group_bytes, const char *name)
{
    size_t bytes = strlen(name);

    if (bytes > 1 && name[bytes - 1] == 's')
        bytes--;
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const char *path = configuration->settings[i].path;

        if (bytes > 2 && strncmp(name_of(path), name, bytes) == 0 &&
            (group_bytes == 0 || is_of_group(path, group, group_bytes)))
            return path;
    }
    return NULL;
}

/* Names are looked for in the path's own group first: one of another group, however alike, is
 * another thing. */
static const char *nearest_path(const struct configuration *configuration, const char *path)
{
    const char *name = name_of(path), *found;
    size_t group_bytes = name > path ? (size_t)(name - path - 1) : 0;
    const char **known;

    found = nearest_of_group(configuration, path, group_bytes, name);
    if (found == NULL && group_bytes > 0)
        found = longer_name(configuration, path, group_bytes, name);
    if (found == NULL)
        found = longer_name(configuration, path, 0, name);
    for (uint32_t i = 0; found == NULL && i < configuration->setting_count; i++)
        if (is_of_group(configuration->settings[i].path, path, group_bytes))
            return NULL; /* the group is right */
    if (found != NULL)
        return found;
    known = allocate(configuration->setting_count, sizeof *known);
    for (uint32_t i = 0; i < configuration->setting_count; i++)
        known[i] = configuration->settings[i].path;
    found = nearest_word(path, known, configuration->setting_count);
    free(known);
    return found;
}

static bool unknown_path(const struct configuration *configuration, const char *path,
                         struct diagnosis *diagnosis)
{
    const char *nearest = nearest_path(configuration, path);

    diagnose(diagnosis, "there is no parameter '%s'", path);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'?", nearest);
    else
        diagnose_hint(diagnosis, "`wavetank list parameters` prints them all");
    return false;
}

/* Whole numbers in decimal or 0x hexadecimal; `true` and `false` stand for 1 and 0. */
static bool read_number(const char *text, uint64_t *value)
{
    bool is_hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    const char *digits = is_hexadecimal ? text + 2 : text;
    const char *allowed = is_hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";

    if (strcmp(text, "true") == 0 || strcmp(text, "false") == 0) {
        *value = text[0] == 't';
        return true;
    }
    errno = 0;
    *value = strtoull(digits, NULL, is_hexadecimal ? 16 : 10);
    return digits[0] != '\0' && digits[strspn(digits, allowed)] == '\0' && errno == 0;
}

/* 010: eight in C and YAML 1.1, ten in YAML 1.2 and to most people. */
static bool looks_octal(const char *text)
{
    return text[0] == '0' && text[1] != '\0' && text[strspn(text, "0123456789")] == '\0';
}

static bool set_number(const struct setting *setting, const char *value,
                       struct diagnosis *diagnosis)
{
    const struct parameter *parameter = setting->parameter;
    uint64_t number;

    if (looks_octal(value)) {
        diagnose(diagnosis, "%s: '%s' begins with 0: is it decimal or octal?", setting->path,
                 value);
        return diagnose_hint(diagnosis, "write decimal numbers without it, others as 0x1f");
    }
    if (!read_number(value, &number))
        return diagnose(
            diagnosis, "%s: '%s' is not a whole number%s", setting->path, value,
            value[strspn(value, "0123456789")] == '\0' && value[0] != '\0' ? " of 64 bits" : "");
    if (number < parameter->min || number > parameter->max)
        return diagnose(diagnosis, "%s: %llu is outside %llu to %llu%s%s", setting->path,
                        (unsigned long long)number, (unsigned long long)parameter->min,
                        (unsigned long long)parameter->max, parameter->unit[0] ? " " : "",
                        parameter->unit);
    memcpy(setting->field, &number, sizeof number);
    return true;
}

static bool set_value(const struct setting *setting, const char *value, struct diagnosis *diagnosis)
{
    if (setting->parameter->kind == PARAMETER_NUMBER)
        return set_number(setting, value, diagnosis);
    if (strlen(value) >= PARAMETER_TEXT_BYTES)
        return diagnose(diagnosis, "%s: '%s' is too long", setting->path, value);
    if (!parameter_word_check(setting->path, setting->parameter, value, diagnosis))
        return false;
    snprintf(setting->field, PARAMETER_TEXT_BYTES, "%s", value);
    return true;
}

bool configuration_set(struct configuration *configuration, const char *path, const char *value,
                       const char *origin, const char *source, struct diagnosis *diagnosis)
{
    const struct setting *found = configuration_find(configuration, path);
    struct setting *setting;

    if (found == NULL)
        return unknown_path(configuration, path, diagnosis);
    setting = &configuration->settings[found - configuration->settings];
    if (!set_value(setting, value, diagnosis))
        return false;
    free(setting->origin);
    free(setting->source);
    setting->origin = copy_string(origin);
    setting->source = source != NULL ? copy_string(source) : NULL;
    return true;
}

static bool apply_override(struct configuration *configuration, const char *text,
                           struct diagnosis *diagnosis)
{
    const char *equals = strchr(text, '=');
    char *path;
    bool is_set;

    if (equals == NULL) {
        diagnose(diagnosis, "-o %s: a value is missing", text);
        return diagnose_hint(diagnosis, "write it as path=value, for example l1.mshr_entries=32");
    }
    path = copy_string(text);
    path[equals - text] = '\0';
    is_set = configuration_set(configuration, path, equals + 1, "command line", NULL, diagnosis);
    free(path);
    return is_set;
}

struct configuration *configuration_load(const char *name_or_file, const char *const *overrides,
                                         uint32_t override_count, struct diagnosis *diagnosis)
{
    struct configuration *configuration = configuration_create();
    bool is_good = configuration_read(configuration, name_or_file, diagnosis);

    for (uint32_t i = 0; is_good && i < override_count; i++)
        is_good = apply_override(configuration, overrides[i], diagnosis);
    if (is_good && parameters_check(configuration->parameters, diagnosis))
        return configuration;
    configuration_destroy(configuration);
    return NULL;
}

void setting_print_value(const struct setting *setting, struct text *text)
{
    uint64_t number;

    if (setting->parameter->kind != PARAMETER_NUMBER) {
        text_add(text, "%s",
                 ((const char *)setting->field)[0] != '\0' ? (const char *)setting->field : "\"\"");
        return;
    }
    memcpy(&number, setting->field, sizeof number);
    text_add(text, "%llu", (unsigned long long)number);
}

/* YAML's double-quoted form. */
static void print_quoted(const char *string, FILE *stream)
{
    fputc('"', stream);
    for (; *string != '\0'; string++) {
        if (*string == '"' || *string == '\\')
            fputc('\\', stream);
        fputc(*string, stream);
    }
    fputc('"', stream);
}

static void print_setting(const struct setting *setting, FILE *stream)
{
    const char *name = strrchr(setting->path, '.') + 1;
    struct text value = {0};

    setting_print_value(setting, &value);
    if (setting->source != NULL) {
        fprintf(stream, "  %s: { value: %s, source: ", name, text_chars(&value));
        print_quoted(setting->source, stream);
        fputs(" }", stream);
    } else {
        fprintf(stream, "  %s: %s", name, text_chars(&value));
    }
    fprintf(stream, " # %s%s%s\n", setting->parameter->unit,
            setting->parameter->unit[0] != '\0' ? "; " : "", setting->origin);
    text_finish(&value);
}

void configuration_print(const struct configuration *configuration, FILE *stream)
{
    const char *group = "";
    size_t group_length = 0;

    fputs("title: ", stream);
    print_quoted(configuration->title != NULL ? configuration->title : configuration->name, stream);
    fputc('\n', stream);
    for (uint32_t i = 0; i < configuration->setting_count; i++) {
        const struct setting *setting = &configuration->settings[i];
        size_t length = (size_t)(strrchr(setting->path, '.') - setting->path);

        if (length != group_length || strncmp(group, setting->path, length) != 0)
            fprintf(stream, "\n%.*s:\n", (int)length, setting->path);
        group = setting->path;
        group_length = length;
        print_setting(setting, stream);
    }
}

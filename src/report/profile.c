/* SPDX-License-Identifier: MIT */
#include "report/profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "report/json_writer.h"

static struct profile_report_kernel *take_kernel(struct profile_report *profile, const char *name,
                                                 const uint64_t code_hash[2])
{
    struct profile_report_kernel *kernel = NULL;

    if (profile->kernel_count > 0)
        kernel = &profile->kernels[profile->kernel_count - 1];
    if (kernel != NULL && strcmp(kernel->name, name) == 0 &&
        memcmp(kernel->code_hash, code_hash, sizeof kernel->code_hash) == 0)
        return kernel;
    profile->kernels =
        reallocate(profile->kernels, profile->kernel_count + 1, sizeof *profile->kernels);
    kernel = &profile->kernels[profile->kernel_count++];
    *kernel = (struct profile_report_kernel){.name = copy_string(name)};
    memcpy(kernel->code_hash, code_hash, sizeof kernel->code_hash);
    return kernel;
}

struct profile_report_line *profile_report_add(struct profile_report *profile, const char *name,
                                               const uint64_t code_hash[2], const char *file,
                                               uint32_t number)
{
    struct profile_report_kernel *kernel = take_kernel(profile, name, code_hash);
    struct profile_report_line *line;

    kernel->lines = reallocate(kernel->lines, kernel->line_count + 1, sizeof *kernel->lines);
    line = &kernel->lines[kernel->line_count++];
    *line = (struct profile_report_line){
        .file = file != NULL ? copy_string(file) : NULL,
        .line = number,
    };
    return line;
}

void profile_report_fill(const struct profile_report *profile, struct profile_report_line *line,
                         const uint64_t *values)
{
    line->values = allocate(profile->column_count, sizeof *line->values);
    memcpy(line->values, values, profile->column_count * sizeof *line->values);
}

uint32_t profile_report_column(const struct profile_report *profile, const char *name)
{
    for (uint32_t i = 0; i < profile->column_count; i++)
        if (strcmp(profile->columns[i].name, name) == 0)
            return i;
    check(false, "a profile has no column %s", name);
    return 0;
}

void profile_report_finish(struct profile_report *profile)
{
    for (uint32_t i = 0; i < profile->kernel_count; i++) {
        struct profile_report_kernel *kernel = &profile->kernels[i];

        for (uint32_t j = 0; j < kernel->line_count; j++) {
            free(kernel->lines[j].file);
            free(kernel->lines[j].source);
            free(kernel->lines[j].values);
        }
        free(kernel->lines);
        free(kernel->name);
    }
    free(profile->kernels);
    free(profile->columns);
    *profile = (struct profile_report){0};
}

/* ---- JSON ---- */

static void write_line(const struct profile_report *profile, const struct profile_report_line *line,
                       struct json_writer *json)
{
    json_open_compact(json, NULL, '{');
    json_text(json, "file", line->file);
    json_number(json, "line", line->line);
    json_text(json, "source", line->source);
    json_open_compact(json, "values", '{');
    for (uint32_t i = 0; i < profile->column_count; i++)
        if (line->values[i] != 0)
            json_number(json, profile->columns[i].name, line->values[i]);
    json_close(json, '}');
    json_close(json, '}');
}

static void write_kernel(const struct profile_report *profile,
                         const struct profile_report_kernel *kernel, struct json_writer *json)
{
    json_open(json, NULL, '{');
    json_text(json, "name", kernel->name);
    json_hash(json, "code_object", kernel->code_hash);
    json_open(json, "lines", '[');
    for (uint32_t i = 0; i < kernel->line_count; i++)
        if (kernel->lines[i].values != NULL)
            write_line(profile, &kernel->lines[i], json);
    json_close(json, ']');
    json_close(json, '}');
}

void profile_report_write(const struct profile_report *profile, struct json_writer *json)
{
    json_open(json, "profile", '{');
    json_open(json, "columns", '[');
    for (uint32_t i = 0; i < profile->column_count; i++) {
        json_open_compact(json, NULL, '{');
        json_text(json, "name", profile->columns[i].name);
        json_text(json, "unit", profile->columns[i].unit);
        json_text(json, "help", profile->columns[i].help);
        json_close(json, '}');
    }
    json_close(json, ']');
    json_open(json, "kernels", '[');
    for (uint32_t i = 0; i < profile->kernel_count; i++)
        write_kernel(profile, &profile->kernels[i], json);
    json_close(json, ']');
    json_close(json, '}');
}

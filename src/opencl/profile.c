/* SPDX-License-Identifier: MIT */
#include "opencl/profile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "opencl/driver.h"

/* Between two lines of which something was executed, so many others are shown at most. */
enum { BETWEEN_MAX = 60 };

struct source {
    char name[PROGRAM_NAME_BYTES];
    char *text;
};

static struct source *sources;
static uint32_t source_count;

bool profile_is_wanted(void)
{
    return session_variable("WAVETANK_PROFILE") != NULL;
}

/* The text of a source without a file; NULL: there is none of that name. */
static const char *find_source(const char *name)
{
    for (uint32_t i = 0; i < source_count; i++)
        if (strcmp(sources[i].name, name) == 0)
            return sources[i].text;
    return NULL;
}

void profile_note_source(const char *source, size_t source_bytes)
{
    char name[PROGRAM_NAME_BYTES];
    struct source *entry;

    if (!profile_is_wanted())
        return;
    program_source_name(source, source_bytes, name);
    if (find_source(name) != NULL)
        return;
    sources = reallocate(sources, source_count + 1, sizeof *sources);
    entry = &sources[source_count++];
    memcpy(entry->name, name, sizeof name);
    entry->text = format_string("%.*s", (int)source_bytes, source);
}

/* ---- Lines of text ---- */

/* Line `number`, from 1, without its end; NULL: there is none. The caller frees. */
static char *line_of(const char *text, uint32_t number)
{
    for (uint32_t i = 1; i < number && text != NULL; i++) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    if (text == NULL || *text == '\0')
        return NULL;
    return format_string("%.*s", (int)strcspn(text, "\r\n"), text);
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    struct text text = {0};
    char bytes[4096];
    size_t count;

    if (file == NULL)
        return NULL;
    while ((count = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_add_bytes(&text, bytes, count);
    fclose(file);
    return text.chars;
}

/* ---- The report ---- */

struct collection {
    struct profile_report *report;
    const char *text; /* of the file below; NULL: not known */
    char *read;       /* the same, if it is to be freed */
    char *file;       /* of the latest line; NULL: none */
    uint32_t line;
    uint64_t code_hash[2];
    const char *kernel;
};

/* A program's own source has no folder; what it includes is read as the compiler has read it. */
static void open_text(struct collection *all, const struct machine_profile_line *line)
{
    free(all->read);
    free(all->file);
    all->read = NULL;
    all->text = NULL;
    all->file = line->file != NULL ? copy_string(line->file) : NULL;
    all->line = 0;
    if (line->file == NULL)
        return;
    all->text = find_source(line->file);
    if (all->text == NULL)
        all->text = all->read = read_file(line->file);
}

static bool is_same_place(const struct collection *all, const struct machine_profile_line *line)
{
    return all->kernel != NULL && strcmp(all->kernel, line->kernel) == 0 &&
           memcmp(all->code_hash, line->code_hash, sizeof all->code_hash) == 0 &&
           all->file != NULL && line->file != NULL && strcmp(all->file, line->file) == 0;
}

static struct profile_report_line *
add_line(const struct collection *all, const struct machine_profile_line *line, uint32_t number)
{
    struct profile_report_line *added =
        profile_report_add(all->report, line->kernel, line->code_hash, line->file, number);

    added->source = all->text != NULL ? line_of(all->text, number) : NULL;
    return added;
}

static void collect_line(void *context, const struct machine_profile_line *line)
{
    struct collection *all = context;

    if (!is_same_place(all, line))
        open_text(all, line);
    else if (all->text != NULL && line->line - all->line <= BETWEEN_MAX)
        for (uint32_t i = all->line + 1; i < line->line; i++)
            add_line(all, line, i);
    profile_report_fill(all->report, add_line(all, line, line->line), line->values);
    all->line = line->line;
    all->kernel = line->kernel;
    memcpy(all->code_hash, line->code_hash, sizeof all->code_hash);
}

void profile_collect(struct machine *machine, struct profile_report *report)
{
    struct collection all = {.report = report};
    struct machine_profile_column column;

    *report = (struct profile_report){0};
    while (machine_profile_column(report->column_count, &column)) {
        report->columns =
            reallocate(report->columns, report->column_count + 1, sizeof *report->columns);
        report->columns[report->column_count++] =
            (struct profile_report_column){column.name, column.unit, column.help};
    }
    machine_profile(machine, collect_line, &all);
    free(all.read);
    free(all.file);
}

bool profile_write(struct machine *machine, const char *path)
{
    FILE *stream = fopen(path, "we");
    struct profile_report report;
    bool is_good;

    if (stream == NULL)
        return false;
    profile_collect(machine, &report);
    profile_report_print(&report, stream);
    profile_report_finish(&report);
    is_good = ferror(stream) == 0;
    return fclose(stream) == 0 && is_good;
}

/* SPDX-License-Identifier: MIT */
/*
 * Profiles by source line: the compute units count by instruction (gpu/profile.h), for each kernel
 * apart. What a line's instructions have counted is added up when the program goes, or when the
 * lines are asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "gpu/profile.h"
#include "machine/machine_private.h"

struct profile_line {
    char *file; /* NULL: not known */
    uint32_t line;
    uint64_t values[PROFILE_COLUMNS];
};

/* One kernel of one program, however often that was loaded. */
struct profile_kernel {
    char *name;
    uint64_t hash[2];
    const struct machine_code *code; /* NULL: it is not loaded now, and there are no rows */
    struct profile rows;
    struct profile_line *lines; /* sorted */
    uint32_t line_count;
};

bool machine_profile_column(uint32_t index, struct machine_profile_column *column)
{
    if (index >= PROFILE_COLUMNS)
        return false;
    *column = (struct machine_profile_column){
        profile_columns[index].name, profile_columns[index].unit, profile_columns[index].help};
    return true;
}

/* ---- Kernels ---- */

static struct profile_kernel *find_kernel(struct machine *machine,
                                          const struct machine_launch *launch)
{
    const uint64_t *hash = launch->code->program->hash;
    struct profile_kernel *kernel;

    for (uint32_t i = 0; i < machine->profile_count; i++) {
        kernel = &machine->profiles[i];
        if (strcmp(kernel->name, launch->kernel->name) == 0 &&
            memcmp(kernel->hash, hash, sizeof kernel->hash) == 0 &&
            (kernel->code == NULL || kernel->code == launch->code))
            return kernel;
    }
    machine->profiles =
        reallocate(machine->profiles, machine->profile_count + 1, sizeof *machine->profiles);
    kernel = &machine->profiles[machine->profile_count++];
    *kernel = (struct profile_kernel){.name = copy_string(launch->kernel->name)};
    memcpy(kernel->hash, hash, sizeof kernel->hash);
    return kernel;
}

const struct profile *machine_profile_of(struct machine *machine,
                                         const struct machine_launch *launch)
{
    struct slices *slices = machine_slices_of(machine, launch);
    struct profile_kernel *kernel;

    if (!machine->options.has_profile && slices == NULL)
        return NULL;
    kernel = find_kernel(machine, launch);
    if (kernel->code == NULL) {
        kernel->code = launch->code;
        profile_init(&kernel->rows, launch->code->decoded->address, launch->code->decoded->bytes);
    }
    kernel->rows.slices = slices;
    return &kernel->rows;
}

/* ---- Lines ---- */

/* Before, at or after the line, as strcmp; what is not known comes last. */
static int compare_place(const struct profile_line *line, const char *file, uint32_t number)
{
    int order;

    if (line->file == NULL || file == NULL)
        return (line->file == NULL) - (file == NULL);
    order = strcmp(line->file, file);
    return order != 0 ? order : (line->line > number) - (line->line < number);
}

/* The kernel's line of that place, which is made if it is not there. */
static struct profile_line *take_line(struct profile_kernel *kernel, const char *file,
                                      uint32_t number)
{
    uint32_t low = 0, high = kernel->line_count;
    struct profile_line *line;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (compare_place(&kernel->lines[middle], file, number) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < kernel->line_count && compare_place(&kernel->lines[low], file, number) == 0)
        return &kernel->lines[low];
    kernel->lines = reallocate(kernel->lines, kernel->line_count + 1, sizeof *kernel->lines);
    line = &kernel->lines[low];
    memmove(line + 1, line, (kernel->line_count++ - low) * sizeof *line);
    *line = (struct profile_line){.file = file != NULL ? copy_string(file) : NULL, .line = number};
    return line;
}

static bool is_empty(const uint64_t *row)
{
    for (unsigned i = 0; i < PROFILE_COLUMNS; i++)
        if (row[i] != 0)
            return false;
    return true;
}

static struct profile_line *line_at(struct profile_kernel *kernel, uint64_t pc)
{
    void *code = (void *)(uintptr_t)kernel->code;
    char place[1024], *colon;

    if (!code_source_line(code, pc, place, sizeof place) || (colon = strrchr(place, ':')) == NULL)
        return take_line(kernel, NULL, 0);
    *colon = '\0';
    return take_line(kernel, place, (uint32_t)strtoul(colon + 1, NULL, 10));
}

/* What the rows have counted goes to the lines; the rows are empty afterwards. */
static void fold_rows(struct profile_kernel *kernel)
{
    for (uint64_t word = 0; kernel->code != NULL && word <= kernel->rows.words; word++) {
        uint64_t *row = kernel->rows.rows[word];
        struct profile_line *line;

        if (is_empty(row))
            continue;
        line = line_at(kernel, kernel->rows.address + 4 * word);
        for (unsigned i = 0; i < PROFILE_COLUMNS; i++)
            line->values[i] += row[i];
        memset(row, 0, sizeof *kernel->rows.rows);
    }
}

static void drop_rows(struct profile_kernel *kernel)
{
    fold_rows(kernel);
    if (kernel->code != NULL)
        profile_finish(&kernel->rows);
    kernel->code = NULL;
}

void machine_profile_forget(struct machine *machine, const struct machine_code *code)
{
    for (uint32_t i = 0; i < machine->profile_count; i++)
        if (machine->profiles[i].code == code)
            drop_rows(&machine->profiles[i]);
}

void machine_profile_finish(struct machine *machine)
{
    for (uint32_t i = 0; i < machine->profile_count; i++) {
        struct profile_kernel *kernel = &machine->profiles[i];

        if (kernel->code != NULL)
            profile_finish(&kernel->rows);
        for (uint32_t j = 0; j < kernel->line_count; j++)
            free(kernel->lines[j].file);
        free(kernel->lines);
        free(kernel->name);
    }
    free(machine->profiles);
}

void machine_profile(struct machine *machine, machine_profile_visit *visit, void *context)
{
    machine_settle(machine);
    for (uint32_t i = 0; i < machine->profile_count; i++) {
        struct profile_kernel *kernel = &machine->profiles[i];

        fold_rows(kernel);
        for (uint32_t j = 0; j < kernel->line_count; j++) {
            const struct profile_line *line = &kernel->lines[j];
            struct machine_profile_line told = {.kernel = kernel->name,
                                                .code_hash = kernel->hash,
                                                .file = line->file,
                                                .line = line->line,
                                                .values = line->values};

            visit(context, &told);
        }
    }
}

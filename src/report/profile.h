/* SPDX-License-Identifier: MIT */
/*
 * A profile by source line (gpu/profile.h says what is counted where). For people it is a table
 * beside the source, and in the JSON report the member "profile":
 *
 *     columns   {name, unit, help} of each value
 *     kernels   name, code_object, and lines: file (null: not known), line, source (null: not
 *               known), values: by column name those that are not zero
 *
 * The lines of all kernels add up to the run's statistics.
 */
#ifndef REPORT_PROFILE_H
#define REPORT_PROFILE_H

#include <stdint.h>
#include <stdio.h>

struct profile_report_column {
    const char *name, *unit, *help; /* static */
};

struct profile_report_line {
    char *file;       /* NULL: not known */
    uint32_t line;    /* from 1 */
    char *source;     /* without its line end; NULL: not known */
    uint64_t *values; /* [column_count]; NULL: nothing of it was executed */
};

struct profile_report_kernel {
    char *name;
    uint64_t code_hash[2];
    struct profile_report_line *lines; /* by file and number; what is not known last */
    uint32_t line_count;
};

/* All is owned. A zeroed one is empty. */
struct profile_report {
    struct profile_report_column *columns;
    uint32_t column_count;
    struct profile_report_kernel *kernels;
    uint32_t kernel_count;
};

/* Adds a line of which nothing was executed, behind those before; a kernel's lines come one behind
 * the other. */
struct profile_report_line *profile_report_add(struct profile_report *profile, const char *kernel,
                                               const uint64_t code_hash[2], const char *file,
                                               uint32_t line);
/* Copies its values. */
void profile_report_fill(const struct profile_report *profile, struct profile_report_line *line,
                         const uint64_t *values);
/* The column's index. It must be there. */
uint32_t profile_report_column(const struct profile_report *profile, const char *name);
void profile_report_finish(struct profile_report *profile);

struct json_writer;
void profile_report_write(const struct profile_report *profile, struct json_writer *json);
/* For people. Nothing when no kernel ran. */
void profile_report_print(const struct profile_report *profile, FILE *stream);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Columns of the file that was written by hand. The preprocessor keeps lines, but it puts one space
 * for many and replaces macros. So a token's column is found by counting tokens.
 */
#ifndef NUDACC_ORIGINAL_H
#define NUDACC_ORIGINAL_H

#include <stddef.h>

struct column {
    const char *row; /* the line as it was written; NULL: it is not to be had */
    int column;      /* from 1 */
};

/* The column in line `number` of `file` of what is at `here` in `made`, which the preprocessor made
 * of that line. What comes from a macro is where the macro is used. */
struct column original_column(const char *file, int number, const char *made, size_t here);

#endif

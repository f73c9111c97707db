/* SPDX-License-Identifier: MIT */
/* Text in aligned columns, and numbers as people read them: 1,234,567, 12.3 us, 41.2 GB/s, "-" for
 * what is not defined. */
#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { COLUMNS_MAX = 12 };

struct columns {
    unsigned column_count;
    unsigned left_columns; /* the first ones are aligned left, the others right */
    char **cells;          /* row by row; owned */
    unsigned cell_count;
};

void columns_init(struct columns *columns, unsigned column_count, unsigned left_columns);
void columns_finish(struct columns *columns);

/* Adds a cell: the row's next, or the first of a new row. Takes the string. */
void columns_add(struct columns *columns, char *cell);
void columns_add_copy(struct columns *columns, const char *cell);
void columns_print(const struct columns *columns, FILE *stream);

/* Strings that the caller frees. */
char *write_count(uint64_t count); /* 1,234,567 */
char *write_scaled(double value,
                   const char *unit);   /* 12.3 k, 4.56 M with the unit behind: "12.3 GB/s" */
char *write_time(uint64_t nanoseconds); /* 12.3 us */
char *write_ratio(bool is_defined, double value); /* 97.3 % */
char *write_value(bool is_defined, double value,
                  const char *unit); /* three significant digits or more */

#endif

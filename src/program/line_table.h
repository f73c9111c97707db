/* SPDX-License-Identifier: MIT */
/* Which source line an instruction comes from. DWARF line tables of a code object built with -g are
 * read by libdw and kept as one sorted list. */
#ifndef PROGRAM_LINE_TABLE_H
#define PROGRAM_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct line_table;

/* `file` must live as long as the table. Never NULL: without line information the table is empty.
 */
struct line_table *line_table_create(unsigned char *file, size_t file_bytes);
void line_table_destroy(struct line_table *table); /* NULL is allowed */

/* Writes "FILE:LINE"; false: the line is not known. */
bool line_table_find(const struct line_table *table, uint64_t address, char *place,
                     size_t place_bytes);

#endif

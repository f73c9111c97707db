/* SPDX-License-Identifier: MIT */
#include "program/line_table.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "program/program.h"

struct row {
    uint64_t address;
    size_t order;     /* in the tables: of two rows for an address the later one counts */
    const char *file; /* belongs to libdw */
    int line;         /* 0: not known, or the end of a sequence */
    bool is_end;
};

struct line_table {
    Elf *elf;
    Dwarf *dwarf;
    struct row *rows; /* sorted */
    size_t count, capacity;
};

static void add_row(struct line_table *table, Dwarf_Line *line)
{
    struct row row = {.order = table->count};
    Dwarf_Addr address;

    if (dwarf_lineaddr(line, &address) != 0 || dwarf_lineendsequence(line, &row.is_end) != 0 ||
        dwarf_lineno(line, &row.line) != 0)
        return;
    row.address = address;
    row.file = dwarf_linesrc(line, NULL, NULL);
    if (row.is_end || row.file == NULL)
        row.line = 0;
    if (table->count == table->capacity) {
        table->capacity = 2 * table->capacity + 64;
        table->rows = reallocate(table->rows, table->capacity, sizeof *table->rows);
    }
    table->rows[table->count++] = row;
}

static int compare_rows(const void *a, const void *b)
{
    const struct row *first = a, *second = b;

    if (first->address != second->address)
        return first->address < second->address ? -1 : 1;
    if (first->is_end != second->is_end) /* one sequence ends where the next begins */
        return first->is_end ? -1 : 1;
    return first->order < second->order ? -1 : first->order > second->order;
}

static void read_units(struct line_table *table)
{
    Dwarf_CU *unit = NULL;
    Dwarf_Die die;

    while (dwarf_get_units(table->dwarf, unit, &unit, NULL, NULL, &die, NULL) == 0) {
        Dwarf_Lines *lines;
        size_t count;

        if (dwarf_getsrclines(&die, &lines, &count) != 0)
            continue;
        for (size_t i = 0; i < count; i++)
            add_row(table, dwarf_onesrcline(lines, i));
    }
}

struct line_table *line_table_create(unsigned char *file, size_t file_bytes)
{
    struct line_table *table = allocate(1, sizeof *table);

    elf_version(EV_CURRENT);
    table->elf = elf_memory((char *)file, file_bytes);
    if (table->elf != NULL)
        table->dwarf = dwarf_begin_elf(table->elf, DWARF_C_READ, NULL);
    if (table->dwarf != NULL)
        read_units(table);
    if (table->count > 0)
        qsort(table->rows, table->count, sizeof *table->rows, compare_rows);
    return table;
}

void line_table_destroy(struct line_table *table)
{
    if (table == NULL)
        return;
    dwarf_end(table->dwarf);
    elf_end(table->elf);
    free(table->rows);
    free(table);
}

bool line_table_find(const struct line_table *table, uint64_t address, char *place,
                     size_t place_bytes)
{
    size_t low = 0, high = table->count; /* rows before `low` begin at or before the address */
    const struct row *row;
    const char *file;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (table->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && table->rows[low - 1].line <= 0 && !table->rows[low - 1].is_end)
        low--; /* the compiler's own code: it belongs to what is before */
    if (low == 0 || table->rows[low - 1].line <= 0)
        return false;
    row = &table->rows[low - 1];
    file = strncmp(row->file, "./", 2) == 0 ? row->file + 2 : row->file;
    snprintf(place, place_bytes, "%s:%d", file, row->line);
    return true;
}

bool program_source_line(struct program *program, uint64_t offset, char *place, size_t place_bytes)
{
    if (program->debug == NULL)
        program->debug = line_table_create(program->file, program->file_bytes);
    return line_table_find(program->debug, offset, place, place_bytes);
}

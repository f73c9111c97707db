/* SPDX-License-Identifier: MIT */
#include "report/columns.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

void columns_init(struct columns *columns, unsigned column_count, unsigned left_columns)
{
    check(column_count > 0 && column_count <= COLUMNS_MAX, "%u columns", column_count);
    memset(columns, 0, sizeof *columns);
    columns->column_count = column_count;
    columns->left_columns = left_columns;
}

void columns_finish(struct columns *columns)
{
    for (unsigned i = 0; i < columns->cell_count; i++)
        free(columns->cells[i]);
    free(columns->cells);
    memset(columns, 0, sizeof *columns);
}

void columns_add(struct columns *columns, char *cell)
{
    columns->cells = reallocate(columns->cells, columns->cell_count + 1, sizeof *columns->cells);
    columns->cells[columns->cell_count++] = cell;
}

void columns_add_copy(struct columns *columns, const char *cell)
{
    columns_add(columns, copy_string(cell));
}

static void print_cell(const struct columns *columns, unsigned index, const int *widths,
                       FILE *stream)
{
    unsigned column = index % columns->column_count;
    bool is_last = column + 1 == columns->column_count;
    const char *cell = columns->cells[index];

    if (column >= columns->left_columns)
        fprintf(stream, "%*s", widths[column], cell);
    else
        fprintf(stream, "%-*s", is_last ? 0 : widths[column], cell);
    fputs(is_last ? "\n" : "  ", stream);
}

void columns_print(const struct columns *columns, FILE *stream)
{
    int widths[COLUMNS_MAX] = {0};

    check(columns->cell_count % columns->column_count == 0, "a row lacks cells");
    for (unsigned i = 0; i < columns->cell_count; i++) {
        int width = (int)strlen(columns->cells[i]);
        int *widest = &widths[i % columns->column_count];

        *widest = width > *widest ? width : *widest;
    }
    for (unsigned i = 0; i < columns->cell_count; i++)
        print_cell(columns, i, widths, stream);
}

char *write_count(uint64_t count)
{
    char digits[24];
    struct text text = {0};
    char *result;
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            text_add(&text, ",");
        text_add_bytes(&text, &digits[i], 1);
    }
    result = copy_string(text_chars(&text));
    text_finish(&text);
    return result;
}

/* Three significant digits, never in exponents: 0.0123, 1.23, 12.3, 123, 1234. */
static int decimals_of(double value)
{
    if (value == 0 || value >= 100)
        return 0;
    return value >= 10 ? 1 : value >= 1 ? 2 : 3;
}

char *write_scaled(double value, const char *unit)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    unsigned prefix = 0;

    while (value >= 999.5 && prefix + 1 < sizeof prefixes / sizeof prefixes[0]) {
        value /= 1000;
        prefix++;
    }
    return format_string("%.*f %s%s", decimals_of(value), value, prefixes[prefix], unit);
}

char *write_time(uint64_t nanoseconds)
{
    double value = (double)nanoseconds;

    if (value < 1e3)
        return format_string("%.0f ns", value);
    if (value < 1e6)
        return format_string("%.*f us", decimals_of(value / 1e3), value / 1e3);
    if (value < 1e9)
        return format_string("%.*f ms", decimals_of(value / 1e6), value / 1e6);
    return format_string("%.*f s", decimals_of(value / 1e9), value / 1e9);
}

char *write_ratio(bool is_defined, double value)
{
    return is_defined ? format_string("%.1f %%", 100 * value) : copy_string("-");
}

char *write_value(bool is_defined, double value, const char *unit)
{
    if (!is_defined)
        return copy_string("-");
    return format_string("%.*f%s%s", decimals_of(value), value, unit[0] != '\0' ? " " : "", unit);
}

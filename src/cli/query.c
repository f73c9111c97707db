/* SPDX-License-Identifier: MIT */
/* wavetank query: SQL over a database of results. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/command.h"
#include "laboratory/database.h"

enum { OPTION_CSV };

static const struct option options[] = {
    {"--csv", NULL, "comma-separated values (RFC 4180) with a line of names, for other programs"},
};

/* A field with a comma, a quotation mark or a line end stands in quotation marks. */
static void print_csv_field(const char *text)
{
    if (text == NULL)
        return;
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, stdout);
        return;
    }
    putchar('"');
    for (; *text != '\0'; text++) {
        if (*text == '"')
            putchar('"');
        putchar(*text);
    }
    putchar('"');
}

static void print_csv_row(sqlite3_stmt *statement, bool is_head)
{
    int count = sqlite3_column_count(statement);

    for (int i = 0; i < count; i++) {
        if (i > 0)
            putchar(',');
        print_csv_field(is_head ? sqlite3_column_name(statement, i)
                                : (const char *)sqlite3_column_text(statement, i));
    }
    fputs("\r\n", stdout);
}

/* All rows, since a column is as wide as its widest cell. */
struct table {
    char **cells;
    bool *is_number;
    size_t count;
    int columns;
};

static void add_row(struct table *table, sqlite3_stmt *statement, bool is_head)
{
    for (int i = 0; i < table->columns; i++) {
        const char *text = is_head ? sqlite3_column_name(statement, i)
                                   : (const char *)sqlite3_column_text(statement, i);

        if ((table->count & (table->count + 1)) == 0)
            table->cells = reallocate(table->cells, 2 * (table->count + 1), sizeof *table->cells);
        table->cells[table->count++] = copy_string(text != NULL ? text : "-");
        if (!is_head && sqlite3_column_type(statement, i) == SQLITE_TEXT)
            table->is_number[i] = false;
    }
}

static int width_of(const struct table *table, int column)
{
    int widest = 0;

    for (size_t i = (size_t)column; i < table->count; i += (size_t)table->columns) {
        int width = (int)strcspn(table->cells[i], "\n");

        widest = width > widest ? width : widest;
    }
    return widest;
}

static void print_table(const struct table *table)
{
    int *widths = allocate((size_t)table->columns + 1, sizeof *widths);

    for (int i = 0; i < table->columns; i++)
        widths[i] = width_of(table, i);
    for (size_t i = 0; i < table->count; i++) {
        int column = (int)(i % (size_t)table->columns);
        bool is_last = column + 1 == table->columns;
        int width = table->is_number[column] ? widths[column] : is_last ? 0 : -widths[column];

        /* Of a text of several lines the first. */
        printf("%*.*s%s", width, (int)strcspn(table->cells[i], "\n"), table->cells[i],
               is_last ? "\n" : "  ");
    }
    free(widths);
}

static int print_rows(struct database *database, sqlite3_stmt *statement, bool is_csv)
{
    struct table table = {.columns = sqlite3_column_count(statement)};
    struct diagnosis diagnosis;
    int code, status = 0;

    table.is_number = allocate((size_t)table.columns + 1, sizeof *table.is_number);
    memset(table.is_number, true, (size_t)table.columns * sizeof *table.is_number);
    if (is_csv)
        print_csv_row(statement, true);
    else
        add_row(&table, statement, true);
    while ((code = sqlite3_step(statement)) == SQLITE_ROW)
        if (is_csv)
            print_csv_row(statement, false);
        else
            add_row(&table, statement, false);
    print_table(&table);
    if (code != SQLITE_DONE) {
        database_fail(database, &diagnosis);
        status = mistake_print(&diagnosis);
    }
    for (size_t i = 0; i < table.count; i++)
        free(table.cells[i]);
    free(table.cells);
    free(table.is_number);
    return status;
}

static int query_print(const char *path, const char *sql, bool is_csv)
{
    struct diagnosis diagnosis;
    struct database database;
    sqlite3_stmt *statement;
    int status;

    if (!database_open(&database, path, DATABASE_READ, &diagnosis)) {
        database_close(&database);
        return mistake_print(&diagnosis);
    }
    if (sqlite3_prepare_v2(database.sqlite, sql, -1, &statement, NULL) != SQLITE_OK) {
        diagnose(&diagnosis, "%s", sqlite3_errmsg(database.sqlite));
        diagnose_hint(&diagnosis, "docs/laboratory.md describes the tables");
        status = mistake_print(&diagnosis);
    } else if (statement == NULL) {
        diagnose(&diagnosis, "this is no question in SQL");
        status = mistake_print(&diagnosis);
    } else {
        status = print_rows(&database, statement, is_csv);
    }
    sqlite3_finalize(statement);
    database_close(&database);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    diagnose(&diagnosis, "the answer cannot be written");
    mistake_print(&diagnosis);
    return EXIT_RESULT_LOST;
}

static int query_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    const char *words[2] = {NULL, NULL};
    struct diagnosis diagnosis;
    unsigned count = 0;
    bool is_csv = false;
    int index;

    do {
        while ((index = option_next(&reader)) >= 0)
            is_csv = true;
        if (index == OPTION_END && reader.at < argc && count < ARRAY_COUNT(words))
            words[count++] = argv[reader.at++];
        else
            break;
    } while (true);
    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (count == 2 && reader.at == argc)
        return query_print(words[0], words[1], is_csv);
    diagnose(&diagnosis, "query takes a database and a question in SQL");
    diagnose_hint(&diagnosis,
                  "wavetank query results.db \"SELECT run, workload, cycles FROM runs\"");
    return mistake_print(&diagnosis);
}

const struct command command_query = {
    .name = "query",
    .usage = "RESULTS.db \"SQL\" [--csv]",
    .summary = "Asks a database of results in SQL, and changes nothing in it",
    .details = "Tables and views: runs, kernels, statistics, parameters, axes, derived, plans; "
               "counters, metrics,\n"
               "histograms. docs/laboratory.md says what stands in them.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = query_main,
};

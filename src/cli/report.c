/* SPDX-License-Identifier: MIT */
/* wavetank report: a database of results as a page. */
#include "base/bits.h"
#include "cli/command.h"
#include "laboratory/page.h"

enum { OPTION_OUTPUT, OPTION_SVG };

static const struct option options[] = {
    {"-o", "FILE.html", "the page"},
    {"--svg", "FOLDER",
     "writes each figure of the plans there, as PLAN-FIGURE.svg (needs Node.js)"},
};

static int report_write(const char *path, const char *page, const char *folder)
{
    struct diagnosis diagnosis = {.line = 0};
    struct database database;
    struct text data = {0};
    int status = 0;

    if (!database_open(&database, path, DATABASE_READ, &diagnosis) ||
        !page_data(&database, WAVETANK_VERSION, &data, &diagnosis)) {
        status = mistake_print(&diagnosis);
    } else if ((page != NULL && !page_write(page, &data, &diagnosis)) ||
               (folder != NULL && !page_write_figures(folder, &data, &diagnosis))) {
        mistake_print(&diagnosis);
        status = EXIT_RESULT_LOST;
    }
    text_finish(&data);
    database_close(&database);
    return status;
}

static int report_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    const char *path = NULL, *page = NULL, *folder = NULL;
    struct diagnosis diagnosis;
    int index;

    do {
        while ((index = option_next(&reader)) >= 0)
            *(index == OPTION_OUTPUT ? &page : &folder) = reader.value;
        if (index == OPTION_END && reader.at < argc && path == NULL)
            path = argv[reader.at++];
        else
            break;
    } while (true);
    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (path != NULL && reader.at == argc && (page != NULL || folder != NULL))
        return report_write(path, page, folder);
    diagnose(&diagnosis, "report takes one database of results, and where to write");
    diagnose_hint(&diagnosis, "wavetank report results.db -o report.html");
    return mistake_print(&diagnosis);
}

const struct command command_report = {
    .name = "report",
    .usage = "RESULTS.db -o REPORT.html [--svg FOLDER]",
    .summary = "Makes a page of a database of results: claims, figures, tables",
    .details = "The page is one file that needs no network. Figures are those of the plans, and "
               "others are\n"
               "made in it; each can be had as SVG, as CSV, and as its Vega-Lite specification.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = report_main,
};

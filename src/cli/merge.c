/* SPDX-License-Identifier: MIT */
/* wavetank merge: several databases of results into one. */
#include "base/bits.h"
#include "cli/command.h"
#include "laboratory/results.h"

static int databases_merge(struct database *database, char **paths, struct diagnosis *diagnosis)
{
    int status = 0;

    /* One that cannot be read does not keep the others from being merged. */
    for (; *paths != NULL; paths++) {
        struct database from;
        /* Opened once for its checks. */
        bool is_good = database_open(&from, *paths, DATABASE_READ, diagnosis) &&
                       database_merge(database, &from, diagnosis);

        database_close(&from);
        if (!is_good) {
            mistake_print(diagnosis);
            status = EXIT_RESULT_LOST;
        }
    }
    if (results_derive(database, diagnosis))
        return status;
    mistake_print(diagnosis);
    return EXIT_RESULT_LOST;
}

static int merge_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    int index = option_next(&reader), status;
    struct diagnosis diagnosis;
    struct database database;

    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    if (argc - reader.at < 2) {
        diagnose(&diagnosis, "merge takes a database, and those whose results it is to get");
        return mistake_print(&diagnosis);
    }
    if (database_open(&database, argv[reader.at], DATABASE_CREATE, &diagnosis))
        status = databases_merge(&database, argv + reader.at + 1, &diagnosis);
    else
        status = mistake_print(&diagnosis);
    database_close(&database);
    return status;
}

const struct command command_merge = {
    .name = "merge",
    .usage = "RESULTS.db PART.db...",
    .summary = "Puts the results of several databases into one",
    .details = "RESULTS.db is made if it is not there. Runs that it has are not copied again; one "
               "that is done\n"
               "replaces one that failed. Each PART is merged whole or not at all.\n",
    .run = merge_main,
};

/* SPDX-License-Identifier: MIT */
/*
 * The command line: one file per subcommand of `wavetank`, each of which exports one struct
 * command. Help texts are made of these, so that an option that is not declared is neither accepted
 * nor documented.
 *
 * Exit statuses:
 *
 *     0   done
 *     1   `diff` found a difference, `verify` a fault, points of `sweep` failed, claims cannot be
 *         judged
 *     2   the user's mistake
 *     5   a file that was asked for is missing or not whole
 *     6   `verify` did not finish
 *
 * `run` gives its program's own status. Instead of 0 it may give 3, no kernel ran and one was
 * required; 4, a kernel failed; or 5, as above.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stdio.h>

#include "base/diagnosis.h"

enum {
    EXIT_DIFFERENT = 1,
    EXIT_FAILED_POINTS = 1,
    EXIT_NOT_JUDGED = 1,
    EXIT_USAGE = 2,
    EXIT_NO_KERNEL = 3,
    EXIT_KERNEL_FAILED = 4,
    EXIT_RESULT_LOST = 5,
    EXIT_FAULTY = 1,
    EXIT_UNDECIDED = 6
};

struct option {
    const char *name; /* "--gpu", "-o" */
    /* What it takes: "NAME|FILE"; NULL: nothing. "[=FILE]": a value that stands behind an equals
     * sign, or none. */
    const char *argument;
    const char *help;
};

struct command {
    const char *name;
    const char *usage;   /* what follows the name: "[OPTIONS] [--] PROGRAM [ARGUMENTS]" */
    const char *summary; /* one line */
    const char *details; /* more, with line ends; NULL: none */
    const struct option *options;
    unsigned option_count;
    /* argv[0] is the subcommand's name. Gives the exit status. */
    int (*run)(const struct command *command, int argc, char **argv);
};

extern const struct command command_run, command_sweep, command_query, command_judge,
    command_report, command_merge, command_tune, command_list, command_explain, command_disasm,
    command_diff, command_verify, command_signatures, command_help, command_version;

/* All of them, in the order in which help prints them. */
extern const struct command *const commands[];
extern const unsigned command_count;

/* The subcommand of that name; NULL and a diagnosis with a suggestion otherwise. */
const struct command *command_find(const char *name, struct diagnosis *diagnosis);
void command_print_help(const struct command *command, FILE *stream);
void command_print_overview(FILE *stream);

/* Reads options one by one: those that the command declares, as "--name value" or "--name=value".
 */
struct option_reader {
    const struct command *command;
    int argc;
    char **argv;
    int at;            /* the next word */
    const char *value; /* of the option just read; NULL: it takes none, or was given none */
};

enum { OPTION_END = -1, OPTION_WRONG = -2, OPTION_HELP = -3 };

struct option_reader option_reader(const struct command *command, int argc, char **argv);
/* The index of the next option among the command's. OPTION_END: what is left, from argv[at], are no
 * options ("--" is skipped). OPTION_WRONG: the diagnosis was printed. OPTION_HELP: help was asked
 * for and printed. */
int option_next(struct option_reader *reader);

/* Prints the diagnosis on stderr; gives EXIT_USAGE. */
int mistake_print(const struct diagnosis *diagnosis);

#endif

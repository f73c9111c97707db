/* SPDX-License-Identifier: MIT */
/* wavetank sweep: runs the points of a plan into a database. */
#include "laboratory/slurm.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/run.h"
#include "cli/simulator.h"

enum { JOBS_MAX = 1024 };

enum {
    OPTION_OUTPUT,
    OPTION_JOBS,
    OPTION_SHARD,
    OPTION_KNOWN,
    OPTION_LIST,
    OPTION_SLURM,
    OPTION_TASKS,
    OPTION_WAIT,
    OPTION_QUIET,
    OPTION_NO_PROGRESS
};

static const struct option options[] = {
    {"-o", "FILE", "the database (SQLite) that results go to, made if it is not there"},
    {"-j", "N", "so many points at a time (default: one for each processor)"},
    {"--shard", "I/N", "of N parts of the plan only the I-th, from 1, for schedulers of any kind"},
    {"--known", "FILE", "leaves out what this database has already"},
    {"--list", NULL, "prints the points, and all files that they are known by; runs nothing"},
    {"--slurm", NULL,
     "submits the plan to Slurm as an array of jobs, and a job that merges what they found; what "
     "follows -- goes to sbatch"},
    {"--tasks", "N", "with --slurm: so many jobs (default: one for four open points, 100 at most)"},
    {"--wait", NULL,
     "with --slurm: until all is merged; the status tells as that of a plain sweep"},
    {"--quiet", NULL, "prints nothing but what goes wrong"},
    {"--no-progress", NULL, "no progress display"},
};

struct request {
    struct sweep_options sweep;
    const char *plan;
    bool only_lists, uses_slurm;
    struct slurm_options slurm;
};

static bool take_shard(struct sweep_options *sweep, const char *value, struct diagnosis *diagnosis)
{
    char *end;
    unsigned long shard = strtoul(value, &end, 10), shards = 0;

    if (*end == '/')
        shards = strtoul(end + 1, &end, 10);
    if (*end != '\0' || shard < 1 || shard > shards || shards > 1000000)
        return diagnose(diagnosis, "--shard %s: it is I/N, with I from 1 to N", value);
    sweep->shard = (unsigned)shard;
    sweep->shards = (unsigned)shards;
    return true;
}

static bool take_number(unsigned *number, const char *option, const char *value,
                        struct diagnosis *diagnosis)
{
    char *end;
    unsigned long given = strtoul(value, &end, 10);

    if (*end != '\0' || given < 1 || given > JOBS_MAX)
        return diagnose(diagnosis, "%s %s: it is a number from 1 to %d", option, value, JOBS_MAX);
    *number = (unsigned)given;
    return true;
}

static bool option_take(struct request *request, int index, const char *value,
                        struct diagnosis *diagnosis)
{
    switch (index) {
    case OPTION_OUTPUT:
        request->sweep.output = value;
        return true;
    case OPTION_JOBS:
        return take_number(&request->sweep.jobs, "-j", value, diagnosis);
    case OPTION_SHARD:
        return take_shard(&request->sweep, value, diagnosis);
    case OPTION_KNOWN:
        request->sweep.known = value;
        return true;
    case OPTION_LIST:
        request->only_lists = true;
        return true;
    case OPTION_SLURM:
        request->uses_slurm = true;
        return true;
    case OPTION_TASKS:
        return take_number(&request->slurm.tasks, "--tasks", value, diagnosis);
    case OPTION_WAIT:
        request->slurm.waits = true;
        return true;
    case OPTION_QUIET:
        request->sweep.is_quiet = true;
        return true;
    default:
        request->sweep.without_progress = true;
        return true;
    }
}

/* Options may stand before and behind the plan. */
static int read_request(struct option_reader *reader, struct request *request)
{
    struct diagnosis diagnosis;
    int index;

    do {
        while ((index = option_next(reader)) >= 0)
            if (!option_take(request, index, reader->value, &diagnosis)) {
                mistake_print(&diagnosis);
                return OPTION_WRONG;
            }
        if (index == OPTION_END && reader->at < reader->argc && request->plan == NULL)
            request->plan = reader->argv[reader->at++];
        else
            break;
    } while (true);
    if (index != OPTION_END)
        return index;
    request->slurm.words = reader->argv + reader->at;
    if (request->plan == NULL || (reader->at < reader->argc && !request->uses_slurm)) {
        diagnose(&diagnosis, "sweep takes one plan, a YAML file");
    } else if (request->sweep.output == NULL && !request->only_lists) {
        diagnose(&diagnosis, "sweep lacks the database for its results");
        diagnose_hint(&diagnosis, "wavetank sweep %s -o results.db", request->plan);
    } else {
        return index;
    }
    mistake_print(&diagnosis);
    return OPTION_WRONG;
}

static int list_points(const struct plan *plan, const struct points *points)
{
    for (unsigned i = 0; i < points->count; i++) {
        char *title = point_title(plan, &points->list[i]);

        printf("%u\t%s\twavetank run", points->list[i].number, title);
        for (char **word = points->list[i].words; *word != NULL; word++)
            printf(" %s", *word);
        putchar('\n');
        free(title);
    }
    return 0;
}

static int run_points(const struct plan *plan, const struct points *points, struct request *request)
{
    struct diagnosis diagnosis;
    int signal_number = 0;

    request->slurm.sweep = &request->sweep;
    switch (request->uses_slurm
                ? slurm_submit(plan, points, &request->slurm, &diagnosis)
                : sweep_run(plan, points, &request->sweep, &signal_number, &diagnosis)) {
    case SWEEP_DONE:
        return 0;
    case SWEEP_FAILED_POINTS:
        return EXIT_FAILED_POINTS;
    case SWEEP_STOPPED:
        return SIGNAL_STATUS + signal_number;
    case SWEEP_LOST:
        mistake_print(&diagnosis);
        return EXIT_RESULT_LOST;
    default:
        return mistake_print(&diagnosis);
    }
}

static void tell_files(const struct points *points, unsigned max)
{
    char *names = inputs_names(&points->inputs, NULL, max);

    if (names != NULL)
        fprintf(stderr, "wavetank: points are known by the content of %s\n", names);
    free(names);
}

static int run_request(struct request *request)
{
    struct diagnosis diagnosis = {.line = 0};
    struct simulator simulator = {.executable = NULL};
    struct plan plan = {.path = NULL};
    struct points points = {.list = NULL};
    int status;

    if (!plan_read(&plan, request->plan, &diagnosis) || !simulator_init(&simulator, &diagnosis) ||
        !points_resolve(&points, &plan, &simulator.context, &diagnosis)) {
        status = mistake_print(&diagnosis);
    } else if (request->only_lists) {
        status = list_points(&plan, &points);
        tell_files(&points, points.inputs.count);
    } else {
        if (!request->sweep.is_quiet)
            tell_files(&points, INPUTS_SHOWN);
        request->sweep.executable = simulator.executable;
        request->sweep.context = &simulator.context;
        status = run_points(&plan, &points, request);
    }
    points_finish(&points);
    simulator_finish(&simulator);
    plan_finish(&plan);
    return status;
}

static int sweep_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct request request = {.sweep = {.jobs = processors > 0 ? (unsigned)processors : 1}};
    int index = read_request(&reader, &request);

    if (index != OPTION_END)
        return index == OPTION_HELP ? 0 : EXIT_USAGE;
    return run_request(&request);
}

const struct command command_sweep = {
    .name = "sweep",
    .usage = "PLAN.yaml -o RESULTS.db [OPTIONS] [-- SBATCH OPTIONS]",
    .summary = "Runs all points of a plan, and keeps their results in a database",
    .details =
        "A plan names parameters, programs and arguments to vary (docs/laboratory.md). Each point "
        "is\n"
        "a `wavetank run` of its own. A point is in the database whole or not at all; the same\n"
        "command goes on after an end of any kind, and runs what is missing or failed. Points "
        "that\n"
        "the same version measured with the same configuration, program and files are not run "
        "again;\n"
        "files are what arguments name, what scripts import, and `files:` of the plan.\n"
        "Several sweeps may share a database.\n"
        "\n"
        "Exit status:\n"
        "  0    all points are in the database\n"
        "  1    points failed: `wavetank query RESULTS.db \"SELECT run, message FROM runs WHERE\n"
        "       status = 'failed'\"`\n"
        "  2    something is wrong with the plan or the files; nothing was run\n"
        "  5    results cannot be written any more; what was stored before is whole\n"
        "  128 + N when signal N ended it\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = sweep_main,
};

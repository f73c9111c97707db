/* SPDX-License-Identifier: MIT */
/* wavetank tune: the fastest point of some axes for one program. */
#include "laboratory/tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/gpu_options.h"
#include "cli/simulator.h"

enum { OPTION_AXIS = GPU_OPTION_COUNT, OPTION_WORKLOAD, OPTION_JOBS, OPTION_SHARE, OPTION_QUIET };

static const struct option options[] = {
    GPU_OPTION_ROWS,
    {"--axis", "PATH=V1,V2,...",
     "values of a parameter to choose from; repeated, all combinations count; the first is where "
     "it begins"},
    {"--workload", "NAME", "a program that comes with Wavetank; what follows -- are its arguments"},
    {"-j", "N", "so many runs at a time (default: one for each processor)"},
    {"--share", "PERCENT",
     "how many cycles to simulate, of those that all points would take (default 38)"},
    {"--quiet", NULL, "prints the result alone"},
};

struct request {
    struct gpu_options gpu;
    const char **axes;
    unsigned axis_count;
    const char *workload;
    struct tune_options tune;
    char **program;
};

static bool option_take(struct request *request, int index, const char *value,
                        struct diagnosis *diagnosis)
{
    unsigned long number = 0;
    char *end = NULL;

    if (gpu_options_take(&request->gpu, index, value))
        return true;
    if (index == OPTION_JOBS || index == OPTION_SHARE)
        number = strtoul(value, &end, 10);
    if (end != NULL && (*end != '\0' || number < 1 || number > (index == OPTION_JOBS ? 1024 : 100)))
        return diagnose(diagnosis, "%s %s: this is no such number", options[index].name, value);
    if (index == OPTION_JOBS)
        request->tune.jobs = (unsigned)number;
    else if (index == OPTION_SHARE)
        request->tune.share = (double)number / 100;
    else if (index == OPTION_WORKLOAD)
        request->workload = value;
    else if (index == OPTION_QUIET)
        request->tune.is_quiet = true;
    else {
        request->axes = reallocate(request->axes, request->axis_count + 1, sizeof *request->axes);
        request->axes[request->axis_count++] = value;
    }
    return true;
}

/* ---- The plan that the options amount to ---- */

static void add_quoted(struct text *text, const char *word, size_t length)
{
    text_add(text, "'");
    for (size_t i = 0; i < length; i++)
        text_add(text, word[i] == '\'' ? "''" : "%c", word[i]);
    text_add(text, "'");
}

static bool add_axis(struct text *yaml, const char *axis, struct diagnosis *diagnosis)
{
    const char *equals = strchr(axis, '='), *at = equals;

    if (equals == NULL || strchr(axis, '.') == NULL || strchr(axis, '.') > equals) {
        diagnose(diagnosis, "--axis %s: it is a parameter and its values", axis);
        return diagnose_hint(diagnosis, "--axis l1.mshr_entries=16,64,256");
    }
    text_add(yaml, "  ");
    add_quoted(yaml, axis, (size_t)(equals - axis));
    text_add(yaml, ": [");
    do {
        size_t length = strcspn(++at, ",");

        add_quoted(yaml, at, length);
        text_add(yaml, ", ");
        at += length;
    } while (*at == ',');
    text_add(yaml, "]\n");
    return true;
}

/* Words as one line that is split into them again. The caller frees. */
static char *words_join(char **words)
{
    struct text line = {0};
    char *result;

    for (; *words != NULL; words++) {
        text_add(&line, "'");
        for (const char *at = *words; *at != '\0'; at++)
            text_add(&line, *at == '\'' ? "'\\''" : "%c", *at);
        text_add(&line, "' ");
    }
    result = copy_string(text_chars(&line));
    text_finish(&line);
    return result;
}

static void set_all(struct plan *plan, const struct request *request)
{
    char *line = words_join(request->program);

    plan_set(&plan->settings, "gpu", gpu_options_name(&request->gpu), 0);
    if (request->workload != NULL)
        plan_set(&plan->settings, "workload", request->workload, 0);
    plan_set(&plan->settings, request->workload != NULL ? "arguments" : "program", line, 0);
    for (uint32_t i = 0; i < request->gpu.override_count; i++) {
        char *path = copy_string(request->gpu.overrides[i]), *equals = strchr(path, '=');

        if (equals != NULL) {
            *equals = '\0';
            plan_set(&plan->settings, path, equals + 1, 0);
        }
        free(path);
    }
    free(line);
}

static bool make_plan(struct plan *plan, const struct request *request, struct diagnosis *diagnosis)
{
    struct text yaml = {0};
    bool is_good = true;

    text_add(&yaml, "axes:\n");
    for (unsigned i = 0; i < request->axis_count && is_good; i++)
        is_good = add_axis(&yaml, request->axes[i], diagnosis);
    plan->path = copy_string("--axis");
    is_good = is_good && plan_parse(plan, "tune", ".", text_chars(&yaml), diagnosis);
    text_finish(&yaml);
    if (is_good)
        set_all(plan, request);
    return is_good;
}

/* ---- The answer ---- */

static void print_point(const struct plan *plan, const struct point *point)
{
    for (unsigned i = 0; i < plan->axis_count; i++)
        printf("%s-o %s=%s", i > 0 ? " " : "", plan->axes[i].name,
               plan->axes[i].values[point->choice[i]].label);
}

static void print_sureness(const struct tuning *tuning)
{
    unsigned whole = 0, failed = 0, left;

    for (unsigned i = 0; i < tuning->count; i++) {
        const struct candidate *candidate = &tuning->candidates[i];

        whole += candidate->cycles > 0 || candidate->is_slower;
        failed += candidate->message != NULL;
    }
    left = tuning->count - whole - failed;
    if (failed > 0)
        printf("%u points failed\n", failed);
    if (left == 0) {
        printf("sure: all others were run to the end, or until they were slower\n");
        return;
    }
    printf("%s: %u points were left behind early, the nearest by %.1f %% of the best's progress; "
           "progress moved by up to %.1f %% between prefixes and whole runs\n",
           tuning->behind_min > tuning->largest_shift ? "fairly sure" : "not sure", left,
           100 * tuning->behind_min, 100 * tuning->largest_shift);
}

static void print_answer(const struct plan *plan, const struct points *points,
                         const struct tuning *tuning)
{
    const struct candidate *first = &tuning->candidates[0],
                           *best = &tuning->candidates[tuning->best];
    double all = (double)first->cycles * tuning->count;

    print_point(plan, &points->list[tuning->best]);
    printf("\n%" PRIu64 " cycles, %.3f times as fast as the first point (%" PRIu64 " cycles)\n",
           best->cycles, (double)first->cycles / (double)best->cycles, first->cycles);
    print_sureness(tuning);
    printf("simulated %" PRIu64 " cycles, %.0f %% of %u whole runs as long as the first\n",
           tuning->total_cycles, 100 * (double)tuning->total_cycles / all, tuning->count);
}

static int request_tune(struct request *request)
{
    struct diagnosis diagnosis = {.line = 0};
    struct simulator simulator = {.executable = NULL};
    struct plan plan = {.path = NULL};
    struct points points = {.list = NULL};
    struct tuning tuning = {.candidates = NULL};
    int status = 0;

    if (!make_plan(&plan, request, &diagnosis) || !simulator_init(&simulator, &diagnosis) ||
        !points_resolve(&points, &plan, &simulator.context, &diagnosis)) {
        status = mistake_print(&diagnosis);
    } else {
        request->tune.executable = simulator.executable;
        if (tune_points(&plan, &points, &request->tune, &tuning, &diagnosis)) {
            print_answer(&plan, &points, &tuning);
        } else {
            mistake_print(&diagnosis);
            status = EXIT_FAILED_POINTS;
        }
    }
    tuning_finish(&tuning);
    points_finish(&points);
    simulator_finish(&simulator);
    plan_finish(&plan);
    return status;
}

static int read_request(struct option_reader *reader, struct request *request)
{
    struct diagnosis diagnosis;
    int index;

    while ((index = option_next(reader)) >= 0)
        if (!option_take(request, index, reader->value, &diagnosis)) {
            mistake_print(&diagnosis);
            return OPTION_WRONG;
        }
    request->program = reader->argv + reader->at;
    if (index != OPTION_END)
        return index;
    if (request->axis_count > 0 && (request->workload != NULL || request->program[0] != NULL))
        return index;
    diagnose(&diagnosis, request->axis_count == 0 ? "tune lacks axes to choose on"
                                                  : "tune lacks the program to run");
    diagnose_hint(&diagnosis,
                  "wavetank tune --axis l1.mshr_entries=16,64,256 -- ./an-opencl-program");
    mistake_print(&diagnosis);
    return OPTION_WRONG;
}

static int tune_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    struct request request = {
        .tune = {.jobs = processors > 0 ? (unsigned)processors : 1, .share = 0.38}};
    int index = read_request(&reader, &request), status = EXIT_USAGE;

    if (index == OPTION_END)
        status = request_tune(&request);
    else if (index == OPTION_HELP)
        status = 0;
    free(request.axes);
    gpu_options_finish(&request.gpu);
    return status;
}

const struct command command_tune = {
    .name = "tune",
    .usage = "--axis PATH=V1,V2... [OPTIONS] -- PROGRAM [ARGUMENTS]",
    .summary = "Finds the values of parameters with which a program runs fastest",
    .details =
        "The first point is run to its end. Of the others, the beginning is simulated, and those\n"
        "that have executed least are left; those that remain are run longer, and the last to the\n"
        "end or until they are slower. It prints the best point, how sure that is, and what it "
        "took.\n"
        "\n"
        "Exit status: 0; 1 the first point fails; 2 something is wrong with the options.\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = tune_main,
};

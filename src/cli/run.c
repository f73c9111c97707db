/* SPDX-License-Identifier: MIT */
/* wavetank run: an OpenCL program on the simulated GPU. */
#include "cli/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "cli/workloads.h"
#include "machine/machine.h"
#include "machine/selection.h"
#include "program/program.h"
#include "report/samples.h"

enum {
    OPTION_MODEL = GPU_OPTION_COUNT,
    OPTION_WORKLOAD,
    OPTION_JSON,
    OPTION_JSON_KERNELS,
    OPTION_SAMPLE,
    OPTION_TIMELINE,
    OPTION_TIMELINE_DETAIL,
    OPTION_PROFILE,
    OPTION_TIMED_KERNELS,
    OPTION_FAST_FORWARD,
    OPTION_WARM_CACHES,
    OPTION_QUIET,
    OPTION_HOST_POINTERS,
    OPTION_BUILD_OPTIONS,
    OPTION_MAX_CYCLES,
    OPTION_PRINT_CONFIG,
    OPTION_TRACE,
    OPTION_TRACE_MEMORY,
    OPTION_TRACE_FILE,
    OPTION_WITH_PLATFORMS,
    OPTION_NO_PROGRESS,
    OPTION_REQUIRE_KERNELS,
    OPTION_OUT_OF_BOUNDS,
    OPTION_EXACT_BOUNDS,
    OPTION_CHECK_RELEASE,
    OPTION_COVERAGE,
    OPTION_CHECK_TRANSACTIONS
};

static const struct option options[] = {
    GPU_OPTION_ROWS,
    {"--model", "timed|functional",
     "cycle by cycle (default); or only what the program computes: no time, no caches, much "
     "faster"},
    {"--workload", "NAME",
     "runs a program that comes with Wavetank (`wavetank list workloads`); what follows -- are its "
     "arguments"},
    {"--json", "FILE", "writes all statistics there as JSON; %p in it becomes the process number"},
    {"--json-kernels", "all|sum|none",
     "which launches get an object there: all; none, but sums by kernel; neither (default: the "
     "first 1,000, then sums)"},
    {"--sample", "N[:STATISTIC,...]",
     "adds time series to the JSON file: what every N core cycles of each launch added to the "
     "statistics named, "
     "metrics or counters (`wavetank list statistics`); without names, a few metrics of memory"},
    {"--timeline", "FILE",
     "writes a timeline for ui.perfetto.dev: commands by queue, launches, and as counters what "
     "--sample "
     "names, or every 1,000 cycles the occupancy of each compute unit, hits and bandwidths"},
    {"--timeline-detail", "SELECTION",
     "of these wavefronts the timeline has each instruction and what it waited for, and each line "
     "access with its way through the memory system: all, or "
     "kernel=NAME,launch=N,cu=N,group=X:Y:Z,wave=N,address=FIRST-LAST (accesses alone)"},
    {"--profile", "[=FILE]",
     "prints what each line of the kernels' source cost: the wavefronts' time and what they waited "
     "for, "
     "instructions, active lanes, accesses, hits, latency; into the file, or behind the table; the "
     "JSON file has all of it. Timed launches only; programs are built with -g"},
    {"--timed-kernels", "SELECTION",
     "times these launches only; the others run functionally on the same memory, much faster: "
     "kernels' "
     "names, numbers of launches from 1, or both, e.g. scan,reduce:2-4,7 or 10-"},
    {"--fast-forward", "N", "times all launches but the first N: --timed-kernels N+1-"},
    {"--warm-caches", NULL,
     "with these: after launches that were not timed L2 holds the lines that they touched last; "
     "without: no cache holds anything"},
    {"--quiet", NULL, "no table, no progress; what is refused or goes wrong is still said"},
    {"--host-pointers", "refresh|copy",
     "memory of CL_MEM_USE_HOST_PTR: what the host writes there without a map reaches the next "
     "command, and results reach it at clFinish (default); or bytes move at creation and at maps "
     "only"},
    {"--build-options", "OPTIONS",
     "appended to the options that the program gives clBuildProgram and clCompileProgram, e.g. "
     "\"-g -DSIZE=64\""},
    {"--max-cycles", "N", "stops after so many core cycles of kernels (status 124)"},
    {"--print-config", NULL,
     "prints all parameters, their values and origins, as a file that --gpu takes; needs no "
     "PROGRAM"},
    {"--trace-instructions", "SELECTION",
     "writes each instruction and the registers it wrote: all, or kernel=NAME,group=X:Y:Z,wave=N"},
    {"--trace-memory", "SELECTION",
     "writes each access to memory with the cycle of each hop (timed model): all, or "
     "kernel=NAME,cu=N,group=X:Y:Z,wave=N,address=FIRST-LAST"},
    {"--trace-file", "FILE", "where these traces go (default: standard error); %p as above"},
    {"--with-platforms", NULL, "shows the program the system's other OpenCL platforms too"},
    {"--no-progress", NULL, "no line on the terminal that says how far a kernel is"},
    {"--require-kernels", NULL, "status 3 if the program ran no kernel on Wavetank"},
    {"--out-of-bounds", "fault|zero",
     "a kernel's access outside all buffers stops it (default); or loads give 0, stores and "
     "atomics do nothing, it is said at once where a kernel's first was, and at the end how many"},
    {"--exact-bounds", NULL,
     "the timed model too sees an access behind a buffer's last byte, not only one in another "
     "page; slower"},
    {"--check-release", NULL,
     "counts bytes that loads return though another compute unit had stored newer ones, and says "
     "where the first was: a release or acquire is missing; slower"},
    {"--coverage", NULL,
     "says at the end how often each row of the protocol's tables was used, in all caches and by "
     "the "
     "host's transfers (timed model)"},
    {"--check-transactions", NULL,
     "an oracle stops the kernel where transactions are not serialisable or not opaque (in global "
     "memory at its end), or in local memory meet plain accesses; the timed model only"},
};

static bool take_out_of_bounds(struct run_request *request, const char *value,
                               struct diagnosis *diagnosis)
{
    request->out_of_bounds = value;
    if (strcmp(value, "fault") == 0 || strcmp(value, "zero") == 0)
        return true;
    diagnose(diagnosis, "--out-of-bounds %s: there is no such choice", value);
    return diagnose_hint(diagnosis, "the choices are 'fault' and 'zero'");
}

static bool is_whole_number(const char *word)
{
    return word[0] != '\0' && word[strspn(word, "0123456789")] == '\0' && strlen(word) < 20;
}

static bool check_build_options(const char *value, struct diagnosis *diagnosis)
{
    struct diagnosis reason;

    if (program_check_options(value, &reason))
        return true;
    diagnose(diagnosis, "--build-options: %s", reason.message);
    return reason.hint[0] != '\0' ? diagnose_hint(diagnosis, "%s", reason.hint) : false;
}

/* An option without a value; NULL: the index is that of another one. */
static bool *flag_of(struct run_request *request, int index)
{
    switch (index) {
    case OPTION_QUIET:
        return &request->is_quiet;
    case OPTION_PRINT_CONFIG:
        return &request->prints_config;
    case OPTION_WITH_PLATFORMS:
        return &request->with_platforms;
    case OPTION_NO_PROGRESS:
        return &request->without_progress;
    case OPTION_REQUIRE_KERNELS:
        return &request->requires_kernels;
    case OPTION_CHECK_RELEASE:
        return &request->checks_release;
    case OPTION_COVERAGE:
        return &request->counts_coverage;
    case OPTION_EXACT_BOUNDS:
        return &request->has_exact_bounds;
    case OPTION_WARM_CACHES:
        return &request->warms_caches;
    default:
        return NULL;
    }
}

static bool option_take(struct run_request *request, int index, const char *value,
                        struct diagnosis *diagnosis)
{
    bool *flag = flag_of(request, index);

    if (flag != NULL)
        return *flag = true;
    switch (index) {
    case OPTION_MODEL:
        request->model = value;
        if (strcmp(value, "timed") == 0 || strcmp(value, "functional") == 0)
            return true;
        diagnose(diagnosis, "--model %s: there is no such model", value);
        return diagnose_hint(diagnosis, "the models are 'timed' and 'functional'");
    case OPTION_WORKLOAD:
        request->workload = value;
        return true;
    case OPTION_JSON:
        request->json = value;
        return true;
    case OPTION_JSON_KERNELS:
        request->json_kernels = value;
        if (strcmp(value, "all") == 0 || strcmp(value, "sum") == 0 || strcmp(value, "none") == 0)
            return true;
        diagnose(diagnosis, "--json-kernels %s: there is no such choice", value);
        return diagnose_hint(diagnosis, "the choices are 'all', 'sum' and 'none'");
    case OPTION_SAMPLE:
        request->sample = value;
        return true;
    case OPTION_TIMELINE:
        request->timeline = value;
        return true;
    case OPTION_TIMELINE_DETAIL:
        request->timeline_detail = value;
        return true;
    case OPTION_PROFILE:
        request->profile = value != NULL ? value : "-";
        return true;
    case OPTION_TIMED_KERNELS:
        request->timed_kernels = value;
        return true;
    case OPTION_FAST_FORWARD:
        request->fast_forward = value;
        return is_whole_number(value) ||
               diagnose(diagnosis, "--fast-forward %s: not a number of launches", value);
    case OPTION_HOST_POINTERS:
        request->host_pointers = value;
        return strcmp(value, "refresh") == 0 || strcmp(value, "copy") == 0 ||
               diagnose(diagnosis, "--host-pointers %s: it is 'refresh' or 'copy'", value);
    case OPTION_BUILD_OPTIONS:
        request->build_options = value;
        return check_build_options(value, diagnosis);
    case OPTION_MAX_CYCLES:
        request->max_cycles = value;
        return is_whole_number(value) ||
               diagnose(diagnosis, "--max-cycles %s: not a number of cycles", value);
    case OPTION_TRACE:
        request->trace = value;
        return true;
    case OPTION_TRACE_MEMORY:
        request->trace_memory = value;
        return true;
    case OPTION_TRACE_FILE:
        request->trace_file = value;
        return true;
    case OPTION_OUT_OF_BOUNDS:
        return take_out_of_bounds(request, value, diagnosis);
    case OPTION_CHECK_TRANSACTIONS:
        return gpu_options_take(&request->gpu, OPTION_SET, "sim.check_transactions=1");
    default:
        return gpu_options_take(&request->gpu, index, value);
    }
}

static int read_request(struct option_reader *reader, struct run_request *request)
{
    struct diagnosis diagnosis;
    int index;

    while ((index = option_next(reader)) >= 0)
        if (!option_take(request, index, reader->value, &diagnosis)) {
            mistake_print(&diagnosis);
            return OPTION_WRONG;
        }
    request->program = reader->argv + reader->at; /* NULL-terminated like argv */
    return index;
}

/* Which launches are timed: --fast-forward becomes a selection, which the caller frees. */
static bool set_timed_launches(struct run_request *request, char **selection,
                               struct diagnosis *diagnosis)
{
    struct launch_selection parsed;

    if (request->fast_forward != NULL && request->timed_kernels != NULL)
        return diagnose(diagnosis, "--fast-forward and --timed-kernels: one of them, please");
    if (request->fast_forward != NULL)
        request->timed_kernels = *selection =
            format_string("%llu-", strtoull(request->fast_forward, NULL, 10) + 1);
    if (request->timed_kernels == NULL && request->warms_caches)
        return diagnose(diagnosis, "--warm-caches without --timed-kernels or --fast-forward");
    if (request->timed_kernels == NULL)
        return true;
    if (request->model != NULL && strcmp(request->model, "timed") != 0)
        return diagnose(diagnosis, "--timed-kernels and --fast-forward need the timed model");
    if (!launch_selection_parse(&parsed, request->timed_kernels, diagnosis))
        return false;
    launch_selection_finish(&parsed);
    return true;
}

/* Everything that can be known before the program starts. */
static bool check_request(const struct run_request *request, struct diagnosis *diagnosis)
{
    if (request->trace_file == NULL || request->trace != NULL || request->trace_memory != NULL)
        return true;
    diagnose(diagnosis, "--trace-file without --trace-instructions or --trace-memory");
    return diagnose_hint(diagnosis, "add --trace-instructions all, or a selection");
}

static bool check_detail(const struct run_request *request, struct diagnosis *diagnosis)
{
    if (request->timeline_detail == NULL)
        return true;
    if (request->timeline == NULL) {
        diagnose(diagnosis, "--timeline-detail without --timeline: there is no file for it");
        return diagnose_hint(diagnosis, "add --timeline FILE");
    }
    if (request->model == NULL || strcmp(request->model, "timed") == 0)
        return true;
    diagnose(diagnosis,
             "--timeline-detail needs the timed model: the functional one has no cycles");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

static bool check_profile(const struct run_request *request, struct diagnosis *diagnosis)
{
    if (request->profile == NULL || request->model == NULL || strcmp(request->model, "timed") == 0)
        return true;
    diagnose(diagnosis, "--profile needs the timed model: the functional one has no cycles");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

/* Names of statistics are those of the machine. */
static bool check_sample(const struct run_request *request,
                         const struct configuration *configuration, struct diagnosis *diagnosis)
{
    struct machine_options timed = {.configuration = configuration, .model = MACHINE_TIMED};
    struct sample_request samples = {0};
    struct machine *machine;
    bool is_good;

    if (request->sample == NULL)
        return true;
    if (request->json == NULL && request->timeline == NULL) {
        diagnose(diagnosis,
                 "--sample without --json or --timeline: there is no file for the time series");
        return diagnose_hint(diagnosis, "add --json FILE");
    }
    if (request->model != NULL && strcmp(request->model, "timed") != 0)
        return diagnose(diagnosis, "--sample needs the timed model: the functional one has no "
                                   "cycles");
    is_good = sample_request_parse(&samples, request->sample, diagnosis);
    machine = is_good ? machine_create(&timed, diagnosis) : NULL;
    is_good =
        machine != NULL && sample_request_check(&samples, machine_registry(machine), diagnosis);
    if (machine != NULL)
        machine_destroy(machine);
    sample_request_finish(&samples);
    return is_good;
}

static int no_program(void)
{
    struct diagnosis diagnosis;

    diagnose(&diagnosis, "run lacks the program to run");
    diagnose_hint(&diagnosis, "wavetank run [OPTIONS] -- ./an-opencl-program its arguments");
    return mistake_print(&diagnosis);
}

/* The driver's own variables say the same as the options, where these are not given. */
static void take_variable(const char **value, const char *name)
{
    const char *variable = getenv(name);

    if (*value == NULL && variable != NULL && variable[0] != '\0')
        *value = variable;
}

static void take_variables(struct run_request *request)
{
    const char *quiet = NULL;

    take_variable(&request->json, "WAVETANK_JSON");
    take_variable(&request->sample, "WAVETANK_SAMPLE");
    take_variable(&request->timeline, "WAVETANK_TIMELINE");
    take_variable(&request->timeline_detail, "WAVETANK_TIMELINE_DETAIL");
    take_variable(&request->profile, "WAVETANK_PROFILE");
    take_variable(&request->trace, "WAVETANK_TRACE");
    take_variable(&request->trace_memory, "WAVETANK_TRACE_MEMORY");
    take_variable(&request->trace_file, "WAVETANK_TRACE_FILE");
    take_variable(&quiet, "WAVETANK_QUIET");
    request->is_quiet = request->is_quiet || (quiet != NULL && strcmp(quiet, "0") != 0);
}

static int run_checked(struct run_request *request)
{
    struct diagnosis diagnosis;
    struct configuration *configuration;
    char *selection = NULL;
    bool is_good, has_program = request->program[0] != NULL;
    int status;

    take_variables(request);
    /* First of all: whatever else is wrong, no file of an earlier run is taken for this one's. */
    if (has_program && !results_prepare(request, &diagnosis))
        return mistake_print(&diagnosis);
    configuration = gpu_options_load(&request->gpu, &diagnosis);
    if (configuration == NULL)
        return mistake_print(&diagnosis);
    if (request->prints_config)
        configuration_print(configuration, has_program ? stderr : stdout);
    is_good =
        !has_program || (check_request(request, &diagnosis) &&
                         set_timed_launches(request, &selection, &diagnosis) &&
                         check_profile(request, &diagnosis) && check_detail(request, &diagnosis) &&
                         check_sample(request, configuration, &diagnosis));
    configuration_destroy(configuration);
    if (!has_program)
        return request->prints_config ? 0 : no_program();
    status = is_good ? run_program(request) : mistake_print(&diagnosis);
    free(selection);
    return status;
}

/* Puts a workload's path before the words that are its arguments. The caller frees both. */
static bool set_workload(struct run_request *request, char **path, struct diagnosis *diagnosis)
{
    unsigned count = 0;
    char **words;

    *path = workload_path(request->workload, diagnosis);
    if (*path == NULL)
        return false;
    while (request->program[count] != NULL)
        count++;
    words = allocate(count + 2, sizeof *words);
    words[0] = *path;
    memcpy(words + 1, request->program, count * sizeof *words);
    request->program = words;
    return true;
}

static int run_workload(struct run_request *request)
{
    struct diagnosis diagnosis;
    char *path;
    int status;

    if (!set_workload(request, &path, &diagnosis))
        return mistake_print(&diagnosis);
    status = run_checked(request);
    free(request->program);
    free(path);
    return status;
}

static int run_main(const struct command *command, int argc, char **argv)
{
    struct option_reader reader = option_reader(command, argc, argv);
    struct run_request request = {.arguments = argv};
    int index = read_request(&reader, &request);
    int status = index == OPTION_END
                     ? (request.workload != NULL ? run_workload : run_checked)(&request)
                 : index == OPTION_HELP ? 0
                                        : EXIT_USAGE;

    gpu_options_finish(&request.gpu);
    return status;
}

const struct command command_run = {
    .name = "run",
    .usage = "[OPTIONS] [--] PROGRAM [ARGUMENTS] | [OPTIONS] --workload NAME [-- ARGUMENTS]",
    .summary = "Runs an OpenCL program on the simulated GPU and prints where its time went",
    .details =
        "PROGRAM is any OpenCL program. It is not changed: it sees one platform, \"Wavetank\", "
        "through the\n"
        "OpenCL ICD loader.\n"
        "\n"
        "The files of --json and --trace-file are removed first; afterwards they are those of this "
        "run, however\n"
        "the program ends. The first process that runs a kernel has FILE, others have "
        "FILE.PROCESS (said on stderr).\n"
        "Ctrl-C, SIGTERM and SIGHUP stop the simulation, print and write what was reached, and end "
        "the program; a\n"
        "second one ends it at once. At SIGUSR1 a line says how far the kernel is.\n"
        "\n"
        "Exit status:\n"
        "  the program's own, if that is not 0; 128 + N when signal N ended the program\n"
        "  2    something is wrong with the options or files; the program was not started\n"
        "  3    --require-kernels, and no kernel ran on Wavetank\n"
        "  4    a kernel failed, and the program's own status was 0\n"
        "  5    a file that was asked for is missing or not whole, and the program's own status "
        "was 0\n"
        "  124  --max-cycles was reached\n"
        "  126  the program cannot be started; 127: there is no such program\n",
    .options = options,
    .option_count = ARRAY_COUNT(options),
    .run = run_main,
};

/* SPDX-License-Identifier: MIT */
/* The process's one configuration, machine and report: what the environment asks for, when each is
 * made, how it all ends. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "opencl/driver.h"
#include "opencl/profile.h"
#include "opencl/progress.h"
#include "opencl/timeline.h"

/* Ends a process that --max-cycles stops, as timeout(1) would. */
enum { STATUS_CYCLE_LIMIT = 124 };

static struct {
    bool has_begun, has_ended;
    uint32_t outside_said; /* kernels of machine_outside */
    pid_t pid; /* that reports: the one that loaded the driver, or a child that ran something */
    int64_t started;
    struct timespec started_monotonic;

    bool configuration_failed, machine_failed, compiler_failed;
    struct configuration *configuration;
    struct machine *machine;
    bool has_compiler;
    struct program_compiler compiler;
    struct progress_display progress;
    struct sample_request samples; /* without a name: none were asked for */
} session;

const char *session_variable(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

bool session_flag(const char *name, bool otherwise)
{
    const char *value = session_variable(name);

    return value == NULL ? otherwise : strcmp(value, "0") != 0;
}

/* ---- The end ---- */

static double seconds_since_start(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - session.started_monotonic.tv_sec) +
           (double)(now.tv_nsec - session.started_monotonic.tv_nsec) * 1e-9;
}

struct summary_end session_summary_end(void)
{
    return (struct summary_end){
        .process_seconds = seconds_since_start(),
        .compiler = session.has_compiler ? &session.compiler : NULL,
    };
}

/* Where a kernel's first access outside is, said at once: a program may end without a chance to say
 * more. Said also where nothing else is: the results are not what the program as written gives. */
static void print_new_outside(void)
{
    uint32_t count;
    const struct machine_outside *outside = machine_outside(session.machine, &count);

    for (; session.outside_said < count; session.outside_said++) {
        const struct machine_outside *kernel = &outside[session.outside_said];

        fprintf(stderr, "wavetank: kernel %s: %s; the first:\n", kernel->kernel,
                kernel->is_old_bytes ? "a load older than another compute unit's store"
                                     : "an access outside all buffers (loads give 0, stores and "
                                       "atomics do nothing)");
        diagnosis_print(&kernel->first, stderr);
    }
}

static void print_outside(void)
{
    uint32_t count;
    const struct machine_outside *outside = machine_outside(session.machine, &count);

    for (uint32_t i = 0; i < count; i++)
        fprintf(stderr, "wavetank: kernel %s: %llu %s, launches with such: %llu\n",
                outside[i].kernel, (unsigned long long)outside[i].accesses,
                outside[i].is_old_bytes ? "bytes loaded older than another compute unit's store"
                                        : "accesses outside all buffers",
                (unsigned long long)outside[i].launches);
}

static void print_coverage(void)
{
    struct text text = {0};

    machine_print_coverage(session.machine, &text);
    fputs(text_chars(&text), stderr);
    text_finish(&text);
}

static void session_end(void)
{
    if (session.has_ended || session.pid != getpid())
        return;
    session.has_ended = true;
    progress_clear(&session.progress);
    /* Who asks for statistics gets a file also when nothing ran. */
    if (session_variable("WAVETANK_JSON") != NULL)
        session_machine();
    if (session.machine != NULL)
        print_outside();
    results_end();
    if (session.machine != NULL)
        print_coverage();
}

static void end_early(void)
{
    fflush(stdout);
    session_end();
    fflush(NULL);
}

/* A signal may have come when nothing of the driver was to follow. */
static void end_at_exit(void)
{
    if (*signals_stopping() != 0 && session.pid == getpid()) {
        end_early();
        signals_die();
    }
    session_end();
}

void session_stop(int status)
{
    end_early();
    _exit(status);
}

_Noreturn static void stop_by_signal(void)
{
    end_early();
    signals_die();
}

static void stop_if_asked(void)
{
    if (*signals_stopping() != 0 && session.pid == getpid())
        stop_by_signal();
}

void session_enter(void)
{
    signals_enter();
    stop_if_asked();
}

void session_leave(void)
{
    results_keep_if_due();
    signals_leave();
    stop_if_asked();
}

/* ---- The beginning ---- */

void session_begin(void)
{
    if (session.has_begun)
        return;
    session.has_begun = true;
    session.pid = getpid();
    session.started = time(NULL);
    clock_gettime(CLOCK_MONOTONIC, &session.started_monotonic);
    results_begin();
    atexit(end_at_exit);
    signals_listen();
}

void session_note_use(void)
{
    if (session.pid == getpid())
        return;
    session.pid = getpid();
    session.has_ended = false;
    results_begin_child();
}

/* Cuts WAVETANK_SET at newlines and semicolons, in place; blanks around a piece do not count. */
static uint32_t split_settings(char *string, const char **pieces, uint32_t max)
{
    uint32_t count = 0;
    char *rest = NULL;

    for (char *piece = strtok_r(string, ";\n", &rest); piece != NULL && count < max;
         piece = strtok_r(NULL, ";\n", &rest)) {
        size_t length;

        piece += strspn(piece, " \t");
        length = strlen(piece);
        while (length > 0 && strchr(" \t\r", piece[length - 1]) != NULL)
            piece[--length] = '\0';
        if (length > 0)
            pieces[count++] = piece;
    }
    return count;
}

static struct configuration *load_configuration(struct diagnosis *diagnosis)
{
    const char *gpu = session_variable("WAVETANK_GPU");
    const char *set = session_variable("WAVETANK_SET");
    char *string = copy_string(set != NULL ? set : "");
    uint32_t max = (uint32_t)strlen(string) / 2 + 1;
    const char **pieces = allocate(max, sizeof *pieces);
    uint32_t count = split_settings(string, pieces, max);
    struct configuration *configuration =
        configuration_load(gpu != NULL ? gpu : "hd7970", pieces, count, diagnosis);

    free(pieces);
    free(string);
    return configuration;
}

const struct configuration *session_configuration(void)
{
    struct diagnosis diagnosis;

    if (session.configuration == NULL && !session.configuration_failed) {
        session.configuration = load_configuration(&diagnosis);
        if (session.configuration == NULL) {
            session.configuration_failed = true;
            diagnosis_print(&diagnosis, stderr);
        }
    }
    return session.configuration;
}

static bool choose_model(enum machine_model *model, struct diagnosis *diagnosis)
{
    const char *name = session_variable("WAVETANK_MODEL");

    *model = MACHINE_TIMED;
    if (name == NULL || strcmp(name, "timed") == 0)
        return true;
    *model = MACHINE_FUNCTIONAL;
    if (strcmp(name, "functional") == 0)
        return true;
    diagnose(diagnosis, "WAVETANK_MODEL=%s: there is no such model", name);
    return diagnose_hint(diagnosis, "the models are 'timed' and 'functional'");
}

static bool choose_max_cycles(uint64_t *cycles, struct diagnosis *diagnosis)
{
    const char *value = session_variable("WAVETANK_MAX_CYCLES");
    char *end_of_number;

    *cycles = 0;
    if (value == NULL)
        return true;
    errno = 0;
    *cycles = strtoull(value, &end_of_number, 10);
    if (errno == 0 && *end_of_number == '\0' && value[0] >= '0' && value[0] <= '9')
        return true;
    return diagnose(diagnosis, "WAVETANK_MAX_CYCLES=%s: not a number of cycles", value);
}

static bool choose_bounds(struct machine_options *options, struct diagnosis *diagnosis)
{
    const char *name = session_variable("WAVETANK_OUT_OF_BOUNDS");

    options->has_exact_bounds = session_flag("WAVETANK_EXACT_BOUNDS", false);
    options->drops_outside = name != NULL && strcmp(name, "zero") == 0;
    if (name == NULL || options->drops_outside || strcmp(name, "fault") == 0)
        return true;
    diagnose(diagnosis, "WAVETANK_OUT_OF_BOUNDS=%s: there is no such choice", name);
    return diagnose_hint(diagnosis, "the choices are 'fault' and 'zero'");
}

static bool choose_release_check(struct machine_options *options, struct diagnosis *diagnosis)
{
    options->checks_release = session_flag("WAVETANK_CHECK_RELEASE", false);
    if (!options->checks_release || options->model == MACHINE_TIMED)
        return true;
    diagnose(diagnosis, "--check-release needs the timed model: the functional one has no caches");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

static bool choose_profile(struct machine_options *options, struct diagnosis *diagnosis)
{
    options->has_profile = profile_is_wanted();
    if (!options->has_profile || options->model == MACHINE_TIMED)
        return true;
    diagnose(diagnosis, "--profile needs the timed model: the functional one has no cycles");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

static bool choose_coverage(struct machine_options *options, struct diagnosis *diagnosis)
{
    options->counts_coverage = session_flag("WAVETANK_COVERAGE", false);
    if (!options->counts_coverage || options->model == MACHINE_TIMED)
        return true;
    diagnose(diagnosis, "--coverage needs the timed model: the functional one has no protocol");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

/* The names are checked when the machine is there. */
static bool choose_samples(struct machine_options *options, struct diagnosis *diagnosis)
{
    const char *wanted = session_variable("WAVETANK_SAMPLE");
    bool has_timeline =
        session_variable("WAVETANK_TIMELINE") != NULL && options->model == MACHINE_TIMED;
    char *text;
    bool is_good;

    if (wanted == NULL && !has_timeline)
        return true;
    if (options->model != MACHINE_TIMED) {
        diagnose(diagnosis, "samples need the timed model: the functional one has no cycles");
        return diagnose_hint(diagnosis, "leave out --model functional");
    }
    text = wanted != NULL ? copy_string(wanted) : timeline_samples(session.configuration);
    is_good = sample_request_parse(&session.samples, text, diagnosis);
    free(text);
    if (!is_good)
        return false;
    options->sample_cycles = session.samples.cycles;
    options->sample = summary_sample;
    return true;
}

/* The words are checked when the machine is made. */
static bool choose_detail(struct machine_options *options, struct diagnosis *diagnosis)
{
    options->slice_selection = session_variable("WAVETANK_TIMELINE_DETAIL");
    options->slice = timeline_detail;
    if (options->slice_selection == NULL || options->model == MACHINE_TIMED)
        return true;
    diagnose(diagnosis,
             "--timeline-detail needs the timed model: the functional one has no cycles");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

/* The words are checked when the machine is made. */
static bool choose_timed_launches(struct machine_options *options, struct diagnosis *diagnosis)
{
    options->timed_launches = session_variable("WAVETANK_TIMED_KERNELS");
    options->warms_caches = session_flag("WAVETANK_WARM_CACHES", false);
    if (options->timed_launches == NULL || options->model == MACHINE_TIMED)
        return true;
    diagnose(diagnosis, "--timed-kernels and --fast-forward need the timed model");
    return diagnose_hint(diagnosis, "leave out --model functional");
}

static bool wants_progress(void)
{
    return session_flag("WAVETANK_PROGRESS",
                        isatty(STDERR_FILENO) && !session_flag("WAVETANK_QUIET", false));
}

static struct summary *create_summary(struct diagnosis *diagnosis)
{
    struct summary_options options = {
        .is_quiet = session_flag("WAVETANK_QUIET", false),
        .json_path = session_variable("WAVETANK_JSON"),
        .json_kernels = session_variable("WAVETANK_JSON_KERNELS"),
        .command = session_variable("WAVETANK_COMMAND"),
        .started = session.started,
        .samples = session.samples.name_count > 0 ? &session.samples : NULL,
        .samples_are_wanted = session_variable("WAVETANK_SAMPLE") != NULL,
        .timed_launches = session_variable("WAVETANK_TIMED_KERNELS"),
        .warms_caches = session_flag("WAVETANK_WARM_CACHES", false),
    };

    return results_create_summary(session.configuration, &options, diagnosis);
}

/* NULL: the machine has no such statistic. It stays: this process gets no other. */
static struct machine *check_samples(struct machine *machine, struct diagnosis *diagnosis)
{
    if (machine == NULL ||
        sample_request_check(&session.samples, machine_registry(machine), diagnosis))
        return machine;
    return NULL;
}

static struct machine *build_machine(struct diagnosis *diagnosis)
{
    struct machine_options options = {.configuration = session.configuration,
                                      .interrupt = signals_stopping(),
                                      .record = summary_record};

    if (!choose_model(&options.model, diagnosis) || !choose_samples(&options, diagnosis) ||
        !choose_coverage(&options, diagnosis) || !choose_profile(&options, diagnosis) ||
        !choose_timed_launches(&options, diagnosis) || !choose_detail(&options, diagnosis))
        return NULL;
    options.record_context = options.sample_context = create_summary(diagnosis);
    if (options.record_context == NULL)
        return NULL;
    if (!choose_max_cycles(&options.max_cycles, diagnosis) || !choose_bounds(&options, diagnosis) ||
        !choose_release_check(&options, diagnosis) || !results_open_trace(&options, diagnosis))
        return NULL;
    options.say = progress_say;
    options.progress = progress_show;
    options.progress_context = &session.progress;
    session.progress.is_wanted = wants_progress();
    return check_samples(machine_create(&options, diagnosis), diagnosis);
}

struct machine *session_machine(void)
{
    struct diagnosis diagnosis;

    if (session.machine == NULL && !session.machine_failed && session_configuration() != NULL) {
        session.machine = build_machine(&diagnosis);
        if (session.machine == NULL) {
            session.machine_failed = true;
            diagnosis_print(&diagnosis, stderr);
        } else
            results_begin_machine(session.machine);
    }
    return session.machine;
}

struct machine *session_existing_machine(void)
{
    return session.machine;
}

bool session_has_compiler(struct diagnosis *diagnosis)
{
    static struct diagnosis why;

    if (!session.has_compiler && !session.compiler_failed) {
        session.has_compiler = program_find_compiler(&session.compiler, &why);
        session.compiler_failed = !session.has_compiler;
    }
    if (session.compiler_failed && diagnosis != NULL)
        *diagnosis = why;
    return session.has_compiler;
}

uint64_t session_compiler_stamp(void)
{
    return session_has_compiler(NULL) ? program_compiler_stamp(&session.compiler) : 0;
}

cl_ulong session_time_ns(void)
{
    return session.machine != NULL ? machine_time_ns(session.machine) : 0;
}

/* ---- Launches ---- */

bool session_run(const struct machine_launch *launch, struct machine_launch_result *result,
                 struct diagnosis *diagnosis)
{
    bool ran;

    session_note_use();
    results_begin_launch(launch->kernel->name);
    progress_start(&session.progress);
    ran = machine_run(session.machine, launch, result, diagnosis);
    progress_clear(&session.progress);
    print_new_outside();
    results_end_launch(launch->kernel->name, !ran);
    results_keep_if_due(); /* one call may run very many launches */
    if (result->outcome == LAUNCH_INTERRUPTED)
        stop_by_signal();
    if (result->outcome == LAUNCH_CYCLE_LIMIT) {
        fprintf(stderr, "wavetank: stopped: WAVETANK_MAX_CYCLES=%s reached in kernel %s\n",
                session_variable("WAVETANK_MAX_CYCLES"), launch->kernel->name);
        session_stop(STATUS_CYCLE_LIMIT);
    }
    return ran;
}

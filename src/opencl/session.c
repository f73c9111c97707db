/* SPDX-License-Identifier: MIT */
/* The process's one configuration, machine and report: what the environment asks for, when each is
 * made, how it all ends. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "opencl/driver.h"

/* Ends a process that --max-cycles stops, as timeout(1) would. */
enum { STATUS_CYCLE_LIMIT = 124, STATUS_INTERRUPTED = 130 };

/* A second Ctrl-C within this time is the first one again: a signal to the whole process group
 * comes directly and, passed on, from `wavetank run`. */
enum { SAME_INTERRUPT_NS = 300000000 };

static volatile sig_atomic_t interrupted;

static struct {
    bool has_begun, has_ended, has_told;
    pid_t pid; /* that reports: the one that loaded the driver, or a child that ran something */
    int64_t started;
    struct timespec started_monotonic;

    bool configuration_failed, machine_failed, compiler_failed;
    struct configuration *configuration;
    struct machine *machine;
    bool has_compiler;
    struct program_compiler compiler;
    struct progress_display progress;
    struct summary *summary;
} session;

static const char *environment(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0' ? value : NULL;
}

static bool environment_flag(const char *name, bool otherwise)
{
    const char *value = environment(name);

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

static void print_summary(void)
{
    struct summary_end at_end = {
        .process_seconds = seconds_since_start(),
        .compiler = session.has_compiler ? &session.compiler : NULL,
    };

    summary_print(session.summary, &at_end);
}

static void end(void)
{
    if (session.has_ended || session.pid != getpid())
        return;
    session.has_ended = true;
    progress_clear(&session.progress);
    if (session.machine != NULL)
        print_summary();
}

void session_stop(int status)
{
    fflush(stdout);
    end();
    fflush(NULL);
    _exit(status);
}

/* ---- Ctrl-C ---- */

/* The first one stops the machine; a second ends the process as if nobody listened. */
static void on_interrupt(int number)
{
    static const char message[] = "\nwavetank: stopping (press Ctrl-C again to end at once)\n";
    static atomic_llong first_ns;
    long long first = 0, now_ns;
    struct timespec now;
    int error = errno;

    clock_gettime(CLOCK_MONOTONIC, &now);
    now_ns = now.tv_sec * 1000000000LL + now.tv_nsec;
    if (atomic_compare_exchange_strong(&first_ns, &first, now_ns)) {
        interrupted = 1;
        if (write(STDERR_FILENO, message, sizeof message - 1) < 0)
            errno = error;
    } else if (now_ns - first >= SAME_INTERRUPT_NS) {
        signal(number, SIG_DFL);
        raise(number); /* when this handler returns */
    }
    errno = error;
}

void session_check_interrupt(void)
{
    if (interrupted && session.pid == getpid())
        session_stop(STATUS_INTERRUPTED);
}

static void listen_for_interrupt(void)
{
    struct sigaction action;

    if (!environment_flag("WAVETANK_SIGINT", false) || sigaction(SIGINT, NULL, &action) != 0 ||
        action.sa_handler != SIG_DFL)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    sigaction(SIGINT, &action, NULL);
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
    atexit(end);
    listen_for_interrupt();
}

void session_note_use(void)
{
    if (session.pid != getpid()) {
        session.pid = getpid();
        session.has_ended = session.has_told = false;
    }
}

/* Cuts WAVETANK_SET at newlines and semicolons, in place; blanks around a piece do not count. */
static uint32_t split_settings(char *string, const char **pieces, uint32_t most)
{
    uint32_t count = 0;
    char *rest = NULL;

    for (char *piece = strtok_r(string, ";\n", &rest); piece != NULL && count < most;
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
    const char *gpu = environment("WAVETANK_GPU");
    const char *set = environment("WAVETANK_SET");
    char *string = copy_string(set != NULL ? set : "");
    uint32_t most = (uint32_t)strlen(string) / 2 + 1;
    const char **pieces = allocate(most, sizeof *pieces);
    uint32_t count = split_settings(string, pieces, most);
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
    const char *name = environment("WAVETANK_MODEL");

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
    const char *value = environment("WAVETANK_MAX_CYCLES");
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

static bool choose_trace(struct machine_options *options, struct diagnosis *diagnosis)
{
    const char *file = environment("WAVETANK_TRACE_FILE");

    options->trace_selection = environment("WAVETANK_TRACE");
    if (options->trace_selection == NULL || file == NULL)
        return true;
    options->trace_stream = fopen(file, "w");
    if (options->trace_stream != NULL)
        return true;
    return diagnose(diagnosis, "WAVETANK_TRACE_FILE=%s: %s", file, strerror(errno));
}

static bool wants_progress(void)
{
    return environment_flag("WAVETANK_PROGRESS",
                            isatty(STDERR_FILENO) && !environment_flag("WAVETANK_QUIET", false));
}

static bool begin_summary(struct diagnosis *diagnosis)
{
    struct summary_options options = {
        .is_quiet = environment_flag("WAVETANK_QUIET", false),
        .json_path = environment("WAVETANK_JSON"),
        .json_kernels = environment("WAVETANK_JSON_KERNELS"),
        .command = environment("WAVETANK_COMMAND"),
        .started = session.started,
    };

    if (!summary_check(&options, diagnosis))
        return false;
    session.summary = summary_create(session.configuration, &options);
    return true;
}

static struct machine *build_machine(struct diagnosis *diagnosis)
{
    struct machine_options options = {.configuration = session.configuration,
                                      .interrupt = &interrupted,
                                      .record = summary_record};

    if (!begin_summary(diagnosis))
        return NULL;
    options.record_context = session.summary;
    if (!choose_model(&options.model, diagnosis) ||
        !choose_max_cycles(&options.max_cycles, diagnosis) || !choose_trace(&options, diagnosis))
        return NULL;
    options.say = progress_say;
    options.progress_context = &session.progress;
    if (wants_progress())
        options.progress = progress_show;
    return machine_create(&options, diagnosis);
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
            summary_begin(session.summary, session.machine);
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

cl_ulong session_time_ns(void)
{
    return session.machine != NULL ? machine_time_ns(session.machine) : 0;
}

/* ---- Launches ---- */

/* Tells `wavetank run` that this process uses Wavetank: now, because a process may end without a
 * chance to say so. The folder may be gone if the process has outlived that command. */
static void tell_first_kernel(const char *name)
{
    const char *path = environment("WAVETANK_STATUS_FILE");
    char *line;
    int file;

    if (path == NULL || session.has_told)
        return;
    session.has_told = true;
    file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    line = format_string("kernel %s\n", name);
    if (file >= 0 ? write(file, line, strlen(line)) < 0 : errno != ENOENT)
        fprintf(stderr, "wavetank: WAVETANK_STATUS_FILE=%s: %s\n", path, strerror(errno));
    if (file >= 0)
        close(file);
    free(line);
}

bool session_run(const struct machine_launch *launch, struct machine_launch_result *result,
                 struct diagnosis *diagnosis)
{
    bool ran;

    session_note_use();
    ran = machine_run(session.machine, launch, result, diagnosis);
    progress_clear(&session.progress);
    tell_first_kernel(launch->kernel->name);
    if (result->outcome == LAUNCH_INTERRUPTED)
        session_stop(STATUS_INTERRUPTED);
    if (result->outcome == LAUNCH_CYCLE_LIMIT) {
        fprintf(stderr, "wavetank: stopped: WAVETANK_MAX_CYCLES=%s reached in kernel %s\n",
                environment("WAVETANK_MAX_CYCLES"), launch->kernel->name);
        session_stop(STATUS_CYCLE_LIMIT);
    }
    return ran;
}

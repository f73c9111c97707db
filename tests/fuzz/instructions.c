/* SPDX-License-Identifier: MIT */
/*
 * Random instruction streams on both models: never an abort or a sanitizer's report, and the same
 * registers, memory or fault. A stream follows from the seed and its number alone. What is found is
 * made smaller by leaving instructions out, printed, and kept in a file that --replay runs.
 *
 * Streams run in a child process, so that an abort is a finding like any other.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/check.h"
#include "fuzz/stream_run.h"

enum { STREAMS_A_CHILD = 400, SECONDS_MAX = 60, SEEDS_MAX = 16 };

struct options {
    uint64_t seeds[SEEDS_MAX];
    unsigned seed_count;
    double seconds;
    uint64_t count, first;
    unsigned findings_max;
    const char *keep, *replay, *setting;
    bool prints;
};

/* What a child leaves behind, whatever ends it. */
struct shared {
    uint64_t number; /* of the stream that runs, or ran last */
    bool is_done;    /* it came to its own end */
    struct stream stream;
    struct finding finding;
};

static struct shared *shared;

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* ---- children ---- */

/* What the child printed says more than how it ended. */
static void read_report(FILE *report, struct finding *finding)
{
    char text[sizeof finding->words];
    size_t length;
    const char *start;

    fflush(report);
    rewind(report);
    length = fread(text, 1, sizeof text - 1, report);
    text[length] = '\0';
    start = strstr(text, "runtime error");
    if (start == NULL)
        start = strstr(text, "ERROR: AddressSanitizer");
    if (start != NULL)
        snprintf(finding->kind, sizeof finding->kind, "%s",
                 *start == 'r' ? "undefined behaviour" : "address sanitizer");
    snprintf(finding->words, sizeof finding->words, "%s", text);
}

/* Waits for the child; its end becomes a finding unless it was orderly. */
static void await(pid_t child, FILE *report)
{
    int status = 0;

    check(waitpid(child, &status, 0) == child, "a child is lost");
    if (shared->is_done)
        return;
    if (WIFSIGNALED(status))
        snprintf(shared->finding.kind, sizeof shared->finding.kind, "signal %d, %s",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else
        snprintf(shared->finding.kind, sizeof shared->finding.kind, "exit status %d",
                 WEXITSTATUS(status));
    read_report(report, &shared->finding);
}

/* Runs `work` in a child. */
static void in_child(void (*work)(const void *context), const void *context)
{
    FILE *report = tmpfile();
    pid_t child;

    check(report != NULL, "no temporary file");
    shared->is_done = false;
    shared->finding.kind[0] = '\0';
    fflush(NULL);
    child = fork();
    check(child >= 0, "no child");
    if (child == 0) {
        dup2(fileno(report), STDERR_FILENO);
        work(context);
        shared->is_done = true;
        _exit(0);
    }
    await(child, report);
    fclose(report);
}

struct range {
    uint64_t seed, first, last;
    double end;
    const char *setting;
};

static void run_range(const void *context)
{
    const struct range *range = context;
    struct bench bench;

    bench_init(&bench, range->setting);
    for (uint64_t number = range->first; number < range->last; number++) {
        shared->number = number;
        stream_make(&shared->stream, range->seed, number, bench_buffer(&bench));
        alarm(SECONDS_MAX);
        bench_try(&bench, &shared->stream, &shared->finding);
        if (shared->finding.kind[0] != '\0' || seconds_now() > range->end)
            break;
    }
    bench_finish(&bench);
}

static void run_one(const void *context)
{
    struct bench bench;

    alarm(SECONDS_MAX);
    bench_init(&bench, context);
    bench_try(&bench, &shared->stream, &shared->finding);
    bench_finish(&bench);
}

/* ---- making smaller ---- */

static bool still_fails(const struct options *options, const char *kind)
{
    in_child(run_one, options->setting);
    return strcmp(shared->finding.kind, kind) == 0;
}

static void drop(uint32_t start, uint32_t count, bool is_dropped)
{
    for (uint32_t i = start; i < start + count && i < shared->stream.count; i++)
        shared->stream.items[i].is_dropped = is_dropped;
}

static void shrink(const struct options *options)
{
    struct finding finding = shared->finding;

    for (uint32_t chunk = STREAM_ITEMS / 2; chunk > 0; chunk /= 2)
        for (uint32_t start = 0; start < shared->stream.count; start += chunk) {
            struct stream saved = shared->stream;

            drop(start, chunk, true);
            if (memcmp(&saved, &shared->stream, sizeof saved) == 0)
                continue;
            if (still_fails(options, finding.kind))
                finding = shared->finding;
            else
                shared->stream = saved;
        }
    shared->finding = finding;
}

static void keep(const struct options *options, uint64_t seed, uint64_t number)
{
    char path[4096];
    FILE *file;

    mkdir(options->keep, 0777);
    snprintf(path, sizeof path, "%s/seed-%" PRIu64 "-stream-%" PRIu64 ".txt", options->keep, seed,
             number);
    file = fopen(path, "w");
    if (file == NULL) {
        perror(path);
        return;
    }
    stream_write(&shared->stream, file);
    fclose(file);
    printf("kept: fuzz_instructions --replay %s\n", path);
}

static void report(void)
{
    struct text text = {0};

    stream_print(&shared->stream, isa_gcn(false), &text);
    printf("%s\n%s\n%u groups of %u items\n%s", shared->finding.kind, shared->finding.words,
           (unsigned)shared->stream.groups, (unsigned)shared->stream.group_items,
           text_chars(&text));
    text_finish(&text);
}

/* ---- seeds ---- */

static unsigned run_seed(const struct options *options, uint64_t seed, double end, uint64_t *ran)
{
    uint64_t number = options->first, last = options->first + options->count;
    unsigned findings = 0;

    while (number < last && seconds_now() < end && findings < options->findings_max) {
        struct range range = {seed, number, number + STREAMS_A_CHILD, end, options->setting};

        if (range.last > last)
            range.last = last;
        in_child(run_range, &range);
        number = shared->number + 1;
        if (shared->finding.kind[0] == '\0')
            continue;
        findings++;
        printf("stream %" PRIu64 " of seed %" PRIu64 ": ", shared->number, seed);
        fflush(stdout);
        shrink(options);
        report();
        keep(options, seed, number - 1);
    }
    *ran = number - options->first;
    printf("seed %" PRIu64 ": %" PRIu64 " streams, %u findings\n", seed, *ran, findings);
    fflush(stdout);
    return findings;
}

static int replay(const struct options *options)
{
    FILE *file = fopen(options->replay, "r");

    if (file == NULL || !stream_read(&shared->stream, file)) {
        fprintf(stderr, "%s is no stream\n", options->replay);
        return 2;
    }
    fclose(file);
    in_child(run_one, options->setting);
    report();
    return shared->finding.kind[0] == '\0' ? 0 : 1;
}

static void usage(void)
{
    puts("fuzz_instructions [--seed N]... [--fresh] [--seconds S] [--count N] [--first N]\n"
         "                  [--most-findings N] [--keep FOLDER] [--set PATH=VALUE]\n"
         "                  [--print] [--replay FILE]");
    exit(2);
}

static void add_seed(struct options *options, uint64_t seed)
{
    if (options->seed_count == SEEDS_MAX)
        usage();
    options->seeds[options->seed_count++] = seed;
}

static void add_fresh_seed(struct options *options)
{
    uint32_t seed = 0;

    check(getrandom(&seed, sizeof seed, 0) == sizeof seed, "no random number");
    add_seed(options, seed);
}

static void parse_option(struct options *options, const char *name, const char *value)
{
    if (strcmp(name, "--seed") == 0)
        add_seed(options, strtoull(value, NULL, 0));
    else if (strcmp(name, "--seconds") == 0)
        options->seconds = strtod(value, NULL);
    else if (strcmp(name, "--count") == 0)
        options->count = strtoull(value, NULL, 10);
    else if (strcmp(name, "--first") == 0)
        options->first = strtoull(value, NULL, 10);
    else if (strcmp(name, "--most-findings") == 0)
        options->findings_max = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--keep") == 0)
        options->keep = value;
    else if (strcmp(name, "--set") == 0)
        options->setting = value;
    else if (strcmp(name, "--replay") == 0)
        options->replay = value;
    else
        usage();
}

static void parse(struct options *options, int argc, char **argv)
{
    bool is_fresh = false;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--fresh") == 0)
            is_fresh = true;
        else if (strcmp(argv[i], "--print") == 0)
            options->prints = true;
        else if (i + 1 < argc)
            parse_option(options, argv[i], argv[i + 1]), i++;
        else
            usage();
    }
    if (is_fresh || options->seed_count == 0)
        add_fresh_seed(options);
}

int main(int argc, char **argv)
{
    struct options options = {
        .seconds = 60, .count = UINT32_MAX, .findings_max = 5, .keep = "fuzz-failures"};
    unsigned findings = 0;
    uint64_t total = 0, ran;
    double start = seconds_now();

    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    check(shared != MAP_FAILED, "no shared memory");
    parse(&options, argc, argv);
    if (options.replay != NULL)
        return replay(&options);
    if (options.prints) {
        stream_make(&shared->stream, options.seeds[0], options.first, UINT64_C(0x550000001000));
        report();
        return 0;
    }
    for (unsigned i = 0; i < options.seed_count; i++) {
        findings += run_seed(&options, options.seeds[i],
                             start + options.seconds * (i + 1) / options.seed_count, &ran);
        total += ran;
    }
    printf("%" PRIu64 " streams in %.0f s, %u findings\n", total, seconds_now() - start, findings);
    if (total == 0)
        return 2;
    return findings != 0;
}

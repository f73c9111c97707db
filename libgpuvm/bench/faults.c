/* SPDX-License-Identifier: MIT */
/*
 * What faults cost, a rung at a time. Each rung runs in a process of its own, with and without huge
 * pages, with and without buffers that the host can reach. The device is the tests' fake without
 * costs, and what it needs to copy is taken off.
 */
#include "faults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXIT_NOT_HERE 77

static const char *const rungs[] = {
    "svm", "uffd-move", "uffd-copy", "uffd-move-user", "uffd-copy-user", "segv-mem"};
#define RUNG_COUNT (sizeof(rungs) / sizeof(rungs[0]))

struct options {
    const char *rung, *json;
    bool is_quick, only_huge, only_small, only_reach, only_commands, no_links, no_pages;
};

static const char usage[] =
    "usage: faults [options]\n"
    "  --rung NAME      one rung alone (all that work here)\n"
    "  --huge, --small  with, without huge pages alone (both)\n"
    "  --reach, --commands  buffers within the host's reach, device commands alone (both)\n"
    "  --no-links       not the many small arrays\n"
    "  --no-pages       not the large array\n"
    "  --quick          fewer repetitions, huge pages and device commands alone, up to 10,000 "
    "arrays\n"
    "  --json FILE      writes all numbers\n";

/* ---- Samples and rows ---- */

void samples_add(struct samples *samples, double value_us, double transfer_us)
{
    if (samples->used == samples->room) {
        samples->room = samples->room ? 2 * samples->room : 64;
        samples->values_us = realloc(samples->values_us, samples->room * sizeof(double));
        samples->transfers_us = realloc(samples->transfers_us, samples->room * sizeof(double));
        if (!samples->values_us || !samples->transfers_us) {
            fail("no memory for samples");
        }
    }
    samples->values_us[samples->used] = value_us;
    samples->transfers_us[samples->used++] = transfer_us;
}

void samples_free(struct samples *samples)
{
    free(samples->values_us);
    free(samples->transfers_us);
    *samples = (struct samples){0};
}

double copy_seconds(const struct bench *bench)
{
    if (!bench->has_reach) {
        return fake_totals(bench->fake).copy_seconds;
    }
    double seconds;
    gpuvm_must(gpuvm_stat(GPUVM_STAT_COPY_TIME, &seconds), "gpuvm_stat");
    return seconds;
}

void report_samples(struct bench *bench, const char *name, struct samples *samples)
{
    struct summary values = summarize(samples->values_us, samples->used);
    struct summary transfers = summarize(samples->transfers_us, samples->used);
    printf("  %-50s %10.2f %10.2f %10.2f %10.2f %10.2f %8u %10.2f\n", name, values.median,
           values.minimum, values.quartile1, values.quartile3, values.maximum, values.count,
           transfers.median);
    fprintf(bench->json, ",\n  {\"name\": \"%s\", \"unit\": \"us\", ", name);
    summary_write_json(bench->json, "beyond", &values);
    fprintf(bench->json, ", ");
    summary_write_json(bench->json, "transfer", &transfers);
    fprintf(bench->json, "}");
    samples_free(samples);
}

void report_number(struct bench *bench, const char *name, double value, const char *unit)
{
    printf("  %-50s %10.2f %s\n", name, value, unit);
    fprintf(bench->json, ",\n  {\"name\": \"%s\", \"unit\": \"%s\", \"value\": %.9g}", name, unit,
            value);
}

void report_verdict(struct bench *bench, const char *goal, const char *what, double value,
                    double allowed, const char *unit)
{
    bool is_met = value <= allowed;
    printf("  %-5s %-40s %10.2f %s, allowed %.0f: ", goal, what, value, unit, allowed);
    if (is_met) {
        printf("met\n");
    } else {
        printf("MISSED by %.2f %s\n", value - allowed, unit);
    }
    fprintf(bench->json,
            ",\n  {\"name\": \"%s\", \"goal\": \"%s\", \"unit\": \"%s\", \"value\": %.9g, "
            "\"allowed\": %.9g, \"is_met\": %s}",
            what, goal, unit, value, allowed, is_met ? "true" : "false");
}

/* ---- One process ---- */

static void start_library(struct bench *bench)
{
    struct fake_options fake_options = {.has_reach = bench->has_reach,
                                        .has_svm = strcmp(bench->rung, "svm") == 0};
    bench->fake = fake_create(&fake_options);
    if (!bench->fake) {
        fail("no fake device");
    }
    void *devices[1] = {fake_device(bench->fake)};
    int flags = GPUVM_OPS | GPUVM_STAT | (bench->has_huge_pages ? 0 : GPUVM_NO_HUGE_PAGES);
    int error = gpuvm_init(1, devices, flags);
    if (error == GPUVM_EPROT) {
        printf("%s: does not work here\n", bench->rung);
        fflush(stdout);
        _exit(EXIT_NOT_HERE);
    }
    gpuvm_must(error, "gpuvm_init");
}

/* In the child: measures one combination and writes its JSON object. */
static void run_here(struct bench *bench, const struct options *options)
{
    setenv("GPUVM_BACKEND", bench->rung, 1);
    start_library(bench);
    const char *rung;
    gpuvm_must(gpuvm_stat(GPUVM_STAT_RUNG, &rung), "gpuvm_stat");
    printf("\n%s, %s huge pages, %s\n", rung, bench->has_huge_pages ? "with" : "without",
           bench->has_reach ? "buffers within reach" : "device commands only");
    printf("  %-50s %10s %10s %10s %10s %10s %8s %10s\n", "us beyond the transfer", "median",
           "minimum", "quartile", "quartile", "maximum", "samples", "transfer");
    fprintf(bench->json,
            "{\"rung\": \"%s\", \"has_huge_pages\": %s, \"has_reach\": %s, \"rows\": [\n  "
            "{\"name\": \"rung\"}",
            rung, bench->has_huge_pages ? "true" : "false", bench->has_reach ? "true" : "false");
    /* Where devices see host memory, arrays that have buffers are copied whole: there are no faults
     * to measure. */
    bool has_faults = strcmp(rung, "svm") != 0;
    if (!options->no_links && bench->has_huge_pages && !bench->has_reach) {
        measure_links(bench);
    }
    if (!options->no_pages && has_faults) {
        measure_floor(bench);
        measure_pages(bench);
        if (!bench->has_reach) {
            measure_pause(bench);
        }
    }
    fprintf(bench->json, "]}");
    gpuvm_must(gpuvm_finish(), "gpuvm_finish");
    if (!fake_destroy(bench->fake)) {
        fail("the fake device still has buffers");
    }
}

/* Copies what the child writes until it ends; its status. */
static int collect(int from, pid_t child, FILE *json, bool *is_first)
{
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    char part[4096];
    ssize_t got;
    while ((got = read(from, part, sizeof(part))) > 0 || (got < 0 && errno == EINTR)) {
        fwrite(part, 1, got > 0 ? (size_t)got : 0, memory);
    }
    close(from);
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    fclose(memory);
    if (json && status == 0) {
        fprintf(json, "%s%s", *is_first ? "" : ",\n", text);
        *is_first = false;
    }
    free(text);
    return status;
}

/* Whether it went well, or the rung does not exist here. */
static bool run_apart(struct bench bench, const struct options *options, FILE *json, bool *is_first)
{
    int ends[2];
    fflush(NULL);
    pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0) {
        fail("no process for %s", bench.rung);
    }
    if (child == 0) {
        close(ends[0]);
        bench.json = fdopen(ends[1], "w");
        run_here(&bench, options);
        fclose(bench.json);
        exit(0);
    }
    close(ends[1]);
    int status = collect(ends[0], child, json, is_first);
    if (WIFSIGNALED(status)) {
        printf("%s: ended by signal %d\n", bench.rung, WTERMSIG(status));
        return false;
    }
    return WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == EXIT_NOT_HERE;
}

/* ---- All of them ---- */

static struct options parse(int argc, char **argv)
{
    struct options options = {0};
    for (int i = 1; i < argc; i++) {
        const char *argument = argv[i];
        if (strcmp(argument, "--rung") == 0) {
            options.rung = option_value(argc, argv, &i);
        } else if (strcmp(argument, "--json") == 0) {
            options.json = option_value(argc, argv, &i);
        } else if (strcmp(argument, "--quick") == 0) {
            options.is_quick = options.only_huge = options.only_commands = true;
        } else if (strcmp(argument, "--huge") == 0) {
            options.only_huge = true;
        } else if (strcmp(argument, "--small") == 0) {
            options.only_small = true;
        } else if (strcmp(argument, "--reach") == 0) {
            options.only_reach = true;
        } else if (strcmp(argument, "--commands") == 0) {
            options.only_commands = true;
        } else if (strcmp(argument, "--no-links") == 0) {
            options.no_links = true;
        } else if (strcmp(argument, "--no-pages") == 0) {
            options.no_pages = true;
        } else {
            fputs(usage, strcmp(argument, "--help") == 0 ? stdout : stderr);
            exit(strcmp(argument, "--help") == 0 ? 0 : 2);
        }
    }
    return options;
}

static bool run_rung(const char *rung, const struct options *options, FILE *json, bool *is_first)
{
    bool is_right = true;
    for (int small = options->only_small; small <= !options->only_huge; small++) {
        for (int reach = options->only_reach; reach <= !options->only_commands; reach++) {
            struct bench bench = {.rung = rung,
                                  .has_huge_pages = !small,
                                  .has_reach = reach,
                                  .is_quick = options->is_quick};
            is_right = run_apart(bench, options, json, is_first) && is_right;
        }
    }
    return is_right;
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    FILE *json = options.json ? fopen(options.json, "w") : NULL;
    if (options.json && !json) {
        fail("%s: cannot be written", options.json);
    }
    bool is_right = true;
    bool is_first = true;
    if (json) {
        fprintf(json, "{\"benchmark\": \"faults\", \"runs\": [\n");
    }
    for (unsigned i = 0; i < RUNG_COUNT; i++) {
        if (!options.rung || strcmp(options.rung, rungs[i]) == 0) {
            is_right = run_rung(rungs[i], &options, json, &is_first) && is_right;
        }
    }
    if (json) {
        fprintf(json, "\n]}\n");
        if (fclose(json) != 0) {
            fail("%s: cannot be written", options.json);
        }
    }
    return is_right ? 0 : 1;
}

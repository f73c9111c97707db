/* SPDX-License-Identifier: MIT */
/*
 * The libgpuvm paper's experiment: x' = A x + b again and again, with the data moved by libgpuvm or
 * by hand. Between two kernels the host touches nothing, parts or all of the data. The recurrence
 * is modulo a prime, so it never settles: a word that is old or lost changes the end. The end is
 * compared bit by bit with the same computed on the host.
 *
 * All ways are interleaved in one run: a round holds a burst of each, libgpuvm's and its
 * counterpart's next to each other. Many short bursts tell small differences better than a few long
 * ones, since a machine's speed wanders.
 */
#include "arms.h"
#include "common.h"
#include "device.h"
#include "gpuvm.h"
#include "report.h"

#include <stdlib.h>
#include <string.h>

#define PAGE_BYTES 4096
#define FAULT_BYTES ((size_t)16 << 20)
#define FAULT_WARM_UP 40 /* the library learns that single pages are touched */

struct options {
    const char *device, *json, *only;
    struct device_options device_options;
    unsigned rounds, iterations, warm_up;
    bool is_aligned, no_reach, no_huge_pages, no_stat;
};

static const char usage[] =
    "usage: matvec [options]\n"
    "  --device NAME     opencl (the default), c2050, hd5830 or free: the fake device with a "
    "card's costs\n"
    "  --opencl-device I the I-th OpenCL device, counted over all platforms (0)\n"
    "  --rounds N        rounds of all ways (100)\n"
    "  --iterations N    timed iterations of each way in a round (6)\n"
    "  --warm-up N       iterations before them (2)\n"
    "  --n N             rows and columns, a multiple of 128 (2048)\n"
    "  --columns         the kernel reads A column-wise, as the paper's (slow on a CPU)\n"
    "  --aligned         gpuvm_alloc's arrays everywhere, instead of malloc's\n"
    "  --pipelined       hand-written OpenCL transfers do not wait for each other; the paper's do\n"
    "  --reach           the fake device's buffers can be reached by the host\n"
    "  --no-reach        libgpuvm uses device commands only\n"
    "  --no-huge-pages   libgpuvm advises no huge pages\n"
    "  --no-stat         libgpuvm measures no times, as in ordinary use: totals, but few rows\n"
    "  --only A,B,...    these ways alone (--list prints them)\n"
    "  --json FILE       writes all numbers\n";

static void list_pairs(void)
{
    for (unsigned i = 0; i < pair_count; i++) {
        printf("%-18s against %s\n", pairs[i].name, pairs[i].reference_name);
    }
}

/* Options with a value; whether argv[*i] was one. */
static bool parse_valued(struct options *options, int argc, char **argv, int *i)
{
    const struct {
        const char *name;
        const char **text;
        unsigned *number;
    } known[] = {
        {"--device", &options->device, NULL},
        {"--json", &options->json, NULL},
        {"--only", &options->only, NULL},
        {"--opencl-device", NULL, &options->device_options.opencl_index},
        {"--rounds", NULL, &options->rounds},
        {"--iterations", NULL, &options->iterations},
        {"--warm-up", NULL, &options->warm_up},
        {"--n", NULL, &options->device_options.n},
    };
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
        if (strcmp(argv[*i], known[k].name) != 0) {
            continue;
        }
        if (known[k].text) {
            *known[k].text = option_value(argc, argv, i);
        } else {
            *known[k].number = option_number(argc, argv, i);
        }
        return true;
    }
    return false;
}

static bool parse_flag(struct options *options, const char *argument)
{
    const struct {
        const char *name;
        bool *flag;
    } known[] = {
        {"--columns", &options->device_options.is_columns},
        {"--pipelined", &options->device_options.is_pipelined},
        {"--reach", &options->device_options.has_reach},
        {"--aligned", &options->is_aligned},
        {"--no-reach", &options->no_reach},
        {"--no-huge-pages", &options->no_huge_pages},
        {"--no-stat", &options->no_stat},
    };
    for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++) {
        if (strcmp(argument, known[k].name) == 0) {
            *known[k].flag = true;
            return true;
        }
    }
    return false;
}

static struct options parse(int argc, char **argv)
{
    struct options options = {.device = "opencl",
                              .device_options = {.n = 2048},
                              .rounds = 100,
                              .iterations = 6,
                              .warm_up = 2};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--list") == 0) {
            list_pairs();
            exit(0);
        }
        if (!parse_valued(&options, argc, argv, &i) && !parse_flag(&options, argv[i])) {
            fputs(usage, strcmp(argv[i], "--help") == 0 ? stdout : stderr);
            exit(strcmp(argv[i], "--help") == 0 ? 0 : 2);
        }
    }
    unsigned n = options.device_options.n;
    /* Longer sums would pass 2^24 and be exact no more. */
    if (n == 0 || n % 128 != 0 || n > 4096) {
        fail("--n: a multiple of 128, at most 4096");
    }
    if (options.rounds == 0 || options.iterations == 0) {
        fail("no rounds or no iterations");
    }
    return options;
}

/* Whether name is in the list of --only (or there is none). */
static bool is_chosen(const char *only, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = only; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return !only;
}

static void start_library(const struct options *options, struct bench_device *device)
{
    int flags = device->gpuvm_api;
    flags |= options->no_reach ? GPUVM_NO_REACH : 0;
    flags |= options->no_huge_pages ? GPUVM_NO_HUGE_PAGES : 0;
    flags |= options->no_stat ? 0 : GPUVM_STAT;
    void *devices[1] = {device->gpuvm_device};
    gpuvm_must(gpuvm_init(1, devices, flags), "gpuvm_init");
}

/* Samples of a touch of a random page that the device owns, each beside a read of that page by
 * hand. With by_command the library needs such a read, too, and only what is beyond it counts. */
static void measure_fault(struct bench_device *device, unsigned count, bool by_command,
                          struct report *report)
{
    const struct bench_device_operations *operations = device->operations;
    char *host = gpuvm_alloc(FAULT_BYTES), page[PAGE_BYTES];
    void *buffer = operations->allocate(device, FAULT_BYTES);
    double *beyond_us = allocate_or_fail(count * sizeof(double));
    double *command_us = allocate_or_fail(count * sizeof(double));
    unsigned state = 1;
    memset(host, 1, FAULT_BYTES);
    gpuvm_must(gpuvm_link(host, FAULT_BYTES, 0, buffer, GPUVM_ON_HOST), "gpuvm_link");
    for (unsigned i = 0; i < FAULT_WARM_UP + count; i++) {
        state = state * 1664525u + 1013904223u;
        size_t at = (size_t)(state >> 8) % (FAULT_BYTES / PAGE_BYTES) * PAGE_BYTES;
        gpuvm_must(gpuvm_kernel_begin(host, 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
        gpuvm_must(gpuvm_kernel_end(host, 0), "gpuvm_kernel_end");
        operations->finish(device);
        double start = now_seconds();
        (void)*(volatile char *)(host + at);
        double fault_us = 1e6 * (now_seconds() - start);
        start = now_seconds();
        operations->read(device, buffer, at, page, PAGE_BYTES);
        operations->finish(device);
        double by_hand_us = 1e6 * (now_seconds() - start);
        if (i >= FAULT_WARM_UP) {
            command_us[i - FAULT_WARM_UP] = by_hand_us;
            beyond_us[i - FAULT_WARM_UP] = fault_us - (by_command ? by_hand_us : 0);
        }
    }
    report->command_us = summarize(command_us, count).median;
    report->fault_us = summarize(beyond_us, count);
    gpuvm_must(gpuvm_unlink(host, 0), "gpuvm_unlink");
    operations->take_times(device);
    operations->release(device, buffer);
    gpuvm_free(host);
    free(beyond_us);
    free(command_us);
}

/* The side that goes first changes from round to round, so that neither always finds the caches
 * that the other left. */
static void run_round(const struct options *options, struct bench_device *device, struct arm *arms,
                      struct result *results, unsigned count, unsigned round)
{
    for (unsigned i = 0; i < count; i++) {
        for (unsigned turn = 0; turn < 2; turn++) {
            enum side side = (turn + round) % 2 == 0 ? SIDE_GPUVM : SIDE_REFERENCE;
            double rows[ROW_COUNT];
            arm_burst(&arms[2 * i + side], device, options->warm_up, options->iterations, rows);
            for (int row = 0; row < ROW_COUNT; row++) {
                results[i].rows[side][row][round] = rows[row];
            }
        }
    }
}

static unsigned open_arms(const struct options *options, struct bench_device *device,
                          struct arm *arms, struct result *results)
{
    unsigned count = 0;
    for (unsigned i = 0; i < pair_count; i++) {
        if (!is_chosen(options->only, pairs[i].name)) {
            continue;
        }
        results[count] = (struct result){.pair = &pairs[i]};
        struct arm *pair = &arms[2 * count];
        arm_open(&pair[SIDE_REFERENCE], device, &pairs[i], true, options->is_aligned, NULL);
        arm_open(&pair[SIDE_GPUVM], device, &pairs[i], false, options->is_aligned,
                 &pair[SIDE_REFERENCE]);
        for (int side = 0; side < 2; side++) {
            for (int row = 0; row < ROW_COUNT; row++) {
                results[count].rows[side][row] = allocate_or_fail(options->rounds * sizeof(double));
            }
        }
        count++;
    }
    if (count == 0) {
        fail("--only: no such way (--list prints them)");
    }
    return count;
}

/* Checks, unlinks and frees; whether all results were right. */
static bool close_arms(struct bench_device *device, struct arm *arms, struct result *results,
                       unsigned count)
{
    bool all_right = true;
    for (unsigned i = 0; i < count; i++) {
        results[i].is_right = true;
        for (int side = 0; side < 2; side++) {
            if (!arm_check(&arms[2 * i + side], device)) {
                results[i].is_right = false;
                printf("WRONG: %s, %s\n", results[i].pair->name,
                       side == SIDE_GPUVM ? "libgpuvm" : results[i].pair->reference_name);
            }
            arm_close(&arms[2 * i + side], device);
        }
        all_right = all_right && results[i].is_right;
    }
    return all_right;
}

static void finish_report(struct report *report, const struct options *options,
                          struct bench_device *device)
{
    report->device = device;
    report->rounds = options->rounds;
    report->iterations = options->iterations;
    report->warm_up = options->warm_up;
    report->is_aligned = options->is_aligned;
    report->has_huge_pages = !options->no_huge_pages;
    report->measures_times = !options->no_stat;
    report->has_reach = !options->no_reach && device->has_reach;
    report_print(report);
    if (options->json) {
        FILE *stream = fopen(options->json, "w");
        if (!stream) {
            fail("%s: cannot be written", options->json);
        }
        report_write_json(report, stream);
        if (fclose(stream) != 0) {
            fail("%s: cannot be written", options->json);
        }
    }
}

int main(int argc, char **argv)
{
    struct options options = parse(argc, argv);
    struct bench_device *device = strcmp(options.device, "opencl") == 0
                                      ? device_open_opencl(&options.device_options)
                                      : device_open_fake(&options.device_options, options.device);
    start_library(&options, device);
    struct report report = {0};
    gpuvm_must(gpuvm_stat(GPUVM_STAT_RUNG, &report.rung), "gpuvm_stat");
    measure_fault(device, options.rounds * options.iterations,
                  options.no_reach || !device->has_reach, &report);
    struct arm *arms = allocate_or_fail(2 * pair_count * sizeof(struct arm));
    report.results = allocate_or_fail(pair_count * sizeof(struct result));
    report.result_count = open_arms(&options, device, arms, report.results);
    for (unsigned round = 0; round < options.rounds; round++) {
        run_round(&options, device, arms, report.results, report.result_count, round);
    }
    bool all_right = close_arms(device, arms, report.results, report.result_count);
    finish_report(&report, &options, device);
    gpuvm_must(gpuvm_finish(), "gpuvm_finish");
    free(arms);
    for (unsigned i = 0; i < report.result_count; i++) {
        for (int row = 0; row < ROW_COUNT; row++) {
            free(report.results[i].rows[SIDE_GPUVM][row]);
            free(report.results[i].rows[SIDE_REFERENCE][row]);
        }
    }
    free(report.results);
    device->operations->close(device);
    /* Missed bounds are a result; wrong numbers are not. */
    return all_right ? 0 : 1;
}

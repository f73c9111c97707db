/* SPDX-License-Identifier: MIT */
/* What both benchmarks need: a clock, an end with a sentence, order statistics and their output. */
#include "common.h"

#include "gpuvm.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double now_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

_Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fflush(stdout);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(1);
}

void *allocate_or_fail(size_t nbytes)
{
    void *memory = malloc(nbytes ? nbytes : 1);
    if (!memory) {
        fail("no memory for %zu bytes", nbytes);
    }
    return memory;
}

void gpuvm_must(int error, const char *call)
{
    if (error) {
        fail("%s: %s (%d)", call, gpuvm_strerror(error), error);
    }
}

static int compare(const void *left, const void *right)
{
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The value below which a share of the sorted values lies. */
static double quantile(const double *sorted, size_t count, double share)
{
    double position = share * (double)(count - 1);
    size_t below = (size_t)position;
    size_t above = below + 1 < count ? below + 1 : below;
    return sorted[below] + (position - (double)below) * (sorted[above] - sorted[below]);
}

struct summary summarize(const double *values, size_t count)
{
    struct summary summary = {0};
    if (count == 0) {
        return summary;
    }
    double *sorted = allocate_or_fail(count * sizeof(double));
    memcpy(sorted, values, count * sizeof(double));
    qsort(sorted, count, sizeof(double), compare);
    summary.count = (unsigned)count;
    summary.minimum = sorted[0];
    summary.quartile1 = quantile(sorted, count, 0.25);
    summary.median = quantile(sorted, count, 0.5);
    summary.quartile3 = quantile(sorted, count, 0.75);
    summary.maximum = sorted[count - 1];
    double margin = 0.5 * 1.96 / sqrt((double)count);
    summary.low = quantile(sorted, count, margin < 0.5 ? 0.5 - margin : 0);
    summary.high = quantile(sorted, count, margin < 0.5 ? 0.5 + margin : 1);
    for (size_t i = 0; i < count; i++) {
        summary.mean += sorted[i] / (double)count;
    }
    free(sorted);
    return summary;
}

void summary_write_json(FILE *stream, const char *name, const struct summary *summary)
{
    fprintf(stream,
            "\"%s\": {\"count\": %u, \"minimum\": %.9g, \"quartile1\": %.9g, \"median\": %.9g, "
            "\"quartile3\": %.9g, \"maximum\": %.9g, \"mean\": %.9g, \"low\": %.9g, "
            "\"high\": %.9g}",
            name, summary->count, summary->minimum, summary->quartile1, summary->median,
            summary->quartile3, summary->maximum, summary->mean, summary->low, summary->high);
}

const char *option_value(int argc, char **argv, int *index)
{
    if (*index + 1 >= argc) {
        fail("%s needs a value", argv[*index]);
    }
    *index += 1;
    return argv[*index];
}

unsigned option_number(int argc, char **argv, int *index)
{
    const char *name = argv[*index];
    const char *text = option_value(argc, argv, index);
    char *end;
    unsigned long number = strtoul(text, &end, 10);
    if (*text == '\0' || *end != '\0' || number > 1000000000ul) {
        fail("%s: '%s' is no number", name, text);
    }
    return (unsigned)number;
}

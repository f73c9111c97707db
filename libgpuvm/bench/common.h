/* SPDX-License-Identifier: MIT */
/* What both benchmarks need: a clock, an end with a sentence, order statistics and their output. */
#ifndef BENCH_COMMON_H
#define BENCH_COMMON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Order statistics of a sample; quartiles lie between two values in proportion. With 95 %
 * confidence the median of all such samples lies between low and high (binomial ranks, by their
 * normal approximation). All 0 for no values. */
struct summary {
    unsigned count;
    double minimum, quartile1, median, quartile3, maximum, mean, low, high;
};

struct summary summarize(const double *values, size_t count);

/* "name": {"count": ..., "minimum": ..., ...}, without a comma. */
void summary_write_json(FILE *stream, const char *name, const struct summary *summary);

/* Seconds of a clock that only goes forward. */
double now_seconds(void);

/* Says why on stderr and ends with status 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* malloc that ends the program where there is no memory. */
void *allocate_or_fail(size_t nbytes);

/* gpuvm_strerror in the sentence, unless error is 0. */
void gpuvm_must(int error, const char *call);

/* The value that follows an option in argv; ends the program where there is none. */
const char *option_value(int argc, char **argv, int *index);
unsigned option_number(int argc, char **argv, int *index);

#endif

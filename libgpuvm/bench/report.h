/* SPDX-License-Identifier: MIT */
/* What the matrix-vector benchmark prints: tables for people, a verdict on each bound, JSON. */
#ifndef BENCH_REPORT_H
#define BENCH_REPORT_H

#include "arms.h"
#include "common.h"

/* One pair's measurements: a value a round and row, for libgpuvm and for its reference. */
struct result {
    const struct pair *pair;
    bool is_right; /* the results of both agreed with the host's */
    double *rows[2][ROW_COUNT];
};

enum side { SIDE_GPUVM, SIDE_REFERENCE };

struct report {
    const struct bench_device *device;
    const char *rung;
    unsigned rounds, iterations, warm_up;
    bool is_aligned, has_huge_pages, measures_times, has_reach;
    double command_us;       /* one blocking read of 4096 bytes */
    struct summary fault_us; /* one fault beyond such a read */
    struct result *results;
    unsigned result_count;
};

void report_print(const struct report *report);
void report_write_json(const struct report *report, FILE *stream);

#endif

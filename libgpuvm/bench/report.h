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
    /* Where no buffer can be reached: what one transfer of the arrays' edges costs, and one of a
     * page. Else 0. */
    double edges_transfer_us, page_transfer_us;
    struct result *results;
    unsigned result_count;
};

void report_print(const struct report *report);
void report_write_json(const struct report *report, FILE *stream);

#endif

/* SPDX-License-Identifier: MIT */
/* The fault microbenchmarks: what its parts share. Each part measures with the free fake device and
 * hands in samples. */
#ifndef BENCH_FAULTS_H
#define BENCH_FAULTS_H

#include "common.h"
#include "fake.h"

#include <stdint.h>

/* Microseconds of calls or touches, each without the device's own transfer, and that transfer
 * beside it. */
struct samples {
    double *values_us, *transfers_us;
    size_t used, room;
};

void samples_add(struct samples *samples, double value_us, double transfer_us);
void samples_free(struct samples *samples);

/* One process: one rung with or without huge pages, and with buffers that the host can reach or
 * not. */
struct bench {
    struct fake *fake;
    const char *rung;
    bool has_reach, has_huge_pages, is_quick;
    FILE *json;      /* members of an object, each preceded by a comma */
    double floor_us; /* a fault by the kernel alone, its server asleep; 0: not known */
};

/* Seconds that transfers have taken so far: the device's account, or libgpuvm's where it copies by
 * itself. */
double copy_seconds(const struct bench *bench);

/* Prints and records a row; samples are freed. */
void report_samples(struct bench *bench, const char *name, struct samples *samples);
void report_number(struct bench *bench, const char *name, double value, const char *unit);
/* "met" or "MISSED by": value is to be at most `allowed`. */
void report_verdict(struct bench *bench, const char *goal, const char *what, double value,
                    double allowed, const char *unit);

/* A fault without the library. */
void measure_floor(struct bench *bench);
/* Many small arrays: link, begin and end, unlink. */
void measure_links(struct bench *bench);
/* One large array: faults, fetches, tracking, revocation. */
void measure_pages(struct bench *bench);
/* What a thread that touches nothing sees while others wait for slow fetches. */
void measure_pause(struct bench *bench);

#endif

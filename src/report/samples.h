/* SPDX-License-Identifier: MIT */
/*
 * Time series: values of chosen statistics over intervals of simulated time. A counter's value is
 * what the interval added to it, so that the intervals of a run add up to the run. A metric is its
 * formula over what the interval added.
 *
 *     "1000:l1.hit_ratio,cu.l1.loads,cu3.l1.loads"      every 1,000 core cycles of each launch
 *
 * A name is a metric, a fact of report/metrics.h, or a statistic. A statistic is one of a level or
 * of a single place; a histogram's are its .count and .sum. What is kept grows with intervals times
 * names.
 */
#ifndef REPORT_SAMPLES_H
#define REPORT_SAMPLES_H

#include "base/diagnosis.h"
#include "report/metrics.h"

struct sample_request {
    uint64_t cycles;
    char **names;
    uint32_t name_count;
};

/* Reads the text above; without names, what sample_defaults has. sample_request_finish frees, also
 * after a failure. */
bool sample_request_parse(struct sample_request *request, const char *text,
                          struct diagnosis *diagnosis) MUST_USE;
void sample_request_finish(struct sample_request *request);
/* Whether each name is one that this registry's machine has. */
bool sample_request_check(const struct sample_request *request, const struct registry *registry,
                          struct diagnosis *diagnosis) MUST_USE;
extern const char *const sample_defaults[]; /* ends with NULL */

struct sample_interval {
    uint64_t launch;        /* from 1 */
    uint32_t kernel;        /* index into `kernels` */
    uint64_t start, cycles; /* core cycles of kernels before it, and its own */
};

struct samples {
    const struct sample_request *request; /* borrowed */
    struct measurement interval;          /* of the latest interval */
    uint32_t *words;                      /* of names of single places; else NO_WORD */
    char **kernels;                       /* their names */
    uint32_t kernel_count;
    struct sample_interval *intervals;
    uint64_t interval_count, capacity;
    double *values; /* a row of name_count values an interval; NaN: not defined */
};

/* The request must have been checked against the levels' registry. */
void samples_init(struct samples *samples, const struct sample_request *request,
                  const struct levels *levels, uint64_t core_khz);
void samples_finish(struct samples *samples);
/* Adds an interval; its `kernel` is found by the name. */
void samples_add(struct samples *samples, const char *kernel,
                 const struct sample_interval *interval, uint64_t instructions,
                 const struct changes *changes);

struct json_writer;
/* The member "samples" (json.h). */
void samples_write(const struct samples *samples, struct json_writer *json);

#endif

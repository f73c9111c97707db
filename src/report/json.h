/* SPDX-License-Identifier: MIT */
/*
 * The JSON report in three parts, so that launches are written as they end. Keys of values are the
 * statistics' paths. Members in their order:
 *
 * format, configuration   what was simulated
 * kernels      one object a launch: what it was, metrics, sums, places
 * kernel_sums  launches without an object of their own, added up: one object a kernel name, with
 *              metrics and sums. Not there when all launches have their object.
 * run          all launches together: metrics (derived), sums (by level), limit (of the timed
 *              model; below), places (by place, since the machine was built: host transfers
 *              included)
 * samples      time series (report/samples.h), where they were asked for: every_cycles, statistics
 *              (names), kernels (names), and intervals, each a list: number of the launch (from
 *              1), kernel (from 0), core cycles of kernels before it, its own, then the values
 * profile      by source line (report/profile.h), where it was asked for
 * untimed      where the user chose which launches are timed (--timed-kernels): timed_launches, the
 *              choice; caches, "cold" or "warm" after the others; timed, ranges of numbers of
 *              launches; launches, instructions and kernels of the others, which stand nowhere
 *              else
 * versions     by what it was simulated
 * simulator    all that depends on the host: seconds, speed, dates, command line, paths; and
 *              nothing else does
 *
 * A limit is {name, what, evidence, try, parts}; name, what and try are null where no single part
 * limits the run. Evidence is a list of what was seen: a ratio, or a value with its unit in words.
 * Of each part: its share of wavefronts' time, how busy it is, and the estimated gain of relief.
 *
 * A histogram is {count, sum, mean, buckets}. Bucket 0 counts zeros, bucket b values in [2^(b-1),
 * 2^b), the last bucket (the 24th) all above. Empty buckets at the end are left out. `places`
 * leaves out what is zero; `sums` leaves out nothing but kinds of messages that did not occur. A
 * metric that is not defined (a ratio of nothing) is null.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include "report/json_writer.h"
#include "report/run.h"
#include "report/run_log.h"

/* All that stands before the first launch's object. */
void json_report_begin(struct json_writer *json, const struct run_report *run);
/* A launch's object. */
void json_report_kernel(struct json_writer *json, const struct run_kernel *kernel,
                        const struct levels *levels, uint64_t core_khz);
/* All that stands behind the last launch's object: the report is whole then. */
void json_report_end(struct json_writer *json, const struct run_report *run,
                     const struct run_log *log, bool has_sums);

#endif

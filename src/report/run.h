/* SPDX-License-Identifier: MIT */
/*
 * What a run was, as plain data: whoever ran a machine fills it in, and this folder makes a table
 * for people and JSON for programs of it. Everything is borrowed; nothing is kept after the call.
 *
 * JSON: keys of values are the statistics' paths. One member an object:
 *
 *     format, configuration, versions        what was simulated, by what
 *     run         all kernels together: metrics (derived), sums (by level), places (by place, since
 * the machine was built: host transfers included) kernels     one object a launch: what it was,
 * metrics, sums, places simulator   all that depends on the host: seconds, speed, dates, command
 * line, paths; and nothing else does
 *
 * A histogram is {count, sum, mean, buckets}; bucket 0 counts zeros, bucket b values in [2^(b-1),
 * 2^b), the last bucket (the 24th) all above; empty buckets at the end are left out. `places`
 * leaves out what is zero; `sums` leaves out nothing. A metric that is not defined (a ratio of
 * nothing) is null.
 */
#ifndef REPORT_RUN_H
#define REPORT_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diagnosis.h"
#include "sim/registry.h"

struct run_setting {
    const char *path; /* "l1.mshr_entries" */
    const char *value;
    bool is_number;
    const char *unit;
    const char *origin; /* "default", "command line", "FILE:LINE": of a file's path only the last
                           part is written */
    const char *source; /* where the number comes from; NULL: not said */
};

struct run_kernel {
    const char *name;
    uint64_t code_hash[2];
    const char *outcome; /* "done", "interrupted", "cycle limit", "failed" */
    uint64_t start_ns, end_ns;
    uint64_t cycles;       /* of the core clock */
    uint64_t instructions; /* of wavefronts */
    uint64_t groups_done, groups_total;
    uint32_t dimensions;
    uint64_t global_size[3];
    uint32_t group_size[3];
    uint32_t vector_registers, scalar_registers, lds_bytes, scratch_bytes;
    const struct snapshot *delta; /* what the launch added */
};

/* Of the host. */
struct run_simulator {
    double kernel_seconds;  /* inside launches */
    double process_seconds; /* from the driver's start to now */
    uint64_t instants, ticks;
    int64_t started;                /* seconds since 1970; 0: not known */
    const char *command;            /* NULL: not known */
    const char *program;            /* path of the host program; NULL */
    const char *directory;          /* where it ran; NULL */
    const char *configuration_file; /* NULL: not known */
};

struct run_report {
    const char *gpu;   /* "hd7970" */
    const char *title; /* "AMD Radeon HD 7970 ..." */
    const char *model; /* "timed", "functional" */
    uint64_t core_khz;
    uint32_t setting_count;
    const struct run_setting *settings;

    const char *wavetank_version, *clang_version, *libclc_version; /* NULL: not known */

    uint64_t time_ns; /* simulated, since the machine was built */
    const struct registry *registry;
    const struct snapshot *total; /* since the machine was built */
    uint32_t kernel_count;
    const struct run_kernel *kernels; /* in launch order */
    struct run_simulator simulator;
};

/* The table for people: what ran, where the time went. */
void report_print_table(FILE *stream, const struct run_report *run);

/* Writes the JSON file. "%p" in the path becomes the process number. The file appears whole, or not
 * at all. */
bool report_write_json(const char *path, const struct run_report *run,
                       struct diagnosis *diagnosis) MUST_USE;

/* The same on an open stream. */
void report_print_json(FILE *stream, const struct run_report *run);

#endif

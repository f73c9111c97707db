/* SPDX-License-Identifier: MIT */
/*
 * What a run was, as plain data. Its maker has run a machine; this folder makes of it a table for
 * people and JSON for programs. Launches are shown one by one as they end (run_log.h, json_file.h)
 * and are not kept. Everything is borrowed; nothing is kept after the call.
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

/* A launch that has ended. */
struct run_kernel {
    const char *name;
    uint64_t code_hash[2];
    const char *outcome; /* "done", "interrupted", "cycle limit", "failed"; static */
    uint64_t start_ns, end_ns;
    uint64_t cycles;       /* of the core clock */
    uint64_t instructions; /* of wavefronts */
    uint64_t groups_done, groups_total;
    uint32_t dimensions;
    uint64_t global_size[3];
    uint32_t group_size[3];
    uint32_t vector_registers, scalar_registers, lds_bytes, scratch_bytes;
    bool is_functional;            /* of a timed run: it was not timed, and is in no sum */
    const struct changes *changes; /* what the launch added to the statistics */
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
    /* Known from the start. */
    const char *gpu;            /* "hd7970" */
    const char *title;          /* "AMD Radeon HD 7970 ..." */
    const char *model;          /* "timed", "functional" */
    const char *timed_launches; /* which of them are timed, as the user chose; NULL: all */
    bool warms_caches;          /* the others leave L2 warm */
    uint64_t core_khz;
    uint32_t setting_count;
    const struct run_setting *settings;
    const struct registry *registry;

    /* At the time of the report. */
    const char *wavetank_version, *clang_version, *libclc_version; /* NULL: not known */
    uint64_t time_ns;                     /* simulated, since the machine was built */
    const struct snapshot *total;         /* since the machine was built */
    const struct samples *samples;        /* NULL: none were asked for */
    const struct profile_report *profile; /* NULL: likewise */
    struct run_simulator simulator;
};

struct run_log;

/* The table for people: what ran, where the time went. Nothing when no kernel ran. */
void report_print_table(FILE *stream, const struct run_report *run, const struct run_log *log);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * `wavetank run` in parts:
 *
 *     run.c           reads the options
 *     environment.c   tells the driver what they ask for, by WAVETANK_* variables and the ICD
 *                     loader's OCL_ICD_VENDORS
 *     results.c       looks after the files that the run writes
 *     child.c         starts the program and waits, under a guard (guard.h)
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include "cli/command.h"
#include "cli/gpu_options.h"

/* What signal N makes of a program is the status SIGNAL_STATUS + N. */
enum { SIGNAL_STATUS = 128 };

struct run_request {
    struct gpu_options gpu;
    const char *model, *json, *json_kernels, *max_cycles, *trace, *trace_memory,
        *trace_file;                                      /* NULL: not given */
    const char *host_pointers, *workload, *build_options; /* likewise */
    const char *sample;                                   /* "N:STATISTIC,..."; NULL: not given */
    const char *profile;                                  /* a path, "-"; NULL: not given */
    const char *timeline;                                 /* NULL: not given */
    const char *timeline_detail;                          /* a selection; NULL: not given */
    const char *timed_kernels;                            /* machine/selection.h; NULL: not given */
    const char *fast_forward;                             /* how many launches; NULL: not given */
    const char *out_of_bounds;                            /* "fault", "zero"; NULL: not given */
    bool is_quiet, prints_config, with_platforms, without_progress, requires_kernels;
    bool has_exact_bounds;
    bool checks_release, counts_coverage, warms_caches;
    char **arguments; /* of the subcommand, from its name on, NULL-terminated */
    char **program;   /* its name and arguments, NULL-terminated */
};

/* A private folder with .icd files for the loader. */
struct vendor_folder {
    const char *driver; /* borrowed */
    char path[256];     /* empty: none */
    char status[272];   /* file in it: the driver's journal (report/journal.h) */
};

/* The folder of this executable, without a slash at the end. The caller frees. */
char *own_folder(void);

/* Finds the driver beside this executable (build tree, installation), or where WAVETANK_DRIVER
 * says. The caller frees; NULL and a diagnosis if there is none. */
char *driver_find(struct diagnosis *diagnosis);

/* Makes the folder: Wavetank's driver, and the system's others with `with_others`. */
bool vendor_folder_make(struct vendor_folder *folder, const char *driver, bool with_others,
                        struct diagnosis *diagnosis) MUST_USE;
void vendor_folder_remove(const struct vendor_folder *folder);

/* Removes the files that the run will write, and makes sure that they can be written. */
bool results_prepare(const struct run_request *request, struct diagnosis *diagnosis) MUST_USE;
/* When the program has ended with `status`: puts in place what its processes kept, and says what is
 * missing. Gives the status of the whole run. */
int results_conclude(const struct run_request *request, const struct vendor_folder *folder,
                     int status);

/* Sets the variables in this process's environment, which the program inherits. */
void environment_set(const struct run_request *request, const struct vendor_folder *folder);

/* Runs the program to its end. Gives the exit status for the shell. */
int run_program(const struct run_request *request);

#endif

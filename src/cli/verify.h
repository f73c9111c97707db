/* SPDX-License-Identifier: MIT */
/* `wavetank verify`: what its files share. */
#ifndef CLI_VERIFY_H
#define CLI_VERIFY_H

#include <time.h>

#include "cli/verify_parameters.h"
#include "verify/exhaustive.h"
#include "verify/mutate.h"
#include "verify/random_tester.h"

/* Reads a number between bounds; false and a diagnosis. */
bool verify_number(const char *option, const char *value, uint64_t min, uint64_t max,
                   uint64_t *number, struct diagnosis *diagnosis);

struct verify_request {
    const char *protocol_name, *break_name;
    const struct protocol *protocol; /* with the fault, if one is asked for */
    bool is_exhaustive, is_random;   /* which parts; neither: both */
    bool is_litmus, is_programs;     /* parts of their own, when they are asked for */
    bool shows_coverage, is_quiet, is_shrunk;
    uint64_t first_seed, seeds, seconds; /* random: seconds 0: so many seeds */
    uint64_t operations_max;             /* of a tiny program that runs with evictions too */
    bool goes_on;                        /* programs: after a fault too */
    bool has_columns;                    /* programs: paths in columns */
    const char **files;                  /* of litmus tests, for --programs */
    uint32_t file_count;
    const char *replay_path, *save_path; /* NULL: none */
    struct exhaustive_options exhaustive;
    struct verify_coverage *coverage;
    struct verify_parameters *parameters;
};

/* How often each row was used, by all parts together. */
struct verify_coverage *verify_coverage_create(const struct protocol *protocol);
void verify_coverage_destroy(struct verify_coverage *coverage);
void verify_coverage_add(struct verify_coverage *coverage, const struct controller *controller);
/* Rows without use, and with `all` each row; gives how many were not used. */
uint32_t verify_coverage_print(const struct verify_coverage *coverage, bool all);

/* Whether the seeds, or the seconds since `begun`, are used up. */
bool verify_is_over(const struct verify_request *request, uint64_t seed, time_t begun);

/* Gives the exit status. */
int verify_exhaustive(struct verify_request *request);
int verify_random(struct verify_request *request);
int verify_replay(struct verify_request *request);

#endif

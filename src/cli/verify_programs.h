/* SPDX-License-Identifier: MIT */
/* `wavetank verify --programs`: tiny programs through everything that a small machine can do. */
#ifndef CLI_VERIFY_PROGRAMS_H
#define CLI_VERIFY_PROGRAMS_H

#include "cli/verify.h"

/* Whether the protocol can run them: its acquires are accesses. */
bool verify_runs_programs(const struct protocol *protocol);

struct litmus_search;
struct litmus_outcomes;
/* A search as the request has it, on the machine of --slices. */
struct litmus_search verify_search(struct verify_request *request, bool evicts,
                                   const struct litmus_outcomes *outcomes);
/* The protocol cannot run programs: says so, and gives the exit status. */
int verify_programs_refuse(const struct verify_request *request);

/* Whether more programs follow one that has ended so; the status of all. */
bool verify_goes_on(const struct verify_request *request, int one, int *status);

/* Explores each listed program that the protocol's scopes can run, and prints a line for each.
 * Stops at the first forbidden outcome unless it is to go on; tells its shortest path. Gives the
 * exit status. */
int verify_programs(struct verify_request *request);

/* The same of random programs without races, one for each seed; a wrong one is made smaller. */
int verify_random_programs(struct verify_request *request);

#endif

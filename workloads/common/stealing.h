/* SPDX-License-Identifier: MIT */
/*
 * Hosts' side of stealing.cl: work-groups' queues of tasks, filled anew before each launch, and a count of what each task has
 * been through. A task is a chunk of consecutive vertices; groups get equal numbers of consecutive chunks.
 *
 * Results alone would hide a task that two groups have done, since tasks may be repeated. Each group writes down what it does.
 * A task that was not done exactly once makes the run wrong.
 */
#ifndef STEALING_H
#define STEALING_H

#include "workload.h"

enum { STEALING_GROUP = 64, STEALING_ARGUMENTS = 5, STEALING_STATE_WORDS = 16 };

/* What the command line says of them. */
struct stealing_choice {
    uint64_t scenario, groups, chunk, victims, looks;
};
#define STEALING_DEFAULTS {.groups = 64, .chunk = 64}

#define STEALING_OPTIONS(choice)                                                                   \
    {"scenario", "base|scope|steal|remote", "whether groups steal, and how far atomics reach",     \
     &(choice)->scenario, 0, 0},                                                                   \
        {"groups", "N", "work-groups, a queue each", &(choice)->groups, 1, 4096},                  \
        {"chunk", "N", "vertices of a task", &(choice)->chunk, 1, 65536},                          \
        {"looks", "N", "empty queues in a row after which a thief ends; 0: all others'",           \
         &(choice)->looks, 0, 4096},                                                               \
    {                                                                                              \
        "victims", "near|far|drawn", "whom a thief asks: the next groups, those half of all away, by lot", \
            &(choice)->victims, 0, 0                                                               \
    }

struct stealing {
    struct workload *workload;
    cl_uint groups, tasks;
    cl_uint *states, *log, *counts; /* the host's copies */
    cl_uint *times;                 /* how often each task was done in the last launch */
    cl_mem states_buffer, tasks_buffer, first_buffer, log_buffer, counts_buffer;
    uint64_t launches, done, stolen; /* of all launches */
    bool right;                      /* each task of each launch was done once */
};

/* Buffers for the tasks of so many vertices. `build_options` of the kernels: stealing_build_options. All belongs to the workload. */
void stealing_open(struct stealing *stealing, struct workload *workload,
                   const struct stealing_choice *choice, cl_uint vertices);
void stealing_build_options(char *options, size_t room, const struct stealing_choice *choice);
/* Sets the kernel's first five arguments. */
void stealing_arguments(const struct stealing *stealing, cl_kernel kernel);
/* Fills the queues, runs the kernel once, and counts. */
void stealing_run(struct stealing *stealing, cl_kernel kernel);
/* With --verbose: how many tasks were stolen. */
void stealing_print(const struct stealing *stealing);

#endif

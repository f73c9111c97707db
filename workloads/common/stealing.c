/* SPDX-License-Identifier: MIT */
#include "stealing.h"

#include <stdio.h>
#include <string.h>

/* Group i has tasks [first(i), first(i + 1)). */
static cl_uint first_of(const struct stealing *stealing, cl_uint group)
{
    return (cl_uint)((uint64_t)stealing->tasks * group / stealing->groups);
}

void stealing_build_options(char *options, size_t room, const struct stealing_choice *choice)
{
    snprintf(options, room, "-cl-std=CL3.0 -D GROUP=%d -D SCENARIO=%u -D CHUNK=%u -D VICTIMS=%u "
             "-D LOOKS=%u",
             STEALING_GROUP, (unsigned)choice->scenario, (unsigned)choice->chunk,
             (unsigned)choice->victims, (unsigned)choice->looks);
}

void stealing_open(struct stealing *stealing, struct workload *workload,
                   const struct stealing_choice *choice, cl_uint vertices)
{
    const size_t word = sizeof(cl_uint);
    cl_uint groups = (cl_uint)choice->groups;
    cl_uint tasks = (cl_uint)((vertices + choice->chunk - 1) / choice->chunk);

    *stealing = (struct stealing){
        .workload = workload, .groups = groups, .tasks = tasks, .right = true};
    if (tasks / groups >= 65535)
        workload_fail("%u tasks for a queue: at most 65,535 (a larger --chunk, or more --groups)",
                      tasks / groups + 1);
    cl_uint *all = workload_own_memory(workload, tasks + 1, word);
    cl_uint *first = workload_own_memory(workload, groups + 1, word);
    for (cl_uint i = 0; i < tasks; i++)
        all[i] = i;
    for (cl_uint i = 0; i <= groups; i++)
        first[i] = first_of(stealing, i);
    stealing->states = workload_own_memory(workload, (size_t)groups * STEALING_STATE_WORDS, word);
    stealing->log = workload_own_memory(workload, (size_t)groups * tasks, word);
    stealing->counts = workload_own_memory(workload, 2 * (size_t)groups, word);
    stealing->times = workload_own_memory(workload, tasks, word);
    stealing->states_buffer =
        workload_own_buffer(workload, (size_t)groups * STEALING_STATE_WORDS * word, NULL);
    stealing->tasks_buffer = workload_own_buffer(workload, tasks * word, all);
    stealing->first_buffer = workload_own_buffer(workload, (groups + 1) * word, first);
    stealing->log_buffer = workload_own_buffer(workload, (size_t)groups * tasks * word, NULL);
    stealing->counts_buffer = workload_own_buffer(workload, 2 * (size_t)groups * word, NULL);
}

void stealing_arguments(const struct stealing *stealing, cl_kernel kernel)
{
    workload_arguments(kernel, "bbbbb", stealing->states_buffer, stealing->tasks_buffer,
                       stealing->first_buffer, stealing->log_buffer, stealing->counts_buffer);
}

/* Whether the logs have each task once. */
static bool count_tasks(struct stealing *stealing)
{
    bool right = true;

    memset(stealing->times, 0, stealing->tasks * sizeof *stealing->times);
    for (cl_uint group = 0; group < stealing->groups; group++) {
        cl_uint done = stealing->counts[2 * group];

        stealing->done += done;
        stealing->stolen += stealing->counts[2 * group + 1];
        for (cl_uint i = 0; i < done && i < stealing->tasks; i++) {
            cl_uint task = stealing->log[(size_t)group * stealing->tasks + i];
            if (task < stealing->tasks)
                stealing->times[task]++;
            else
                right = false;
        }
    }
    for (cl_uint i = 0; i < stealing->tasks; i++)
        if (stealing->times[i] != 1) {
            if (right)
                printf("task %u was done %u times\n", i, stealing->times[i]);
            right = false;
        }
    return right;
}

void stealing_run(struct stealing *stealing, cl_kernel kernel)
{
    const struct workload *workload = stealing->workload;
    const size_t word = sizeof(cl_uint);

    for (cl_uint i = 0; i < stealing->groups; i++)
        stealing->states[i * STEALING_STATE_WORDS] =
            first_of(stealing, i + 1) - first_of(stealing, i);
    workload_write(workload, stealing->states_buffer, stealing->states,
                   (size_t)stealing->groups * STEALING_STATE_WORDS * word);
    workload_run_items(workload, kernel, (size_t)stealing->groups * STEALING_GROUP, STEALING_GROUP);
    workload_read(workload, stealing->counts_buffer, stealing->counts,
                  2 * (size_t)stealing->groups * word);
    workload_read(workload, stealing->log_buffer, stealing->log,
                  (size_t)stealing->groups * stealing->tasks * word);
    stealing->right = count_tasks(stealing) && stealing->right;
    stealing->launches++;
}

void stealing_print(const struct stealing *stealing)
{
    if (stealing->workload->verbose)
        printf("tasks: %u in each of %llu launches, %llu done, %llu of them stolen\n",
               stealing->tasks, (unsigned long long)stealing->launches,
               (unsigned long long)stealing->done, (unsigned long long)stealing->stolen);
}

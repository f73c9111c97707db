/* SPDX-License-Identifier: MIT */
/*
 * Runs message.cl: work-groups that pass blocks along. With release and acquire of device scope they
 * must always be right; with relaxed order they need not be. They also run with mem_fence, which is of
 * the work-group. Old words and work-groups that gave up waiting are counted apart, and judged as
 * litmus tests are. Register 0 says that a word was old, register 1 that a message was not seen. The
 * option --size is the number of work-groups.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "judge.h"
#include "message.cl.h"
#include "verdicts.h"
#include "workload.h"

enum { GROUP = 64, ROUNDS = 4 };

static bool run(struct workload *workload, const char *name, const char *protocol)
{
    size_t words = workload->size * GROUP, group = GROUP;
    cl_uint *zeros = workload_own_memory(workload, words, sizeof *zeros);
    cl_mem blocks = workload_own_buffer(workload, words * sizeof *zeros, zeros);
    cl_mem flags = workload_own_buffer(workload, workload->size * sizeof *zeros, zeros);
    cl_kernel kernel = workload_own_kernel(workload, name);
    cl_uint old = 0, unseen = 0;
    struct judge judge;

    if (!judge_init(&judge, verdicts, name, protocol))
        return false;
    for (cl_uint round = 1; round <= ROUNDS; round++) {
        cl_uint counts[2] = {0};
        cl_mem state = workload_own_buffer(workload, sizeof counts, counts);

        workload_arguments(kernel, "bbbu", blocks, flags, state, round);
        workload_run(workload, kernel, 1, &words, &group);
        workload_read(workload, state, counts, sizeof counts);
        judge_add(&judge, (uint32_t[JUDGE_REGISTERS]){counts[0] > 0, counts[1] > 0});
        old += counts[0];
        unseen += counts[1];
    }
    printf("%s: %s, %u words old, %u messages not seen\n", name,
           judge_is_right(&judge) ? "passed" : "FAILED", old, unseen);
    return judge_is_right(&judge);
}

int main(int argc, char **argv)
{
    static const char key[] = "protocol=";
    bool has_protocol = argc > 1 && strncmp(argv[1], key, sizeof key - 1) == 0;
    const char *protocol = has_protocol ? argv[1] + sizeof key - 1 : NULL;
    struct workload workload = {.name = "message",
                                .summary = "Message passing between work-groups; protocol=NAME may "
                                           "precede the options.",
                                .size_help = "work-groups that pass a block along",
                                .size = 16,
                                .size_min = 2,
                                .size_max = 1000,
                                .iterations = 1,
                                .seed = 1};
    bool right;

    if (has_protocol) {
        argv[1] = argv[0];
        argv++;
        argc--;
    }
    workload_parse(&workload, argc, argv);
    workload_open(&workload, kernel_source, "-cl-std=CL3.0");
    right = run(&workload, "message", protocol);
    right &= run(&workload, "message_relaxed", protocol);
    right &= run(&workload, "message_fences", protocol);
    workload_close(&workload);
    return right ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

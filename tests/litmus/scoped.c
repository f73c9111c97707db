/* SPDX-License-Identifier: MIT */
/*
 * Runs scoped.cl: pairs of work-groups on different compute units that pass a message. With the scope of the device
 * it must always be right; with that of the work-group it is a race. Old words and listeners that gave up are
 * counted apart, and judged as litmus tests are. Register 0 says that a word was old, register 1 that a message was
 * not seen. The option --size is the number of pairs.
 */
#include <stdio.h>
#include <string.h>

#include "judge.h"
#include "scoped.cl.h"
#include "verdicts.h"
#include "workload.h"

enum { GROUP = 64, ROUNDS = 2, LINE_WORDS = 16, LINES = 64 };

static bool run(struct workload *workload, const char *name, const char *protocol)
{
    size_t pairs = workload->size, items = 2 * pairs * GROUP, group = GROUP;
    size_t words[3] = {pairs * GROUP, pairs * LINE_WORDS, pairs * LINES * LINE_WORDS};
    cl_mem buffers[3];
    cl_kernel kernel = workload_own_kernel(workload, name);
    cl_uint old = 0, unseen = 0;
    struct judge judge;

    if (!judge_init(&judge, verdicts, name, protocol))
        return false;
    for (unsigned i = 0; i < 3; i++)
        buffers[i] = workload_own_buffer(workload, words[i] * sizeof(cl_uint),
                                         workload_own_memory(workload, words[i], sizeof(cl_uint)));
    for (cl_uint round = 1; round <= ROUNDS; round++) {
        cl_uint counts[2] = {0};
        cl_mem state = workload_own_buffer(workload, sizeof counts, counts);

        workload_arguments(kernel, "bbbbu", buffers[0], buffers[1], state, buffers[2], round);
        workload_run(workload, kernel, 1, &items, &group);
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
    struct workload workload = {.name = "scoped",
                                .summary = "Message passing between work-groups by scope; "
                                           "protocol=NAME may precede the options.",
                                .size_help = "pairs of work-groups",
                                .size = 8,
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
    right = run(&workload, "tell_device", protocol);
    right &= run(&workload, "tell_group", protocol);
    workload_close(&workload);
    return right ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

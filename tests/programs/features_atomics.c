/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atomics.cl.h"
#include "feature_tests.h"

enum { COUNT = 1024, KINDS = 12, GROUP = 128, TICKETS_HEAD = 8 };

static const cl_uint start_words[KINDS] = {100,         1u << 30,    5,           7000,
                                           0xffffffffu, 0,           0xffffffffu, 0,
                                           0x12345678u, 0x7fffffffu, 0x80000000u, 0};

/* What ALL_KINDS of atomics.cl leaves, for items first to first + count - 1. */
static void expect_kinds(cl_uint *words, cl_uint first, cl_uint count)
{
    for (cl_uint i = first; i < first + count; i++) {
        cl_uint hash = i * 2654435761u;
        cl_int low, high;

        words[0] += i + 1;
        words[1] -= i * 3;
        words[2]++;
        words[3]--;
        words[4] = hash >> 3 < words[4] ? hash >> 3 : words[4];
        words[5] = hash >> 3 > words[5] ? hash >> 3 : words[5];
        words[6] &= ~(1u << (i % 29));
        words[7] |= 1u << (i % 31);
        words[8] ^= i * i;
        memcpy(&low, &words[9], sizeof low);
        memcpy(&high, &words[10], sizeof high);
        words[9] = (cl_int)hash < low ? hash : words[9];
        words[10] = (cl_int)hash > high ? hash : words[10];
    }
}

/* Word 11 grows from the lowest i as long as items meet their own number. It depends on the order,
 * but any value from the start to first + count may be left. */
static bool is_chain_right(const char *what, cl_uint word, cl_uint start, cl_uint first,
                           cl_uint count)
{
    if (word == start || (word > first && word <= first + count))
        return true;
    printf("  %s: the compare-and-swap chain ended at %u\n", what, word);
    return false;
}

static bool global_results(struct feature_run *run)
{
    cl_uint words[KINDS], expected[KINDS], first = 1;

    memcpy(words, start_words, sizeof words);
    words[11] = 1;
    memcpy(expected, words, sizeof expected);
    expect_kinds(expected, first, COUNT);
    feature_map(run, "global_results", COUNT, &first, sizeof first, words, sizeof words);
    return is_chain_right("global_results", words[11], 1, first, COUNT) &&
           words[11] > 1 && /* item 0 must have met its own number */
           feature_same("global_results", words, expected, KINDS - 1, sizeof *words);
}

static bool local_results(struct feature_run *run)
{
    enum { GROUPS = COUNT / GROUP };
    static cl_uint words[GROUPS][KINDS], expected[GROUPS][KINDS];
    cl_uint first = 1;
    struct feature_shape shape = {1, {COUNT}, {GROUP}, {0}};
    cl_kernel kernel = workload_kernel(run->workload, "local_results");
    bool right = true;

    for (unsigned g = 0; g < GROUPS; g++) {
        memcpy(words[g], start_words, sizeof words[g]);
        words[g][0] = g;
        words[g][11] = 1;
        memcpy(expected[g], words[g], sizeof expected[g]);
        expect_kinds(expected[g], first, GROUP);
    }
    feature_launch(run, kernel, &shape, &first, sizeof first, words, sizeof words);
    clReleaseKernel(kernel);
    for (unsigned g = 0; g < GROUPS && right; g++)
        right = is_chain_right("local_results", words[g][11], 1, first, GROUP) &&
                words[g][11] > 1 &&
                feature_same("local_results", words[g], expected[g], KINDS - 1, sizeof **words);
    return right;
}

/* Whether each of `count` marks is 1: every ticket was drawn once. */
static bool are_all_one(const char *what, const cl_uint *marks, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (marks[i] != 1) {
            printf("  %s: ticket %zu was drawn %u times\n", what, i, marks[i]);
            return false;
        }
    return true;
}

/* What was put in (first + i for all i) and the four starting zeros must be what was taken out plus
 * what is left. */
static bool is_exchange_right(const char *what, const cl_uint *taken, size_t count,
                              const cl_uint left[4], cl_uint first)
{
    unsigned char *seen = workload_allocate(count, 1);
    unsigned zeros = 0;
    bool right = true;

    for (size_t i = 0; i < count + 4 && right; i++) {
        cl_uint word = i < count ? taken[i] : left[i - count];
        if (word == 0)
            zeros++;
        else if (word - first < count && !seen[word - first])
            seen[word - first] = 1;
        else
            right = false;
    }
    free(seen);
    if (!right || zeros != 4)
        printf("  %s: an exchanged word was lost or doubled\n", what);
    return right && zeros == 4;
}

static bool global_tickets(struct feature_run *run)
{
    static cl_uint words[TICKETS_HEAD + 2 * COUNT];
    cl_uint first = 1000;

    memset(words, 0, sizeof words);
    feature_map(run, "global_tickets", COUNT, &first, sizeof first, words, sizeof words);
    return words[0] == COUNT && are_all_one("global_tickets", words + TICKETS_HEAD, COUNT) &&
           is_exchange_right("global_tickets", words + TICKETS_HEAD + COUNT, COUNT, words + 1,
                             first);
}

static bool local_tickets(struct feature_run *run)
{
    enum { WORDS = 2 * GROUP + 4, GROUPS = COUNT / GROUP };
    static cl_uint words[GROUPS * WORDS];
    struct feature_shape shape = {1, {COUNT}, {GROUP}, {0}};
    cl_kernel kernel = workload_kernel(run->workload, "local_tickets");
    cl_uint first = 1000;
    bool right = true;

    memset(words, 0, sizeof words);
    feature_launch(run, kernel, &shape, &first, sizeof first, words, sizeof words);
    clReleaseKernel(kernel);
    for (unsigned g = 0; g < GROUPS && right; g++) {
        const cl_uint *group = words + g * WORDS;
        right = are_all_one("local_tickets", group, GROUP) &&
                is_exchange_right("local_tickets", group + GROUP, GROUP, group + 2 * GROUP, first);
    }
    return right;
}

static bool cmpxchg_loop(struct feature_run *run)
{
    cl_float sums[7] = {0}, expected[7] = {0};
    cl_uint first = 3;

    for (cl_uint i = 0; i < COUNT; i++)
        expected[i % 7] += (cl_float)(i % 100 + first);
    feature_map(run, "cmpxchg_loop", COUNT, &first, sizeof first, sums, sizeof sums);
    return feature_same("cmpxchg_loop", sums, expected, 7, sizeof *sums);
}

static bool monotonic(struct feature_run *run)
{
    static cl_uint words[1 + COUNT], expected[1 + COUNT];
    cl_uint step = 5;

    memset(words, 0, sizeof words);
    expected[0] = 8 * COUNT * step;
    feature_map(run, "monotonic", COUNT, &step, sizeof step, words, sizeof words);
    return feature_same("monotonic", words, expected, 1 + COUNT, sizeof *words);
}

static bool has_long_atomics(const struct workload *workload)
{
    char extensions[8192] = "";

    clGetDeviceInfo(workload->device, CL_DEVICE_EXTENSIONS, sizeof extensions - 1, extensions,
                    NULL);
    return strstr(extensions, "cl_khr_int64_base_atomics") != NULL;
}

/* Nothing to show on a device without the extension. */
static bool long_results(struct feature_run *run)
{
    cl_ulong words[4] = {1, 1, 0xffffffffu, 0x100000000u}, expected[4];
    cl_uint first = 9;

    if (!has_long_atomics(run->workload))
        return true;
    memcpy(expected, words, sizeof expected);
    for (cl_ulong i = first; i < first + COUNT; i++) {
        expected[0] += i << 31;
        expected[1] -= i * i;
        expected[2]++;
        expected[3]--;
    }
    feature_map(run, "long_results", COUNT, &first, sizeof first, words, sizeof words);
    return feature_same("long_results", words, expected, 4, sizeof *words);
}

static const struct feature features[] = {
    {"global_results", false, global_results}, {"local_results", false, local_results},
    {"global_tickets", false, global_tickets}, {"local_tickets", false, local_tickets},
    {"cmpxchg_loop", true, cmpxchg_loop},      {"monotonic", true, monotonic},
    {"long_results", true, long_results},
};

const struct topic topic_atomics = {"atomics", kernel_source, features,
                                    sizeof features / sizeof features[0], ""};

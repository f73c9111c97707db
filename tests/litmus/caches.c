/* SPDX-License-Identifier: MIT */
/*
 * Checks that each fail if the memory system (or the compute unit before it) leaves out one duty.
 * The script test_breaks.py turns such duties off one by one. The check stale_word is the
 * opposite: with real caches a copy that is not invalidated must be old. A check's name on the
 * command line chooses it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caches.cl.h"
#include "workload.h"

enum { GROUP = 256, LANES = 64 };

struct session {
    struct workload *workload;
    bool expect_stale; /* plain loads must (timed) or must not (functional) see the old word */
    bool past_l1;
};

struct check {
    const char *name;
    bool (*run)(const struct session *session);
};

static void launch(const struct session *session, cl_kernel kernel, size_t global, size_t group)
{
    workload_run(session->workload, kernel, 1, &global, &group);
    clReleaseKernel(kernel);
}

static cl_kernel kernel_on(const struct session *session, const char *name, cl_mem first,
                           cl_mem second)
{
    cl_kernel kernel = workload_kernel(session->workload, name);

    workload_argument(kernel, 0, sizeof first, &first);
    if (second != NULL)
        workload_argument(kernel, 1, sizeof second, &second);
    return kernel;
}

static void set_word(cl_kernel kernel, cl_uint index, cl_uint value)
{
    workload_argument(kernel, index, sizeof value, &value);
}

/* Prints the first word that is not as expected(index). */
static bool are_words(const char *what, const cl_uint *words, size_t count,
                      cl_uint (*expected)(size_t index))
{
    for (size_t i = 0; i < count; i++)
        if (words[i] != expected(i)) {
            printf("  %s: word %zu is %#x, expected %#x\n", what, i, words[i], expected(i));
            return false;
        }
    return true;
}

static cl_uint is_zero(size_t i)
{
    (void)i;
    return 0;
}

static cl_uint is_new(size_t i)
{
    return (cl_uint)i + 1000;
}

static bool stale_word(const struct session *session)
{
    enum { SHARED = 1024 };
    cl_uint shared[SHARED] = {0}, results[4 * LANES] = {0};
    cl_mem device_shared = workload_buffer(session->workload, sizeof shared, shared);
    cl_mem device_results = workload_buffer(session->workload, sizeof results, results);
    cl_kernel kernel = kernel_on(session, "stale_word", device_shared, device_results);

    set_word(kernel, 2, 0);
    set_word(kernel, 3, session->past_l1);
    launch(session, kernel, 2 * LANES, LANES);
    workload_read(session->workload, device_results, results, sizeof results);
    clReleaseMemObject(device_shared);
    clReleaseMemObject(device_results);
    printf("  word 5: first %u, without a fence %u, past L1 %u, after a fence %u\n", results[5],
           results[LANES + 5], results[2 * LANES + 5], results[3 * LANES + 5]);
    return are_words("first", results, LANES, is_zero) &&
           are_words("without a fence", results + LANES, LANES,
                     session->expect_stale ? is_zero : is_new) &&
           are_words("past L1", results + 2 * LANES, LANES, session->past_l1 ? is_new : is_zero) &&
           are_words("after a fence", results + 3 * LANES, LANES, is_new);
}

enum { SMALL = 1024 }; /* words that fit into every cache */

static cl_uint sum_of_sequence(cl_uint factor, cl_uint first, cl_uint step)
{
    cl_uint sum = 0;

    for (cl_uint i = first; i < SMALL; i += step)
        sum += i * factor + 1;
    return sum;
}

/* Kernel one fills every L1 (or scalar cache) with the words, kernel two changes them in one group,
 * kernel three must see it. */
static bool kernels_in_turn(const struct session *session, const char *reader, bool by_lane)
{
    enum { READERS = 64 * GROUP };
    static cl_uint words[SMALL], sums[READERS];
    cl_mem device_words = workload_buffer(session->workload, sizeof words, words);
    cl_mem device_sums = workload_buffer(session->workload, sizeof sums, sums);
    bool right = true;

    for (cl_uint factor = 1; factor <= 3 && right; factor++) {
        cl_kernel writer = kernel_on(session, "put_sequence", device_words, NULL);
        set_word(writer, 1, factor);
        set_word(writer, 2, 1);
        launch(session, writer, SMALL, GROUP);
        cl_kernel kernel = kernel_on(session, reader, device_words, device_sums);
        set_word(kernel, 2, SMALL);
        launch(session, kernel, READERS, GROUP);
        workload_read(session->workload, device_sums, sums, sizeof sums);
        for (cl_uint i = 0; i < READERS && right; i++) {
            cl_uint expected =
                by_lane ? sum_of_sequence(factor, i % GROUP, GROUP) : sum_of_sequence(factor, 0, 1);
            right = sums[i] == expected;
            if (!right)
                printf("  %s: work-item %u found %u, expected %u\n", reader, i, sums[i], expected);
        }
    }
    clReleaseMemObject(device_words);
    clReleaseMemObject(device_sums);
    return right;
}

static bool next_kernel(const struct session *session)
{
    return kernels_in_turn(session, "sum_all", true);
}

static bool next_kernel_scalar(const struct session *session)
{
    return kernels_in_turn(session, "sum_uniform", false);
}

static cl_uint is_sequence_of_wide_words(size_t i)
{
    return (cl_uint)i * 0x1010101u + 1;
}

/* More dirty lines than L2 holds, so that most have been written back when the host reads. */
static bool write_back(const struct session *session)
{
    enum { WORDS = 1u << 19 };
    cl_uint *words = workload_allocate(WORDS, sizeof *words);
    cl_mem device_words = workload_buffer(session->workload, WORDS * sizeof *words, words);
    cl_kernel kernel = kernel_on(session, "put_vectors", device_words, NULL);

    set_word(kernel, 1, 0x1010101u);
    launch(session, kernel, WORDS / 4, GROUP);
    workload_read(session->workload, device_words, words, WORDS * sizeof *words);
    bool right = are_words("write_back", words, WORDS, is_sequence_of_wide_words);
    clReleaseMemObject(device_words);
    free(words);
    return right;
}

static cl_uint is_half_replaced(size_t i)
{
    return i % 2 == 0 ? (cl_uint)(i / 2) * 7 + 1 : 0xcafe0000u + (cl_uint)i;
}

/* Lines that are dirty in part are completed from memory, for those who wait and for who comes
 * later. */
static bool partial_lines(const struct session *session)
{
    enum { WORDS = 16384 };
    static cl_uint words[WORDS], copy[WORDS];
    cl_mem device_words, device_copy;

    for (cl_uint i = 0; i < WORDS; i++)
        words[i] = 0xcafe0000u + i;
    device_words = workload_buffer(session->workload, sizeof words, words);
    device_copy = workload_buffer(session->workload, sizeof words, NULL);
    cl_kernel kernel = kernel_on(session, "put_sequence", device_words, NULL);
    set_word(kernel, 1, 7);
    set_word(kernel, 2, 2);
    launch(session, kernel, WORDS / 2, GROUP);
    launch(session, kernel_on(session, "copy_words", device_words, device_copy), WORDS, GROUP);
    workload_read(session->workload, device_copy, copy, sizeof copy);
    workload_read(session->workload, device_words, words, sizeof words);
    clReleaseMemObject(device_words);
    clReleaseMemObject(device_copy);
    return are_words("partial_lines, copied", copy, WORDS, is_half_replaced) &&
           are_words("partial_lines", words, WORDS, is_half_replaced);
}

static cl_uint is_short_sequence(size_t i)
{
    return (cl_uint)i * 3 + 1;
}

/* A few words that can only be in L2 when the host reads them; and the other way round, words that
 * the host has changed. */
static bool host_transfers(const struct session *session)
{
    cl_uint words[SMALL] = {0}, copy[SMALL];
    cl_mem device_words = workload_buffer(session->workload, sizeof words, words);
    cl_mem device_copy = workload_buffer(session->workload, sizeof copy, words);
    cl_kernel kernel = kernel_on(session, "put_sequence", device_words, NULL);

    set_word(kernel, 1, 9);
    set_word(kernel, 2, 1);
    launch(session, kernel, SMALL, GROUP);
    workload_read(session->workload, device_words, words, sizeof words);
    for (cl_uint i = 0; i < SMALL; i++)
        if (words[i] != i * 9 + 1) {
            printf("  host_transfers: the host read %#x at word %u\n", words[i], i);
            return false;
        }
    for (cl_uint i = 0; i < SMALL; i++)
        words[i] = i * 3 + 1;
    workload_write(session->workload, device_words, words, sizeof words);
    launch(session, kernel_on(session, "copy_words", device_words, device_copy), SMALL, GROUP);
    workload_read(session->workload, device_copy, copy, sizeof copy);
    clReleaseMemObject(device_words);
    clReleaseMemObject(device_copy);
    return are_words("host_transfers", copy, SMALL, is_short_sequence);
}

static cl_uint is_own_store(size_t i)
{
    return (cl_uint)i + (i % 2 != 0 ? 100 : 0);
}

static bool own_store(const struct session *session)
{
    cl_uint words[SMALL], results[SMALL] = {0};

    for (cl_uint i = 0; i < SMALL; i++)
        words[i] = i;
    cl_mem device_words = workload_buffer(session->workload, sizeof words, words);
    cl_mem device_results = workload_buffer(session->workload, sizeof results, results);
    launch(session, kernel_on(session, "own_store", device_words, device_results), SMALL, GROUP);
    workload_read(session->workload, device_results, results, sizeof results);
    clReleaseMemObject(device_words);
    clReleaseMemObject(device_results);
    return are_words("own_store", results, SMALL, is_own_store);
}

static cl_uint is_one_more(size_t i)
{
    return (cl_uint)i * 5 + 1;
}

static bool load_and_use(const struct session *session)
{
    cl_uint words[2 * GROUP] = {0};

    for (cl_uint i = 0; i < GROUP; i++)
        words[i] = i * 5;
    cl_mem device_words = workload_buffer(session->workload, sizeof words, words);
    launch(session, kernel_on(session, "load_and_use", device_words, NULL), GROUP, GROUP);
    workload_read(session->workload, device_words, words, sizeof words);
    clReleaseMemObject(device_words);
    return are_words("load_and_use", words + GROUP, GROUP, is_one_more);
}

static cl_uint is_77(size_t i)
{
    (void)i;
    return 77;
}

static bool barrier_waits(const struct session *session)
{
    cl_uint results[SMALL] = {0};
    cl_mem device_results = workload_buffer(session->workload, sizeof results, results);

    launch(session, kernel_on(session, "late_wavefront", device_results, NULL), SMALL, GROUP);
    workload_read(session->workload, device_results, results, sizeof results);
    clReleaseMemObject(device_results);
    return are_words("barrier_waits", results, SMALL, is_77);
}

static cl_uint is_some_lanes(size_t i)
{
    return (i * 7 & 4) != 0 ? 5000 + (cl_uint)i : 1;
}

static bool some_lanes(const struct session *session)
{
    cl_uint words[SMALL];

    for (cl_uint i = 0; i < SMALL; i++)
        words[i] = 1;
    cl_mem device_words = workload_buffer(session->workload, sizeof words, words);
    launch(session, kernel_on(session, "some_lanes", device_words, NULL), SMALL, GROUP);
    workload_read(session->workload, device_words, words, sizeof words);
    clReleaseMemObject(device_words);
    return are_words("some_lanes", words, SMALL, is_some_lanes);
}

/* The host reads what the last instructions of a kernel stored, scattered over many lines and
 * channels. */
static bool last_stores(const struct session *session)
{
    enum { ITEMS = 16384, WORDS = 8 * ITEMS };
    cl_uint *words = workload_allocate(WORDS, sizeof *words);
    cl_mem device_words = workload_buffer(session->workload, WORDS * sizeof *words, words);
    bool right = true;

    launch(session, kernel_on(session, "last_stores", device_words, NULL), ITEMS, GROUP);
    workload_read(session->workload, device_words, words, WORDS * sizeof *words);
    for (cl_uint i = 0; i < WORDS && right; i++) {
        cl_uint found = words[i * 17 % WORDS], expected = i % ITEMS + i / ITEMS;
        right = found == expected;
        if (!right)
            printf("  last_stores: store %u left %#x, expected %#x\n", i, found, expected);
    }
    clReleaseMemObject(device_words);
    free(words);
    return right;
}

/* A kernel with a store at its end lasts until the store has been acknowledged: longer than the
 * same kernel without. */
static bool end_waits(const struct session *session)
{
    enum { TRIP_NS = 100 };
    cl_uint word = 0;
    cl_mem device_word = workload_buffer(session->workload, sizeof word, &word);
    uint64_t nanoseconds[2];

    for (cl_uint stores = 0; stores < 2; stores++) {
        size_t one = 1;
        cl_kernel kernel = kernel_on(session, "one_store", device_word, NULL);
        set_word(kernel, 1, stores);
        workload_run(session->workload, kernel, 1, &one, &one); /* instructions are cached now */
        nanoseconds[stores] = workload_run(session->workload, kernel, 1, &one, &one);
        clReleaseKernel(kernel);
    }
    workload_read(session->workload, device_word, &word, sizeof word);
    clReleaseMemObject(device_word);
    printf("  without a store %llu ns, with one %llu ns\n", (unsigned long long)nanoseconds[0],
           (unsigned long long)nanoseconds[1]);
    return word == 1234 && (!session->expect_stale || nanoseconds[1] >= nanoseconds[0] + TRIP_NS);
}

static const struct check checks[] = {
    {"stale_word", stale_word},
    {"next_kernel", next_kernel},
    {"next_kernel_scalar", next_kernel_scalar},
    {"write_back", write_back},
    {"partial_lines", partial_lines},
    {"host_transfers", host_transfers},
    {"own_store", own_store},
    {"barrier_waits", barrier_waits},
    {"some_lanes", some_lanes},
    {"last_stores", last_stores},
    {"end_waits", end_waits},
    {"load_and_use", load_and_use},
};
enum { CHECKS = sizeof checks / sizeof checks[0] };

static bool is_chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

int main(int argc, char **argv)
{
    uint64_t expect_fresh = 0, without_glc = 0;
    const struct workload_option options[] = {
        {"expect-fresh", NULL, "without caches: plain loads see what others stored", &expect_fresh,
         0, 0},
        {"without-glc", NULL, "leave out the load that goes past L1", &without_glc, 0, 0},
    };
    struct workload workload = {.name = "caches",
                                .summary = "Checks of the memory system; their names may precede "
                                           "the options.",
                                .size_help = "(not used)",
                                .options = options,
                                .option_count = 2,
                                .size = 1,
                                .size_min = 1,
                                .size_max = 1,
                                .iterations = 1,
                                .seed = 1};
    int names = 1;
    unsigned count = 0, failed = 0;

    while (names < argc && strncmp(argv[names], "--", 2) != 0)
        names++;
    workload_parse(&workload, argc - names + 1, argv + names - 1);
    workload_open(&workload, kernel_source, "-cl-std=CL3.0");
    struct session session = {&workload, expect_fresh == 0, without_glc == 0};
    for (unsigned i = 0; i < CHECKS; i++) {
        if (!is_chosen(checks[i].name, names, argv))
            continue;
        bool right = checks[i].run(&session);
        printf("%s: %s\n", checks[i].name, right ? "passed" : "FAILED");
        failed += !right;
        count++;
    }
    workload_close(&workload);
    return failed == 0 && count > 0 ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

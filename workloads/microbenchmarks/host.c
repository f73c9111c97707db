/* SPDX-License-Identifier: MIT */
/*
 * Latency ladder, bandwidths and rates of a GPU, from event profiling: on a simulator in simulated
 * time. Cycles are those of the device's clock (CL_DEVICE_MAX_CLOCK_FREQUENCY). Names of benchmarks
 * on the command line choose them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "microbenchmarks.cl.h"
#include "workload.h"

enum { LANES = 64, GROUP = 256, LINE_WORDS = 16 };

struct bench {
    struct workload *workload;
    double cycles_per_ns;
    cl_uint units; /* compute units */
    cl_mem words;  /* `word_count` words: a random chain through lines, see fill_chain */
    cl_mem other;
    cl_mem result;
    cl_uint *host; /* what `words` holds */
    cl_uint fresh; /* word of the chain from which on nothing has been read */
    bool right;
};

enum { WORD_COUNT = 1u << 22, RESULTS = 1u << 20 };

struct benchmark {
    const char *name;
    const char *what;
    void (*run)(struct bench *bench);
};

static cl_kernel kernel_of(struct bench *bench, const char *name, cl_mem first, cl_mem second)
{
    cl_kernel kernel = workload_kernel(bench->workload, name);

    workload_argument(kernel, 0, sizeof first, &first);
    if (second != NULL)
        workload_argument(kernel, 1, sizeof second, &second);
    return kernel;
}

static void set_words(cl_kernel kernel, cl_uint first, cl_uint a, cl_uint b)
{
    workload_argument(kernel, first, sizeof a, &a);
    workload_argument(kernel, first + 1, sizeof b, &b);
}

static double run_ns(struct bench *bench, cl_kernel kernel, size_t global, size_t group)
{
    return (double)workload_run(bench->workload, kernel, 1, &global, &group);
}

/* One cycle through the first `lines` lines in random order, a word a line, at word 0 of each
 * (Sattolo's shuffle). */
static void fill_chain(struct bench *bench, cl_uint lines)
{
    cl_uint *order = workload_allocate(lines, sizeof *order);
    uint64_t seed = bench->workload->seed;

    for (cl_uint i = 0; i < lines; i++)
        order[i] = i;
    for (cl_uint i = lines - 1; i > 0; i--) {
        cl_uint other = (cl_uint)(workload_random(&seed) % i), swap = order[i];
        order[i] = order[other];
        order[other] = swap;
    }
    for (cl_uint i = 0; i < lines; i++)
        bench->host[order[i] * LINE_WORDS] = order[(i + 1) % lines] * LINE_WORDS;
    workload_write(bench->workload, bench->words, bench->host,
                   (size_t)lines * LINE_WORDS * sizeof *bench->host);
    free(order);
}

/* Follows the chain on the device, checks where it ends, gives the nanoseconds. `at` moves along.
 */
static double chase_ns(struct bench *bench, const char *name, cl_uint *at, cl_uint steps)
{
    cl_kernel kernel = kernel_of(bench, name, bench->words, bench->result);
    cl_uint end;

    set_words(kernel, 2, *at, steps);
    double ns = run_ns(bench, kernel, 1, 1);
    clReleaseKernel(kernel);
    for (cl_uint i = 0; i < steps; i++)
        *at = bench->host[*at];
    workload_read(bench->workload, bench->result, &end, sizeof end);
    if (end != *at) {
        printf("  %s ended at %u, expected %u\n", name, end, *at);
        bench->right = false;
    }
    return ns;
}

/* Cycles of one step: of a long walk less a short one. Chains that fit into a cache are walked once
 * before. */
static double step_cycles(struct bench *bench, const char *name, cl_uint lines, bool stays_cached)
{
    enum { STEPS = 1024 };
    cl_uint at = 0, first = stays_cached ? lines : STEPS;

    fill_chain(bench, lines);
    if (stays_cached)
        chase_ns(bench, name, &at, lines);
    else
        at = bench->fresh; /* where no walk of this chain has been */
    double less = chase_ns(bench, name, &at, first);
    double more = chase_ns(bench, name, &at, first + STEPS);
    bench->fresh = stays_cached ? 0 : at;
    return (more - less) * bench->cycles_per_ns / STEPS;
}

static void latency(struct bench *bench)
{
    static const cl_uint kilobytes[] = {4, 8, 16, 32, 128, 512, 768, 1024, 4096, 16384};

    printf("  %-10s %14s %14s %14s\n", "footprint", "vector cycles", "scalar cycles",
           "local cycles");
    for (size_t i = 0; i < sizeof kilobytes / sizeof kilobytes[0]; i++) {
        cl_uint lines = kilobytes[i] * 16;
        bool stays_cached = kilobytes[i] <= 1024;
        printf("  %7u KB %14.1f", kilobytes[i], step_cycles(bench, "chase", lines, stays_cached));
        printf(" %14.1f", step_cycles(bench, "chase_uniform", lines, stays_cached));
        if (kilobytes[i] <= 4)
            printf(" %14.1f", step_cycles(bench, "chase_local", lines, stays_cached));
        printf("\n");
        bench->fresh = 0;
    }
}

static void strides(struct bench *bench)
{
    enum { ROUNDS = 32, LOADS = 8 * GROUP / LANES, MASK = 2047 };

    printf("  four wavefronts of one work-group, within 8 KB\n");
    printf("  %-12s %18s\n", "lane stride", "cycles per load");
    for (cl_uint stride = 1; stride <= 64; stride *= 2) {
        cl_kernel kernel = kernel_of(bench, "strided_loads", bench->words, bench->result);
        set_words(kernel, 2, stride, MASK);
        workload_argument(kernel, 4, sizeof(cl_uint), &(cl_uint){ROUNDS});
        (void)run_ns(bench, kernel, GROUP, GROUP); /* code and data are in L2 from here on */
        double less = run_ns(bench, kernel, GROUP, GROUP);
        workload_argument(kernel, 4, sizeof(cl_uint), &(cl_uint){2 * ROUNDS});
        double more = run_ns(bench, kernel, GROUP, GROUP);
        clReleaseKernel(kernel);
        printf("  %6u bytes %18.1f\n", stride * 4,
               (more - less) * bench->cycles_per_ns / (ROUNDS * LOADS));
    }
}

static void print_rate(const struct bench *bench, const char *what, double bytes, double ns)
{
    printf("  %-22s %8.1f GB/s %9.1f bytes/cycle\n", what, bytes / ns,
           bytes / (ns * bench->cycles_per_ns));
}

static size_t full_range(const struct bench *bench)
{
    return (size_t)bench->units * 8 * GROUP;
}

static void streams(struct bench *bench)
{
    double bytes = (double)WORD_COUNT * 4;
    cl_uint elements = WORD_COUNT;
    size_t global = full_range(bench);
    cl_kernel kernel = kernel_of(bench, "read_1", bench->words, bench->result);
    workload_argument(kernel, 2, sizeof elements, &elements);
    print_rate(bench, "read, 4 bytes a lane", bytes, run_ns(bench, kernel, global, GROUP));
    clReleaseKernel(kernel);

    elements /= 4;
    kernel = kernel_of(bench, "read_4", bench->words, bench->result);
    workload_argument(kernel, 2, sizeof elements, &elements);
    print_rate(bench, "read, 16 bytes a lane", bytes, run_ns(bench, kernel, global, GROUP));
    clReleaseKernel(kernel);

    kernel = kernel_of(bench, "write_4", bench->other, NULL);
    set_words(kernel, 1, 7, elements);
    print_rate(bench, "write, 16 bytes a lane", bytes, run_ns(bench, kernel, global, GROUP));
    clReleaseKernel(kernel);

    kernel = kernel_of(bench, "copy_4", bench->words, bench->other);
    workload_argument(kernel, 2, sizeof elements, &elements);
    print_rate(bench, "copy, read and written", 2 * bytes, run_ns(bench, kernel, global, GROUP));
    clReleaseKernel(kernel);
    cl_uint *copy = workload_allocate(WORD_COUNT, sizeof *copy);
    workload_read(bench->workload, bench->other, copy, (size_t)WORD_COUNT * sizeof *copy);
    if (memcmp(copy, bench->host, (size_t)WORD_COUNT * sizeof *copy) != 0) {
        printf("  the copy differs\n");
        bench->right = false;
    }
    free(copy);
}

static void l1_width(struct bench *bench)
{
    static const struct {
        const char *kernel, *what;
        cl_uint words;
    } rows[] = {{"again_1", "4 bytes a lane", 1},
                {"again_2", "8 bytes a lane", 2},
                {"again_4", "16 bytes a lane", 4}};
    enum { ROUNDS = 16, LOADS = 4, WORDS = 2048 }; /* 8 KB */

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cl_kernel kernel = kernel_of(bench, rows[i].kernel, bench->words, bench->result);
        size_t global = full_range(bench);
        double bytes = (double)global * rows[i].words * 4 * LOADS * ROUNDS;
        set_words(kernel, 2, WORDS / rows[i].words - 1, ROUNDS);
        (void)run_ns(bench, kernel, global, GROUP); /* code and data are in L2 from here on */
        double less = run_ns(bench, kernel, global, GROUP);
        set_words(kernel, 2, WORDS / rows[i].words - 1, 2 * ROUNDS);
        double more = run_ns(bench, kernel, global, GROUP);
        clReleaseKernel(kernel);
        print_rate(bench, rows[i].what, bytes, more - less);
    }
}

/* Fills L2 with other lines. */
static void evict(struct bench *bench)
{
    cl_kernel kernel = kernel_of(bench, "read_4", bench->words, bench->result);

    workload_argument(kernel, 2, sizeof(cl_uint), &(cl_uint){WORD_COUNT / 16});
    run_ns(bench, kernel, full_range(bench), GROUP);
    clReleaseKernel(kernel);
}

static void channels(struct bench *bench)
{
    static const cl_uint strides_of[] = {64, 128, 256, 512, 1024, 2048, 4096, 8192, 6144};
    enum { LINES = 8192, ROUNDS = 8, BYTES = 1u << 26 };
    cl_mem wide = workload_buffer(bench->workload, BYTES, NULL);
    size_t global = LINES / ROUNDS * LINE_WORDS;

    printf("  %d lines that are so far apart\n", LINES);
    for (size_t i = 0; i < sizeof strides_of / sizeof strides_of[0]; i++) {
        cl_kernel kernel = kernel_of(bench, "channel_stride", wide, bench->result);
        char what[32];
        workload_argument(kernel, 2, sizeof(cl_uint), &(cl_uint){strides_of[i] / 4});
        snprintf(what, sizeof what, "stride %u bytes", strides_of[i]);
        print_rate(bench, what, (double)LINES * LINE_WORDS * 4,
                   run_ns(bench, kernel, global, GROUP));
        clReleaseKernel(kernel);
        evict(bench);
    }
    clReleaseMemObject(wide);
}

struct operation {
    const char *kernel;
    const char *what;
    enum { IS_FLOAT, IS_UINT, IS_DOUBLE } type;
};

static cl_kernel arithmetic_kernel(struct bench *bench, const struct operation *operation)
{
    cl_kernel kernel = kernel_of(bench, operation->kernel, bench->result, NULL);

    if (operation->type == IS_FLOAT) {
        workload_argument(kernel, 1, sizeof(cl_float), &(cl_float){0.999f});
        workload_argument(kernel, 2, sizeof(cl_float), &(cl_float){0.25f});
    } else if (operation->type == IS_UINT) {
        set_words(kernel, 1, 12345, 6789);
    } else {
        workload_argument(kernel, 1, sizeof(cl_double), &(cl_double){0.999});
        workload_argument(kernel, 2, sizeof(cl_double), &(cl_double){0.25});
    }
    return kernel;
}

static void arithmetic(struct bench *bench)
{
    static const struct operation operations[] = {
        {"float_mad", "float multiply-add", IS_FLOAT},
        {"integer_add", "int add and xor (2)", IS_UINT},
        {"integer_multiply", "int multiply", IS_UINT},
        {"float_reciprocal", "float reciprocal", IS_FLOAT},
        {"double_add", "double add", IS_DOUBLE},
        {"double_fma", "double multiply-add", IS_DOUBLE},
    };
    enum { ROUNDS = 64, OPERATIONS = 8 };
    size_t global = full_range(bench) / 2;

    printf("  %-22s %18s %22s\n", "operation", "G operations/s", "cycles/wavefront/SIMD");
    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        cl_kernel kernel = arithmetic_kernel(bench, &operations[i]);
        workload_argument(kernel, 3, sizeof(cl_uint), &(cl_uint){ROUNDS});
        (void)run_ns(bench, kernel, global, GROUP); /* code and data are in L2 from here on */
        double less = run_ns(bench, kernel, global, GROUP);
        workload_argument(kernel, 3, sizeof(cl_uint), &(cl_uint){2 * ROUNDS});
        double ns = run_ns(bench, kernel, global, GROUP) - less;
        double done = (double)global * OPERATIONS * ROUNDS;
        clReleaseKernel(kernel);
        printf("  %-22s %18.1f %22.2f\n", operations[i].what, done / ns,
               ns * bench->cycles_per_ns * bench->units * 4 * LANES / done);
    }
}

static void local_memory(struct bench *bench)
{
    static const cl_uint word_strides[] = {0, 1, 2, 3, 4, 8, 16, 17, 32, 33};
    enum { ROUNDS = 8, READS = 8 };
    size_t global = full_range(bench);
    double reads = (double)global / LANES / bench->units * ROUNDS * READS;

    printf("  %-12s %24s\n", "lane stride", "cycles per wavefront read");
    for (size_t i = 0; i < sizeof word_strides / sizeof word_strides[0]; i++) {
        cl_kernel kernel = kernel_of(bench, "local_stride", bench->words, bench->result);
        set_words(kernel, 2, word_strides[i], ROUNDS);
        (void)run_ns(bench, kernel, global, GROUP); /* code and data are in L2 from here on */
        double less = run_ns(bench, kernel, global, GROUP);
        set_words(kernel, 2, word_strides[i], 2 * ROUNDS);
        double more = run_ns(bench, kernel, global, GROUP);
        clReleaseKernel(kernel);
        printf("  %6u words %24.2f\n", word_strides[i],
               (more - less) * bench->cycles_per_ns / reads);
    }
}

static void launches(struct bench *bench)
{
    static const size_t groups[] = {1, 32, 320, 1280};
    cl_kernel first = workload_kernel(bench->workload, "empty");

    run_ns(bench, first, GROUP, GROUP); /* fetches the code */
    clReleaseKernel(first);
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        cl_kernel kernel = workload_kernel(bench->workload, "empty");
        double ns = run_ns(bench, kernel, groups[i] * GROUP, GROUP);
        clReleaseKernel(kernel);
        printf("  %5zu groups of %d: %10.0f ns %10.0f cycles\n", groups[i], GROUP, ns,
               ns * bench->cycles_per_ns);
    }
}

static const struct benchmark benchmarks[] = {
    {"latency", "cycles from load to load of a random chain", latency},
    {"strides", "loads that meet ever more lines", strides},
    {"l1_width", "hits in L1, all compute units", l1_width},
    {"streams", "streaming over 16 MB", streams},
    {"channels", "lines at strides: which memory channels do they meet", channels},
    {"arithmetic", "throughput of all SIMDs", arithmetic},
    {"local_memory", "bank conflicts in local memory, all compute units busy", local_memory},
    {"launches", "an empty kernel", launches},
};
enum { BENCHMARKS = sizeof benchmarks / sizeof benchmarks[0] };

static bool is_chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

/* A name that is none would run nothing, and pass. */
static void refuse_unknown(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        unsigned known = 0;

        while (known < BENCHMARKS && strcmp(argv[i], benchmarks[known].name) != 0)
            known++;
        if (known < BENCHMARKS)
            continue;
        fprintf(stderr, "microbenchmarks: there is no '%s'; there are:", argv[i]);
        for (known = 0; known < BENCHMARKS; known++)
            fprintf(stderr, " %s", benchmarks[known].name);
        fprintf(stderr, "\n");
        exit(WORKLOAD_CANNOT_RUN);
    }
}

static void bench_init(struct bench *bench, struct workload *workload)
{
    cl_uint mhz = 0;

    *bench = (struct bench){.workload = workload, .right = true};
    workload_check(
        clGetDeviceInfo(workload->device, CL_DEVICE_MAX_CLOCK_FREQUENCY, sizeof mhz, &mhz, NULL),
        "clGetDeviceInfo");
    workload_check(clGetDeviceInfo(workload->device, CL_DEVICE_MAX_COMPUTE_UNITS,
                                   sizeof bench->units, &bench->units, NULL),
                   "clGetDeviceInfo");
    bench->cycles_per_ns = mhz / 1000.0;
    bench->host = workload_allocate(WORD_COUNT, sizeof *bench->host);
    bench->words = workload_buffer(workload, (size_t)WORD_COUNT * 4, bench->host);
    bench->other = workload_buffer(workload, (size_t)WORD_COUNT * 4, NULL);
    bench->result = workload_buffer(workload, (size_t)RESULTS * 8, NULL);
    printf("%u compute units at %u MHz\n", bench->units, mhz);
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "microbenchmarks",
                                .summary = "Latencies, bandwidths and rates; names of benchmarks "
                                           "may precede the options.",
                                .size_help = "(not used)",
                                .size = 1,
                                .size_min = 1,
                                .size_max = 1,
                                .iterations = 1,
                                .seed = 1};
    struct bench bench;
    int names = 1;

    while (names < argc && strncmp(argv[names], "--", 2) != 0)
        names++;
    refuse_unknown(names, argv);
    workload_parse(&workload, argc - names + 1, argv + names - 1);
    workload_open(&workload, kernel_source, "");
    bench_init(&bench, &workload);
    for (unsigned i = 0; i < BENCHMARKS; i++)
        if (is_chosen(benchmarks[i].name, names, argv)) {
            printf("%s: %s\n", benchmarks[i].name, benchmarks[i].what);
            benchmarks[i].run(&bench);
            fflush(stdout);
        }
    printf("microbenchmarks: %s\n", bench.right ? "passed" : "FAILED");
    clReleaseMemObject(bench.words);
    clReleaseMemObject(bench.other);
    clReleaseMemObject(bench.result);
    workload_close(&workload);
    free(bench.host);
    return bench.right ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

/* SPDX-License-Identifier: MIT */
/* Real kernels, compiled by clang, on the timed and on the functional model: the same memory and
 * the same instructions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/kernels.h"
#include "gpu/trace.h"

static const char *const source =
    "kernel void saxpy(global float *y, global const float *x, float a)\n"
    "{ int i = get_global_id(0); y[i] += a * x[i]; }\n"
    "kernel void tiles(global float *c, global const float *a, global const float *b, int n)\n"
    "{\n"
    "    local float ta[16][16], tb[16][16];\n"
    "    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = "
    "get_local_id(1);\n"
    "    float sum = 0;\n"
    "    for (int t = 0; t < n; t += 16) {\n"
    "        ta[ly][lx] = a[y * n + t + lx];\n"
    "        tb[ly][lx] = b[(t + ly) * n + x];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        for (int i = 0; i < 16; i++)\n"
    "            sum += ta[ly][i] * tb[i][lx];\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    }\n"
    "    c[y * n + x] = sum;\n"
    "}\n"
    "kernel void collatz(global uint *steps)\n"
    "{\n"
    "    uint i = get_global_id(0), n = i + 1, count = 0;\n"
    "    while (n != 1) { n = n & 1 ? 3 * n + 1 : n / 2; count++; }\n"
    "    steps[i] = count;\n"
    "}\n"
    "kernel void histogram(global uint *bins, global const uchar *data)\n"
    "{\n"
    "    local uint part[256];\n"
    "    int l = get_local_id(0);\n"
    "    part[l] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_inc(&part[data[get_global_id(0)]]);\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    atomic_add(&bins[l], part[l]);\n"
    "}\n"
    "kernel void private_array(global int *out, global const int *in)\n"
    "{\n"
    "    int i = get_global_id(0), sum = 0, values[64];\n"
    "    for (int j = 0; j < 64; j++) values[(j * 7 + in[i]) & 63] = j + i;\n"
    "    for (int j = 0; j < 64; j++) sum = sum * 3 + values[(in[i] + j) & 63];\n"
    "    out[i] = sum;\n"
    "}\n"
    "kernel void bytes(global uchar *out, global const short *in)\n"
    "{ int i = get_global_id(0); out[i] = (uchar)(in[i] >> 3); }\n"
    "kernel void wide(global float4 *out, global const float4 *in)\n"
    "{ int i = get_global_id(0); out[i] = in[i].wzyx + in[i ^ 1]; }\n"
    "kernel void handshake(global volatile int *flag, global int *out)\n"
    "{\n"
    "    int groups = get_num_groups(0), g = get_group_id(0);\n"
    "    if (get_local_id(0) == 0) {\n"
    "        if (g == groups - 1) atomic_xchg((volatile global int *)flag, 1);\n"
    "        else while (atomic_add((volatile global int *)flag, 0) == 0) ;\n"
    "        out[g] = g + 1;\n"
    "    }\n"
    "}\n";

static struct rig rig;
static struct real_kernel kernel;
static uint64_t out, in, other;

enum { OUT_BYTES = 1 << 18 };

static unsigned char timed_memory[OUT_BYTES];

static void load(const char *name)
{
    rig_init(&rig);
    rig.isa = isa_gcn(false);
    rig.unit_count = 2;
    out = rig_allocate(&rig, OUT_BYTES);
    in = rig_allocate(&rig, OUT_BYTES);
    other = rig_allocate(&rig, OUT_BYTES);
    rig_build(&rig);
    kernel_load(&kernel, &rig, source, name);
    kernel_set(&kernel, &rig, 0, out);
    if (kernel.metadata->visible_argument_count > 1)
        kernel_set(&kernel, &rig, 1, in);
    for (uint32_t i = 0; i < OUT_BYTES / 4; i++)
        rig_words(&rig, in)[i] = i * 2654435761u;
}

static void unload(void)
{
    kernel_finish(&kernel, &rig);
    rig_finish(&rig);
}

static void assert_same_count(const char *name)
{
    char path[64];
    uint64_t timed = 0;

    for (uint32_t i = 0; i < rig.unit_count; i++) {
        snprintf(path, sizeof path, "cu%u.%s", i, name);
        timed += rig_counter(&rig, path);
    }
    snprintf(path, sizeof path, "device.%s", name);
    assert_int_equal(timed, rig_counter(&rig, path));
}

/* Runs what is prepared on both, each from the same first contents of `out`. */
static void run_both(bool compare_counts)
{
    static const char *const counters[] = {"instructions_valu",     "instructions_salu",
                                           "instructions_smem",     "instructions_vmem",
                                           "instructions_lds",      "instructions_branch",
                                           "instructions_internal", "lane_operations",
                                           "branches_taken",        "groups"};
    static unsigned char first[OUT_BYTES];

    memcpy(first, rig_words(&rig, out), OUT_BYTES);
    rig_run_launch(&rig);
    memcpy(timed_memory, rig_words(&rig, out), OUT_BYTES);
    memcpy(rig_words(&rig, out), first, OUT_BYTES);
    assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_DONE);
    assert_memory_equal(timed_memory, rig_words(&rig, out), OUT_BYTES);
    for (unsigned i = 0; compare_counts && i < sizeof counters / sizeof counters[0]; i++)
        assert_same_count(counters[i]);
}

static void saxpy(void **state)
{
    float a = 2.5f, *x, *y;
    uint32_t bits;

    load("saxpy");
    memcpy(&bits, &a, 4);
    kernel_set(&kernel, &rig, 2, bits);
    x = (float *)rig_words(&rig, in);
    y = (float *)rig_words(&rig, out);
    for (uint32_t i = 0; i < 4096; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    kernel_prepare(&kernel, &rig, 4096, 1, 256, 1);
    run_both(true);
    for (uint32_t i = 0; i < 4096; i++)
        assert_true(y[i] == 1 + 2.5f * (float)i);
    unload();
}

/* 4 work-groups of 4 wavefronts, and one that has 1 of 256 work-items and so 3 wavefronts without
 * any. */
static void a_cut_work_group_runs_what_it_has(void **state)
{
    load("histogram");
    kernel_prepare(&kernel, &rig, 1025, 1, 256, 1);
    run_both(true);
    assert_int_equal(rig_counter(&rig, "device.groups"), 5);
    unload();
}

static void tiled_matrix_multiplication(void **state)
{
    float *a, *b, *c;
    uint32_t n = 48;

    load("tiles");
    kernel_set(&kernel, &rig, 2, other);
    kernel_set(&kernel, &rig, 3, n);
    a = (float *)rig_words(&rig, in);
    b = (float *)rig_words(&rig, other);
    c = (float *)rig_words(&rig, out);
    for (uint32_t i = 0; i < n * n; i++) {
        a[i] = (float)(i % 7);
        b[i] = (float)(i % 5);
    }
    kernel_prepare(&kernel, &rig, n, n, 16, 16);
    run_both(true);
    for (uint32_t i = 0; i < n * n; i++) {
        float sum = 0;

        for (uint32_t j = 0; j < n; j++)
            sum += a[i / n * n + j] * b[j * n + i % n];
        assert_true(c[i] == sum);
    }
    unload();
}

static void divergent_loops(void **state)
{
    load("collatz");
    kernel_prepare(&kernel, &rig, 1024, 1, 64, 1);
    run_both(true);
    for (uint32_t i = 0; i < 1024; i++) {
        uint32_t n = i + 1, steps = 0;

        for (; n != 1; steps++)
            n = n & 1 ? 3 * n + 1 : n / 2;
        assert_int_equal(rig_words(&rig, out)[i], steps);
    }
    unload();
}

static void local_and_global_atomics(void **state)
{
    uint32_t bins[256] = {0};
    const unsigned char *data;

    load("histogram");
    kernel_prepare(&kernel, &rig, 8192, 1, 256, 1);
    run_both(true);
    data = (const unsigned char *)rig_words(&rig, in);
    for (uint32_t i = 0; i < 8192; i++)
        bins[data[i]]++;
    assert_memory_equal(rig_words(&rig, out), bins, sizeof bins);
    unload();
}

static void private_arrays_in_scratch(void **state)
{
    load("private_array");
    assert_true(kernel.kernel.scratch_bytes >= 256);
    kernel_prepare(&kernel, &rig, 2048, 1, 128, 1);
    run_both(true);
    for (uint32_t i = 0; i < 2048; i++) {
        uint32_t values[64], sum = 0, first = rig_words(&rig, in)[i];

        for (uint32_t j = 0; j < 64; j++)
            values[(j * 7 + first) & 63] = j + i;
        for (uint32_t j = 0; j < 64; j++)
            sum = sum * 3 + values[(first + j) & 63];
        assert_int_equal(rig_words(&rig, out)[i], sum);
    }
    unload();
}

static void narrow_and_wide_elements(void **state)
{
    const int16_t *shorts;
    const unsigned char *chars;

    load("bytes");
    kernel_prepare(&kernel, &rig, 4096, 1, 256, 1);
    run_both(true);
    shorts = (const int16_t *)(const void *)rig_words(&rig, in);
    chars = (const unsigned char *)rig_words(&rig, out);
    for (uint32_t i = 0; i < 4096; i++)
        assert_int_equal(chars[i], (unsigned char)(shorts[i] >> 3));
    unload();
    load("wide");
    for (uint32_t i = 0; i < 8192; i++)
        ((float *)rig_words(&rig, in))[i] = (float)i;
    kernel_prepare(&kernel, &rig, 2048, 1, 64, 1);
    run_both(true);
    for (uint32_t i = 0; i < 8192; i++)
        assert_true(((float *)rig_words(&rig, out))[i] ==
                    (float)((i & ~3u) + 3 - i % 4) + (float)(((i / 4) ^ 1) * 4 + i % 4));
    unload();
}

/* All work-groups but the last spin until the last one has come: all must get turns. */
static void work_groups_that_wait_for_another_end(void **state)
{
    load("handshake");
    rig_words(&rig, out)[0] = 0;
    kernel_prepare(&kernel, &rig, 40 * 64, 1, 64, 1);
    rig_run_launch(&rig);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(rig_words(&rig, in)[i], i + 1);
    memset(rig_words(&rig, in), 0, 4096);
    rig_words(&rig, out)[0] = 0;
    assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_DONE);
    for (uint32_t i = 0; i < 40; i++)
        assert_int_equal(rig_words(&rig, in)[i], i + 1);
    unload();
}

static void a_limit_stops_the_functional_device(void **state)
{
    load("handshake");
    rig_words(&rig, out)[0] = 0;
    kernel_prepare(&kernel, &rig, 40 * 64, 1, 64, 1);
    rig.functional.groups = 1; /* the others never start, so the first spins forever */
    assert_int_equal(functional_run(rig.device, &rig.launch, 100000), FUNCTIONAL_LIMIT);
    unload();
}

static void both_models_name_a_wild_access(void **state)
{
    struct diagnosis timed, functional;

    load("saxpy");
    kernel_set(&kernel, &rig, 1, out + (OUT_BYTES - 4096));
    kernel_prepare(&kernel, &rig, 2048, 1, 256, 1);
    assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
    assert_non_null(compute_unit_fault(rig.units[0]));
    fault_diagnose(compute_unit_fault(rig.units[0]), rig.isa, &rig.backing, NULL, NULL, &timed);
    assert_non_null(strstr(timed.message, "kernel saxpy, work-group 4:0:0"));
    assert_non_null(strstr(timed.message, "buffer_load_dword"));
    assert_non_null(strstr(timed.message, "behind the end of buffer"));
    assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_FAULT);
    fault_diagnose(functional_fault(rig.device), rig.isa, &rig.backing, NULL, NULL, &functional);
    assert_string_equal(timed.message, functional.message);
    unload();
}

/* ---- traces ---- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes the cycle off a line's end; a wavefront's own, but for loads, never fall. */
static uint64_t take_cycle(char *line)
{
    char *at = strrchr(line, '@');
    uint64_t cycle;

    if (at == NULL)
        return 0;
    cycle = strtoull(at + 1, NULL, 10);
    memcpy(at - 1, "\n", 2);
    return cycle;
}

static uint64_t latest_cycle, cycle_count;

/* The lines of a trace, sorted, without their cycles, as one string that the caller frees. */
static char *sorted_lines(FILE *stream, uint32_t *count)
{
    static char *lines[20000];
    struct text text = {0};
    char *line = NULL;
    size_t capacity = 0;

    *count = 0;
    latest_cycle = cycle_count = 0;
    rewind(stream);
    while (getline(&line, &capacity, stream) > 0 && *count < 20000) {
        uint64_t cycle = take_cycle(line);

        assert_true(cycle >= latest_cycle); /* lines are written as things happen */
        latest_cycle = cycle;
        cycle_count += cycle != 0;
        lines[(*count)++] = strdup(line);
    }
    free(line);
    qsort(lines, *count, sizeof lines[0], by_text);
    for (uint32_t i = 0; i < *count; i++) {
        text_add(&text, "%s", lines[i]);
        free(lines[i]);
    }
    return text.chars;
}

static char *trace_of(const char *selection, bool timed, uint32_t *count)
{
    struct trace trace;
    struct diagnosis diagnosis;
    FILE *stream = tmpfile();
    char *lines;

    assert_non_null(stream);
    assert_true(trace_parse(&trace, selection, stream, &diagnosis));
    rig.trace = &trace;
    kernel_prepare(&kernel, &rig, 48, 48, 16, 16);
    if (timed)
        rig_run_launch(&rig);
    else
        assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_DONE);
    rig.trace = NULL;
    lines = sorted_lines(stream, count);
    fclose(stream);
    return lines;
}

static void traces_of_both_models_are_equal(void **state)
{
    uint32_t timed_count, functional_count;
    char *timed, *functional;

    load("tiles");
    kernel_set(&kernel, &rig, 2, other);
    kernel_set(&kernel, &rig, 3, 48);
    memset(rig_words(&rig, in), 0, OUT_BYTES);
    timed = trace_of("kernel=tiles,group=1:2,wave=3", true, &timed_count);
    assert_int_equal(cycle_count, timed_count);
    assert_in_range(latest_cycle, 1, rig.clock->cycle);
    functional = trace_of("kernel=tiles,group=1:2,wave=3", false, &functional_count);
    assert_int_equal(timed_count, functional_count);
    assert_int_equal(cycle_count, 0);
    assert_true(timed_count > 100);
    assert_string_equal(timed, functional);
    assert_non_null(strstr(timed, "tiles 1:2:0 3 0 0x"));
    free(timed);
    free(functional);
    timed = trace_of("kernel=other", true, &timed_count);
    assert_int_equal(timed_count, 0);
    free(timed);
    unload();
}

static void selections_are_checked(void **state)
{
    static const char *const wrong[] = {"",        "group=",  "group=1:", "group=1:2:3:4", "wave=x",
                                        "wave=1x", "kernel=", "cu=3",     "wave=1,,",      "all,"};
    struct trace trace;
    struct diagnosis diagnosis;

    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(trace_parse(&trace, wrong[i], stdout, &diagnosis));
    assert_false(trace_parse_accesses(&trace, "cu=", &diagnosis));
    assert_false(trace_parse_accesses(&trace, "address=9-8", &diagnosis));
    assert_true(trace_parse_accesses(&trace, "cu=1,address=0x10-32,kernel=k", &diagnosis));
    assert_int_equal(trace.accesses.last, 32);
    assert_true(trace_parse(&trace, "all", stdout, &diagnosis));
    assert_true(trace_parse(&trace, "wave=2,group=7", stdout, &diagnosis));
    assert_int_equal(trace.instructions.wavefront, 2);
    assert_int_equal(trace.instructions.group[0], 7);
    assert_int_equal(trace.instructions.group[1], -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(saxpy),
        cmocka_unit_test(a_cut_work_group_runs_what_it_has),
        cmocka_unit_test(tiled_matrix_multiplication),
        cmocka_unit_test(divergent_loops),
        cmocka_unit_test(local_and_global_atomics),
        cmocka_unit_test(private_arrays_in_scratch),
        cmocka_unit_test(narrow_and_wide_elements),
        cmocka_unit_test(work_groups_that_wait_for_another_end),
        cmocka_unit_test(a_limit_stops_the_functional_device),
        cmocka_unit_test(both_models_name_a_wild_access),
        cmocka_unit_test(traces_of_both_models_are_equal),
        cmocka_unit_test(selections_are_checked),
    };

    return cmocka_run_group_tests_name("gpu/kernels", tests, NULL, NULL);
}

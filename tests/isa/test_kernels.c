/* SPDX-License-Identifier: MIT */
/*
 * Do whole kernels, compiled by clang, compute what they should? Registers as the ABI sets them,
 * scratch, divergence, calls, local memory, barriers, atomics. Each runs on every build of the lane
 * loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "functional.h"
#include "isa/gcn/gcn.h"
#include "kernels_shared.h"

/* The shared kernels as text. */
#define KERNEL __kernel
#define GLOBAL __global
#define NOINLINE __attribute__((noinline))
#define ITEM get_global_id(0)
#define UINT uint
#define LONG long
#define ULONG ulong
static const char shared_source[] = "#pragma OPENCL FP_CONTRACT OFF\n" SHARED_TEXT(
    KERNEL_SCRATCH KERNEL_INTEGERS KERNEL_FLOATS KERNEL_CALLS);
#undef KERNEL
#undef GLOBAL
#undef NOINLINE
#undef ITEM
#undef UINT
#undef LONG
#undef ULONG

/* The same as C. Signed overflow wraps in the kernels' hardware; -fwrapv makes it so here. */
#define KERNEL static
#define GLOBAL
#define NOINLINE static
#define ITEM ((int)shared_global_id)
#define UINT uint32_t
#define LONG int64_t
#define ULONG uint64_t
unsigned shared_global_id;
KERNEL_SCRATCH KERNEL_INTEGERS KERNEL_FLOATS KERNEL_CALLS

    static const char own_source[] =
        "__kernel void ids(__global uint *out) {\n"
        "  uint x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
        "  uint i = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
        "  out[i] = get_local_id(0) | get_local_id(1) << 8 | get_local_id(2) << 12 |\n"
        "           get_group_id(0) << 16 | get_group_id(1) << 20 | get_group_id(2) << 24 |\n"
        "           (uint)get_work_dim() << 28;\n"
        "}\n"
        "__kernel void reduce(__global const int *in, __global int *out, __local int *t) {\n"
        "  uint l = get_local_id(0);\n"
        "  t[l] = in[get_global_id(0)];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {\n"
        "    if (l < s) t[l] += t[l + s];\n"
        "    barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  }\n"
        "  if (l == 0) out[get_group_id(0)] = t[0];\n"
        "}\n"
        "__kernel void transpose(__global const float *in, __global float *out, int n) {\n"
        "  __local float t[16][17];\n"
        "  int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = "
        "get_local_id(1);\n"
        "  t[ly][lx] = in[y * n + x];\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  out[(get_group_id(0) * 16 + ly) * n + get_group_id(1) * 16 + lx] = t[lx][ly];\n"
        "}\n"
        "__kernel void histogram(__global const uchar *in, __global uint *bins, __global uint "
        "*order) {\n"
        "  __local uint t[64];\n"
        "  uint l = get_local_id(0);\n"
        "  t[l & 63] = 0;\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  atomic_inc(&t[in[get_global_id(0)] & 63]);\n"
        "  barrier(CLK_LOCAL_MEM_FENCE);\n"
        "  if (l < 64) atomic_add(&bins[l], t[l]);\n"
        "  uint ticket = atomic_inc(&bins[64]);\n"
        "  order[ticket] = get_global_id(0);\n"
        "  atomic_max(&bins[65], (uint)in[get_global_id(0)]);\n"
        "  uint old = bins[66], seen;\n"
        "  do { seen = old; old = atomic_cmpxchg(&bins[66], seen, seen + 3); } while (old != "
        "seen);\n"
        "}\n"
        "__kernel void bytes(__global const uchar *in, __global short *out, __global uchar4 *four) "
        "{\n"
        "  uint i = get_global_id(0);\n"
        "  char c = as_char(in[i]);\n"
        "  out[i] = (short)(c * 5 + in[i]);\n"
        "  four[i] = (uchar4)(in[i], (uchar)~in[i], (uchar)(in[i] >> 1), (uchar)i);\n"
        "}\n";

#define ITEMS 512

static void fill_random(int *values, unsigned count, uint64_t seed)
{
    static const int special[] = {0, 1, -1, 2147483647, -2147483647 - 1, 255, 65536, -65536};
    struct random random = {seed};

    for (unsigned i = 0; i < count; i++) {
        values[i] = (int)(random_next(&random) >> (random_below(&random, 32)));
        if (random_below(&random, 8) == 0)
            values[i] = special[random_below(&random, 8)];
    }
}

/* Runs a shared kernel on every variant and compares with the C function. */
static void compare_shared(const char *name, void (*function)(const int *, int *, int))
{
    static int in[ITEMS], expected[ITEMS];
    int n = ITEMS;

    fill_random(in, ITEMS, 20251120);
    for (shared_global_id = 0; shared_global_id < ITEMS; shared_global_id++)
        function(in, expected, n);
    for (int variant = 0; variant < GCN_VARIANT_COUNT; variant++) {
        const struct isa *isa = gcn_isa_variant((enum gcn_variant)variant);
        struct functional functional;
        struct functional_size size = {1, {ITEMS}, {128}};
        uint64_t a, out;
        struct functional_argument arguments[3] = {{&a, 8}, {&out, 8}, {&n, 4}};

        if (isa == NULL)
            continue;
        functional_init(&functional, isa, shared_source, "");
        a = functional_allocate(&functional, sizeof in);
        out = functional_allocate(&functional, sizeof in);
        memcpy(functional_host(&functional, a), in, sizeof in);
        functional_run(&functional, name, &size, arguments, 3);
        assert_memory_equal(functional_host(&functional, out), expected, sizeof expected);
        functional_finish(&functional);
    }
}

static void scratch(void **state)
{
    compare_shared("scratch_words", scratch_words);
    compare_shared("scratch_bytes", scratch_bytes);
}

static void integers(void **state)
{
    compare_shared("long_integers", long_integers);
    compare_shared("division", division);
}

static void divergence(void **state)
{
    compare_shared("divergent", divergent);
}

static void floating_point(void **state)
{
    compare_shared("doubles", doubles);
    compare_shared("floats", floats);
}

static void function_calls(void **state)
{
    compare_shared("calls", calls);
}

static void ids_in_three_dimensions(void **state)
{
    struct functional functional;
    struct functional_size size = {3, {24, 10, 6}, {8, 5, 3}};
    uint64_t out;
    struct functional_argument argument = {&out, 8};
    const uint32_t *result;

    functional_init(&functional, isa_gcn(false), own_source, "");
    out = functional_allocate(&functional, 24 * 10 * 6 * 4);
    functional_run(&functional, "ids", &size, &argument, 1);
    result = functional_host(&functional, out);
    for (uint32_t z = 0; z < 6; z++)
        for (uint32_t y = 0; y < 10; y++)
            for (uint32_t x = 0; x < 24; x++)
                assert_int_equal(result[(z * 10 + y) * 24 + x], x % 8 | y % 5 << 8 | z % 3 << 12 |
                                                                    x / 8 << 16 | y / 5 << 20 |
                                                                    z / 3 << 24 | 3u << 28);
    functional_finish(&functional);
}

static void barriers_and_local_memory(void **state)
{
    struct functional functional;
    struct functional_size size = {1, {1024}, {256}}, square = {2, {64, 64}, {16, 16}};
    uint64_t in, out;
    int n = 64;
    struct functional_argument arguments[3] = {{&in, 8}, {&out, 8}, {NULL, 1024}};
    int *values, *result;

    functional_init(&functional, isa_gcn(false), own_source, "");
    in = functional_allocate(&functional, 64 * 64 * 4);
    out = functional_allocate(&functional, 64 * 64 * 4);
    values = functional_host(&functional, in);
    result = functional_host(&functional, out);
    for (int i = 0; i < 64 * 64; i++)
        values[i] = i * 31 % 1009;
    functional_run(&functional, "reduce", &size, arguments, 3);
    for (int group = 0; group < 4; group++) {
        int sum = 0;

        for (int i = 0; i < 256; i++)
            sum += values[group * 256 + i];
        assert_int_equal(result[group], sum);
    }
    arguments[2] = (struct functional_argument){&n, 4};
    functional_run(&functional, "transpose", &square, arguments, 3);
    for (int i = 0; i < 64 * 64; i++)
        assert_int_equal(result[i], values[i % 64 * 64 + i / 64]);
    functional_finish(&functional);
}

static void atomics(void **state)
{
    struct functional functional;
    struct functional_size size = {1, {1024}, {256}};
    uint64_t in, bins, order;
    struct functional_argument arguments[3] = {{&in, 8}, {&bins, 8}, {&order, 8}};
    uint32_t expected[67] = {0}, seen[1024] = {0};
    unsigned char *values;
    const uint32_t *tickets;

    functional_init(&functional, isa_gcn(false), own_source, "");
    in = functional_allocate(&functional, 1024);
    bins = functional_allocate(&functional, sizeof expected);
    order = functional_allocate(&functional, 4096);
    values = functional_host(&functional, in);
    for (int i = 0; i < 1024; i++) {
        values[i] = (unsigned char)(i * i / 7);
        expected[values[i] & 63]++;
        expected[65] = values[i] > expected[65] ? values[i] : expected[65];
    }
    expected[64] = 1024;
    expected[66] = 3 * 1024;
    functional_run(&functional, "histogram", &size, arguments, 3);
    assert_memory_equal(functional_host(&functional, bins), expected, sizeof expected);
    tickets = functional_host(&functional, order);
    for (int i = 0; i < 1024; i++)
        assert_int_equal(seen[tickets[i]]++, 0);
    functional_finish(&functional);
}

static void elements_shorter_than_a_dword(void **state)
{
    struct functional functional;
    struct functional_size size = {1, {256}, {64}};
    uint64_t in, out, four;
    struct functional_argument arguments[3] = {{&in, 8}, {&out, 8}, {&four, 8}};
    unsigned char *values;
    const unsigned char *fours;
    const short *result;

    functional_init(&functional, isa_gcn(false), own_source, "");
    in = functional_allocate(&functional, 256);
    out = functional_allocate(&functional, 512);
    four = functional_allocate(&functional, 1024);
    values = functional_host(&functional, in);
    for (int i = 0; i < 256; i++)
        values[i] = (unsigned char)(i * 37);
    functional_run(&functional, "bytes", &size, arguments, 3);
    result = functional_host(&functional, out);
    fours = functional_host(&functional, four);
    for (int i = 0; i < 256; i++) {
        unsigned char bytes[4] = {values[i], (unsigned char)~values[i],
                                  (unsigned char)(values[i] >> 1), (unsigned char)i};

        assert_int_equal(result[i], (short)((signed char)values[i] * 5 + values[i]));
        assert_memory_equal(fours + 4 * i, bytes, 4);
    }
    functional_finish(&functional);
}

/* 100 work-items in groups of 96, whose last one has 4: the others must not write. */
static void partial_groups(void **state)
{
    struct functional functional;
    struct functional_size size = {1, {100}, {96}};
    uint64_t out;
    struct functional_argument argument = {&out, 8};
    const uint32_t *result;

    functional_init(&functional, isa_gcn(false), own_source, "");
    out = functional_allocate(&functional, 256 * 4);
    memset(functional_host(&functional, out), 0xee, 256 * 4);
    functional_run(&functional, "ids", &size, &argument, 1);
    result = functional_host(&functional, out);
    for (uint32_t i = 0; i < 256; i++)
        assert_int_equal(result[i],
                         i < 100 ? i % 96 | i / 96 << 16 | 1u << 28 : UINT32_C(0xeeeeeeee));
    functional_finish(&functional);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scratch),
        cmocka_unit_test(integers),
        cmocka_unit_test(divergence),
        cmocka_unit_test(floating_point),
        cmocka_unit_test(function_calls),
        cmocka_unit_test(ids_in_three_dimensions),
        cmocka_unit_test(barriers_and_local_memory),
        cmocka_unit_test(atomics),
        cmocka_unit_test(elements_shorter_than_a_dword),
        cmocka_unit_test(partial_groups),
    };

    return cmocka_run_group_tests_name("kernels", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "control.cl.h"
#include "feature_tests.h"

enum { COUNT = 1024 };

static void random_words(cl_uint *words, size_t count, uint64_t seed)
{
    for (size_t i = 0; i < count; i++)
        words[i] = (cl_uint)workload_random(&seed);
}

static bool barriers_of(struct feature_run *run, size_t group, size_t groups)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];
    cl_kernel kernel = workload_kernel(run->workload, "barriers");
    struct feature_shape shape = {1, {group * groups}, {group}, {0}};

    random_words(input, COUNT, group);
    for (size_t i = 0; i < group * groups; i++)
        expected[i] = input[i] + (cl_uint)(group - 1 - i % group);
    feature_launch(run, kernel, &shape, input, sizeof input, output, sizeof output);
    clReleaseKernel(kernel);
    return feature_same("barriers", output, expected, group * groups, sizeof *output);
}

static bool barriers(struct feature_run *run)
{
    return barriers_of(run, 256, 4) && barriers_of(run, 64, 5) && barriers_of(run, 100, 7) &&
           barriers_of(run, 1, 3) && barriers_of(run, 193, 2);
}

static bool local_arguments(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];
    cl_kernel kernel = workload_kernel(run->workload, "local_arguments");
    size_t group = 128;
    struct feature_shape shape = {1, {COUNT}, {group}, {0}};

    random_words(input, COUNT, 2);
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = input[i] + (i % group == 0 ? 0 : expected[i - 1]);
    workload_argument(kernel, 2, group * sizeof(cl_uint), NULL);
    workload_argument(kernel, 3, group * sizeof(cl_uint), NULL);
    feature_launch(run, kernel, &shape, input, sizeof input, output, sizeof output);
    clReleaseKernel(kernel);
    return feature_same("local_arguments", output, expected, COUNT, sizeof *output);
}

enum { ITEM_WORDS = 24 };

static void expect_range_item(const struct feature_shape *shape, const size_t position[3],
                              cl_uint *expected)
{
    for (unsigned d = 0; d < 3; d++) {
        expected[d * 7 + 0] = (cl_uint)(position[d] + shape->offset[d]);
        expected[d * 7 + 1] = (cl_uint)(position[d] % shape->group[d]);
        expected[d * 7 + 2] = (cl_uint)(position[d] / shape->group[d]);
        expected[d * 7 + 3] = (cl_uint)shape->global[d];
        expected[d * 7 + 4] = (cl_uint)shape->group[d];
        expected[d * 7 + 5] = (cl_uint)(shape->global[d] / shape->group[d]);
        expected[d * 7 + 6] = (cl_uint)shape->offset[d];
    }
    expected[21] = shape->dimensions;
    expected[22] = 0;
    expected[23] = 5;
}

static bool range_of(struct feature_run *run, struct feature_shape shape)
{
    size_t count = shape.global[0] * shape.global[1] * shape.global[2];
    cl_uint *output = workload_allocate(count * ITEM_WORDS, sizeof *output);
    cl_uint *expected = workload_allocate(count * ITEM_WORDS, sizeof *expected);
    cl_uint five = 5;
    cl_kernel kernel = workload_kernel(run->workload, "range_3d");

    for (size_t i = 0; i < count; i++) {
        size_t position[3] = {i % shape.global[0], i / shape.global[0] % shape.global[1],
                              i / shape.global[0] / shape.global[1]};
        expect_range_item(&shape, position, expected + i * ITEM_WORDS);
    }
    feature_launch(run, kernel, &shape, &five, sizeof five, output,
                   count * ITEM_WORDS * sizeof *output);
    bool same = feature_same("range_3d", output, expected, count * ITEM_WORDS, sizeof *output);
    clReleaseKernel(kernel);
    free(output);
    free(expected);
    return same;
}

static bool range_3d(struct feature_run *run)
{
    return range_of(run, (struct feature_shape){3, {12, 10, 6}, {4, 5, 3}, {7, 100, 1}}) &&
           range_of(run, (struct feature_shape){3, {16, 16, 4}, {16, 4, 2}, {0, 0, 0}}) &&
           range_of(run, (struct feature_shape){2, {34, 18, 1}, {17, 9, 1}, {3, 0, 0}}) &&
           range_of(run, (struct feature_shape){1, {300, 1, 1}, {100, 1, 1}, {1000, 0, 0}});
}

/* The kernel's body in C; false when the work-item returns without a result. */
static bool diverge(cl_uint word, cl_uint *result)
{
    cl_uint sum = 0;

    if (word % 11 == 0)
        return false;
    for (cl_uint j = 0; j < word % 37 && sum <= 100000; j++) {
        cl_uint which = (word + j) % 6;
        if ((j & 3) == 2)
            continue;
        if (which == 0)
            sum += 3;
        else if (which == 1)
            sum = (sum ^ (j << 4)) + 7 * j;
        else if (which == 2)
            sum += 7 * j;
        else if (which == 4)
            sum += (cl_uint)__builtin_popcount(j);
        else
            sum = sum * 5 + 1;
        if (sum == 77)
            return false;
    }
    *result = sum;
    return true;
}

static bool divergence(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];

    random_words(input, COUNT, 3);
    for (size_t i = 0; i < COUNT; i++) {
        output[i] = expected[i] = 0xabcd0000u + (cl_uint)i;
        diverge(input[i], &expected[i]);
    }
    feature_map(run, "divergence", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("divergence", output, expected, COUNT, sizeof *output);
}

static cl_uint mix_words(cl_uint a, cl_uint b)
{
    a ^= b * 0x85ebca6bu;
    return a ^ (a >> 13);
}

static bool calls(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];

    random_words(input, COUNT, 4);
    for (cl_uint i = 0; i < COUNT; i++) {
        cl_uint word = input[i];
        cl_uint x = mix_words(word, 2), y = mix_words(i, 3), z = mix_words(word + i, word);
        cl_uint w = mix_words(word * i, 1);
        if (word & 1)
            word = mix_words(word, x + y);
        expected[i] = mix_words(word + z, w);
    }
    feature_map(run, "calls", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("calls", output, expected, COUNT, sizeof *output);
}

enum { SORTED = 24 };

static int compare_words(const void *a, const void *b)
{
    cl_uint x = *(const cl_uint *)a, y = *(const cl_uint *)b;

    return (x > y) - (x < y);
}

static bool private_array(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT * SORTED], expected[COUNT * SORTED];

    random_words(input, COUNT, 5);
    for (size_t i = 0; i < COUNT; i++) {
        for (cl_uint n = 0; n < SORTED; n++)
            expected[i * SORTED + n] = input[i] * (n * 2 + 1) % 1009;
        qsort(expected + i * SORTED, SORTED, sizeof *expected, compare_words);
    }
    feature_map(run, "private_array", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("private_array", output, expected, COUNT * SORTED, sizeof *output);
}

static bool private_bytes(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];

    random_words(input, COUNT, 6);
    for (size_t i = 0; i < COUNT; i++) {
        cl_uint word = input[i] %= 1000000;
        unsigned char bytes[200];
        for (unsigned n = 0; n < 200; n++)
            bytes[n] = (unsigned char)n;
        for (cl_uint n = 0; n < 100; n++) {
            cl_uint at = (word + n * 7) % 200;
            bytes[at] = (unsigned char)(bytes[at] + bytes[(at * 3 + word) % 200] + n);
        }
        for (unsigned n = 0; n < 200; n++)
            expected[i] = expected[i] * 31 + bytes[n];
    }
    feature_map(run, "private_bytes", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("private_bytes", output, expected, COUNT, sizeof *output);
}

struct inner {
    cl_short a;
    cl_char b[3];
};
struct outer {
    cl_char tag;
    struct inner inner[2];
    cl_int number;
    cl_float4 vector;
    cl_long big;
};

static bool struct_argument(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];
    struct outer outer;
    cl_kernel kernel = workload_kernel(run->workload, "struct_argument");
    struct feature_shape shape = {1, {COUNT}, {64}, {0}};
    cl_uchar4 triple = {{200, 100, 50, 0}};

    memset(&outer, 0, sizeof outer);
    outer.tag = -5;
    outer.inner[0] = (struct inner){-300, {1, -2, 3}};
    outer.inner[1] = (struct inner){400, {-4, 5, -6}};
    outer.number = -70000;
    outer.vector = (cl_float4){{1.5f, 2.5f, 3.5f, 4.5f}};
    outer.big = (cl_long)0x0123456789abcdef;
    cl_uint sum = (cl_uint)(-5 - 70000) + 0x89abcdefu + 0x01234567u;
    sum += (cl_uint)(-300 * 3 + 1 - 10 + 21 + 400 * 3 - 4 + 25 - 42);
    sum += 3 + 36 + (cl_uint)(-9 * 11) + (cl_uint)(-1000 * 13) + (cl_uint)(-7 * 1024);
    sum += 200 + 100 * 256 + 50 * 65536;
    random_words(input, COUNT, 7);
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = input[i] + sum;
    workload_argument(kernel, 2, sizeof outer, &outer);
    workload_argument(kernel, 3, sizeof(cl_char), &(cl_char){-9});
    workload_argument(kernel, 4, sizeof(cl_short), &(cl_short){-1000});
    workload_argument(kernel, 5, sizeof(cl_long), &(cl_long){(cl_long)-7 * (1 << 30)});
    workload_argument(kernel, 6, sizeof triple, &triple);
    feature_launch(run, kernel, &shape, input, sizeof input, output, sizeof output);
    clReleaseKernel(kernel);
    return feature_same("struct_argument", output, expected, COUNT, sizeof *output);
}

static bool constants(struct feature_run *run)
{
    static const cl_uint table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 53, 58, 97, 93, 238, 462, 643, 383};
    static const cl_uint more[5] = {10, 20, 30, 40, 50}, weights[3] = {2, 1, 8};
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];
    cl_kernel kernel = workload_kernel(run->workload, "constants");
    struct feature_shape shape = {1, {COUNT}, {32}, {0}};
    cl_mem device_more = workload_buffer(run->workload, sizeof more, more);

    random_words(input, COUNT, 8);
    for (size_t i = 0; i < COUNT; i++)
        expected[i] = table[input[i] % 16] * more[input[i] % 5] + table[i / 32 % 16] + more[1] +
                      weights[i % 3];
    workload_argument(kernel, 2, sizeof device_more, &device_more);
    feature_launch(run, kernel, &shape, input, sizeof input, output, sizeof output);
    clReleaseKernel(kernel);
    clReleaseMemObject(device_more);
    return feature_same("constants", output, expected, COUNT, sizeof *output);
}

static bool partial_stores(struct feature_run *run)
{
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];

    random_words(input, COUNT, 9);
    for (cl_uint i = 0; i < COUNT; i++) {
        output[i] = 0x55aa0000u + i;
        expected[i] = input[i] & 1 ? i : output[i];
    }
    feature_map(run, "partial_stores", COUNT, input, sizeof input, output, sizeof output);
    return feature_same("partial_stores", output, expected, COUNT, sizeof *output);
}

static bool any_group(struct feature_run *run)
{
    static const size_t counts[] = {1009, 1, 36, 498, 1024, 65};
    static cl_uint input[COUNT], output[COUNT], expected[COUNT];
    bool same = true;

    random_words(input, COUNT, 10);
    for (size_t c = 0; c < sizeof counts / sizeof counts[0] && same; c++) {
        for (cl_uint i = 0; i < COUNT; i++) {
            output[i] = 7;
            expected[i] = i < counts[c] ? input[i] + i : 7;
        }
        feature_map(run, "any_group", counts[c], input, sizeof input, output, sizeof output);
        same = feature_same("any_group", output, expected, COUNT, sizeof *output);
    }
    return same;
}

static const struct feature features[] = {
    {"barriers", true, barriers},
    {"local_arguments", true, local_arguments},
    {"range_3d", true, range_3d},
    {"divergence", true, divergence},
    {"calls", true, calls},
    {"private_array", true, private_array},
    {"private_bytes", true, private_bytes},
    {"struct_argument", true, struct_argument},
    {"constants", true, constants},
    {"partial_stores", true, partial_stores},
    {"any_group", true, any_group},
};

const struct topic topic_control = {"control", kernel_source, features,
                                    sizeof features / sizeof features[0], ""};

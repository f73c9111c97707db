/* SPDX-License-Identifier: MIT */
/* The program: runs all features, or those named on the command line. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "feature_tests.h"

static const struct topic *const topics[] = {&topic_control, &topic_atomics, &topic_integers,
                                             &topic_floats, &topic_doubles,
                                             &topic_groups};
enum { TOPICS = sizeof topics / sizeof topics[0], MAP_GROUP = 64 };

void feature_launch(struct feature_run *run, cl_kernel kernel, const struct feature_shape *shape,
                    const void *input, size_t input_bytes, void *output, size_t output_bytes)
{
    const struct workload *workload = run->workload;
    cl_mem device_input = workload_buffer(workload, input_bytes, input);
    cl_mem device_output = workload_buffer(workload, output_bytes, output);

    workload_argument(kernel, 0, sizeof device_input, &device_input);
    workload_argument(kernel, 1, sizeof device_output, &device_output);
    workload_check(clEnqueueNDRangeKernel(workload->queue, kernel, shape->dimensions, shape->offset,
                                          shape->global, shape->group[0] ? shape->group : NULL, 0,
                                          NULL, NULL),
                   "clEnqueueNDRangeKernel");
    workload_read(workload, device_output, output, output_bytes);
    run->checksum = run->checksum * 31 + workload_checksum(output, output_bytes);
    clReleaseMemObject(device_input);
    clReleaseMemObject(device_output);
}

void feature_map(struct feature_run *run, const char *name, size_t count, const void *input,
                 size_t input_bytes, void *output, size_t output_bytes)
{
    cl_kernel kernel = workload_kernel(run->workload, name);
    struct feature_shape shape = {1, {count}, {MAP_GROUP}, {0}};

    if (count % MAP_GROUP != 0)
        shape.group[0] = 0;
    feature_launch(run, kernel, &shape, input, input_bytes, output, output_bytes);
    clReleaseKernel(kernel);
}

bool feature_same(const char *what, const void *found, const void *expected, size_t count,
                  size_t bytes)
{
    const unsigned char *f = found, *e = expected;

    for (size_t i = 0; i < count; i++) {
        if (memcmp(f + i * bytes, e + i * bytes, bytes) == 0)
            continue;
        printf("  %s: element %zu is 0x", what, i);
        for (size_t b = bytes; b-- > 0;)
            printf("%02x", f[i * bytes + b]);
        printf(", expected 0x");
        for (size_t b = bytes; b-- > 0;)
            printf("%02x", e[i * bytes + b]);
        printf("\n");
        return false;
    }
    return true;
}

bool feature_same_floats(const char *what, const float *found, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((isnan(found[i]) && isnan(expected[i])) ||
            memcmp(&found[i], &expected[i], sizeof *found) == 0)
            continue;
        printf("  %s: element %zu is %a, expected %a\n", what, i, found[i], expected[i]);
        return false;
    }
    return true;
}

bool feature_same_doubles(const char *what, const double *found, const double *expected,
                          size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if ((isnan(found[i]) && isnan(expected[i])) ||
            memcmp(&found[i], &expected[i], sizeof *found) == 0)
            continue;
        printf("  %s: element %zu is %a, expected %a\n", what, i, found[i], expected[i]);
        return false;
    }
    return true;
}

/* Whether `found` lies within `ulp` units in the last place of `exact`. The format has `digits`
 * mantissa bits, least normal exponent `min` and largest finite value `largest`. */
static bool is_within(long double found, long double exact, double ulp, int digits, int min,
                      long double largest)
{
    int exponent;

    if (isnan(exact))
        return isnan(found);
    if (isinf(exact))
        return found == exact;
    if (isnan(found))
        return false;
    frexpl(exact, &exponent);
    if (exact == 0 || exponent < min)
        exponent = min;
    long double unit = ldexpl(1, exponent - digits);
    if (isinf(found)) /* rounded past the largest finite value */
        return fabsl(exact) + ulp * unit >= largest && signbit(found) == signbit(exact);
    return fabsl(found - exact) <= ulp * unit;
}

bool feature_within_float(const struct feature_run *run, const struct feature_function *functions,
                          unsigned function_count, const float *xy, const float *found,
                          size_t count)
{
    for (size_t i = 0; i < count * function_count; i++) {
        const struct feature_function *function = &functions[i % function_count];
        float x = xy[i / function_count * 2], y = xy[i / function_count * 2 + 1];
        long double exact = function->reference(x, y);

        if (is_within(found[i], exact, function->ulp, 24, -125, 0x1.fffffep127L))
            continue;
        if (run->flushes_denormals && fabsl(exact) < 0x1p-126L && found[i] == 0)
            continue;
        printf("  %s(%a, %a) is %a, exactly %La, allowed %g ulp\n", function->name, x, y, found[i],
               exact, function->ulp);
        return false;
    }
    return true;
}

bool feature_within_double(const struct feature_function *functions, unsigned function_count,
                           const double *xy, const double *found, size_t count)
{
    for (size_t i = 0; i < count * function_count; i++) {
        const struct feature_function *function = &functions[i % function_count];
        double x = xy[i / function_count * 2], y = xy[i / function_count * 2 + 1];
        long double exact = function->reference(x, y);

        if (is_within(found[i], exact, function->ulp, 53, -1021, 0x1.fffffffffffffp1023L))
            continue;
        printf("  %s(%a, %a) is %a, exactly %La, allowed %g ulp\n", function->name, x, y, found[i],
               exact, function->ulp);
        return false;
    }
    return true;
}

static bool is_chosen(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], name) == 0)
            return true;
    return argc == 1;
}

/* Runs a topic's chosen features, counts them, and returns how many failed. */
static unsigned run_topic(const struct workload *options, const struct topic *topic, int argc,
                          char **argv, unsigned *count)
{
    struct workload workload = *options;
    struct feature_run run = {.workload = &workload};
    unsigned failed = 0;
    cl_device_fp_config single = 0;

    workload.verbose = false;
    workload_open(&workload, topic->source, topic->options);
    workload_check(
        clGetDeviceInfo(workload.device, CL_DEVICE_SINGLE_FP_CONFIG, sizeof single, &single, NULL),
        "clGetDeviceInfo");
    run.flushes_denormals = (single & CL_FP_DENORM) == 0;
    for (unsigned i = 0; i < topic->count; i++) {
        const struct feature *feature = &topic->features[i];
        if (!is_chosen(feature->name, argc, argv) && !is_chosen(topic->name, argc, argv))
            continue;
        run.checksum = 0;
        bool right = feature->check(&run);
        printf("%s/%s: %s", topic->name, feature->name, right ? "passed" : "FAILED");
        if (options->verbose)
            printf(" %s %016" PRIx64, feature->exact ? "exact" : "close", run.checksum);
        printf("\n");
        failed += !right;
        ++*count;
    }
    workload_close(&workload);
    return failed;
}

static bool has_chosen(const struct topic *topic, int argc, char **argv)
{
    if (is_chosen(topic->name, argc, argv))
        return true;
    for (unsigned i = 0; i < topic->count; i++)
        if (is_chosen(topic->features[i].name, argc, argv))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    struct workload workload = {.name = "features",
                                .summary = "Checks parts of OpenCL C, one kernel each; names of "
                                           "topics or features may precede the options.",
                                .size_help = "(not used)",
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
    for (unsigned i = 0; i < TOPICS; i++)
        if (has_chosen(topics[i], names, argv))
            failed += run_topic(&workload, topics[i], names, argv, &count);
    printf("features: %u run, %u failed\n", count, failed);
    return failed == 0 && count > 0 ? WORKLOAD_RIGHT : WORKLOAD_WRONG;
}

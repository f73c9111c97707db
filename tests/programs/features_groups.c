/* SPDX-License-Identifier: MIT */
/* Functions of work-groups and sub-groups (OpenCL C 3.0, 6.15.16 and 6.15.18): small whole numbers,
 * so that sums of floats are exact. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "feature_tests.h"
#include "groups.cl.h"

#ifndef CL_DEVICE_MAX_NUM_SUB_GROUPS
#define CL_DEVICE_MAX_NUM_SUB_GROUPS 0x105C
#endif

enum { ROWS = 5, GROUPS = 3, SUB_ITEMS = 64, ITEMS_MAX = 256 };

/* A type: how its values are read and written, and what changes nothing in min and max. */
struct kind {
    const char *name;
    size_t bytes;
    long double min, max;
    bool is_unsigned;
};
static const struct kind kinds[] = {
    {"int", 4, -2147483648.0L, 2147483647.0L, false},
    {"uint", 4, 0, 4294967295.0L, true},
    {"long", 8, -0x1p63L, 0x1p63L - 1, false},
    {"ulong", 8, 0, 0x1p64L - 1, true},
    {"float", 4, -INFINITY, INFINITY, false},
    {"double", 8, -INFINITY, INFINITY, false},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static void put(const struct kind *kind, void *array, size_t index, long double value)
{
    if (strcmp(kind->name, "float") == 0)
        ((float *)array)[index] = (float)value;
    else if (strcmp(kind->name, "double") == 0)
        ((double *)array)[index] = (double)value;
    else if (kind->is_unsigned && kind->bytes == 8)
        ((cl_ulong *)array)[index] = (cl_ulong)value;
    else if (kind->bytes == 8)
        ((cl_long *)array)[index] = (cl_long)value;
    else
        ((cl_uint *)array)[index] = (cl_uint)(cl_long)value;
}

static long double combine(const char *name, long double a, long double b)
{
    if (strcmp(name, "add") == 0)
        return a + b;
    return (strcmp(name, "min") == 0) == (a < b) ? a : b;
}

static long double identity_of(const struct kind *kind, const char *name)
{
    if (strcmp(name, "add") == 0)
        return 0;
    return strcmp(name, "min") == 0 ? kind->max : kind->min;
}

/* What `count` work-items from `first` on give together; `chosen` is the one that broadcasts. */
static void expect(const struct kind *kind, const char *name, const long double *values,
                   size_t first, size_t count, size_t chosen, void *rows, size_t all)
{
    long double before = identity_of(kind, name), total = before;
    bool is_all = true, is_any = false;

    for (size_t i = first; i < first + count; i++) {
        total = i == first ? values[i] : combine(name, total, values[i]);
        put(kind, rows, all + i, total);
        put(kind, rows, 2 * all + i, before);
        before = total;
        is_all = is_all && values[i] > 0;
        is_any = is_any || values[i] == 3;
    }
    for (size_t i = first; i < first + count; i++) {
        put(kind, rows, i, total);
        put(kind, rows, 3 * all + i, values[first + chosen]);
        put(kind, rows, 4 * all + i, is_all + 2 * is_any);
    }
}

/* The groups lie one behind the other in the last dimension. */
static bool check_shape(struct feature_run *run, const struct kind *kind, const char *name,
                        const size_t group[3], bool is_sub)
{
    size_t items = group[0] * group[1] * group[2], all = GROUPS * items;
    struct feature_shape shape = {
        3, {group[0], group[1], GROUPS * group[2]}, {group[0], group[1], group[2]}, {0}};
    static long double values[GROUPS * ITEMS_MAX];
    static cl_ulong input[GROUPS * ITEMS_MAX], output[ROWS * GROUPS * ITEMS_MAX],
        expected[ROWS * GROUPS * ITEMS_MAX];
    char kernel_name[64];
    uint64_t seed = items;
    cl_kernel kernel;

    snprintf(kernel_name, sizeof kernel_name, "%s_%s_%s", is_sub ? "sub" : "group", name,
             kind->name);
    kernel = workload_kernel(run->workload, kernel_name);
    for (size_t i = 0; i < all; i++) {
        values[i] = (long double)(workload_random(&seed) % 19) - (kind->is_unsigned ? 0 : 6);
        put(kind, input, i, values[i]);
    }
    for (size_t first = 0; first < all; first += items) {
        size_t step = is_sub ? SUB_ITEMS : items;
        size_t chosen = ((group[2] / 2) * group[1] + group[1] / 2) * group[0] + group[0] - 1;

        for (size_t i = 0; i < items; i += step) {
            size_t count = items - i < step ? items - i : step;

            expect(kind, name, values, first + i, count, is_sub ? count / 2 : chosen, expected,
                   all);
        }
    }
    feature_launch(run, kernel, &shape, input, all * kind->bytes, output, ROWS * all * kind->bytes);
    clReleaseKernel(kernel);
    return feature_same(kernel_name, output, expected, ROWS * all, kind->bytes);
}

static bool check_all(struct feature_run *run, bool is_sub)
{
    static const char *const names[] = {"add", "min", "max"};
    static const size_t groups[][3] = {{1, 1, 1},  {33, 1, 1}, {64, 1, 1},
                                       {65, 1, 1}, {16, 6, 1}, {5, 5, 5}};

    for (unsigned i = 0; i < KINDS; i++)
        for (unsigned j = 0; j < 3; j++)
            for (unsigned k = 0; k < sizeof groups / sizeof groups[0]; k++)
                if (!check_shape(run, &kinds[i], names[j], groups[k], is_sub))
                    return false;
    return check_shape(run, &kinds[0], "add", (const size_t[3]){256, 1, 1}, is_sub) &&
           check_shape(run, &kinds[5], "max", (const size_t[3]){4, 4, 13}, is_sub);
}

static bool work_group_functions(struct feature_run *run)
{
    return check_all(run, false);
}

static bool has_sub_groups(const struct feature_run *run)
{
    cl_uint max = 0;

    clGetDeviceInfo(run->workload->device, CL_DEVICE_MAX_NUM_SUB_GROUPS, sizeof max, &max, NULL);
    return max > 0;
}

static bool sub_group_functions(struct feature_run *run)
{
    return !has_sub_groups(run) || check_all(run, true);
}

static bool sizes_of(struct feature_run *run, size_t items)
{
    static cl_uint input[2 * ITEMS_MAX], output[8 * 2 * ITEMS_MAX], expected[8 * 2 * ITEMS_MAX];
    cl_kernel kernel = workload_kernel(run->workload, "sub_sizes");
    struct feature_shape shape = {1, {2 * items}, {items}, {0}};

    for (size_t i = 0; i < 2 * items; i++)
        input[i] = (cl_uint)(1000 + i);
    for (size_t i = 0; i < 2 * items; i++) {
        size_t item = i % items, lane = item % SUB_ITEMS, first = i - lane;
        size_t size = items - (item - lane) < SUB_ITEMS ? items - (item - lane) : SUB_ITEMS;
        cl_uint groups = (cl_uint)((items + SUB_ITEMS - 1) / SUB_ITEMS);
        cl_uint row[8] = {input[first + (lane + 1) % size],
                          (cl_uint)(item / SUB_ITEMS),
                          (cl_uint)lane,
                          (cl_uint)size,
                          (cl_uint)(items < SUB_ITEMS ? items : SUB_ITEMS),
                          groups,
                          groups,
                          input[first + (lane + size - 1) % size]};

        memcpy(&expected[8 * i], row, sizeof row);
    }
    feature_launch(run, kernel, &shape, input, 2 * items * sizeof *input, output,
                   16 * items * sizeof *output);
    clReleaseKernel(kernel);
    return feature_same("sub_sizes", output, expected, 16 * items, sizeof *output);
}

static bool sub_group_sizes(struct feature_run *run)
{
    return !has_sub_groups(run) || (sizes_of(run, 1) && sizes_of(run, 64) && sizes_of(run, 100) &&
                                    sizes_of(run, 256));
}

static const struct feature features[] = {
    {"work_group_functions", true, work_group_functions},
    {"sub_group_functions", true, sub_group_functions},
    {"sub_group_sizes", true, sub_group_sizes},
};

const struct topic topic_groups = {"groups", kernel_source, features,
                                   sizeof features / sizeof features[0], "-cl-std=CL3.0"};

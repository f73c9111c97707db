/* SPDX-License-Identifier: MIT */
/* Extensions that are no part of the core: their names, functions, numbers and words in kernels. */
#include <CL/cl_ext.h>

#include "support.h"

static void the_device_names_them(void **state)
{
    static const char *const names[] = {"cl_amd_fp64", "cl_ext_atomic_counters_32",
                                        "cl_ext_device_fission"};
    char all[4096];

    assert_success(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof all, all, NULL));
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_non_null(strstr(all, names[i]));
}

/* Of the driver itself: the loader has some of these names too. */
static void *function_named(const char *name)
{
    const struct _cl_icd_dispatch *dispatch;

    memcpy(&dispatch, platform, sizeof dispatch);
    return dispatch->clGetExtensionFunctionAddressForPlatform(platform, name);
}

static void functions_are_found_by_name(void **state)
{
    static const char *const names[] = {"clCreateSubDevicesEXT", "clRetainDeviceEXT",
                                        "clReleaseDeviceEXT", "clGetKernelSubGroupInfoKHR"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_non_null(function_named(names[i]));
    assert_null(function_named("clCreateSubDevices")); /* of the core */
}

static cl_int divide(cl_device_id parent, const cl_device_partition_property_ext *properties,
                     cl_uint capacity, cl_device_id *parts, cl_uint *count)
{
    clCreateSubDevicesEXT_fn create =
        (clCreateSubDevicesEXT_fn)(uintptr_t)function_named("clCreateSubDevicesEXT");

    return create(parent, properties, capacity, parts, count);
}

static cl_uint number(cl_device_id of, cl_device_info name)
{
    cl_uint value;

    assert_success(clGetDeviceInfo(of, name, sizeof value, &value, NULL));
    return value;
}

static void fission_makes_sub_devices(void **state)
{
    const cl_device_partition_property_ext counts[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 1, 3,
                                                       CL_PARTITION_BY_COUNTS_LIST_END_EXT,
                                                       CL_PROPERTIES_LIST_END_EXT};
    const cl_device_partition_property_ext one[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1,
                                                    CL_PROPERTIES_LIST_END_EXT};
    clRetainDeviceEXT_fn retain =
        (clRetainDeviceEXT_fn)(uintptr_t)function_named("clRetainDeviceEXT");
    clReleaseDeviceEXT_fn release =
        (clReleaseDeviceEXT_fn)(uintptr_t)function_named("clReleaseDeviceEXT");
    cl_device_partition_property core[5];
    cl_ulong style[5];
    cl_device_id parts[2], parent;
    cl_uint count;
    size_t size;

    assert_success(divide(device, counts, 2, parts, &count));
    assert_int_equal(count, 2);
    assert_int_equal(number(parts[0], CL_DEVICE_MAX_COMPUTE_UNITS), 1);
    assert_int_equal(number(parts[1], CL_DEVICE_MAX_COMPUTE_UNITS), 3);
    assert_success(
        clGetDeviceInfo(parts[1], CL_DEVICE_PARENT_DEVICE_EXT, sizeof parent, &parent, NULL));
    assert_ptr_equal(parent, device);
    assert_success(
        clGetDeviceInfo(parts[1], CL_DEVICE_PARTITION_STYLE_EXT, sizeof style, style, &size));
    assert_int_equal(size, sizeof counts);
    assert_memory_equal(style, counts, sizeof counts);
    assert_success(clGetDeviceInfo(parts[1], CL_DEVICE_PARTITION_TYPE, sizeof core, core, &size));
    assert_int_equal(size, sizeof core);
    assert_int_equal(core[0], CL_DEVICE_PARTITION_BY_COUNTS);
    assert_int_equal(core[2], 3);
    assert_success(retain(parts[0]));
    assert_int_equal(number(parts[0], CL_DEVICE_REFERENCE_COUNT_EXT), 2);
    assert_success(release(parts[0]));
    assert_success(release(parts[0]));
    assert_success(divide(parts[1], one, 0, NULL, &count));
    assert_int_equal(count, 3);
    assert_success(release(parts[1]));
}

static void fission_has_numbers_of_its_own(void **state)
{
    const cl_device_partition_property_ext many[] = {CL_DEVICE_PARTITION_BY_COUNTS_EXT, 4096, 0, 0},
                                           whole[] = {CL_DEVICE_PARTITION_EQUALLY_EXT,
                                                      number(device, CL_DEVICE_MAX_COMPUTE_UNITS),
                                                      0},
                                           names[] = {CL_DEVICE_PARTITION_BY_NAMES_EXT, 0,
                                                      CL_PARTITION_BY_NAMES_LIST_END_EXT, 0},
                                           core[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0};
    const cl_device_partition_property extension[] = {CL_DEVICE_PARTITION_EQUALLY_EXT, 1, 0};
    cl_ulong ways[4], style[1];
    cl_uint count;
    size_t size;

    assert_int_equal(divide(device, many, 0, NULL, &count), CL_INVALID_PARTITION_COUNT_EXT);
    assert_int_equal(divide(device, whole, 0, NULL, &count), CL_DEVICE_PARTITION_FAILED_EXT);
    assert_int_equal(divide(device, names, 0, NULL, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, core, 0, NULL, &count), CL_INVALID_VALUE);
    assert_int_equal(divide(device, NULL, 0, NULL, &count), CL_INVALID_VALUE);
    assert_int_equal(clCreateSubDevices(device, extension, 0, NULL, &count), CL_INVALID_VALUE);
    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_TYPES_EXT, sizeof ways, ways, &size));
    assert_int_equal(size, 2 * sizeof *ways);
    assert_int_equal(ways[0], CL_DEVICE_PARTITION_EQUALLY_EXT);
    assert_int_equal(ways[1], CL_DEVICE_PARTITION_BY_COUNTS_EXT);
    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_AFFINITY_DOMAINS_EXT, sizeof ways, ways, &size));
    assert_int_equal(size, 0);
    assert_success(
        clGetDeviceInfo(device, CL_DEVICE_PARTITION_STYLE_EXT, sizeof style, style, &size));
    assert_int_equal(size, 0);
}

/* ---- In kernels ---- */

static cl_program build(const char *source, const char *options)
{
    cl_int status;
    cl_program built = clCreateProgramWithSource(context, 1, &source, NULL, &status);

    assert_status(CL_SUCCESS);
    assert_success(clBuildProgram(built, 0, NULL, options, NULL, NULL));
    return built;
}

static void doubles_have_their_old_name(void **state)
{
    static const char source[] = "#ifndef cl_amd_fp64\n"
                                 "#error it is not there\n"
                                 "#endif\n"
                                 "#pragma OPENCL EXTENSION cl_amd_fp64 : enable\n"
                                 "kernel void twice(global double *a) { a[0] *= 2; }\n";

    clReleaseProgram(build(source, ""));
    clReleaseProgram(build(source, "-Werror"));
    clReleaseProgram(build(source, "-cl-std=CL3.0"));
}

static void counters_count(void **state)
{
    static const char source[] =
        "#ifndef cl_ext_atomic_counters_32\n"
        "#error it is not there\n"
        "#endif\n"
        "#pragma OPENCL EXTENSION cl_ext_atomic_counters_32 : enable\n"
        "kernel void count(counter32_t up, counter32_t down, global uint *seen) {\n"
        "    uint was = atomic_inc(up);\n"
        "    if (get_global_id(0) % 2 == 0)\n"
        "        atomic_dec(down);\n"
        "    seen[was] = 1;\n"
        "}\n";
    static int seen[256], counters[2] = {0, 1000};
    const size_t global = 256;
    cl_program built = build(source, "-Werror");
    cl_int status;
    cl_kernel kernel = clCreateKernel(built, "count", &status);
    cl_mem up = make_buffer(&counters[0], 1), down = make_buffer(&counters[1], 1);
    cl_mem all = make_buffer(NULL, 256);

    assert_status(CL_SUCCESS);
    assert_int_equal(number(device, CL_DEVICE_MAX_ATOMIC_COUNTERS_EXT), 128);
    assert_success(clSetKernelArg(kernel, 0, sizeof up, &up));
    assert_success(clSetKernelArg(kernel, 1, sizeof down, &down));
    assert_success(clSetKernelArg(kernel, 2, sizeof all, &all));
    if (getenv("FAKE_MACHINE") == NULL) {
        assert_success(
            clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        read_ints(up, &counters[0], 1);
        read_ints(down, &counters[1], 1);
        assert_int_equal(counters[0], 256);
        assert_int_equal(counters[1], 1000 - 128);
        read_ints(all, seen, 256);
        for (unsigned i = 0; i < 256; i++)
            assert_int_equal(seen[i], 1);
    }
    clReleaseMemObject(up);
    clReleaseMemObject(down);
    clReleaseMemObject(all);
    clReleaseKernel(kernel);
    clReleaseProgram(built);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_names_them),
        cmocka_unit_test(functions_are_found_by_name),
        cmocka_unit_test(fission_makes_sub_devices),
        cmocka_unit_test(fission_has_numbers_of_its_own),
        cmocka_unit_test(doubles_have_their_old_name),
        cmocka_unit_test(counters_count),
    };

    return cmocka_run_group_tests_name("opencl/extensions", tests, support_start, support_stop);
}

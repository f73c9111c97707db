/* SPDX-License-Identifier: MIT */
/* Programs and kernels as objects: building, logs, binaries, compile and link, arguments, queries.
 */
#include <stdio.h>

#include "support.h"

static cl_program from_source(const char *source)
{
    cl_int status;
    cl_program made = clCreateProgramWithSource(context, 1, &source, NULL, &status);

    assert_status(CL_SUCCESS);
    return made;
}

static const char *log_of(cl_program of)
{
    static char log[8192];

    assert_success(clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    return log;
}

static cl_build_status build_status(cl_program of)
{
    cl_build_status status;

    assert_success(
        clGetProgramBuildInfo(of, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_program_binary_type binary_type(cl_program of)
{
    cl_program_binary_type type;

    assert_success(
        clGetProgramBuildInfo(of, device, CL_PROGRAM_BINARY_TYPE, sizeof type, &type, NULL));
    return type;
}

static void source_comes_in_pieces(void **state)
{
    const char *pieces[] = {"kernel void a(gl", "obal int *x) { *x = N; }garbage"};
    const size_t lengths[] = {0, 24};
    char source[64];
    cl_int status;
    size_t size;
    cl_program made = clCreateProgramWithSource(context, 2, pieces, lengths, &status);

    assert_status(CL_SUCCESS);
    assert_success(clGetProgramInfo(made, CL_PROGRAM_SOURCE, sizeof source, source, &size));
    assert_string_equal(source, "kernel void a(global int *x) { *x = N; }");
    assert_int_equal(size, strlen(source) + 1);
    assert_int_equal(build_status(made), CL_BUILD_NONE);
    assert_int_equal(clGetProgramInfo(made, CL_PROGRAM_NUM_KERNELS, 0, NULL, &size),
                     CL_INVALID_PROGRAM_EXECUTABLE);
    assert_null(clCreateKernel(made, "a", &status));
    assert_status(CL_INVALID_PROGRAM_EXECUTABLE);
    assert_success(clBuildProgram(made, 1, &device, "-DN=3", NULL, NULL));
    assert_int_equal(build_status(made), CL_BUILD_SUCCESS);
    clReleaseProgram(made);
}

static void errors_are_in_the_log(void **state)
{
    cl_program made = from_source("kernel void a(global int *x) { *x = unheard_of; }");

    assert_int_equal(clBuildProgram(made, 0, NULL, NULL, NULL, NULL), CL_BUILD_PROGRAM_FAILURE);
    assert_int_equal(build_status(made), CL_BUILD_ERROR);
    assert_non_null(strstr(log_of(made), "unheard_of"));
    clReleaseProgram(made);
}

static void options_are_checked(void **state)
{
    cl_program made = from_source("kernel void a(global int *x) { *x = 1; }");

    assert_int_equal(clBuildProgram(made, 0, NULL, "-no-such-option", NULL, NULL),
                     CL_INVALID_BUILD_OPTIONS);
    assert_int_equal(clBuildProgram(made, 1, NULL, NULL, NULL, NULL), CL_INVALID_VALUE);
    clReleaseProgram(made);
}

/* The size that a kernel requires says what N was. */
static size_t required_size(cl_program of)
{
    cl_int status;
    size_t size[3];
    cl_kernel kernel = clCreateKernel(of, "a", &status);

    assert_status(CL_SUCCESS);
    assert_success(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                            sizeof size, size, NULL));
    clReleaseKernel(kernel);
    return size[0];
}

static void options_from_outside_are_added(void **state)
{
    static const char source[] = "#ifndef N\n#define N 8\n#endif\n"
                                 "kernel __attribute__((reqd_work_group_size(N, 1, 1)))\n"
                                 "void a(global int *x) { *x = 1; }";
    static const char *const added[] = {NULL, "-DN=32", "", "-UN -DN=16"};
    static const size_t expected[] = {8, 32, 8, 16};
    cl_program made = from_source(source), linked;
    char options[64];
    cl_int status;

    for (unsigned i = 0; i < 4; i++) {
        if (added[i] != NULL)
            setenv("WAVETANK_BUILD_OPTIONS", added[i], 1);
        assert_success(clBuildProgram(made, 0, NULL, i == 3 ? "-DN=4" : "-w", NULL, NULL));
        assert_int_equal(required_size(made), expected[i]);
        assert_success(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
        linked = clLinkProgram(context, 0, NULL, NULL, 1, &made, NULL, NULL, &status);
        assert_status(CL_SUCCESS);
        assert_int_equal(required_size(linked), expected[i]);
        clReleaseProgram(linked);
    }
    assert_success(clBuildProgram(made, 0, NULL, "-w", NULL, NULL));
    assert_success(clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_OPTIONS, sizeof options,
                                         options, NULL));
    assert_string_equal(options, "-w");
    setenv("WAVETANK_BUILD_OPTIONS", "-no-such-option", 1);
    assert_int_equal(clBuildProgram(made, 0, NULL, "-w", NULL, NULL), CL_INVALID_BUILD_OPTIONS);
    assert_int_equal(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                     CL_INVALID_COMPILER_OPTIONS);
    unsetenv("WAVETANK_BUILD_OPTIONS");
    clReleaseProgram(made);
}

static void names_are_listed(void **state)
{
    char names[256];
    size_t count;

    assert_success(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
    assert_int_equal(count, 6);
    assert_success(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    assert_non_null(strstr(names, "group_sum"));
    assert_non_null(strchr(names, ';'));
}

static void binaries_come_back(void **state)
{
    size_t bytes;
    unsigned char *binary;
    cl_int status, binary_status;
    cl_program again;
    cl_kernel kernel;

    assert_success(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    assert_true(bytes > 0);
    binary = malloc(bytes);
    assert_success(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    assert_memory_equal(binary, "\177ELF", 4);
    again = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char **)&binary,
                                      &binary_status, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(binary_status, CL_SUCCESS);
    assert_null(clCreateKernel(again, "add", &status));
    assert_status(CL_INVALID_PROGRAM_EXECUTABLE);
    assert_success(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    kernel = clCreateKernel(again, "add", &status);
    assert_status(CL_SUCCESS);
    clReleaseKernel(kernel);
    clReleaseProgram(again);
    memset(binary, 0, bytes);
    assert_null(clCreateProgramWithBinary(
        context, 1, &device, &bytes, (const unsigned char **)&binary, &binary_status, &status));
    assert_status(CL_INVALID_BINARY);
    assert_int_equal(binary_status, CL_INVALID_BINARY);
    free(binary);
}

static void compile_with_headers_and_link_one(void **state)
{
    cl_program header = from_source("#define VALUE 42\n");
    cl_program source =
        from_source("#include \"value.h\"\nkernel void a(global int *x) { *x = VALUE; }");
    cl_program inputs[2], linked;
    const char *name = "value.h";
    cl_int status;

    assert_int_equal(clCompileProgram(source, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL),
                     CL_COMPILE_PROGRAM_FAILURE);
    assert_success(clCompileProgram(source, 0, NULL, NULL, 1, &header, &name, NULL, NULL));
    assert_int_equal(binary_type(source), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    assert_null(clCreateKernel(source, "a", &status));
    assert_status(CL_INVALID_PROGRAM_EXECUTABLE);
    inputs[0] = inputs[1] = source;
    linked = clLinkProgram(context, 0, NULL, NULL, 1, inputs, NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(binary_type(linked), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    clReleaseProgram(linked);
    linked = clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &status);
    assert_status(CL_LINK_PROGRAM_FAILURE);
    assert_non_null(strstr(log_of(linked), "a is defined in more than one"));
    clReleaseProgram(linked);
    clReleaseProgram(header);
    clReleaseProgram(source);
}

static cl_program compiled(const char *source)
{
    cl_program made = from_source(source);

    assert_success(clCompileProgram(made, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(binary_type(made), CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
    return made;
}

/* The same program by way of its binary. */
static cl_program through_binary(cl_program from)
{
    cl_int status, binary_status;
    unsigned char *binary;
    cl_program again;
    size_t bytes;

    assert_success(clGetProgramInfo(from, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    binary = malloc(bytes);
    assert_success(clGetProgramInfo(from, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    again = clCreateProgramWithBinary(context, 1, &device, &bytes, (const unsigned char **)&binary,
                                      &binary_status, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(binary_type(again), binary_type(from));
    binary[bytes / 2] ^= 4;
    assert_null(clCreateProgramWithBinary(
        context, 1, &device, &bytes, (const unsigned char **)&binary, &binary_status, &status));
    assert_status(CL_INVALID_BINARY);
    assert_int_equal(binary_status, CL_INVALID_BINARY);
    free(binary);
    clReleaseProgram(from);
    return again;
}

/* What kernel `name` of the program makes of 20; 47 on the machine that does not compute. */
static int result_of(cl_program linked, const char *name)
{
    const int before[] = {20};
    cl_mem buffer = make_buffer(before, 1);
    size_t one = 1;
    cl_int status;
    cl_kernel kernel = clCreateKernel(linked, name, &status);
    int after = 47;

    assert_status(CL_SUCCESS);
    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    if (getenv("FAKE_MACHINE") == NULL) {
        assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
        read_ints(buffer, &after, 1);
    }
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    return after;
}

static void several_programs_and_a_library_are_linked(void **state)
{
    cl_program parts[] = {
        compiled("int twice(int); int five(void);\n"
                 "kernel void a(global int *x) { x[0] = twice(x[0]) + five() + 2; }"),
        compiled("int twice(int x) { return x * 2; }"), compiled("int five(void) { return 5; }")};
    cl_program inputs[2], library, linked;
    cl_int status;

    library =
        clLinkProgram(context, 1, &device, "-create-library", 2, parts + 1, NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(binary_type(library), CL_PROGRAM_BINARY_TYPE_LIBRARY);
    assert_int_equal(build_status(library), CL_BUILD_SUCCESS);
    assert_null(clCreateKernel(library, "a", &status));
    assert_status(CL_INVALID_PROGRAM_EXECUTABLE);
    inputs[0] = through_binary(parts[0]);
    inputs[1] = through_binary(library);
    linked = clLinkProgram(context, 0, NULL, NULL, 2, inputs, NULL, NULL, &status);
    assert_status(CL_SUCCESS);
    assert_int_equal(result_of(linked, "a"), 47);
    linked = through_binary(linked);
    assert_null(clLinkProgram(context, 0, NULL, NULL, 1, &linked, NULL, NULL, &status));
    assert_status(CL_INVALID_OPERATION);
    assert_success(clBuildProgram(linked, 0, NULL, NULL, NULL, NULL));
    assert_int_equal(result_of(linked, "a"), 47);
    clReleaseProgram(linked);
    linked = clLinkProgram(context, 0, NULL, NULL, 1, inputs, NULL, NULL, &status);
    assert_status(CL_LINK_PROGRAM_FAILURE);
    assert_int_equal(build_status(linked), CL_BUILD_ERROR);
    assert_non_null(strstr(log_of(linked), "twice is used and defined nowhere"));
    assert_non_null(strstr(log_of(linked), "five is used and defined nowhere"));
    for (unsigned i = 0; i < 2; i++) {
        clReleaseProgram(inputs[i]);
        clReleaseProgram(parts[i + 1]);
    }
    clReleaseProgram(linked);
}

static void linking_checks_what_it_is_given(void **state)
{
    cl_program source = from_source("kernel void a(global int *x) { *x = 3; }");
    cl_program part = compiled("kernel void a(global int *x) { *x = 3; }");
    cl_int status;

    assert_null(clLinkProgram(context, 0, NULL, NULL, 1, &source, NULL, NULL, &status));
    assert_status(CL_INVALID_OPERATION);
    assert_null(clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &status));
    assert_status(CL_INVALID_OPERATION);
    assert_null(clLinkProgram(context, 0, NULL, "-no-such", 1, &part, NULL, NULL, &status));
    assert_status(CL_INVALID_LINKER_OPTIONS);
    assert_null(clLinkProgram(context, 0, NULL, NULL, 0, NULL, NULL, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    part = through_binary(part);
    assert_success(clBuildProgram(part, 0, NULL, NULL, NULL, NULL)); /* linked with nothing else */
    assert_int_equal(binary_type(part), CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    clReleaseProgram(source);
    clReleaseProgram(part);
}

static void CL_CALLBACK note_built(cl_program built, void *data)
{
    *(cl_build_status *)data = build_status(built);
}

static void building_notifies(void **state)
{
    cl_build_status seen = CL_BUILD_NONE;
    cl_program made = from_source("kernel void a(global int *x) { *x = 7; }");
    cl_int status;
    cl_kernel kernel;

    assert_success(clBuildProgram(made, 0, NULL, NULL, note_built, &seen));
    assert_int_equal(seen, CL_BUILD_SUCCESS);
    kernel = clCreateKernel(made, "a", &status);
    assert_int_equal(clBuildProgram(made, 0, NULL, NULL, NULL, NULL), CL_INVALID_OPERATION);
    clReleaseKernel(kernel);
    assert_success(clBuildProgram(made, 0, NULL, NULL, NULL, NULL));
    clReleaseProgram(made);
}

static void kernels_by_name_and_all(void **state)
{
    cl_kernel kernels[6];
    cl_int status;
    cl_uint count;

    assert_null(clCreateKernel(program, "nobody", &status));
    assert_status(CL_INVALID_KERNEL_NAME);
    assert_null(clCreateKernel(program, NULL, &status));
    assert_status(CL_INVALID_VALUE);
    assert_int_equal(clCreateKernelsInProgram(program, 2, kernels, &count), CL_INVALID_VALUE);
    assert_success(clCreateKernelsInProgram(program, 6, kernels, &count));
    assert_int_equal(count, 6);
    for (cl_uint i = 0; i < count; i++)
        assert_success(clReleaseKernel(kernels[i]));
}

static void arguments_are_checked(void **state)
{
    cl_kernel kernel = make_kernel("group_sum");
    cl_mem buffer = make_buffer(NULL, 4), none = NULL;
    uintptr_t garbage = 0xdeadbeef;

    assert_success(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    assert_success(clSetKernelArg(kernel, 1, sizeof none, &none));
    assert_success(clSetKernelArg(kernel, 1, sizeof none, NULL));
    assert_int_equal(clSetKernelArg(kernel, 4, sizeof buffer, &buffer), CL_INVALID_ARG_INDEX);
    assert_int_equal(clSetKernelArg(kernel, 0, 4, &buffer), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 0, sizeof garbage, &garbage), CL_INVALID_MEM_OBJECT);
    assert_int_equal(clSetKernelArg(kernel, 2, 16, &buffer), CL_INVALID_ARG_VALUE);
    assert_int_equal(clSetKernelArg(kernel, 2, 0, NULL), CL_INVALID_ARG_SIZE);
    assert_success(clSetKernelArg(kernel, 2, 16, NULL));
    clReleaseKernel(kernel);
    kernel = make_kernel("by_value");
    assert_int_equal(clSetKernelArg(kernel, 2, 4, &garbage), CL_INVALID_ARG_SIZE);
    assert_int_equal(clSetKernelArg(kernel, 2, 1, NULL), CL_INVALID_ARG_VALUE);
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static void arguments_are_described(void **state)
{
    cl_kernel kernel = make_kernel("add");
    cl_kernel_arg_address_qualifier address;
    cl_kernel_arg_type_qualifier type;
    char name[32];

    assert_success(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_NAME, sizeof name, name, NULL));
    assert_string_equal(name, "terms");
    assert_success(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_NAME, sizeof name, name, NULL));
    assert_string_equal(name, "int*");
    assert_success(clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address,
                                      &address, NULL));
    assert_int_equal(address, CL_KERNEL_ARG_ADDRESS_GLOBAL);
    assert_success(
        clGetKernelArgInfo(kernel, 1, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof type, &type, NULL));
    assert_int_equal(type, CL_KERNEL_ARG_TYPE_CONST);
    assert_success(clGetKernelArgInfo(kernel, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof address,
                                      &address, NULL));
    assert_int_equal(address, CL_KERNEL_ARG_ADDRESS_PRIVATE);
    assert_int_equal(clGetKernelArgInfo(kernel, 3, CL_KERNEL_ARG_NAME, sizeof name, name, NULL),
                     CL_INVALID_ARG_INDEX);
    clReleaseKernel(kernel);
}

static void work_groups_are_described(void **state)
{
    cl_kernel kernel = make_kernel("required");
    size_t sizes[3], multiple, max;
    cl_ulong local;

    assert_success(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE,
                                            sizeof sizes, sizes, NULL));
    assert_int_equal(sizes[0], 32);
    assert_int_equal(sizes[1], 2);
    assert_success(clGetKernelWorkGroupInfo(kernel, NULL, CL_KERNEL_WORK_GROUP_SIZE, sizeof max,
                                            &max, NULL));
    assert_int_equal(max, 64);
    clReleaseKernel(kernel);
    kernel = make_kernel("group_sum");
    assert_success(clGetKernelWorkGroupInfo(kernel, device,
                                            CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                            sizeof multiple, &multiple, NULL));
    assert_int_equal(multiple, 64);
    assert_success(clSetKernelArg(kernel, 2, 1000, NULL));
    assert_success(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof local,
                                            &local, NULL));
    assert_true(local >= 1000);
    clReleaseKernel(kernel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_comes_in_pieces),
        cmocka_unit_test(errors_are_in_the_log),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(options_from_outside_are_added),
        cmocka_unit_test(names_are_listed),
        cmocka_unit_test(binaries_come_back),
        cmocka_unit_test(compile_with_headers_and_link_one),
        cmocka_unit_test(several_programs_and_a_library_are_linked),
        cmocka_unit_test(linking_checks_what_it_is_given),
        cmocka_unit_test(building_notifies),
        cmocka_unit_test(kernels_by_name_and_all),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(arguments_are_described),
        cmocka_unit_test(work_groups_are_described),
    };

    return cmocka_run_group_tests_name("opencl/programs", tests, support_start_program,
                                       support_stop);
}

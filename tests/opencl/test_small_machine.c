/* SPDX-License-Identifier: MIT */
/* Work-groups on a machine whose compute units are too small for the largest: two wavefronts, or
 * few registers (WAVETANK_SET, tests/opencl/meson.build). */
#include <stdio.h>
#include <unistd.h>

#include "support.h"

enum { COUNT = 1024 };

/* As many work-items as MOST_ITEMS says fit into a compute unit. */
static size_t most_items(void)
{
    return strtoul(getenv("MOST_ITEMS"), NULL, 10);
}

static cl_kernel make_place(cl_mem *buffer)
{
    cl_kernel kernel = make_kernel("place");

    *buffer = make_buffer(NULL, 4 * COUNT);
    assert_success(clSetKernelArg(kernel, 0, sizeof *buffer, buffer));
    return kernel;
}

/* The status of a launch with work-groups of that size, at the call and at its end. */
static cl_int launch(cl_kernel kernel, const size_t *local)
{
    const size_t global = COUNT;
    cl_int status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, local, 0, NULL, NULL);

    assert_success(clFinish(queue));
    return status;
}

static void the_largest_that_fits_is_told(void **state)
{
    cl_mem buffer;
    cl_kernel kernel = make_place(&buffer);
    size_t size;

    assert_success(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof size,
                                            &size, NULL));
    assert_int_equal(size, most_items());
    assert_success(launch(kernel, &size));
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static void a_larger_one_is_refused_at_the_call(void **state)
{
    const size_t larger = 2 * most_items(), fitting = most_items();
    cl_mem buffer;
    cl_kernel kernel = make_place(&buffer);
    char path[] = "/tmp/wavetank-test-small-XXXXXX", text[1024] = "", words[128];
    int captured = mkstemp(path), saved = dup(STDERR_FILENO);

    dup2(captured, STDERR_FILENO);
    assert_int_equal(launch(kernel, &larger), CL_INVALID_WORK_GROUP_SIZE);
    dup2(saved, STDERR_FILENO);
    assert_true(pread(captured, text, sizeof text - 1, 0) > 0);
    unlink(path);
    close(captured);
    close(saved);
    assert_non_null(strstr(text, "clEnqueueNDRangeKernel: kernel place: a work-group of"));
    assert_non_null(strstr(text, getenv("REASON")));
    snprintf(words, sizeof words, "at most %zu work-items (CL_KERNEL_WORK_GROUP_SIZE)", fitting);
    assert_non_null(strstr(text, words));
    assert_success(launch(kernel, &fitting)); /* the queue goes on */
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

static void the_driver_chooses_one_that_fits(void **state)
{
    static int places[4 * COUNT];
    cl_mem buffer;
    cl_kernel kernel = make_place(&buffer);

    assert_success(launch(kernel, NULL));
    read_ints(buffer, places, 4 * COUNT);
    assert_true((size_t)places[3] % 1000 <= most_items());
    clReleaseKernel(kernel);
    clReleaseMemObject(buffer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_that_fits_is_told),
        cmocka_unit_test(a_larger_one_is_refused_at_the_call),
        cmocka_unit_test(the_driver_chooses_one_that_fits),
    };

    return cmocka_run_group_tests_name("opencl/small_machine", tests, support_start_program,
                                       support_stop);
}

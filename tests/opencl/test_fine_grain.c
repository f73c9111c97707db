/* SPDX-License-Identifier: MIT */
/* Fine-grained shared memory: either sees what the other wrote, without maps, where OpenCL
 * synchronizes them. */
#include "support.h"

enum { COUNT = 1000, INTS = 4 * COUNT };

static bool runs_kernels(void)
{
    return getenv("FAKE_MACHINE") == NULL;
}

static int *allocate_ints(void)
{
    int *ints = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER, INTS, 0);

    assert_non_null(ints);
    return ints;
}

static void launch(cl_kernel kernel, int *sums, int *terms, int bias)
{
    size_t size = COUNT;

    assert_success(clSetKernelArgSVMPointer(kernel, 0, sums));
    assert_success(clSetKernelArgSVMPointer(kernel, 1, terms));
    assert_success(clSetKernelArg(kernel, 2, sizeof bias, &bias));
    assert_success(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
}

static void the_device_says_so(void **state)
{
    cl_device_svm_capabilities can;

    assert_success(clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof can, &can, NULL));
    assert_int_equal(can, CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
    assert_null(clSVMAlloc(
        context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER | CL_MEM_SVM_ATOMICS, 64, 0));
}

/* The second round finds in caches what the first left there. */
static void rounds_without_maps(void **state)
{
    int *sums = allocate_ints(), *terms = allocate_ints();
    cl_kernel kernel = make_kernel("add");

    for (int round = 1; round <= 3 && runs_kernels(); round++) {
        for (int i = 0; i < COUNT; i++) {
            terms[i] = round * i;
            sums[i] = round;
        }
        launch(kernel, sums, terms, 7);
        assert_success(clFinish(queue));
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(sums[i], round + round * i + 7);
        terms[3] += 1; /* alone in its line */
        launch(kernel, sums, terms, 0);
        launch(kernel, terms, sums, 0); /* what a launch wrote, the next one reads */
        assert_success(clFinish(queue));
        assert_int_equal(sums[3], round + 2 * round * 3 + 8);
        assert_int_equal(terms[3], round + 3 * round * 3 + 9);
        assert_int_equal(terms[COUNT - 1], round + 3 * round * (COUNT - 1) + 7);
    }
    clReleaseKernel(kernel);
    clSVMFree(context, sums);
    clSVMFree(context, terms);
}

static void copies_and_fills_are_seen(void **state)
{
    int *ints = allocate_ints(), *others = allocate_ints(), pattern = 5;

    for (int i = 0; i < COUNT; i++)
        ints[i] = i;
    assert_success(clEnqueueSVMMemcpy(queue, CL_TRUE, others, ints, INTS, 0, NULL, NULL));
    assert_int_equal(others[COUNT - 1], COUNT - 1);
    /* Of one allocation, parts that touch; and that share a byte. */
    assert_success(clEnqueueSVMMemcpy(queue, CL_TRUE, ints + 20, ints + 16, 16, 0, NULL, NULL));
    assert_success(clEnqueueSVMMemcpy(queue, CL_TRUE, ints + 16, ints + 20, 16, 0, NULL, NULL));
    assert_int_equal(ints[20], 16);
    assert_int_equal(clEnqueueSVMMemcpy(queue, CL_TRUE, ints + 20, ints + 16, 17, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_int_equal(clEnqueueSVMMemcpy(queue, CL_TRUE, ints + 16, ints + 20, 17, 0, NULL, NULL),
                     CL_MEM_COPY_OVERLAP);
    assert_success(clEnqueueSVMMemFill(queue, ints + 4, &pattern, 4, 16, 0, NULL, NULL));
    assert_success(clFinish(queue));
    assert_int_equal(ints[3], 3);
    assert_int_equal(ints[7], 5);
    assert_int_equal(ints[8], 8);
    clSVMFree(context, ints);
    clSVMFree(context, others);
}

static void CL_CALLBACK write_third(void *data)
{
    int *ints = *(int **)data;

    ints[2] = 33;
}

/* A function of the program writes while a command runs; the device wrote another byte. */
static void bytes_of_both_stay(void **state)
{
    int *ints = allocate_ints(), pattern = 44;

    memset(ints, 0, INTS);
    assert_success(clEnqueueNativeKernel(queue, write_third, &ints, sizeof ints, 0, NULL, NULL, 0,
                                         NULL, NULL));
    assert_success(clEnqueueSVMMemFill(queue, ints, &pattern, 4, 4, 0, NULL, NULL));
    assert_success(clFinish(queue));
    assert_int_equal(ints[0], 44);
    assert_int_equal(ints[2], 33);
    clSVMFree(context, ints);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_device_says_so),
        cmocka_unit_test(rounds_without_maps),
        cmocka_unit_test(copies_and_fills_are_seen),
        cmocka_unit_test(bytes_of_both_stay),
    };

    return cmocka_run_group_tests(tests, support_start_program, support_stop);
}

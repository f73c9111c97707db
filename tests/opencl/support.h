/* SPDX-License-Identifier: MIT */
/* What the driver's tests share: a context, a queue and the program kernels.cl on the platform that
 * the ICD loader offers. */
#ifndef TESTS_OPENCL_SUPPORT_H
#define TESTS_OPENCL_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl_icd.h>

extern cl_platform_id platform;
extern cl_device_id device;
extern cl_context context;
extern cl_command_queue queue; /* in order, profiling */
extern cl_program program;     /* kernels.cl, built when first asked for */

/* cmocka group fixtures: with and without `program`. */
int support_start(void **state);
int support_start_program(void **state);
int support_stop(void **state);

#define assert_success(call) assert_int_equal((call), CL_SUCCESS)
/* The same for a call whose last parameter is &status: evaluates the call, then looks. */
#define assert_status(expected) assert_int_equal(status, (expected))

cl_kernel make_kernel(const char *name);
/* A buffer that holds the ints; NULL: zeros. */
cl_mem make_buffer(const int *values, size_t count);
void read_ints(cl_mem buffer, int *values, size_t count);
cl_int event_status(cl_event event);
cl_ulong event_time(cl_event event, cl_profiling_info name);

#endif

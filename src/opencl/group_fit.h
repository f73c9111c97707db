/* SPDX-License-Identifier: MIT */
/* Which work-groups of a kernel fit into the machine's compute units. */
#ifndef OPENCL_GROUP_FIT_H
#define OPENCL_GROUP_FIT_H

#include "opencl/driver.h"

/* Whether work-groups of that size fit into a compute unit, with so much local memory of __local
 * arguments. */
bool kernel_group_fits(const struct _cl_kernel *kernel, const uint32_t size[3],
                       uint32_t argument_lds_bytes, struct diagnosis *diagnosis) MUST_USE;
/* The most work-items of a work-group that fits; 0: none does. */
uint32_t kernel_group_max(const struct _cl_kernel *kernel, uint32_t argument_lds_bytes);
/* CL_SUCCESS or CL_INVALID_WORK_GROUP_SIZE; the second says why. */
cl_int kernel_check_group(const struct _cl_kernel *kernel, const uint32_t size[3],
                          uint32_t argument_lds_bytes);

#endif

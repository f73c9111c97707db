/* SPDX-License-Identifier: MIT */
/* What the platform and the device are called, and which of the driver's names leave the library.
 */
#ifndef OPENCL_NAMES_H
#define OPENCL_NAMES_H

#include "opencl/driver.h"

#ifndef WAVETANK_VERSION
#define WAVETANK_VERSION "unknown"
#endif
#define DRIVER_VENDOR "Wavetank"
#define DRIVER_EXPORT __attribute__((visibility("default")))

/* The names in one string, separated by blanks. */
cl_int answer_extension_names(const struct query *query, const cl_name_version *names,
                              size_t count);

#endif

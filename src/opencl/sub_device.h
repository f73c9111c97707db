/* SPDX-License-Identifier: MIT */
/* The device and its sub-devices: which handle is one, who keeps it alive, what tells it apart
 * (sub_device.c). */
#ifndef OPENCL_SUB_DEVICE_H
#define OPENCL_SUB_DEVICE_H

#include "opencl/driver.h"

/* Whether the handle is the device or a sub-device that lives. */
bool device_is(const void *handle);
/* The same where the lock is not held. */
bool device_is_live(const void *handle);
cl_uint device_compute_units(const struct _cl_device_id *device);
/* Keep a sub-device alive, and let it go; nothing for the device itself. */
void device_use(cl_device_id device);
void device_drop(cl_device_id device);
/* clGetDeviceInfo of what tells sub-devices apart; CL_INVALID_VALUE: another name. */
cl_int device_partition_info(const struct _cl_device_id *device, cl_device_info name,
                             const struct query *query);

#endif

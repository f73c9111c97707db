/* SPDX-License-Identifier: MIT */
/* The one device: finding it, and what it takes from the configuration. */
#include "base/check.h"
#include "opencl/sub_device.h"

static cl_ulong device_number(const struct configuration *configuration, const char *path)
{
    const struct setting *setting = configuration_find(configuration, path);

    check(setting != NULL && setting->parameter->kind == PARAMETER_NUMBER,
          "the driver asks for a parameter %s that no machine has", path);
    return *(const uint64_t *)setting->field;
}

bool session_facts(struct device_facts *facts)
{
    const struct configuration *configuration = session_configuration();

    if (configuration == NULL)
        return false;
    facts->compute_units = device_number(configuration, "gpu.compute_units");
    facts->clock_khz = device_number(configuration, "gpu.core_khz");
    facts->lds_bytes = device_number(configuration, "gpu.group_lds_bytes");
    facts->cache_bytes = device_number(configuration, "l2.size_kb") * 1024 *
                         device_number(configuration, "address.slices");
    facts->wavefront_lanes = device_number(configuration, "gpu.wavefront_lanes");
    facts->printf_bytes = device_number(configuration, "gpu.printf_bytes");
    facts->memory_bytes = device_number(configuration, "gpu.memory_mb") << 20;
    facts->memory_bytes -= facts->memory_bytes / 8; /* for code, arguments and scratch */
    return true;
}

cl_ulong device_max_allocation(const struct device_facts *facts)
{
    return facts->memory_bytes / 2;
}

bool device_has_svm(void)
{
    struct machine *machine = session_existing_machine();

    return machine == NULL || machine_backing(machine)->is_shared;
}

cl_int device_check_list(cl_uint count, const cl_device_id *devices)
{
    if ((count == 0) != (devices == NULL))
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++)
        if (!device_is(devices[i]))
            return CL_INVALID_DEVICE;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint capacity,
                                  cl_device_id *devices, cl_uint *count)
{
    const cl_device_type known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM;

    if (platform != NULL && platform != &driver_platform)
        return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (type == 0 || (type & ~known) != 0))
        return CL_INVALID_DEVICE_TYPE;
    if ((capacity == 0 && devices != NULL) || (devices == NULL && count == NULL))
        return CL_INVALID_VALUE;
    if ((type & (CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_GPU)) == 0) {
        if (count != NULL)
            *count = 0;
        return CL_DEVICE_NOT_FOUND;
    }
    if (devices != NULL)
        devices[0] = &driver_device;
    if (count != NULL)
        *count = 1;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue queue)
{
    if (!object_is_live(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!device_is_live(device))
        return CL_INVALID_DEVICE;
    if (queue == NULL) /* no default: what the device has already */
        return CL_INVALID_OPERATION;
    return refuse_in_queue(__func__, queue, "the device has no queues of its own",
                           CL_INVALID_OPERATION);
}

/* One clock for both, that of the events: what a program sets beside events' times is on their
 * scale, and the same on every run. */
cl_int CL_API_CALL clGetDeviceAndHostTimer(cl_device_id device, cl_ulong *device_time,
                                           cl_ulong *host_time)
{
    if (!device_is_live(device))
        return CL_INVALID_DEVICE;
    if (device_time == NULL || host_time == NULL)
        return CL_INVALID_VALUE;
    driver_enter();
    *device_time = *host_time = session_time_ns();
    return driver_return(CL_SUCCESS);
}

cl_int CL_API_CALL clGetHostTimer(cl_device_id device, cl_ulong *host_time)
{
    if (!device_is_live(device))
        return CL_INVALID_DEVICE;
    if (host_time == NULL)
        return CL_INVALID_VALUE;
    driver_enter();
    *host_time = session_time_ns();
    return driver_return(CL_SUCCESS);
}

bool device_has_sub_groups(void)
{
    struct device_facts facts;

    return session_facts(&facts) && facts.wavefront_lanes == SUB_GROUP_ITEMS;
}

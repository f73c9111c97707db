/* SPDX-License-Identifier: MIT */
/*
 * Sub-devices: runs of a device's compute units. A queue on one sends its launches to these alone;
 * caches above the crossbar are theirs, L2 and memory are shared by all. Sub-devices of one device
 * share the machine, so that their launches take turns, as those of all queues do.
 *
 * Refused, as the specification says: parts by affinity (there is one memory and one L2), and
 * counts that do not fit. The functional model has no compute units: there a sub-device is a name.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/sub_device.h"

struct _cl_device_id driver_device = {.object = {.dispatch = &driver_dispatch}};

bool device_is(const void *handle)
{
    return handle == &driver_device || object_is(handle, OBJECT_DEVICE);
}

bool device_is_live(const void *handle)
{
    return handle == &driver_device || object_is_live(handle, OBJECT_DEVICE);
}

cl_uint device_compute_units(const struct _cl_device_id *device)
{
    struct device_facts facts;

    if (device->unit_count > 0)
        return device->unit_count;
    return session_facts(&facts) ? (cl_uint)facts.compute_units : 0;
}

void device_use(cl_device_id device)
{
    if (device != &driver_device)
        object_use(&device->object);
}

void device_drop(cl_device_id device)
{
    if (device != &driver_device)
        object_drop(&device->object);
}

static void device_destroy(struct object *object)
{
    cl_device_id device = container_of(object, struct _cl_device_id, object);

    device_drop(device->parent);
    free(device->partition);
    object_free(&device->object);
}

/* ---- Making them ---- */

/* What is asked for: the number of sub-devices, and how many compute units each gets. */
struct division {
    const cl_device_partition_property *properties; /* in the core's terms */
    size_t length;                                  /* properties, the 0 at the end included */
    cl_uint part_count;
    cl_uint equal_units; /* CL_DEVICE_PARTITION_EQUALLY: of each; else 0 */
};

static cl_int divide_equally(cl_uint units, struct division *division)
{
    cl_device_partition_property each = division->properties[1];

    if (each <= 0 || division->properties[2] != 0)
        return CL_INVALID_VALUE;
    if (each > (cl_device_partition_property)units)
        return CL_INVALID_DEVICE_PARTITION_COUNT;
    if (each == (cl_device_partition_property)units) /* one part of all units is no partition */
        return CL_DEVICE_PARTITION_FAILED;
    division->equal_units = (cl_uint)each;
    division->part_count = units / (cl_uint)each;
    division->length = 3;
    return CL_SUCCESS;
}

static cl_int divide_by_counts(cl_uint units, struct division *division)
{
    cl_ulong sum = 0;
    size_t i = 1;

    for (; division->properties[i] != CL_DEVICE_PARTITION_BY_COUNTS_LIST_END; i++) {
        if (division->properties[i] < 0 ||
            division->properties[i] > (cl_device_partition_property)units || i > units)
            return CL_INVALID_DEVICE_PARTITION_COUNT;
        sum += (cl_ulong)division->properties[i];
    }
    if (i == 1)
        return CL_INVALID_DEVICE_PARTITION_COUNT;
    if (division->properties[i + 1] != 0)
        return CL_INVALID_VALUE;
    if (sum > units)
        return CL_INVALID_DEVICE_PARTITION_COUNT;
    division->part_count = (cl_uint)(i - 1);
    division->length = i + 2;
    return CL_SUCCESS;
}

static cl_int read_division(cl_device_id device, struct division *division)
{
    cl_uint units = device_compute_units(device);

    if (division->properties == NULL)
        return CL_INVALID_VALUE;
    switch (division->properties[0]) {
    case CL_DEVICE_PARTITION_EQUALLY:
        return divide_equally(units, division);
    case CL_DEVICE_PARTITION_BY_COUNTS:
        return divide_by_counts(units, division);
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN:
        return refusal(CL_INVALID_VALUE, NULL,
                       "the device has no parts by affinity: one memory and one L2 serve all "
                       "compute units");
    default:
        return CL_INVALID_VALUE;
    }
}

static cl_uint part_units(const struct division *division, cl_uint part)
{
    return division->equal_units != 0 ? division->equal_units
                                      : (cl_uint)division->properties[1 + part];
}

static cl_device_id device_create(cl_device_id parent, const struct division *division,
                                  cl_uint first, cl_uint units)
{
    cl_device_id device = allocate(1, sizeof *device);

    object_init(&device->object, OBJECT_DEVICE, device_destroy);
    device->parent = parent;
    device_use(parent);
    device->first_unit = first;
    device->unit_count = units;
    device->partition_length = division->length;
    device->partition = allocate(division->length, sizeof *device->partition);
    memcpy(device->partition, division->properties, division->length * sizeof *device->partition);
    return device;
}

static cl_int create_all(cl_device_id parent, const struct division *division,
                         cl_device_id *devices)
{
    cl_uint first = parent->first_unit;

    for (cl_uint part = 0; part < division->part_count; part++)
        if (part_units(division, part) == 0)
            return CL_INVALID_DEVICE_PARTITION_COUNT;
    for (cl_uint part = 0; part < division->part_count; part++) {
        devices[part] = device_create(parent, division, first, part_units(division, part));
        first += part_units(division, part);
    }
    return CL_SUCCESS;
}

static cl_int create_sub_devices(cl_device_id device, struct division *division, cl_uint capacity,
                                 cl_device_id *devices, cl_uint *count)
{
    cl_int status;

    if (!device_is(device))
        return CL_INVALID_DEVICE;
    status = read_division(device, division);
    if (status != CL_SUCCESS)
        return status;
    if (devices != NULL && capacity < division->part_count)
        return CL_INVALID_VALUE;
    if (devices != NULL)
        status = create_all(device, division, devices);
    if (status == CL_SUCCESS && count != NULL)
        *count = division->part_count;
    return status;
}

cl_int CL_API_CALL clCreateSubDevices(cl_device_id device,
                                      const cl_device_partition_property *properties,
                                      cl_uint capacity, cl_device_id *devices, cl_uint *count)
{
    struct division division = {.properties = properties};

    driver_enter();
    return driver_return(create_sub_devices(device, &division, capacity, devices, count));
}

/* ---- cl_ext_device_fission: the same in other numbers ---- */

static cl_device_partition_property way_from_extension(cl_device_partition_property_ext way)
{
    switch (way) {
    case CL_DEVICE_PARTITION_EQUALLY_EXT:
        return CL_DEVICE_PARTITION_EQUALLY;
    case CL_DEVICE_PARTITION_BY_COUNTS_EXT:
        return CL_DEVICE_PARTITION_BY_COUNTS;
    case CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN_EXT:
        return CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN;
    default: /* by names: a sub-device is a run of compute units */
        return 0;
    }
}

static cl_ulong way_to_extension(cl_device_partition_property way)
{
    return way == CL_DEVICE_PARTITION_EQUALLY ? CL_DEVICE_PARTITION_EQUALLY_EXT
                                              : CL_DEVICE_PARTITION_BY_COUNTS_EXT;
}

static cl_int status_to_extension(cl_int status)
{
    switch (status) {
    case CL_DEVICE_PARTITION_FAILED:
        return CL_DEVICE_PARTITION_FAILED_EXT;
    case CL_INVALID_DEVICE_PARTITION_COUNT:
        return CL_INVALID_PARTITION_COUNT_EXT;
    default:
        return status;
    }
}

/* Words of the list, with the 0 behind them: lists of counts have a 0 of their own. */
static size_t extension_list_length(const cl_device_partition_property_ext *properties)
{
    size_t length = 1;

    while (properties[length] != CL_PROPERTIES_LIST_END_EXT)
        length++;
    return properties[0] == CL_DEVICE_PARTITION_BY_COUNTS_EXT ? length + 2 : length + 1;
}

static cl_int create_from_extension(cl_device_id device,
                                    const cl_device_partition_property_ext *properties,
                                    cl_uint capacity, cl_device_id *devices, cl_uint *count)
{
    struct division division = {0};
    cl_device_partition_property *core;
    size_t length;
    cl_int status;

    if (properties == NULL || way_from_extension(properties[0]) == 0)
        return device_is(device) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
    length = extension_list_length(properties);
    core = allocate(length, sizeof *core);
    core[0] = way_from_extension(properties[0]);
    for (size_t i = 1; i < length; i++)
        core[i] = (cl_device_partition_property)properties[i];
    division.properties = core;
    status = create_sub_devices(device, &division, capacity, devices, count);
    free(core);
    return status_to_extension(status);
}

cl_int CL_API_CALL clCreateSubDevicesEXT(cl_device_id device,
                                         const cl_device_partition_property_ext *properties,
                                         cl_uint capacity, cl_device_id *devices, cl_uint *count)
{
    driver_enter();
    return driver_return(create_from_extension(device, properties, capacity, devices, count));
}

cl_int CL_API_CALL clRetainDeviceEXT(cl_device_id device)
{
    return clRetainDevice(device);
}

cl_int CL_API_CALL clReleaseDeviceEXT(cl_device_id device)
{
    return clReleaseDevice(device);
}

/* ---- References ---- */

cl_int CL_API_CALL clRetainDevice(cl_device_id device)
{
    return device == &driver_device ? CL_SUCCESS
                                    : object_retain(device, OBJECT_DEVICE, CL_INVALID_DEVICE);
}

cl_int CL_API_CALL clReleaseDevice(cl_device_id device)
{
    return device == &driver_device ? CL_SUCCESS
                                    : object_release(device, OBJECT_DEVICE, CL_INVALID_DEVICE);
}

/* ---- Queries ---- */

static cl_int partition_style_info(const struct _cl_device_id *device, const struct query *query)
{
    cl_ulong *style;
    cl_int status;

    if (device->parent == NULL)
        return answer_bytes(query, NULL, 0);
    style = allocate(device->partition_length, sizeof *style);
    for (size_t i = 0; i < device->partition_length; i++)
        style[i] = (cl_ulong)device->partition[i];
    style[0] = way_to_extension(device->partition[0]);
    status = answer_bytes(query, style, device->partition_length * sizeof *style);
    free(style);
    return status;
}

cl_int device_partition_info(const struct _cl_device_id *device, cl_device_info name,
                             const struct query *query)
{
    static const cl_device_partition_property ways[] = {CL_DEVICE_PARTITION_EQUALLY,
                                                        CL_DEVICE_PARTITION_BY_COUNTS};
    static const cl_device_partition_property none[] = {0};
    static const cl_ulong extension_ways[] = {CL_DEVICE_PARTITION_EQUALLY_EXT,
                                              CL_DEVICE_PARTITION_BY_COUNTS_EXT};
    bool is_divisible = device_compute_units(device) > 1;

    switch (name) {
    case CL_DEVICE_PARTITION_TYPES_EXT:
        return answer_bytes(query, extension_ways, is_divisible ? sizeof extension_ways : 0);
    case CL_DEVICE_AFFINITY_DOMAINS_EXT:
        return answer_bytes(query, NULL, 0);
    case CL_DEVICE_PARTITION_STYLE_EXT:
        return partition_style_info(device, query);
    case CL_DEVICE_PARENT_DEVICE_EXT:
    case CL_DEVICE_PARENT_DEVICE:
        return answer_pointer(query, device->parent);
    case CL_DEVICE_REFERENCE_COUNT_EXT:
    case CL_DEVICE_REFERENCE_COUNT:
        return answer_uint(query, device->parent != NULL ? device->object.references : 1);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES:
        return answer_uint(query, is_divisible ? device_compute_units(device) : 0);
    case CL_DEVICE_PARTITION_PROPERTIES:
        return is_divisible ? answer_bytes(query, ways, sizeof ways)
                            : answer_bytes(query, none, sizeof none);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN:
        return answer_ulong(query, 0);
    case CL_DEVICE_PARTITION_TYPE:
        return answer_bytes(query, device->partition,
                            device->partition_length * sizeof *device->partition);
    default:
        return CL_INVALID_VALUE;
    }
}

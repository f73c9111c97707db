/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/sub_device.h"

static void context_destroy(struct object *object)
{
    cl_context context = container_of(object, struct _cl_context, object);

    destructors_notify(context->destructors, context);
    for (cl_uint i = 0; i < context->device_count; i++)
        device_drop(context->devices[i]);
    free(context->devices);
    free(context->properties);
    object_free(&context->object);
}

static cl_int check_properties(const cl_context_properties *properties)
{
    bool has_platform = false, has_sync = false;

    for (; properties != NULL && properties[0] != 0; properties += 2) {
        bool *seen;

        if (properties[0] == CL_CONTEXT_PLATFORM)
            seen = &has_platform;
        else if (properties[0] == CL_CONTEXT_INTEROP_USER_SYNC)
            seen = &has_sync;
        else
            return refusal(CL_INVALID_PROPERTY, NULL, "the property 0x%llx is not supported",
                           (unsigned long long)properties[0]);
        if (*seen)
            return CL_INVALID_PROPERTY;
        *seen = true;
        if (properties[0] == CL_CONTEXT_PLATFORM &&
            (const void *)properties[1] != (const void *)&driver_platform)
            return CL_INVALID_PLATFORM;
        if (properties[0] == CL_CONTEXT_INTEROP_USER_SYNC && properties[1] != CL_TRUE &&
            properties[1] != CL_FALSE)
            return CL_INVALID_PROPERTY;
    }
    return CL_SUCCESS;
}

bool context_has_device(const struct _cl_context *context, const struct _cl_device_id *device)
{
    for (cl_uint i = 0; i < context->device_count; i++)
        if (context->devices[i] == device)
            return true;
    return false;
}

/* A device that is in the list twice is there once. */
static cl_context context_create(const cl_context_properties *properties, cl_uint count,
                                 const cl_device_id *devices)
{
    cl_context context = allocate(1, sizeof *context);

    object_init(&context->object, OBJECT_CONTEXT, context_destroy);
    _Static_assert(sizeof(cl_context_properties) == sizeof(cl_ulong), "lists are copied as such");
    context->properties = (cl_context_properties *)properties_copy((const cl_ulong *)properties);
    context->devices = allocate(count, sizeof *devices);
    for (cl_uint i = 0; i < count; i++) {
        if (context_has_device(context, devices[i]))
            continue;
        device_use(devices[i]);
        context->devices[context->device_count++] = devices[i];
    }
    return context;
}

static cl_int make_context(const cl_context_properties *properties, cl_uint count,
                           const cl_device_id *devices, cl_context *context)
{
    if (session_machine() == NULL)
        return CL_DEVICE_NOT_AVAILABLE;
    *context = context_create(properties, count, devices);
    return CL_SUCCESS;
}

cl_context CL_API_CALL clCreateContext(const cl_context_properties *properties, cl_uint count,
                                       const cl_device_id *devices,
                                       void(CL_CALLBACK *on_error)(const char *, const void *,
                                                                   size_t, void *),
                                       void *data, cl_int *status_place)
{
    cl_context context = NULL;
    cl_int status;

    driver_enter();
    status = check_properties(properties);
    if (status == CL_SUCCESS && (count == 0 || devices == NULL))
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS && on_error == NULL && data != NULL)
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS)
        status = device_check_list(count, devices);
    if (status == CL_SUCCESS)
        status = make_context(properties, count, devices, &context);
    return driver_return_object(status_place, status, context);
}

cl_context CL_API_CALL
clCreateContextFromType(const cl_context_properties *properties, cl_device_type type,
                        void(CL_CALLBACK *on_error)(const char *, const void *, size_t, void *),
                        void *data, cl_int *status_place)
{
    cl_context context = NULL;
    cl_uint count;
    cl_int status;

    driver_enter();
    status = check_properties(properties);
    if (status == CL_SUCCESS && on_error == NULL && data != NULL)
        status = CL_INVALID_VALUE;
    if (status == CL_SUCCESS)
        status = clGetDeviceIDs(&driver_platform, type, 0, NULL, &count);
    if (status == CL_SUCCESS)
        status = make_context(properties, 1, (const cl_device_id[]){&driver_device}, &context);
    return driver_return_object(status_place, status, context);
}

cl_int CL_API_CALL clRetainContext(cl_context context)
{
    return object_retain(context, OBJECT_CONTEXT, CL_INVALID_CONTEXT);
}

cl_int CL_API_CALL clReleaseContext(cl_context context)
{
    return object_release(context, OBJECT_CONTEXT, CL_INVALID_CONTEXT);
}

static cl_int context_info(cl_context context, cl_context_info name, const struct query *query)
{
    switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT:
        return answer_uint(query, context->object.references);
    case CL_CONTEXT_NUM_DEVICES:
        return answer_uint(query, context->device_count);
    case CL_CONTEXT_DEVICES:
        return answer_bytes(query, context->devices,
                            context->device_count * sizeof *context->devices);
    case CL_CONTEXT_PROPERTIES:
        return answer_properties(query, (const cl_ulong *)context->properties);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetContextInfo(cl_context context, cl_context_info name, size_t size,
                                    void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_CONTEXT;

    driver_enter();
    if (object_is(context, OBJECT_CONTEXT))
        status = context_info(context, name, &query);
    return driver_return(status);
}

cl_int CL_API_CALL clSetContextDestructorCallback(cl_context context,
                                                  void(CL_CALLBACK *function)(cl_context, void *),
                                                  void *data)
{
    cl_int status = CL_SUCCESS;

    driver_enter();
    if (!object_is(context, OBJECT_CONTEXT))
        status = CL_INVALID_CONTEXT;
    else if (function == NULL)
        status = CL_INVALID_VALUE;
    else
        destructor_add(&context->destructors, (void (*)(void))function, data);
    return driver_return(status);
}

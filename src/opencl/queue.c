/* SPDX-License-Identifier: MIT */
/* Command queues as objects; how they run is in command.c. */
#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "opencl/sub_device.h"

static void queue_destroy(struct object *object)
{
    cl_command_queue queue = container_of(object, struct _cl_command_queue, object);

    check(queue->first == NULL, "a queue with commands is destroyed");
    queues_remove(queue);
    device_drop(queue->device);
    object_drop(&queue->context->object);
    free(queue->properties);
    object_free(&queue->object);
}

static cl_int check_queue(cl_context context, cl_device_id device,
                          cl_command_queue_properties flags)
{
    const cl_command_queue_properties known =
        CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
    const cl_command_queue_properties of_device = CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT;

    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!device_is(device) || !context_has_device(context, device))
        return CL_INVALID_DEVICE;
    if ((flags & ~(known | of_device)) != 0)
        return refusal(CL_INVALID_VALUE, NULL, "the properties 0x%llx are unknown",
                       (unsigned long long)flags);
    if ((flags & of_device) == 0)
        return CL_SUCCESS;
    return refusal(CL_INVALID_QUEUE_PROPERTIES, NULL,
                   "the device has no queues of its own (CL_QUEUE_ON_DEVICE)");
}

static cl_command_queue queue_create(cl_context context, cl_device_id device,
                                     cl_command_queue_properties flags,
                                     const cl_queue_properties *properties)
{
    cl_command_queue queue = allocate(1, sizeof *queue);

    object_init(&queue->object, OBJECT_QUEUE, queue_destroy);
    queue->context = context;
    object_use(&context->object);
    queue->device = device;
    device_use(device);
    queue->flags = flags;
    queue->properties = properties_copy(properties);
    queue->last = &queue->first;
    queues_add(queue);
    return queue;
}

cl_command_queue CL_API_CALL clCreateCommandQueue(cl_context context, cl_device_id device,
                                                  cl_command_queue_properties flags,
                                                  cl_int *status_place)
{
    cl_command_queue queue = NULL;
    cl_int status;

    driver_enter();
    status = check_queue(context, device, flags);
    if (status == CL_SUCCESS)
        queue = queue_create(context, device, flags, NULL);
    return driver_return_object(status_place, status, queue);
}

static cl_int read_properties(const cl_queue_properties *properties,
                              cl_command_queue_properties *flags)
{
    *flags = 0;
    for (; properties != NULL && properties[0] != 0; properties += 2) {
        if (properties[0] == CL_QUEUE_PROPERTIES)
            *flags = properties[1];
        else if (properties[0] == CL_QUEUE_SIZE)
            return CL_INVALID_QUEUE_PROPERTIES; /* for queues on the device */
        else
            return CL_INVALID_VALUE;
    }
    return CL_SUCCESS;
}

cl_command_queue CL_API_CALL
clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                   const cl_queue_properties *properties, cl_int *status_place)
{
    cl_command_queue_properties flags = 0;
    cl_command_queue queue = NULL;
    cl_int status;

    driver_enter();
    status = check_queue(context, device, 0);
    if (status == CL_SUCCESS)
        status = read_properties(properties, &flags);
    if (status == CL_SUCCESS)
        status = check_queue(context, device, flags);
    if (status == CL_SUCCESS)
        queue = queue_create(context, device, flags, properties);
    return driver_return_object(status_place, status, queue);
}

cl_int CL_API_CALL clRetainCommandQueue(cl_command_queue queue)
{
    return object_retain(queue, OBJECT_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

cl_int CL_API_CALL clReleaseCommandQueue(cl_command_queue queue)
{
    driver_enter();
    if (object_is(queue, OBJECT_QUEUE) && queue->object.references == 1) {
        object_use(&queue->object);
        queue_run(queue); /* releasing the last reference flushes */
        object_drop(&queue->object);
    }
    driver_leave();
    return object_release(queue, OBJECT_QUEUE, CL_INVALID_COMMAND_QUEUE);
}

static cl_int queue_info(cl_command_queue queue, cl_command_queue_info name,
                         const struct query *query)
{
    switch (name) {
    case CL_QUEUE_CONTEXT:
        return answer_pointer(query, queue->context);
    case CL_QUEUE_DEVICE:
        return answer_pointer(query, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return answer_uint(query, queue->object.references);
    case CL_QUEUE_PROPERTIES:
        return answer_ulong(query, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return answer_properties(query, queue->properties);
    case CL_QUEUE_DEVICE_DEFAULT:
        return answer_pointer(query, NULL);
    case CL_QUEUE_SIZE:
        return CL_INVALID_COMMAND_QUEUE; /* this is no queue on the device */
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info name,
                                         size_t size, void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_COMMAND_QUEUE;

    driver_enter();
    if (object_is(queue, OBJECT_QUEUE))
        status = queue_info(queue, name, &query);
    return driver_return(status);
}

/* Of OpenCL 1.0, and withdrawn since: old programs turn profiling on with it. */
static cl_int set_flags(cl_command_queue queue, cl_command_queue_properties flags, bool is_enabled,
                        cl_command_queue_properties *old_flags)
{
    cl_int status;

    if (!object_is(queue, OBJECT_QUEUE))
        return refusal(CL_INVALID_COMMAND_QUEUE, NULL, "the queue is none, or was released");
    status = check_queue(queue->context, queue->device, flags);
    if (status != CL_SUCCESS)
        return status;
    if (old_flags != NULL)
        *old_flags = queue->flags;
    if ((flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
        status = queue_finish(queue);
    queue->flags = is_enabled ? queue->flags | flags : queue->flags & ~flags;
    return status;
}

cl_int CL_API_CALL clSetCommandQueueProperty(cl_command_queue queue,
                                             cl_command_queue_properties flags, cl_bool is_enabled,
                                             cl_command_queue_properties *old_flags)
{
    driver_enter();
    return driver_return(set_flags(queue, flags, is_enabled != CL_FALSE, old_flags));
}

cl_int CL_API_CALL clFlush(cl_command_queue queue)
{
    cl_int status = CL_INVALID_COMMAND_QUEUE;

    driver_enter();
    if (object_is(queue, OBJECT_QUEUE)) {
        object_use(&queue->object);
        queue_run(queue);
        status = CL_SUCCESS;
        object_drop(&queue->object);
    }
    return driver_return(status);
}

cl_int CL_API_CALL clFinish(cl_command_queue queue)
{
    cl_int status = CL_INVALID_COMMAND_QUEUE;

    driver_enter();
    if (object_is(queue, OBJECT_QUEUE))
        status = queue_finish(queue);
    return driver_return(status);
}

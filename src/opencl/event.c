/* SPDX-License-Identifier: MIT */
#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"

#include <stdlib.h>

static void event_destroy(struct object *object)
{
    cl_event event = container_of(object, struct _cl_event, object);

    while (event->callbacks != NULL) {
        struct event_callback *next = event->callbacks->next;

        free(event->callbacks);
        event->callbacks = next;
    }
    if (event->queue != NULL)
        object_drop(&event->queue->object);
    object_drop(&event->context->object);
    object_free(&event->object);
}

cl_event event_create(cl_context context, cl_command_queue queue, cl_command_type type)
{
    cl_event event = allocate(1, sizeof *event);

    object_init(&event->object, OBJECT_EVENT, event_destroy);
    event->context = context;
    object_use(&context->object);
    event->queue = queue;
    if (queue != NULL)
        object_use(&queue->object);
    event->type = type;
    event->status = queue != NULL ? CL_QUEUED : CL_SUBMITTED;
    event->queued_ns = session_time_ns();
    return event;
}

static void call_due(cl_event event)
{
    struct event_callback **link = &event->callbacks;

    while (*link != NULL) {
        struct event_callback *callback = *link;

        if (event->status > callback->when) {
            link = &callback->next;
            continue;
        }
        if (event_is_over(event))
            host_pointers_bring_back();
        notification_call(&(struct notification){
            .kind = NOTIFY_EVENT,
            .function = callback->function,
            .object = &event->object,
            .handle = event,
            .data = callback->data,
            .status = event->status < 0 ? event->status : callback->when,
        });
        *link = callback->next;
        free(callback);
    }
}

void event_set_status(cl_event event, cl_int status)
{
    event->status = status;
    call_due(event);
    driver_wake_waiters();
}

void event_wait(cl_event event)
{
    object_use(&event->object);
    if (event->queue != NULL)
        queue_run(event->queue);
    while (!event_is_over(event)) {
        driver_wait();
        if (event->queue != NULL)
            queue_run(event->queue);
    }
    host_pointers_bring_back();
    object_drop(&event->object);
}

static cl_int check_events(cl_uint count, const cl_event *events)
{
    if (count == 0 || events == NULL)
        return CL_INVALID_VALUE;
    for (cl_uint i = 0; i < count; i++) {
        if (!object_is(events[i], OBJECT_EVENT))
            return CL_INVALID_EVENT;
        if (events[i]->context != events[0]->context)
            return CL_INVALID_CONTEXT;
    }
    return CL_SUCCESS;
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event *events)
{
    cl_int status;

    driver_enter();
    status = check_events(count, events);
    if (status == CL_SUCCESS) {
        for (cl_uint i = 0; i < count; i++)
            object_use(&events[i]->object);
        for (cl_uint i = 0; i < count; i++) {
            event_wait(events[i]);
            if (events[i]->status < 0)
                status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
        }
        for (cl_uint i = 0; i < count; i++)
            object_drop(&events[i]->object);
    }
    return driver_return(status);
}

/* A program that polls without clFlush still gets on. */
static void event_poll(cl_event event)
{
    if (!event_is_over(event) && event->queue != NULL)
        queue_run(event->queue);
    if (event_is_over(event))
        host_pointers_bring_back();
}

static cl_int event_info(cl_event event, cl_event_info name, const struct query *query)
{
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
        return answer_pointer(query, event->queue);
    case CL_EVENT_CONTEXT:
        return answer_pointer(query, event->context);
    case CL_EVENT_COMMAND_TYPE:
        return answer_uint(query, event->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS:
        event_poll(event);
        return answer_bytes(query, &event->status, sizeof event->status);
    case CL_EVENT_REFERENCE_COUNT:
        return answer_uint(query, event->object.references);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetEventInfo(cl_event event, cl_event_info name, size_t size, void *value,
                                  size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_EVENT;

    driver_enter();
    if (object_is(event, OBJECT_EVENT))
        status = event_info(event, name, &query);
    return driver_return(status);
}

static cl_int profiling_info(cl_event event, cl_profiling_info name, const struct query *query)
{
    if (event->queue == NULL)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    if ((event->queue->flags & CL_QUEUE_PROFILING_ENABLE) == 0)
        return refusal(CL_PROFILING_INFO_NOT_AVAILABLE, NULL,
                       "the event's queue was made without CL_QUEUE_PROFILING_ENABLE");
    event_poll(event);
    if (event->status != CL_COMPLETE)
        return CL_PROFILING_INFO_NOT_AVAILABLE;
    switch (name) {
    case CL_PROFILING_COMMAND_QUEUED:
        return answer_ulong(query, event->queued_ns);
    case CL_PROFILING_COMMAND_SUBMIT:
        return answer_ulong(query, event->submitted_ns);
    case CL_PROFILING_COMMAND_START:
        return answer_ulong(query, event->started_ns);
    case CL_PROFILING_COMMAND_END:
    case CL_PROFILING_COMMAND_COMPLETE:
        return answer_ulong(query, event->ended_ns);
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event event, cl_profiling_info name, size_t size,
                                           void *value, size_t *size_return)
{
    struct query query = {size, value, size_return};
    cl_int status = CL_INVALID_EVENT;

    driver_enter();
    if (object_is(event, OBJECT_EVENT))
        status = profiling_info(event, name, &query);
    return driver_return(status);
}

cl_int CL_API_CALL clRetainEvent(cl_event event)
{
    return object_retain(event, OBJECT_EVENT, CL_INVALID_EVENT);
}

cl_int CL_API_CALL clReleaseEvent(cl_event event)
{
    return object_release(event, OBJECT_EVENT, CL_INVALID_EVENT);
}

static void add_callback(cl_event event, cl_int when, void (*function)(void), void *data)
{
    struct event_callback **last = &event->callbacks;

    while (*last != NULL)
        last = &(*last)->next;
    *last = allocate(1, sizeof **last);
    **last = (struct event_callback){.when = when, .function = function, .data = data};
    call_due(event);
}

cl_int CL_API_CALL clSetEventCallback(cl_event event, cl_int when,
                                      void(CL_CALLBACK *function)(cl_event, cl_int, void *),
                                      void *data)
{
    cl_int status = CL_SUCCESS;

    driver_enter();
    if (!object_is(event, OBJECT_EVENT))
        status = CL_INVALID_EVENT;
    else if (function == NULL || when < CL_COMPLETE || when > CL_SUBMITTED)
        status = CL_INVALID_VALUE;
    else
        add_callback(event, when, (void (*)(void))function, data);
    return driver_return(status);
}

cl_event CL_API_CALL clCreateUserEvent(cl_context context, cl_int *status_place)
{
    cl_int status = CL_INVALID_CONTEXT;
    cl_event event = NULL;

    driver_enter();
    if (object_is(context, OBJECT_CONTEXT)) {
        event = event_create(context, NULL, CL_COMMAND_USER);
        status = CL_SUCCESS;
    }
    return driver_return_object(status_place, status, event);
}

static cl_int set_user_status(cl_event event, cl_int status)
{
    if (!object_is(event, OBJECT_EVENT) || event->queue != NULL)
        return CL_INVALID_EVENT;
    if (status > CL_COMPLETE)
        return CL_INVALID_VALUE;
    if (event_is_over(event))
        return CL_INVALID_OPERATION;
    event_set_status(event, status);
    queues_continue();
    return CL_SUCCESS;
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event event, cl_int new_status)
{
    driver_enter();
    return driver_return(set_user_status(event, new_status));
}

/* SPDX-License-Identifier: MIT */
/* Making commands, and running them: the thread that flushes, finishes, waits or asks does the
 * work. */
#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"
#include "opencl/timeline.h"

#include <stdlib.h>
#include <string.h>

static cl_command_queue queues; /* all of them, oldest first: the order in which they continue */

void queues_add(cl_command_queue queue)
{
    static unsigned number;
    cl_command_queue *last = &queues;

    queue->number = ++number;
    while (*last != NULL)
        last = &(*last)->next;
    *last = queue;
}

void queues_remove(cl_command_queue queue)
{
    cl_command_queue *link = &queues;

    while (*link != queue)
        link = &(*link)->next;
    *link = queue->next;
}

cl_int command_check(cl_command_queue queue, struct wait_list waits)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return refusal(CL_INVALID_COMMAND_QUEUE, NULL, "the queue is none, or was released");
    if ((waits.count == 0) != (waits.events == NULL))
        return refusal(CL_INVALID_EVENT_WAIT_LIST, NULL,
                       "%u events to wait for, and the list is %s", waits.count,
                       waits.events == NULL ? "NULL" : "not");
    for (cl_uint i = 0; i < waits.count; i++) {
        if (!object_is(waits.events[i], OBJECT_EVENT))
            return refusal(CL_INVALID_EVENT_WAIT_LIST, NULL,
                           "event %u to wait for is none, or was released", i);
        if (waits.events[i]->context != queue->context)
            return refusal(CL_INVALID_CONTEXT, NULL, "event %u to wait for is of another context",
                           i);
    }
    return CL_SUCCESS;
}

void *command_create(size_t bytes, cl_command_queue queue, cl_command_type type,
                     struct wait_list waits)
{
    struct command *command = allocate(1, bytes);

    command->event = event_create(queue->context, queue, type);
    command->wait_count = waits.count;
    command->waits = allocate(waits.count, sizeof(cl_event));
    for (cl_uint i = 0; i < waits.count; i++) {
        command->waits[i] = waits.events[i];
        object_use(&waits.events[i]->object);
    }
    return command;
}

static void command_destroy(struct command *command)
{
    if (command->finish != NULL)
        command->finish(command);
    for (cl_uint i = 0; i < command->wait_count; i++)
        object_drop(&command->waits[i]->object);
    free(command->waits);
    object_drop(&command->event->object);
    free(command);
}

cl_int command_submit(struct command *command, bool is_blocking, cl_event *event_place)
{
    cl_event event = command->event;
    cl_command_queue queue = event->queue;
    cl_int status = CL_SUCCESS;

    *queue->last = command;
    queue->last = &command->next;
    object_use(&event->object); /* the command's */
    if (is_blocking) {
        event_wait(event);
        status = event->status < 0 ? event->status : CL_SUCCESS;
    }
    /* The reference that event_create made is the program's, or is dropped. */
    if (event_place != NULL) {
        *event_place = event;
    } else {
        object_use(&event->object);
        event->object.references = 0;
        object_drop(&event->object);
    }
    return status;
}

/* ---- Running ---- */

enum readiness { READY, BLOCKED, FAILED };

/* Runs the other queues that the command waits for. */
static enum readiness wait_list_readiness(const struct command *command)
{
    enum readiness readiness = READY;

    for (cl_uint i = 0; i < command->wait_count; i++) {
        cl_event event = command->waits[i];

        if (!event_is_over(event) && event->queue != NULL)
            queue_run(event->queue);
        if (!event_is_over(event))
            return BLOCKED;
        if (event->status < 0)
            readiness = FAILED;
    }
    return readiness;
}

static void command_start(struct command *command)
{
    cl_event event = command->event;

    event->started_ns = session_time_ns();
    event_set_status(event, CL_RUNNING);
}

static void command_end(struct command *command, cl_int status)
{
    cl_event event = command->event;

    if (!command->keeps_its_times || status != CL_SUCCESS)
        event->ended_ns = session_time_ns();
    event_set_status(event, status == CL_SUCCESS ? CL_COMPLETE : status);
    timeline_command(event, event->queue->number);
    command_destroy(command);
}

static cl_int command_work(struct command *command)
{
    cl_int status;

    svm_before_command();
    status = command->run(command);
    svm_after_command();
    return status;
}

static void run_command(struct command *command, enum readiness readiness)
{
    cl_command_queue queue = command->event->queue;
    cl_int status = CL_SUCCESS;

    object_use(&queue->object);
    command_start(command);
    if (readiness == FAILED)
        status = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    else if (queue->error != CL_SUCCESS)
        status = queue->error;
    else if (command->run != NULL)
        status = command_work(command);
    command_end(command, status);
    object_drop(&queue->object);
}

static void unlink_command(cl_command_queue queue, struct command **link)
{
    struct command *command = *link;

    *link = command->next;
    if (queue->last == &command->next)
        queue->last = link;
}

/* Runs what can run, front to back; whether anything did. */
static bool run_pass(cl_command_queue queue)
{
    struct command **link = &queue->first;
    bool has_run = false;

    while (*link != NULL) {
        struct command *command = *link;
        bool is_first = link == &queue->first;
        enum readiness readiness =
            command->follows_all && !is_first ? BLOCKED : wait_list_readiness(command);

        if (readiness != BLOCKED) {
            unlink_command(queue, link);
            run_command(command, readiness);
            has_run = true;
        } else if (queue_is_out_of_order(queue) && !command->is_barrier) {
            link = &command->next;
        } else {
            break;
        }
    }
    return has_run;
}

static void queue_submit(cl_command_queue queue)
{
    for (struct command *command = queue->first; command != NULL; command = command->next) {
        if (command->event->status != CL_QUEUED)
            continue;
        command->event->submitted_ns = session_time_ns();
        event_set_status(command->event, CL_SUBMITTED);
    }
}

void queue_run(cl_command_queue queue)
{
    if (queue->is_running)
        return; /* a command of this queue waits for one of another that waits for this one */
    queue_submit(queue);
    queue->is_running = true;
    object_use(&queue->object);
    while (queue->first != NULL && run_pass(queue))
        continue;
    queue->is_running = false;
    object_drop(&queue->object);
}

cl_int queue_finish(cl_command_queue queue)
{
    cl_int status;

    object_use(&queue->object);
    queue_run(queue);
    while (queue->first != NULL) {
        driver_wait();
        queue_run(queue);
    }
    status = queue->error;
    host_pointers_bring_back();
    object_drop(&queue->object);
    return status;
}

void queues_continue(void)
{
    for (cl_command_queue queue = queues, next; queue != NULL; queue = next) {
        object_use(&queue->object);
        if (queue->first != NULL && queue->first->event->status == CL_SUBMITTED)
            queue_run(queue);
        next = queue->next;
        object_drop(&queue->object);
    }
}

/* ---- Commands that do nothing: markers and barriers ---- */

static cl_int enqueue_marker(cl_command_queue queue, cl_command_type type, struct wait_list waits,
                             cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct command *command;

    if (status != CL_SUCCESS)
        return status;
    command = command_create(sizeof *command, queue, type, waits);
    command->is_barrier = type == CL_COMMAND_BARRIER;
    command->follows_all = waits.count == 0;
    return command_submit(command, false, event);
}

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count,
                                               const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(
        enqueue_marker(queue, CL_COMMAND_MARKER, (struct wait_list){count, events}, event));
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue queue, cl_uint count,
                                                const cl_event *events, cl_event *event)
{
    driver_enter();
    return driver_return(
        enqueue_marker(queue, CL_COMMAND_BARRIER, (struct wait_list){count, events}, event));
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue queue, cl_event *event)
{
    if (event == NULL)
        return CL_INVALID_VALUE;
    return clEnqueueMarkerWithWaitList(queue, 0, NULL, event);
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue queue)
{
    return clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL);
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue queue, cl_uint count,
                                          const cl_event *events)
{
    cl_int status;

    if (count == 0 || events == NULL)
        return CL_INVALID_VALUE;
    status = clEnqueueBarrierWithWaitList(queue, count, events, NULL);
    return status == CL_INVALID_EVENT_WAIT_LIST ? CL_INVALID_EVENT : status;
}

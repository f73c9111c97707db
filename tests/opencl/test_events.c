/* SPDX-License-Identifier: MIT */
/* Events: status, profiling, user events, callbacks, the order of execution, other threads. */
#include <pthread.h>

#include "support.h"

static cl_event fill(cl_command_queue in, cl_mem buffer, int value, cl_uint count,
                     const cl_event *waits)
{
    cl_event event;

    assert_success(clEnqueueFillBuffer(in, buffer, &value, 4, 0, 4, count, waits, &event));
    return event;
}

static void times_rise(void **state)
{
    cl_mem buffer = make_buffer(NULL, 4);
    cl_event first = fill(queue, buffer, 1, 0, NULL), second = fill(queue, buffer, 2, 0, NULL);
    cl_ulong time;

    assert_success(clFinish(queue));
    assert_true(event_time(first, CL_PROFILING_COMMAND_QUEUED) <=
                event_time(first, CL_PROFILING_COMMAND_SUBMIT));
    assert_true(event_time(first, CL_PROFILING_COMMAND_SUBMIT) <=
                event_time(first, CL_PROFILING_COMMAND_START));
    assert_true(event_time(first, CL_PROFILING_COMMAND_START) <=
                event_time(first, CL_PROFILING_COMMAND_END));
    assert_true(event_time(second, CL_PROFILING_COMMAND_START) >=
                event_time(first, CL_PROFILING_COMMAND_END));
    assert_int_equal(clGetEventProfilingInfo(first, 0x7777, sizeof time, &time, NULL),
                     CL_INVALID_VALUE);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseMemObject(buffer);
}

static void no_profiling_without_the_property(void **state)
{
    cl_int status;
    cl_command_queue plain = clCreateCommandQueue(context, device, 0, &status);
    cl_mem buffer = make_buffer(NULL, 4);
    cl_event event = fill(plain, buffer, 1, 0, NULL);
    cl_ulong time;

    assert_success(clFinish(plain));
    assert_int_equal(
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL),
        CL_PROFILING_INFO_NOT_AVAILABLE);
    clReleaseEvent(event);
    clReleaseCommandQueue(plain);
    clReleaseMemObject(buffer);
}

static void polling_gets_on(void **state)
{
    cl_mem buffer = make_buffer(NULL, 4);
    cl_event event = fill(queue, buffer, 1, 0, NULL);

    assert_int_equal(event_status(event), CL_COMPLETE); /* without a flush */
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
}

static void user_events_hold_commands(void **state)
{
    int value = 0;
    cl_int status;
    cl_mem buffer = make_buffer(&value, 1);
    cl_event user = clCreateUserEvent(context, &status), event = fill(queue, buffer, 5, 1, &user);

    assert_int_equal(event_status(user), CL_SUBMITTED);
    assert_success(clFlush(queue));
    assert_int_equal(event_status(event), CL_SUBMITTED);
    assert_int_equal(clSetUserEventStatus(event, CL_COMPLETE), CL_INVALID_EVENT);
    assert_int_equal(clSetUserEventStatus(user, CL_RUNNING), CL_INVALID_VALUE);
    assert_success(clSetUserEventStatus(user, CL_COMPLETE));
    assert_int_equal(clSetUserEventStatus(user, CL_COMPLETE), CL_INVALID_OPERATION);
    assert_int_equal(event_status(event), CL_COMPLETE);
    read_ints(buffer, &value, 1);
    assert_int_equal(value, 5);
    clReleaseEvent(user);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
}

static void errors_travel_along_wait_lists(void **state)
{
    int value = 3;
    cl_int status;
    cl_mem buffer = make_buffer(&value, 1);
    cl_event user = clCreateUserEvent(context, &status), event = fill(queue, buffer, 5, 1, &user);

    assert_success(clSetUserEventStatus(user, -42));
    assert_int_equal(clWaitForEvents(1, &event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(event_status(event), CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    assert_int_equal(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 1, &user, NULL),
                     CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    read_ints(buffer, &value, 1); /* the queue goes on */
    assert_int_equal(value, 3);
    clReleaseEvent(user);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
}

static void other_queues_are_run_for_their_events(void **state)
{
    int value = 0;
    cl_int status;
    cl_command_queue other = clCreateCommandQueue(context, device, 0, &status);
    cl_mem buffer = make_buffer(&value, 1);
    cl_event first = fill(other, buffer, 8, 0, NULL);

    assert_success(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, &value, 1, &first, NULL));
    assert_int_equal(value, 8);
    clReleaseEvent(first);
    clReleaseCommandQueue(other);
    clReleaseMemObject(buffer);
}

static void out_of_order_passes_what_waits(void **state)
{
    cl_int status;
    cl_command_queue loose =
        clCreateCommandQueue(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    cl_mem buffer = make_buffer(NULL, 1);
    cl_event user = clCreateUserEvent(context, &status);
    cl_event held = fill(loose, buffer, 1, 1, &user), passing = fill(loose, buffer, 2, 0, NULL);
    cl_event barrier, behind;

    assert_success(clWaitForEvents(1, &passing));
    assert_int_equal(event_status(held), CL_SUBMITTED);
    assert_success(clEnqueueBarrierWithWaitList(loose, 0, NULL, &barrier));
    behind = fill(loose, buffer, 3, 0, NULL);
    assert_int_equal(event_status(behind), CL_SUBMITTED);
    assert_int_equal(event_status(barrier), CL_SUBMITTED);
    assert_success(clSetUserEventStatus(user, CL_COMPLETE));
    assert_success(clFinish(loose));
    assert_int_equal(event_status(behind), CL_COMPLETE);
    clReleaseEvent(user);
    clReleaseEvent(held);
    clReleaseEvent(passing);
    clReleaseEvent(barrier);
    clReleaseEvent(behind);
    clReleaseCommandQueue(loose);
    clReleaseMemObject(buffer);
}

static int calls[4], call_count;

static void CL_CALLBACK note_call(cl_event event, cl_int status, void *data)
{
    calls[call_count++] = status;
}

static void callbacks_come_in_order(void **state)
{
    cl_mem buffer = make_buffer(NULL, 4);
    cl_event event;

    assert_success(clFinish(queue));
    event = fill(queue, buffer, 1, 0, NULL);
    call_count = 0;
    assert_int_equal(clSetEventCallback(event, CL_QUEUED, note_call, NULL), CL_INVALID_VALUE);
    assert_success(clSetEventCallback(event, CL_COMPLETE, note_call, NULL));
    assert_success(clSetEventCallback(event, CL_SUBMITTED, note_call, NULL));
    assert_success(clSetEventCallback(event, CL_RUNNING, note_call, NULL));
    assert_int_equal(call_count, 0);
    assert_success(clFinish(queue));
    assert_int_equal(call_count, 3);
    assert_int_equal(calls[0], CL_SUBMITTED);
    assert_int_equal(calls[1], CL_RUNNING);
    assert_int_equal(calls[2], CL_COMPLETE);
    assert_success(clSetEventCallback(event, CL_COMPLETE, note_call, NULL)); /* late: at once */
    assert_int_equal(call_count, 4);
    clReleaseEvent(event);
    clReleaseMemObject(buffer);
}

static void CL_CALLBACK release_user(cl_event event, cl_int status, void *data)
{
    assert_success(clSetUserEventStatus((cl_event)data, CL_COMPLETE));
}

/* A callback may call OpenCL, even on what the waiting thread waits for. */
static void callbacks_may_release_the_waiter(void **state)
{
    cl_int status;
    cl_mem buffer = make_buffer(NULL, 4);
    cl_event user = clCreateUserEvent(context, &status), first = fill(queue, buffer, 1, 0, NULL);
    cl_event second = fill(queue, buffer, 2, 1, &user);

    assert_success(clSetEventCallback(first, CL_COMPLETE, release_user, user));
    assert_success(clFinish(queue));
    assert_int_equal(event_status(second), CL_COMPLETE);
    clReleaseEvent(user);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseMemObject(buffer);
}

static void *set_complete(void *data)
{
    clSetUserEventStatus(data, CL_COMPLETE);
    return NULL;
}

static void another_thread_may_release_the_waiter(void **state)
{
    cl_int status;
    cl_event user = clCreateUserEvent(context, &status);
    pthread_t thread;

    assert_success(clEnqueueBarrierWithWaitList(queue, 1, &user, NULL));
    pthread_create(&thread, NULL, set_complete, user);
    assert_success(clFinish(queue));
    pthread_join(thread, NULL);
    clReleaseEvent(user);
}

static void *fill_and_read(void *data)
{
    int wanted = *(int *)data, value;
    cl_int status;
    cl_command_queue own = clCreateCommandQueue(context, device, 0, &status);
    cl_mem buffer = clCreateBuffer(context, 0, 4, NULL, &status);
    long wrong = 0;

    for (int i = 0; i < 200; i++, wanted += 10) {
        clEnqueueFillBuffer(own, buffer, &wanted, 4, 0, 4, 0, NULL, NULL);
        clRetainMemObject(buffer);
        clEnqueueReadBuffer(own, buffer, CL_TRUE, 0, 4, &value, 0, NULL, NULL);
        clReleaseMemObject(buffer);
        wrong += value != wanted;
    }
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(own);
    return (void *)wrong;
}

static void threads_do_not_disturb_each_other(void **state)
{
    int seeds[4] = {1, 2, 3, 4};
    pthread_t threads[4];
    void *wrong;

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, fill_and_read, &seeds[i]);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &wrong);
        assert_null(wrong);
    }
}

static void events_know_where_they_belong(void **state)
{
    cl_event marker;
    cl_command_type type;
    cl_command_queue of;

    assert_success(clEnqueueMarkerWithWaitList(queue, 0, NULL, &marker));
    assert_success(clGetEventInfo(marker, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    assert_int_equal(type, CL_COMMAND_MARKER);
    assert_success(clGetEventInfo(marker, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    assert_ptr_equal(of, queue);
    assert_int_equal(clWaitForEvents(0, NULL), CL_INVALID_VALUE);
    assert_success(clWaitForEvents(1, &marker));
    clReleaseEvent(marker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_rise),
        cmocka_unit_test(no_profiling_without_the_property),
        cmocka_unit_test(polling_gets_on),
        cmocka_unit_test(user_events_hold_commands),
        cmocka_unit_test(errors_travel_along_wait_lists),
        cmocka_unit_test(other_queues_are_run_for_their_events),
        cmocka_unit_test(out_of_order_passes_what_waits),
        cmocka_unit_test(callbacks_come_in_order),
        cmocka_unit_test(callbacks_may_release_the_waiter),
        cmocka_unit_test(another_thread_may_release_the_waiter),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(events_know_where_they_belong),
    };

    return cmocka_run_group_tests_name("opencl/events", tests, support_start, support_stop);
}

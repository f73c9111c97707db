/* SPDX-License-Identifier: MIT */
/*
 * clEnqueueNativeKernel: a function of the program as a command. Memory objects among its arguments
 * are brought to the host, the function gets pointers to their bytes, and what it leaves there goes
 * back. Both ways are charged as transfers of pageable memory. The function itself takes no
 * simulated time, like all that the program does.
 *
 * It runs in the thread that runs the queue, with the driver's lock: it may call nothing of OpenCL.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/driver.h"
#include "opencl/host_pointer.h"

struct native {
    struct command command;
    void(CL_CALLBACK *function)(void *);
    unsigned char *arguments; /* a copy */
    struct native_memory {
        cl_mem memory;       /* used */
        size_t place;        /* of the pointer in the arguments */
        unsigned char *host; /* its bytes while the function runs */
    } * memories;
    cl_uint memory_count;
};

static struct native *native_of(struct command *command)
{
    return container_of(command, struct native, command);
}

static void memory_to_host(struct native *native, struct native_memory *each)
{
    cl_mem memory = each->memory;

    host_pointer_refresh(memory, 0, memory->bytes);
    each->host = allocate(memory->bytes, 1);
    machine_read(session_machine(), memory->addr, each->host, memory->bytes, TRANSFER_PAGEABLE);
    memcpy(native->arguments + each->place, &each->host, sizeof each->host);
}

static void memory_to_device(struct native_memory *each)
{
    cl_mem memory = each->memory;

    machine_write(session_machine(), memory->addr, each->host, memory->bytes, TRANSFER_PAGEABLE);
    host_pointer_written(memory, 0, memory->bytes);
    free(each->host);
}

static cl_int native_run(struct command *command)
{
    struct native *native = native_of(command);

    for (cl_uint i = 0; i < native->memory_count; i++)
        memory_to_host(native, &native->memories[i]);
    native->function(native->arguments);
    for (cl_uint i = 0; i < native->memory_count; i++)
        memory_to_device(&native->memories[i]);
    return CL_SUCCESS;
}

static void native_finish(struct command *command)
{
    struct native *native = native_of(command);

    for (cl_uint i = 0; i < native->memory_count; i++)
        object_drop(&native->memories[i].memory->object);
    free(native->memories);
    free(native->arguments);
}

/* What the program gave. */
struct native_request {
    void(CL_CALLBACK *function)(void *);
    const void *arguments;
    size_t bytes;
    cl_uint memory_count;
    const cl_mem *memories;
    const void **places; /* in the arguments */
};

static cl_int request_check(cl_command_queue queue, const struct native_request *request)
{
    bool has_arguments = request->arguments != NULL;

    if (request->function == NULL || has_arguments != (request->bytes > 0) ||
        (request->memory_count > 0 && !has_arguments) ||
        (request->memory_count > 0) != (request->memories != NULL) ||
        (request->memory_count > 0) != (request->places != NULL))
        return refusal(CL_INVALID_VALUE, NULL,
                       "no function, or arguments or memory objects whose number and list do not "
                       "go together");
    for (cl_uint i = 0; i < request->memory_count; i++) {
        const unsigned char *place = request->places[i], *first = request->arguments;
        cl_int status = memory_check(queue, request->memories[i]);

        if (status != CL_SUCCESS)
            return status;
        if (place < first || place + sizeof(void *) > first + request->bytes)
            return refusal(CL_INVALID_VALUE, NULL, "place %u lies outside the arguments", i);
    }
    return CL_SUCCESS;
}

static cl_int enqueue_native(cl_command_queue queue, const struct native_request *request,
                             struct wait_list waits, cl_event *event)
{
    cl_int status = command_check(queue, waits);
    struct native *native;

    if (status == CL_SUCCESS)
        status = request_check(queue, request);
    if (status != CL_SUCCESS)
        return status;
    native = command_create(sizeof *native, queue, CL_COMMAND_NATIVE_KERNEL, waits);
    native->command.run = native_run;
    native->command.finish = native_finish;
    native->function = request->function;
    native->arguments = allocate(request->bytes, 1);
    if (request->bytes > 0)
        memcpy(native->arguments, request->arguments, request->bytes);
    native->memories = allocate(request->memory_count, sizeof *native->memories);
    native->memory_count = request->memory_count;
    for (cl_uint i = 0; i < request->memory_count; i++) {
        size_t place =
            (size_t)((const char *)request->places[i] - (const char *)request->arguments);

        native->memories[i] = (struct native_memory){request->memories[i], place, NULL};
        object_use(&request->memories[i]->object);
    }
    return command_submit(&native->command, false, event);
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue queue,
                                         void(CL_CALLBACK *function)(void *), void *arguments,
                                         size_t bytes, cl_uint memory_count, const cl_mem *memories,
                                         const void **places, cl_uint count, const cl_event *events,
                                         cl_event *event)
{
    struct native_request request = {function, arguments, bytes, memory_count, memories, places};

    driver_enter();
    return driver_return(enqueue_native(queue, &request, (struct wait_list){count, events}, event));
}

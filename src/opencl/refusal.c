/* SPDX-License-Identifier: MIT */
/* Refusals: what the driver does not support, and calls that are wrong. Each reason is said once on
 * stderr, in the user's terms. */
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "opencl/driver.h"

/* A program that tries many sizes or kernels is not to fill its terminal. */
enum { REASONS_MAX = 64, FUNCTIONS_MAX = 192 };

#define NAMED(status)                                                                              \
    {                                                                                              \
        status, #status                                                                            \
    }
static const struct {
    cl_int status;
    const char *name;
} names[] = {
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE),
    NAMED(CL_OUT_OF_RESOURCES),
    NAMED(CL_MEM_COPY_OVERLAP),
    NAMED(CL_PROFILING_INFO_NOT_AVAILABLE),
    NAMED(CL_MAP_FAILURE),
    NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET),
    NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE),
    NAMED(CL_INVALID_VALUE),
    NAMED(CL_INVALID_BINARY),
    NAMED(CL_INVALID_CONTEXT),
    NAMED(CL_INVALID_QUEUE_PROPERTIES),
    NAMED(CL_INVALID_COMMAND_QUEUE),
    NAMED(CL_INVALID_HOST_PTR),
    NAMED(CL_INVALID_MEM_OBJECT),
    NAMED(CL_INVALID_SAMPLER),
    NAMED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR),
    NAMED(CL_INVALID_IMAGE_DESCRIPTOR),
    NAMED(CL_INVALID_IMAGE_SIZE),
    NAMED(CL_IMAGE_FORMAT_NOT_SUPPORTED),
    NAMED(CL_IMAGE_FORMAT_MISMATCH),
    NAMED(CL_INVALID_PROGRAM_EXECUTABLE),
    NAMED(CL_INVALID_KERNEL_NAME),
    NAMED(CL_INVALID_KERNEL),
    NAMED(CL_INVALID_ARG_INDEX),
    NAMED(CL_INVALID_ARG_VALUE),
    NAMED(CL_INVALID_ARG_SIZE),
    NAMED(CL_INVALID_KERNEL_ARGS),
    NAMED(CL_INVALID_WORK_DIMENSION),
    NAMED(CL_INVALID_WORK_GROUP_SIZE),
    NAMED(CL_INVALID_WORK_ITEM_SIZE),
    NAMED(CL_INVALID_GLOBAL_OFFSET),
    NAMED(CL_INVALID_EVENT_WAIT_LIST),
    NAMED(CL_INVALID_OPERATION),
    NAMED(CL_INVALID_BUFFER_SIZE),
    NAMED(CL_INVALID_GLOBAL_WORK_SIZE),
    NAMED(CL_INVALID_PROPERTY),
    NAMED(CL_INVALID_DEVICE_QUEUE),
};

static const char *status_name(cl_int status)
{
    for (size_t i = 0; i < ARRAY_COUNT(names); i++)
        if (names[i].status == status)
            return names[i].name;
    return "an error";
}

/* ---- What is not supported; without the driver's lock ---- */

cl_int refuse(const char *function, const char *reason, cl_int status)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    static const char *said[FUNCTIONS_MAX];
    unsigned i = 0;

    pthread_mutex_lock(&mutex);
    while (i < ARRAY_COUNT(said) && said[i] != NULL && strcmp(said[i], function) != 0)
        i++;
    if (i < ARRAY_COUNT(said) && said[i] == NULL) {
        said[i] = function;
        fprintf(stderr, "wavetank: %s is not supported: %s\n", function, reason);
    }
    pthread_mutex_unlock(&mutex);
    return status;
}

void *refuse_object(const char *function, const char *reason, cl_int status, cl_int *status_place)
{
    refuse(function, reason, status);
    if (status_place != NULL)
        *status_place = status;
    return NULL;
}

cl_int refuse_in_queue(const char *function, cl_command_queue queue, const char *reason,
                       cl_int status)
{
    return object_is_live(queue, OBJECT_QUEUE) ? refuse(function, reason, status)
                                               : CL_INVALID_COMMAND_QUEUE;
}

void *refuse_in_context(const char *function, cl_context context, const char *reason, cl_int status,
                        cl_int *status_place)
{
    if (object_is_live(context, OBJECT_CONTEXT))
        return refuse_object(function, reason, status, status_place);
    if (status_place != NULL)
        *status_place = CL_INVALID_CONTEXT;
    return NULL;
}

/* ---- Calls that are wrong; with the driver's lock ---- */

static struct {
    const char *function; /* that the thread with the lock is in */
    struct reason {
        const char *function, *format;
        char *subject;
    } said[REASONS_MAX];
    unsigned count;
} calls;

void refusal_in(const char *function)
{
    calls.function = function;
}

/* False the second time. */
static bool is_news(const char *subject, const char *format)
{
    for (unsigned i = 0; i < calls.count; i++)
        if (strcmp(calls.said[i].function, calls.function) == 0 && calls.said[i].format == format &&
            strcmp(calls.said[i].subject, subject) == 0)
            return false;
    if (calls.count == REASONS_MAX)
        return false;
    calls.said[calls.count++] = (struct reason){calls.function, format, copy_string(subject)};
    return true;
}

cl_int refusal(cl_int status, const char *kernel, const char *format, ...)
{
    va_list arguments;
    char reason[1024];

    if (!is_news(kernel != NULL ? kernel : "", format))
        return status;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    fprintf(stderr, "wavetank: %s: %s%s%s%s (%s, %d)\n", calls.function,
            kernel != NULL ? "kernel " : "", kernel != NULL ? kernel : "",
            kernel != NULL ? ": " : "", reason, status_name(status), status);
    if (calls.count == REASONS_MAX)
        fprintf(stderr, "wavetank: further calls that are refused are not said\n");
    return status;
}

void refusal_note(const char *format, ...)
{
    va_list arguments;
    char line[1024];

    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (is_news(line, format))
        fprintf(stderr, "wavetank: %s: %s\n", calls.function, line);
}

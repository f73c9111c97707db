/* SPDX-License-Identifier: MIT */
/*
 * OpenCL 1.2 devices, given as command queues. Transfers on behalf of kernels use the caller's
 * queue. Those that a faulting thread waits for use a queue of our own, behind a marker in the
 * caller's. So they do not wait for kernels which that thread has yet to let go.
 *
 * A buffer's memory is reached by plain copies where the implementation is known to keep one memory
 * for host and device whatever is mapped (`plain_memory`). A self-test must agree. By the standard
 * a mapped pointer is void once unmapped.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS /* queues are made as 1.2 does: that works everywhere */
#include "backend.h"

#include "log.h"

#include <CL/cl.h>
#include <stdlib.h>
#include <string.h>

struct opencl {
    cl_command_queue queue;   /* the caller's, retained */
    cl_command_queue private; /* ours */
    cl_context context;
    bool is_out_of_order;
    bool has_plain_memory;
    pthread_mutex_t lock; /* of marker */
    cl_event marker;      /* NULL: everything that matters is finished */
};

static struct opencl *backend_of(const struct device *device)
{
    return device->state;
}

/* Platform names whose CPU devices work on the memory that clEnqueueMapBuffer returns. */
static const char *const plain_memory[] = {"Portable Computing Language"};

static bool is_listed(cl_device_id device)
{
    cl_platform_id platform;
    cl_device_type type;
    char name[256] = "";
    if (clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof(platform), &platform, NULL) ||
        clGetDeviceInfo(device, CL_DEVICE_TYPE, sizeof(type), &type, NULL) ||
        clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof(name), name, NULL) ||
        !(type & CL_DEVICE_TYPE_CPU))
        return false;
    for (size_t i = 0; i < sizeof(plain_memory) / sizeof(plain_memory[0]); i++)
        if (!strcmp(name, plain_memory[i]))
            return true;
    return false;
}

/* The address of a buffer's memory, which stays good on listed implementations. */
static void *map_once(struct opencl *opencl, cl_mem buffer, size_t bytes)
{
    cl_int error;
    void *pointer = clEnqueueMapBuffer(opencl->private, buffer, CL_TRUE, CL_MAP_READ, 0, bytes, 0,
                                       NULL, NULL, &error);
    if (error)
        return NULL;
    if (clEnqueueUnmapMemObject(opencl->private, buffer, pointer, 0, NULL, NULL) ||
        clFinish(opencl->private))
        return NULL;
    return pointer;
}

/* Do commands see what plain stores wrote, and plain loads what commands wrote? */
static bool is_one_memory(struct opencl *opencl, cl_mem one, cl_mem other, size_t bytes)
{
    unsigned char pattern[4096], seen[4096];
    unsigned char *first = map_once(opencl, one, bytes), *second = map_once(opencl, other, bytes);
    if (!first || !second || bytes > sizeof(pattern))
        return false;
    for (size_t i = 0; i < bytes; i++)
        pattern[i] = (unsigned char)(i * 37 + 11);
    memcpy(first, pattern, bytes);
    memset(second, 0, bytes);
    if (clEnqueueCopyBuffer(opencl->private, one, other, 0, 0, bytes, 0, NULL, NULL) ||
        clEnqueueReadBuffer(opencl->private, one, CL_TRUE, 0, bytes, seen, 0, NULL, NULL))
        return false;
    if (memcmp(seen, pattern, bytes) || memcmp(second, pattern, bytes))
        return false;
    memset(seen, 0x5a, bytes);
    if (clEnqueueWriteBuffer(opencl->private, one, CL_TRUE, 0, bytes, seen, 0, NULL, NULL))
        return false;
    return !memcmp(first, seen, bytes) && map_once(opencl, one, bytes) == (void *)first;
}

static bool test_plain_memory(struct opencl *opencl, cl_device_id device)
{
    const size_t bytes = 4096;
    cl_int error;
    if (!is_listed(device))
        return false;
    cl_mem one = clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    cl_mem other =
        error ? NULL : clCreateBuffer(opencl->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    bool is_fine = !error && is_one_memory(opencl, one, other, bytes);
    if (one)
        clReleaseMemObject(one);
    if (other)
        clReleaseMemObject(other);
    return is_fine;
}

static bool has_system_svm(cl_device_id device)
{
    cl_device_svm_capabilities capabilities = 0;
    return !clGetDeviceInfo(device, CL_DEVICE_SVM_CAPABILITIES, sizeof(capabilities), &capabilities,
                            NULL) &&
           (capabilities & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM);
}

static void opencl_close(struct device *device)
{
    struct opencl *opencl = backend_of(device);
    if (!opencl)
        return;
    if (opencl->marker)
        clReleaseEvent(opencl->marker);
    if (opencl->private)
        clReleaseCommandQueue(opencl->private);
    if (opencl->queue)
        clReleaseCommandQueue(opencl->queue);
    pthread_mutex_destroy(&opencl->lock);
    free(opencl);
    device->state = NULL;
}

static int opencl_open(struct device *device, void *given, int flags)
{
    struct opencl *opencl = calloc(1, sizeof(*opencl));
    cl_device_id id;
    cl_command_queue_properties properties = 0;
    cl_int error = 0;
    if (!opencl)
        return GPUVM_ESALLOC;
    device->state = opencl;
    pthread_mutex_init(&opencl->lock, NULL);
    if (clRetainCommandQueue(given)) {
        opencl_close(device);
        return GPUVM_ERROR;
    }
    opencl->queue = given;
    if (clGetCommandQueueInfo(given, CL_QUEUE_CONTEXT, sizeof(opencl->context), &opencl->context,
                              NULL) ||
        clGetCommandQueueInfo(given, CL_QUEUE_DEVICE, sizeof(id), &id, NULL) ||
        clGetCommandQueueInfo(given, CL_QUEUE_PROPERTIES, sizeof(properties), &properties, NULL) ||
        !(opencl->private = clCreateCommandQueue(opencl->context, id, 0, &error))) {
        opencl_close(device);
        return GPUVM_ERROR;
    }
    opencl->is_out_of_order = properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    opencl->has_plain_memory = !(flags & GPUVM_NO_REACH) && test_plain_memory(opencl, id);
    device->is_svm = has_system_svm(id);
    log_line(1, "device %u: %s", device->index,
             opencl->has_plain_memory ? "its buffers are reached by plain copies"
                                      : "its buffers need commands");
    return 0;
}

/* All but the last without waiting; the last one waits, and the queue is in order. */
static cl_int segment_enqueue(cl_command_queue queue, bool is_read,
                              const struct gpuvm_segment *segment, cl_bool is_blocking,
                              cl_event wait)
{
    cl_uint count = wait ? 1 : 0;
    const cl_event *list = wait ? &wait : NULL;
    return is_read ? clEnqueueReadBuffer(queue, segment->devbuf, is_blocking, segment->offset,
                                         segment->nbytes, segment->host, count, list, NULL)
                   : clEnqueueWriteBuffer(queue, segment->devbuf, is_blocking, segment->offset,
                                          segment->nbytes, segment->host, count, list, NULL);
}

static int segments_copy(cl_command_queue queue, bool is_read, const struct gpuvm_segment *segments,
                         size_t count, cl_event wait)
{
    for (size_t i = 0; i < count; i++)
        if (segment_enqueue(queue, is_read, &segments[i], i + 1 == count ? CL_TRUE : CL_FALSE,
                            wait)) {
            clFinish(queue); /* nothing may go on into memory that the caller takes back */
            return GPUVM_ERROR;
        }
    return 0;
}

static cl_event take_marker(struct opencl *opencl)
{
    pthread_mutex_lock(&opencl->lock);
    cl_event marker = opencl->marker;
    if (marker)
        clRetainEvent(marker);
    pthread_mutex_unlock(&opencl->lock);
    return marker;
}

static int segments_transfer(struct device *device, const struct gpuvm_segment *segments,
                             size_t count, bool is_read, bool is_fault)
{
    struct opencl *opencl = backend_of(device);
    cl_command_queue queue = is_fault ? opencl->private : opencl->queue;
    cl_event marker = is_fault ? take_marker(opencl) : NULL;
    int error = 0;
    if (!is_fault && opencl->is_out_of_order)
        error = clEnqueueBarrierWithWaitList(queue, 0, NULL, NULL) ? GPUVM_ERROR : 0;
    if (!error)
        error = segments_copy(queue, is_read, segments, count, marker);
    if (!error && !is_fault && opencl->is_out_of_order)
        error = clFinish(queue) ? GPUVM_ERROR : 0;
    if (marker)
        clReleaseEvent(marker);
    return error;
}

static int opencl_read(struct device *device, const struct gpuvm_segment *segments, size_t count,
                       bool is_fault)
{
    return segments_transfer(device, segments, count, true, is_fault);
}

static int opencl_write(struct device *device, const struct gpuvm_segment *segments, size_t count)
{
    return segments_transfer(device, segments, count, false, false);
}

/* By a barrier in the caller's queue, which all else here follows. The events' queues are flushed,
 * or they might never end. */
static int opencl_after(struct device *device, unsigned count, void *const *events)
{
    for (unsigned i = 0; i < count; i++) {
        cl_command_queue queue = NULL;
        if (clGetEventInfo(events[i], CL_EVENT_COMMAND_QUEUE, sizeof(queue), &queue, NULL) ||
            (queue && clFlush(queue)))
            return GPUVM_ERROR;
    }
    return clEnqueueBarrierWithWaitList(backend_of(device)->queue, count, (const cl_event *)events,
                                        NULL)
               ? GPUVM_ERROR
               : 0;
}

static int opencl_finish(struct device *device)
{
    return clFinish(backend_of(device)->queue) ? GPUVM_ERROR : 0;
}

static int opencl_mark(struct device *device)
{
    struct opencl *opencl = backend_of(device);
    cl_event marker, old;
    if (clEnqueueMarkerWithWaitList(opencl->queue, 0, NULL, &marker) || clFlush(opencl->queue))
        return GPUVM_ERROR;
    pthread_mutex_lock(&opencl->lock);
    old = opencl->marker;
    opencl->marker = marker;
    pthread_mutex_unlock(&opencl->lock);
    if (old)
        clReleaseEvent(old);
    return 0;
}

static void *opencl_reach(struct device *device, void *buffer, size_t bytes)
{
    return backend_of(device)->has_plain_memory ? map_once(backend_of(device), buffer, bytes)
                                                : NULL;
}

static void *opencl_allocate(void *user, unsigned index, size_t bytes)
{
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(backend_of(user)->context, CL_MEM_READ_WRITE, bytes, NULL, &error);
    return error ? NULL : buffer;
}

static void opencl_release(void *user, unsigned index, void *buffer)
{
    clReleaseMemObject(buffer);
}

static void opencl_hold(void *buffer)
{
    clRetainMemObject(buffer);
}

static void opencl_let_go(void *buffer)
{
    clReleaseMemObject(buffer);
}

const struct backend backend_opencl = {.api = GPUVM_OPENCL,
                                       .open = opencl_open,
                                       .close = opencl_close,
                                       .read = opencl_read,
                                       .write = opencl_write,
                                       .after = opencl_after,
                                       .finish = opencl_finish,
                                       .mark = opencl_mark,
                                       .reach = opencl_reach,
                                       .allocate = opencl_allocate,
                                       .release = opencl_release,
                                       .hold = opencl_hold,
                                       .let_go = opencl_let_go};

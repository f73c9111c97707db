/* SPDX-License-Identifier: MIT */
/* nuda_run, as the program of arms.c calls it: the run time's, or transfers and launches by hand
 * of the same kernel. */
#include "arms.h"

#include "device.h"
#include "device_fake.h"

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <gpuvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_ARRAYS 32
#define MOST_ARGUMENTS 64
#define MOST_USED 8
#define LOG_BYTES 2000
#define PATH_BYTES 4096

struct array {
    char *host;
    size_t nbytes;
    void *buffer;
};

static enum way current;
static struct nuda_device *device;
static void (*fake_finish)(void);
static double (*fake_excess_us)(void);
static struct array arrays[MOST_ARRAYS];
static unsigned array_count;

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "arms: %s\n", what);
    exit(1);
}

/* ---- The device ---- */

static struct nuda_device *open_fake(const char *wanted)
{
    char path[PATH_BYTES];
    const char *comma = strchr(wanted, ',');
    snprintf(path, sizeof(path), "%.*s", comma ? (int)(comma - wanted) : (int)strlen(wanted),
             wanted);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail(dlerror());
    struct nuda_device *(*open)(const char *) =
        (struct nuda_device * (*)(const char *)) dlsym(library, "nuda_device_open");
    fake_finish = (void (*)(void))dlsym(library, "nuda_fake_finish");
    fake_excess_us = (double (*)(void))dlsym(library, "nuda_fake_excess_us");
    return open ? open(comma ? comma + 1 : "") : NULL;
}

static void open_device(void)
{
    const char *wanted = getenv("NUDA_DEVICE");
    if (device)
        return;
    device = wanted && strchr(wanted, '/') ? open_fake(wanted) : device_opencl_open(wanted);
    if (!device)
        fail("there is no device");
}

static void transfer(const struct array *array, bool is_up)
{
    cl_command_queue queue = device->gpuvm_device;
    const struct gpuvm_device *given = device->gpuvm_device;
    struct gpuvm_segment segment = {array->buffer, 0, array->nbytes, array->host};
    int error;
    if (device->gpuvm_api == GPUVM_OPS)
        error = (is_up ? given->ops->write : given->ops->read)(given->device, &segment, 1);
    else if (is_up)
        error = clEnqueueWriteBuffer(queue, array->buffer, CL_TRUE, 0, array->nbytes, array->host,
                                     0, NULL, NULL);
    else
        error = clEnqueueReadBuffer(queue, array->buffer, CL_TRUE, 0, array->nbytes, array->host, 0,
                                    NULL, NULL);
    if (error)
        fail("a transfer by hand");
}

void way_finish(void)
{
    if (fake_finish)
        fake_finish();
    else if (device)
        clFinish(device->gpuvm_device);
}

double way_excess_us(void)
{
    return fake_excess_us ? fake_excess_us() : 0;
}

const char *way_device_name(void)
{
    open_device();
    return device->name;
}

/* ---- Arrays ---- */

void way_add_array(void *host, size_t nbytes)
{
    open_device();
    struct array *array = &arrays[array_count++];
    if (array_count == MOST_ARRAYS)
        fail("too many arrays");
    *array = (struct array){host, nbytes, device->operations->allocate(device, nbytes)};
    if (!array->buffer)
        fail("no device memory");
    transfer(array, true);
}

static struct array *array_at(const void *host)
{
    for (unsigned i = 0; i < array_count; i++)
        if ((const char *)host >= arrays[i].host &&
            (const char *)host < arrays[i].host + arrays[i].nbytes)
            return &arrays[i];
    fail("an unknown array");
}

void way_read_array(void *host)
{
    transfer(array_at(host), false);
}

/* ---- The launch ---- */

static void *kernel_of(const struct nuda_loop *loop)
{
    static const struct nuda_loop *known_loop;
    static void *known;
    char log[LOG_BYTES] = "";
    if (known_loop == loop)
        return known;
    known_loop = loop;
    known = device->operations->build(device, loop, log, sizeof(log));
    if (!known)
        fail(log);
    return known;
}

static void launch(struct nuda_loop *loop, const size_t count[], void *const values[],
                   struct array *const used[])
{
    struct nuda_argument arguments[MOST_ARGUMENTS];
    struct nuda_launch launch = {.dimensions = loop->dimensions, .arguments = arguments};
    unsigned long long offsets[MOST_USED] = {0}, counts[3];
    unsigned at = 0, next = 0;
    for (unsigned i = 0; i < loop->parameters; i++) {
        if (loop->parameter[i].kind == NUDA_VALUE) {
            arguments[at++] =
                (struct nuda_argument){.value = values[i], .size = loop->parameter[i].size};
            continue;
        }
        arguments[at++] = (struct nuda_argument){.buffer = used[next]->buffer};
        arguments[at++] = (struct nuda_argument){.value = &offsets[next], .size = sizeof(*offsets)};
        next++;
    }
    for (unsigned d = 0; d < loop->dimensions; d++) {
        counts[d] = launch.count[d] = count[d];
        launch.block[d] = loop->block[d];
        arguments[at++] = (struct nuda_argument){.value = &counts[d], .size = sizeof(*counts)};
    }
    launch.argument_count = at;
    if (!device->operations->launch(device, kernel_of(loop), &launch))
        fail("a launch by hand");
}

static void run_by_hand(struct nuda_loop *loop, const size_t count[], void *const values[])
{
    struct array *used[MOST_USED];
    unsigned used_count = 0;
    for (unsigned i = 0; i < loop->parameters && used_count < MOST_USED; i++)
        if (loop->parameter[i].kind == NUDA_ARRAY)
            used[used_count++] = array_at(*(void *const *)values[i]);
    for (unsigned i = 0; i < used_count && current == FULL_COPY; i++)
        transfer(used[i], true);
    launch(loop, count, values, used);
    for (unsigned i = 0; i < used_count && current == FULL_COPY; i++)
        transfer(used[i], false);
}

void way_set(enum way way)
{
    current = way;
}

/* Stands before the run time's. */
bool nuda_run(struct nuda_loop *loop, const size_t count[], void *const values[],
              const size_t array_bytes[])
{
    static bool (*next)(struct nuda_loop *, const size_t[], void *const[], const size_t[]);
    if (!next)
        next = (bool (*)(struct nuda_loop *, const size_t[], void *const[], const size_t[]))dlsym(
            RTLD_NEXT, "nuda_run");
    if (current == HOST)
        return false;
    if (current == NUDA)
        return next(loop, count, values, array_bytes);
    run_by_hand(loop, count, values);
    return true;
}

/* SPDX-License-Identifier: MIT */
#include "device.h"

#include "collect.h"
#include "message.h"

#include <dlfcn.h>
#include <gpuvm.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define PATH_BYTES 4096

void gpuvm_preload_attach(int (*forget)(void *, size_t, int),
                          int (*is_linked)(const void *, size_t),
                          int (*host_begin)(void *, size_t, int), int (*host_end)(void *, size_t))
    __attribute__((weak));

static struct nuda_device *device;

/* ---- What libgpuvm asks the device for ---- */

static void *allocate(void *user, unsigned index, size_t nbytes)
{
    struct nuda_device *of = user;
    (void)index;
    return of->operations->allocate(of, nbytes);
}

static void release(void *user, unsigned index, void *buffer)
{
    struct nuda_device *of = user;
    (void)index;
    of->operations->release(of, buffer);
}

/* ---- What malloc's interposer asks libgpuvm for, beside a collector ---- */

struct call {
    int (*function)(void *pointer, size_t nbytes, int flags);
    void *pointer;
    size_t nbytes;
    int flags, result;
};

static void make_call(void *argument)
{
    struct call *call = argument;
    call->result = call->function(call->pointer, call->nbytes, call->flags);
}

static int guarded_forget(void *pointer, size_t nbytes, int flags)
{
    struct call call = {gpuvm_forget, pointer, nbytes, flags, 0};
    collect_guard(make_call, &call);
    return call.result;
}

static int guarded_host_begin(void *pointer, size_t nbytes, int flags)
{
    struct call call = {gpuvm_host_begin, pointer, nbytes, flags, 0};
    collect_guard(make_call, &call);
    return call.result;
}

/* ---- The choice ---- */

/* FILE.so,OPTIONS */
static struct nuda_device *open_library(const char *wanted)
{
    char path[PATH_BYTES];
    const char *comma = strchr(wanted, ',');
    size_t length = comma ? (size_t)(comma - wanted) : strlen(wanted);
    if (length >= sizeof(path))
        return NULL;
    memcpy(path, wanted, length);
    path[length] = '\0';
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) {
        message(NULL, "NUDA_DEVICE: %s", dlerror());
        return NULL;
    }
    struct nuda_device *(*open)(const char *) =
        (struct nuda_device * (*)(const char *)) dlsym(library, "nuda_device_open");
    if (!open)
        message(NULL, "NUDA_DEVICE: %s has no nuda_device_open", path);
    return open ? open(comma ? comma + 1 : "") : NULL;
}

/* A device that was asked for and is not there is a mistake; that there is none at all is not. */
static struct nuda_device *choose(void)
{
    const char *wanted = getenv("NUDA_DEVICE");
    if (wanted && strcmp(wanted, "none") == 0) {
        if (message_level() > 0)
            message(NULL, "NUDA_DEVICE is none: loops run on the host");
        return NULL;
    }
    bool is_asked = wanted && *wanted;
    struct nuda_device *found = is_asked && strchr(wanted, '/')
                                    ? open_library(wanted)
                                    : device_opencl_open(is_asked ? wanted : NULL);
    if (!found && is_asked)
        message_fatal(NULL, "NUDA_DEVICE: there is no device `%s` (`clinfo -l` lists them)",
                      wanted);
    if (!found && message_level() > 0)
        message(NULL, "there is no OpenCL device: loops run on the host");
    return found;
}

static void print_totals(void)
{
    unsigned long long up, down, commands_up, commands_down, faults;
    if (message_level() == 0 || gpuvm_stat(GPUVM_STAT_BYTES_TO_DEVICE, &up))
        return;
    gpuvm_stat(GPUVM_STAT_BYTES_FROM_DEVICE, &down);
    gpuvm_stat(GPUVM_STAT_TRANSFERS_TO_DEVICE, &commands_up);
    gpuvm_stat(GPUVM_STAT_TRANSFERS_FROM_DEVICE, &commands_down);
    gpuvm_stat(GPUVM_STAT_PAGEFAULTS, &faults);
    message(
        NULL,
        "in all: %llu bytes to the device in %llu transfers, %llu bytes from it in %llu; %llu page "
        "faults; %llu dead arrays released",
        up, commands_up, down, commands_down, faults, collect_released());
}

static void start_library(void)
{
    struct gpuvm_allocator allocator = {.allocate = allocate, .release = release, .user = device};
    void *devices[1] = {device->gpuvm_device};
    int error = gpuvm_init(1, devices, device->gpuvm_api | GPUVM_WRITER_SIG_BLOCK);
    if (!error)
        error = gpuvm_set_allocator(0, &allocator);
    if (error)
        message_fatal(NULL, "%s: libgpuvm does not start: %s", device->name, gpuvm_strerror(error));
    if (gpuvm_preload_attach)
        gpuvm_preload_attach(guarded_forget, gpuvm_is_linked, guarded_host_begin, gpuvm_host_end);
    if (message_level() > 0) {
        const char *rung = "";
        gpuvm_stat(GPUVM_STAT_RUNG, &rung);
        message(NULL, "loops run on %s (%s)", device->name, rung);
    }
    atexit(print_totals);
}

struct nuda_device *device_get(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static atomic_bool is_chosen;
    if (atomic_load_explicit(&is_chosen, memory_order_acquire))
        return device;
    pthread_mutex_lock(&lock);
    if (!atomic_load(&is_chosen)) {
        device = choose();
        if (device)
            start_library();
        atomic_store_explicit(&is_chosen, true, memory_order_release);
    }
    pthread_mutex_unlock(&lock);
    return device;
}

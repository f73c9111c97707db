/* SPDX-License-Identifier: MIT */
/* The public interface: starting, stopping, statistics. Arrays: api_arrays.c; kernels:
 * api_kernels.c. */
#include "api.h"

#include "backend.h"
#include "check.h"
#include "log.h"
#include "trace.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define API_MASK (GPUVM_OPENCL | GPUVM_CUDA | GPUVM_OPS)
#define OPTION_MASK                                                                                \
    (GPUVM_STAT | GPUVM_WRITER_SIG_BLOCK | GPUVM_UNLINK_NO_SYNC_BACK | GPUVM_RUNG_MASK |           \
     GPUVM_CHECK_SHARING | GPUVM_NO_HUGE_PAGES | GPUVM_NO_REACH)

/* One at a time; never freed, so that a thread that is late finds an empty index and not nothing.
 */
static struct context the_context;
static enum { BEFORE_NOTHING, BEFORE_DONE, AFTER_DONE } order;

int gpuvm_library_exists(void)
{
    return 1;
}

int gpuvm_pre_init(int flags)
{
    if (flags != GPUVM_THREADS_BEFORE_INIT && flags != GPUVM_THREADS_AFTER_INIT)
        return GPUVM_EARG;
    if (lifecycle_context())
        return GPUVM_ESTATE;
    if (flags == GPUVM_THREADS_AFTER_INIT && order != BEFORE_DONE)
        return order == AFTER_DONE ? GPUVM_ETWICE : GPUVM_ESTATE;
    order = flags == GPUVM_THREADS_BEFORE_INIT ? BEFORE_DONE : AFTER_DONE;
    return 0;
}

/* ---- Bounce buffers: a list of free ones, linked through their first word ---- */

struct bounce {
    struct bounce *next;
};

/* Mapped, not allocated: the faulting thread may hold an allocator's lock. */
static bool map_bounce(struct context *context)
{
    struct bounce *bounce = mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bounce == MAP_FAILED)
        return false;
    bounce->next = context->bounces;
    context->bounces = bounce;
    context->bounce_count++;
    return true;
}

char *bounce_take(struct context *context)
{
    pthread_mutex_lock(&context->bounce_lock);
    /* Where the kernel gives no more mappings, another thread's will be free soon: no thread holds
     * two. */
    while (!context->bounces && !map_bounce(context) && context->bounce_count)
        pthread_cond_wait(&context->bounce_given, &context->bounce_lock);
    struct bounce *bounce = context->bounces;
    if (bounce)
        context->bounces = bounce->next;
    pthread_mutex_unlock(&context->bounce_lock);
    return (char *)bounce;
}

void bounce_give(struct context *context, char *bounce)
{
    struct bounce *mine = (struct bounce *)bounce;
    pthread_mutex_lock(&context->bounce_lock);
    mine->next = context->bounces;
    context->bounces = mine;
    pthread_cond_signal(&context->bounce_given);
    pthread_mutex_unlock(&context->bounce_lock);
}

static void free_bounces(struct context *context)
{
    while (context->bounces) {
        struct bounce *bounce = context->bounces;
        context->bounces = bounce->next;
        munmap(bounce, BLOCK_BYTES);
    }
}

/* ---- Start and end ---- */

static int check_arguments(unsigned count, void **devices, int flags)
{
    int api = flags & API_MASK;
    if (lifecycle_context())
        return GPUVM_ETWICE;
    if (api != GPUVM_OPENCL && api != GPUVM_OPS)
        return GPUVM_EAPI;
    if (!count || (flags & ~(API_MASK | OPTION_MASK)))
        return GPUVM_EARG;
    if (!devices)
        return GPUVM_ENULL;
    for (unsigned i = 0; i < count; i++)
        if (!devices[i])
            return GPUVM_ENULL;
    if ((flags & GPUVM_RUNG_MASK) && !rung_name(flags & GPUVM_RUNG_MASK))
        return GPUVM_EARG;
    return 0;
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value && strcmp(value, "0");
}

static void close_devices(struct context *context)
{
    for (unsigned i = 0; i < context->device_count; i++)
        context->devices[i].backend->close(&context->devices[i]);
    free(context->devices);
    context->devices = NULL;
    context->device_count = 0;
}

static int open_devices(struct context *context, unsigned count, void **given)
{
    const struct backend *backend = context->flags & GPUVM_OPENCL ? &backend_opencl : &backend_ops;
    context->devices = calloc(count, sizeof(*context->devices));
    if (!context->devices)
        return GPUVM_ESALLOC;
    for (unsigned i = 0; i < count; i++) {
        struct device *device = &context->devices[i];
        device->index = i;
        device->backend = backend;
        int error = backend->open(device, given[i], context->flags);
        if (error)
            return error;
        context->device_count = i + 1;
    }
    return 0;
}

static void init_locks(struct context *context)
{
    pthread_rwlock_init(&context->index_lock, NULL);
    pthread_mutex_init(&context->copying_lock, NULL);
    pthread_mutex_init(&context->fetching_lock, NULL);
    pthread_mutex_init(&context->bounce_lock, NULL);
    pthread_cond_init(&context->bounce_given, NULL);
}

/* Half of the mappings that the kernel allows a process. */
static unsigned find_most_mappings(void)
{
    unsigned most = 65530; /* the kernel's default */
    FILE *file = fopen("/proc/sys/vm/max_map_count", "re");
    if (file) {
        if (fscanf(file, "%u", &most) != 1)
            most = 65530;
        fclose(file);
    }
    return most / 2;
}

static int open_rung(struct context *context)
{
    const char *name = getenv("GPUVM_BACKEND");
    if (!name || !*name)
        name = rung_name(context->flags & GPUVM_RUNG_MASK);
    return rung_choose(&context->rung, context, name);
}

/* libgpuvm-preload.so, if it is there, hears from us what there is to call: it may have been loaded
 * long before us. */
static void tell_preload(bool is_started)
{
    typedef int (*range_call)(void *, size_t, int);
    void (*attach)(range_call, int (*)(const void *, size_t), range_call, int (*)(void *, size_t));
    *(void **)&attach = dlsym(RTLD_DEFAULT, "gpuvm_preload_attach");
    if (attach && is_started)
        attach(gpuvm_forget, gpuvm_is_linked, gpuvm_host_begin, gpuvm_host_end);
    else if (attach)
        attach(NULL, NULL, NULL, NULL);
}

int gpuvm_init(unsigned ndevs, void **devs, int flags)
{
    struct context *context = &the_context;
    int error = check_arguments(ndevs, devs, flags);
    if (error)
        return error;
    log_init();
    *context =
        (struct context){.page_bytes = (size_t)sysconf(_SC_PAGESIZE),
                         .flags = flags | (is_set("GPUVM_NO_REACH") ? GPUVM_NO_REACH : 0),
                         .is_checking = (flags & GPUVM_CHECK_SHARING) || is_set("GPUVM_CHECK"),
                         .has_times = flags & GPUVM_STAT,
                         .most_mappings = find_most_mappings(),
                         .service_queue = -1,
                         .watch_timer = -1,
                         .stop_fd = -1};
    init_locks(context);
    if (!map_bounce(context))
        return GPUVM_ESALLOC;
    error = open_devices(context, ndevs, devs);
    if (!error)
        error = open_rung(context);
    if (!error && (error = service_start(context)))
        context->rung.ops->close(&context->rung);
    if (error) {
        close_devices(context);
        free_bounces(context);
        return error;
    }
    trace_open(context);
    lifecycle_publish(context);
    tell_preload(true);
    return 0;
}

static void drop_all(struct context *context)
{
    bool is_kept = !(context->flags & GPUVM_UNLINK_NO_SYNC_BACK);
    struct array *array;
    uintptr_t at = 0;
    while ((array = array_find_next(context, at))) {
        at = array->node.end;
        array_lock(array);
        for (unsigned i = 0; i < array->link_count; i++)
            if (array->links[i].begun)
                check_report(context, "never-ended", array, &array->links[i], -1, (struct site){0});
        if (lifecycle_drop(array, is_kept))
            lifecycle_drop(array, false); /* the device is lost, the host memory is not */
        array_release(array);
    }
}

int gpuvm_finish(void)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    tell_preload(false);
    lifecycle_check_rung(context);
    lifecycle_publish(NULL);
    service_await_unmaps(context, 0, UINTPTR_MAX);
    drop_all(context);
    service_stop(context);
    context->rung.ops->close(&context->rung);
    trace_close(context);
    close_devices(context);
    free_bounces(context);
    order = BEFORE_NOTHING;
    return 0;
}

/* ---- What there is to know ---- */

static double seconds_of(_Atomic uint64_t *ns)
{
    return (double)atomic_load(ns) / 1e9;
}

static bool stat_counter(struct context *context, int parameter, unsigned long long *value)
{
    struct totals *totals = &context->totals;
    _Atomic uint64_t *counters[] = {
        [GPUVM_STAT_BYTES_TO_DEVICE] = &totals->bytes_to,
        [GPUVM_STAT_BYTES_FROM_DEVICE] = &totals->bytes_from,
        [GPUVM_STAT_TRANSFERS_TO_DEVICE] = &totals->transfers_to,
        [GPUVM_STAT_TRANSFERS_FROM_DEVICE] = &totals->transfers_from,
        [GPUVM_STAT_READ_FAULTS] = &totals->read_faults,
        [GPUVM_STAT_WRITE_FAULTS] = &totals->write_faults,
        [GPUVM_STAT_TRACKING_FAULTS] = &totals->tracking_faults,
        [GPUVM_STAT_ARRAYS] = &totals->arrays,
        [GPUVM_STAT_EAGER_ARRAYS] = &totals->refused_arrays,
        [GPUVM_STAT_LONGEST_FAULT_NS] = &totals->longest_fault_ns,
        [GPUVM_STAT_UNMAPPED_ARRAYS] = &totals->unmapped_arrays,
        [GPUVM_STAT_REPORTS] = &totals->reports,
        [GPUVM_STAT_EVICTIONS] = &totals->evictions,
    };
    if (parameter == GPUVM_STAT_PAGEFAULTS) {
        *value = atomic_load(&totals->read_faults) + atomic_load(&totals->write_faults) +
                 atomic_load(&totals->tracking_faults);
        return true;
    }
    if (parameter < 0 || (size_t)parameter >= sizeof(counters) / sizeof(counters[0]) ||
        !counters[parameter])
        return false;
    *value = atomic_load(counters[parameter]);
    return true;
}

int gpuvm_stat(int parameter, void *value)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    if (!value)
        return GPUVM_ENULL;
    lifecycle_check_rung(context);
    struct totals *totals = &context->totals;
    switch (parameter) {
    case GPUVM_STAT_ENABLED:
        *(int *)value = context->has_times;
        return 0;
    case GPUVM_STAT_NDEVS:
        *(unsigned *)value = context->device_count;
        return 0;
    case GPUVM_STAT_COPY_TIME:
        *(double *)value = seconds_of(&totals->copy_ns);
        return 0;
    case GPUVM_STAT_HOST_COPY_TIME:
        *(double *)value = seconds_of(&totals->host_copy_ns);
        return 0;
    case GPUVM_STAT_PAGEFAULT_TIME:
        *(double *)value = seconds_of(&totals->fault_ns);
        return 0;
    case GPUVM_STAT_RUNG:
        *(const char **)value = rung_current(&context->rung);
        return 0;
    case GPUVM_STAT_RUNG_REASON:
        *(const char **)value = context->rung_reason;
        return 0;
    default:
        return stat_counter(context, parameter, value) ? 0 : GPUVM_EARG;
    }
}

const char *gpuvm_strerror(int error)
{
    switch (error) {
    case 0:
        return "success";
    case GPUVM_ERROR:
        return "a device's command failed";
    case GPUVM_ESALLOC:
        return "no host memory for the library";
    case GPUVM_ENULL:
        return "a null pointer where none is allowed";
    case GPUVM_EARG:
        return "a flag, a size or an index out of range";
    case GPUVM_ETWICE:
        return "done already: initialised, or the array is known";
    case GPUVM_ERANGE:
        return "overlaps another linked array without being the same range";
    case GPUVM_ELINK:
        return "linked on this device already";
    case GPUVM_EHOSTPTR:
        return "the pointer is in no linked array";
    case GPUVM_EDEVALLOC:
        return "the device could not allocate";
    case GPUVM_EPROT:
        return "the protection of the memory does not allow it";
    case GPUVM_ENOLINK:
        return "the array is not linked on this device";
    case GPUVM_ESTATE:
        return "not initialised, or in the wrong order";
    case GPUVM_EAPI:
        return "an unknown kind of device";
    default:
        return "an unknown error";
    }
}

int gpuvm_set_allocator(unsigned idev, const struct gpuvm_allocator *allocator)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    if (!allocator || !allocator->allocate || !allocator->release)
        return GPUVM_ENULL;
    struct device *device = api_device(context, idev);
    if (!device)
        return GPUVM_EARG;
    device->allocator = *allocator;
    device->has_allocator = true;
    return 0;
}

int gpuvm_set_budget(unsigned idev, size_t nbytes)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    struct device *device = api_device(context, idev);
    if (!device)
        return GPUVM_EARG;
    const struct backend *backend = device->backend;
    if (!device->has_allocator && !backend->allocate)
        return GPUVM_ENULL;
    if (!device->has_allocator) {
        device->allocator = (struct gpuvm_allocator){
            .allocate = backend->allocate, .release = backend->release, .user = device};
        device->has_allocator = true;
    }
    atomic_store(&device->budget_bytes, nbytes);
    return 0;
}

int gpuvm_trace_write(const char *path)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    return path ? trace_write(context, path) : GPUVM_ENULL;
}

static _Thread_local struct {
    unsigned depth;
    struct signal_block block;
} calls __attribute__((tls_model("initial-exec")));

int gpuvm_calls_begin(void)
{
    if (calls.depth++ == 0)
        calls.block = signal_block_begin(lifecycle_context());
    return 0;
}

int gpuvm_calls_end(void)
{
    if (calls.depth == 0)
        return GPUVM_ESTATE;
    if (--calls.depth == 0)
        signal_block_end(&calls.block);
    return 0;
}

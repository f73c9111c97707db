/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include "descriptors.h"
#include "log.h"
#include "transfer.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define LIMIT_NS UINT64_C(1000000000)
#define PERIOD_NS 250000000

static void set_timer(struct context *context, bool is_on)
{
    struct timespec period = {.tv_nsec = is_on ? PERIOD_NS : 0};
    timerfd_settime(context->watch_timer, 0,
                    &(struct itimerspec){.it_interval = period, .it_value = period}, NULL);
}

static void fetching_report(const struct fetching *fetching)
{
    log_always("thread %d waits at %p for a command of device %u that does not end: it is to bring "
               "%zu bytes of the array %p of %zu bytes. If an OpenCL command of the program uses "
               "that array, call gpuvm_host_begin before it, or use libgpuvm-preload.so.",
               fetching->thread, (void *)fetching->address, fetching->device, fetching->bytes,
               fetching->host, fetching->array_bytes);
}

static void context_look(struct context *context)
{
    uint64_t now = now_ns();
    pthread_mutex_lock(&context->fetching_lock);
    for (unsigned i = 0; i < SERVICE_THREADS; i++) {
        struct fetching *fetching = &context->fetching[i];
        if (!fetching->since_ns || fetching->is_reported || now - fetching->since_ns < LIMIT_NS)
            continue;
        fetching->is_reported = true;
        fetching_report(fetching);
    }
    pthread_mutex_unlock(&context->fetching_lock);
}

/* False: another thread has the array. */
static bool let_ask_again(struct context *context, uintptr_t address)
{
    struct array *array = array_find(context, (void *)address);
    if (!array)
        return true;
    bool is_mine = array_try_lock(array);
    if (is_mine) {
        size_t page = (address - (uintptr_t)array->interior) / context->page_bytes;
        if (array->is_attached && !array_is_gone(array) && address >= (uintptr_t)array->interior &&
            page < array->pages && !bits_get(array->present, page))
            context->rung.ops->revoke(&context->rung, array, page, page + 1);
        array_unlock(array);
    }
    array_forget(array);
    return is_mine;
}

static void look_at_failed(struct context *context)
{
    uintptr_t failed[MOST_FAILED];
    pthread_mutex_lock(&context->fetching_lock);
    unsigned count = context->failed_count;
    for (unsigned i = 0; i < count; i++)
        failed[i] = context->failed[i];
    context->failed_count = 0;
    if (count && !context->fetching_count)
        set_timer(context, false);
    pthread_mutex_unlock(&context->fetching_lock);
    for (unsigned i = 0; i < count; i++)
        if (!let_ask_again(context, failed[i]))
            watch_failed(context, failed[i]);
}

void watch_failed(struct context *context, uintptr_t address)
{
    pthread_mutex_lock(&context->fetching_lock);
    if (context->failed_count < MOST_FAILED) /* else it stays as it is until the next use */
        context->failed[context->failed_count++] = address;
    set_timer(context, true);
    pthread_mutex_unlock(&context->fetching_lock);
}

static void *context_watch(void *argument)
{
    struct context *context = argument;
    struct pollfd fds[] = {{.fd = context->stop_fd, .events = POLLIN},
                           {.fd = context->watch_timer, .events = POLLIN}};
    while (poll(fds, 2, -1) < 0 || !fds[0].revents) {
        uint64_t expirations;
        if (read(context->watch_timer, &expirations, sizeof(expirations)) > 0) {
            context_look(context);
            look_at_failed(context);
        }
    }
    return NULL;
}

int watch_start(struct context *context)
{
    context->watch_timer =
        descriptor_keep(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK));
    context->has_watch =
        context->watch_timer >= 0 && !pthread_create(&context->watch, NULL, context_watch, context);
    if (!context->has_watch)
        return GPUVM_ERROR;
    pthread_setname_np(context->watch, "gpuvm-watch");
    return 0;
}

void watch_stop(struct context *context, bool is_told)
{
    if (context->has_watch && !is_told)
        pthread_cancel(context->watch);
    if (context->has_watch)
        pthread_join(context->watch, NULL);
    context->has_watch = false;
}

void watch_begin(struct array *array, const struct fault *fault, const struct link *link,
                 size_t bytes, unsigned index)
{
    struct context *context = array->context;
    pthread_mutex_lock(&context->fetching_lock);
    context->fetching[index] = (struct fetching){.since_ns = now_ns(),
                                                 .host = array->host,
                                                 .address = fault->address,
                                                 .array_bytes = array->bytes,
                                                 .bytes = bytes,
                                                 .device = link->device->index,
                                                 .thread = fault->thread};
    if (!context->fetching_count++ && !context->failed_count)
        set_timer(context, true);
    pthread_mutex_unlock(&context->fetching_lock);
}

void watch_end(struct context *context, unsigned index)
{
    pthread_mutex_lock(&context->fetching_lock);
    context->fetching[index].since_ns = 0;
    if (!--context->fetching_count && !context->failed_count)
        set_timer(context, false);
    pthread_mutex_unlock(&context->fetching_lock);
}

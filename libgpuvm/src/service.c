/* SPDX-License-Identifier: MIT */
#include "service.h"

#include "descriptors.h"
#include "fetch.h"
#include "lifecycle.h"
#include "thread.h"
#include "watch.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)512 << 10)
#define MOST_PUT_OFF 64 /* faults that are read before the events that come after them */

#define AWAIT_SPINS 1000 /* before sleeping: most often it is a read that finds nothing */
#define AWAIT_TRIES (AWAIT_SPINS + 6000)
#define AWAIT_OTHERS_TRIES 200 /* others may never all be back at once */
#define AWAIT_PAUSE_NS 100000

/* Of a service thread. (initial-exec: faults that are served in a signal's handler ask, too.) */
static __thread struct context *serving __attribute__((tls_model("initial-exec")));
static __thread struct unmap_events *my_events;
static __thread unsigned events_depth;

static void set_events(uintptr_t start, uintptr_t end)
{
    atomic_store(&my_events->start, start);
    atomic_store(&my_events->end, end);
}

/* Whatever is read from here on may be events of any place. */
static void begin_events(void)
{
    set_events(0, UINTPTR_MAX);
    if (events_depth++ == 0)
        atomic_fetch_add(&my_events->step, 1);
}

static void end_events(void)
{
    if (--events_depth == 0)
        atomic_fetch_add(&my_events->step, 1);
}

enum next { NOTHING, UNMAP_EVENT, FAULT };

/* The next fault. Unmap events are served here. */
static enum next read_next(struct context *context, int fd, struct fault *fault)
{
    struct rung *rung = &context->rung;
    uintptr_t outer_start = atomic_load(&my_events->start),
              outer_end = atomic_load(&my_events->end);
    begin_events();
    bool is_read = rung->ops->next(rung, fd, fault);
    bool is_unmap = is_read && fault->kind == FAULT_UNMAPPED;
    if (is_unmap) {
        if (events_depth == 1)
            set_events(fault->address, fault->end);
        lifecycle_unmapped(context, fault->address, fault->end);
    }
    end_events();
    if (events_depth) /* back in what this was read for */
        set_events(outer_start, outer_end);
    return is_unmap ? UNMAP_EVENT : is_read ? FAULT : NOTHING;
}

/* No place of cancellation, unlike the C library's. */
static void pause_awaiting(void)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = AWAIT_PAUSE_NS}, NULL);
}

static bool is_in_work(struct unmap_events *events, unsigned step, uintptr_t start, uintptr_t end)
{
    return step % 2 && atomic_load(&events->start) < end && atomic_load(&events->end) > start &&
           atomic_load(&events->step) == step;
}

void service_await_unmaps(struct context *context, uintptr_t start, size_t bytes)
{
    uintptr_t end = bytes > UINTPTR_MAX - start ? UINTPTR_MAX : start + bytes;
    unsigned tries = 0;
    for (unsigned i = 0; i < context->started && !serving; i++) {
        struct unmap_events *events = &context->unmap_events[i];
        unsigned step = atomic_load(&events->step);
        while (tries < AWAIT_TRIES && is_in_work(events, step, start, end))
            if (++tries > AWAIT_SPINS)
                pause_awaiting();
    }
}

void service_await_other_unmaps(struct context *context, uintptr_t start, size_t bytes)
{
    struct rung *rung = &context->rung;
    unsigned tries = 0;
    for (int i = 0; i < RUNG_FDS && rung->ops->is_changing && !serving; i++)
        while (rung->fds[i] >= 0 && rung->ops->is_changing(rung, rung->fds[i]) &&
               tries++ < AWAIT_OTHERS_TRIES)
            pause_awaiting();
    service_await_unmaps(context, start, bytes);
}

void service_catch_up(void)
{
    struct fault faults[MOST_PUT_OFF];
    unsigned count = 0;
    if (!serving)
        return;
    struct rung *rung = &serving->rung;
    for (int i = 0; i < RUNG_FDS; i++) {
        enum next next = rung->fds[i] < 0 ? NOTHING : UNMAP_EVENT;
        while (next != NOTHING && count < MOST_PUT_OFF) {
            next = read_next(serving, rung->fds[i], &faults[count]);
            count += next == FAULT;
        }
    }
    while (count > 0) /* they come again */
        rung->ops->settle(rung, &faults[--count]);
}

/* A descriptor wakes one thread, which has read one fault before the next thread is woken. So a
 * fault waits neither for the service of another nor for a thread that finds nothing. */
#define ONE_THREAD (EPOLLIN | EPOLLONESHOT)

static int context_watch(struct context *context, int operation, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(context->service_queue, operation, fd, &event);
}

static void serve_one(struct context *context, int fd)
{
    struct fault fault;
    enum next next = read_next(context, fd, &fault);
    context_watch(context, EPOLL_CTL_MOD, fd, ONE_THREAD);
    if (next == FAULT)
        fetch_serve(context, &fault);
}

static int open_queue(struct context *context)
{
    context->service_queue = descriptor_keep(epoll_create1(EPOLL_CLOEXEC));
    bool is_bad = context->service_queue < 0 ||
                  context_watch(context, EPOLL_CTL_ADD, context->stop_fd, EPOLLIN);
    for (int i = 0; i < RUNG_FDS && !is_bad; i++)
        is_bad = context->rung.fds[i] >= 0 &&
                 context_watch(context, EPOLL_CTL_ADD, context->rung.fds[i], ONE_THREAD);
    return is_bad ? -1 : 0;
}

void service_close_fds(struct context *context)
{
    int *fds[] = {&context->service_queue, &context->watch_timer, &context->stop_fd};
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        descriptor_close(fds[i]);
}

static void *service_serve(void *argument)
{
    struct context *context = argument;
    unsigned index = atomic_fetch_add(&context->service_count, 1);
    struct epoll_event event = {.data.fd = -1};
    atomic_store(&context->service_ids[index], thread_id());
    serving = context;
    my_events = &context->unmap_events[index];
    while (event.data.fd != context->stop_fd)
        if (epoll_wait(context->service_queue, &event, 1, -1) == 1 &&
            event.data.fd != context->stop_fd)
            serve_one(context, event.data.fd);
    return NULL;
}

static int start_threads(struct context *context)
{
    pthread_attr_t attributes;
    unsigned count = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (count < SERVICE_THREADS &&
           !pthread_create(&context->service[count], &attributes, service_serve, context)) {
        pthread_setname_np(context->service[count], "gpuvm");
        count++;
    }
    pthread_attr_destroy(&attributes);
    context->started = count;
    return count == SERVICE_THREADS ? 0 : GPUVM_ERROR;
}

unsigned service_index(void)
{
    return (unsigned)(my_events - serving->unmap_events);
}

int service_start(struct context *context)
{
    sigset_t all, before;
    context->started = 0;
    atomic_store(&context->service_count, 0);
    context->stop_fd = -1;
    context->service_queue = -1;
    if (!context->rung.ops->next)
        return 0; /* nothing to serve */
    context->stop_fd = descriptor_keep(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (context->stop_fd < 0)
        return GPUVM_ERROR;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = open_queue(context) ? GPUVM_ERROR : start_threads(context);
    if (!error)
        error = watch_start(context);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error)
        service_stop(context);
    return error;
}

void service_stop(struct context *context)
{
    if (context->stop_fd < 0)
        return;
    uint64_t one = 1;
    bool is_told = write(context->stop_fd, &one, sizeof(one)) == sizeof(one) &&
                   !atomic_load(&context->rung.is_lost);
    for (unsigned i = 0; i < context->started; i++) {
        if (!is_told) /* the descriptors that it waits on may not be ours any more */
            pthread_cancel(context->service[i]);
        pthread_join(context->service[i], NULL);
        atomic_store(&context->service_ids[i], 0);
    }
    watch_stop(context, is_told);
    service_close_fds(context);
    context->started = 0;
}

/* SPDX-License-Identifier: MIT */
#include "service.h"

#include "fetch.h"
#include "lifecycle.h"

#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)512 << 10)

static void serve_all(struct context *context, int fd)
{
    struct fault fault;
    while (context->rung.ops->next(&context->rung, fd, &fault)) {
        if (fault.kind == FAULT_UNMAPPED)
            lifecycle_unmapped(context, fault.address, fault.end);
        else
            fetch_serve(context, &fault);
    }
}

/* Each thread waits by itself; a fault wakes one of those that wait. */
static int watch(const struct context *context)
{
    int queue = epoll_create1(EPOLL_CLOEXEC);
    struct epoll_event stop = {.events = EPOLLIN, .data.fd = context->stop_fd};
    bool is_bad = queue < 0 || epoll_ctl(queue, EPOLL_CTL_ADD, context->stop_fd, &stop);
    for (int i = 0; i < RUNG_FDS && !is_bad; i++) {
        struct epoll_event event = {.events = EPOLLIN | EPOLLEXCLUSIVE,
                                    .data.fd = context->rung.fds[i]};
        is_bad = event.data.fd >= 0 && epoll_ctl(queue, EPOLL_CTL_ADD, event.data.fd, &event);
    }
    if (is_bad && queue >= 0)
        close(queue);
    return is_bad ? -1 : queue;
}

static void *serve(void *argument)
{
    struct context *context = argument;
    unsigned mine = atomic_fetch_add(&context->service_count, 1);
    atomic_store(&context->service_ids[mine], (int)syscall(SYS_gettid));
    int queue = watch(context);
    bool is_stopped = queue < 0;
    while (!is_stopped) {
        struct epoll_event events[RUNG_FDS + 1];
        int count = epoll_wait(queue, events, RUNG_FDS + 1, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.fd == context->stop_fd)
                is_stopped = true;
            else
                serve_all(context, events[i].data.fd);
        }
    }
    if (queue >= 0)
        close(queue);
    return NULL;
}

static int start_threads(struct context *context)
{
    pthread_attr_t attributes;
    unsigned count = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    while (count < SERVICE_THREADS &&
           !pthread_create(&context->service[count], &attributes, serve, context)) {
        pthread_setname_np(context->service[count], "gpuvm");
        count++;
    }
    pthread_attr_destroy(&attributes);
    context->started = count;
    return count == SERVICE_THREADS ? 0 : GPUVM_ERROR;
}

int service_start(struct context *context)
{
    sigset_t all, before;
    context->started = 0;
    atomic_store(&context->service_count, 0);
    context->stop_fd = -1;
    if (!context->rung.ops->next)
        return 0; /* nothing to serve */
    context->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (context->stop_fd < 0)
        return GPUVM_ERROR;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = start_threads(context);
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
    while (write(context->stop_fd, &one, sizeof(one)) < 0)
        ;
    for (unsigned i = 0; i < context->started; i++) {
        pthread_join(context->service[i], NULL);
        atomic_store(&context->service_ids[i], 0);
    }
    close(context->stop_fd);
    context->stop_fd = -1;
    context->started = 0;
}

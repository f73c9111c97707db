/* SPDX-License-Identifier: MIT */
#include "service.h"

#include "attend.h"
#include "fetch.h"
#include "lifecycle.h"
#include "thread.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define STACK_BYTES ((size_t)512 << 10)
#define MOST_PUT_OFF 64 /* faults that are read before the news that come after them */

#define HEAR_SPINS 1000 /* before sleeping: most often it is a read that finds nothing */
#define HEAR_TRIES (HEAR_SPINS + 6000)
#define HEAR_OTHERS_TRIES 200 /* others may never all be back at once */
#define HEAR_PAUSE_NS 100000

/* Of a service thread. (initial-exec: faults that are served in a signal's handler ask, too.) */
static __thread struct context *serving __attribute__((tls_model("initial-exec")));
static __thread struct news *my_news;
static __thread unsigned news_depth;

static void set_news(uintptr_t start, uintptr_t end)
{
    atomic_store(&my_news->start, start);
    atomic_store(&my_news->end, end);
}

/* Whatever is read from here on may be news of any place. */
static void begin_news(void)
{
    set_news(0, UINTPTR_MAX);
    if (news_depth++ == 0)
        atomic_fetch_add(&my_news->step, 1);
}

static void end_news(void)
{
    if (--news_depth == 0)
        atomic_fetch_add(&my_news->step, 1);
}

enum next { NOTHING, NEWS, FAULT };

/* The next fault. News are served here. */
static enum next read_next(struct context *context, int fd, struct fault *fault)
{
    struct rung *rung = &context->rung;
    uintptr_t outer_start = atomic_load(&my_news->start), outer_end = atomic_load(&my_news->end);
    begin_news();
    bool is_read = rung->ops->next(rung, fd, fault);
    bool is_news = is_read && fault->kind == FAULT_UNMAPPED;
    if (is_news) {
        if (news_depth == 1)
            set_news(fault->address, fault->end);
        attend_elsewhere();
        lifecycle_unmapped(context, fault->address, fault->end);
    }
    end_news();
    if (news_depth) /* back in what this was read for */
        set_news(outer_start, outer_end);
    return is_news ? NEWS : is_read ? FAULT : NOTHING;
}

/* No place of cancellation, unlike the C library's. */
static void pause_hearing(void)
{
    syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = HEAR_PAUSE_NS}, NULL);
}

static bool is_in_work(struct news *news, unsigned step, uintptr_t start, uintptr_t end)
{
    return step % 2 && atomic_load(&news->start) < end && atomic_load(&news->end) > start &&
           atomic_load(&news->step) == step;
}

void service_hear(struct context *context, uintptr_t start, size_t bytes)
{
    uintptr_t end = bytes > UINTPTR_MAX - start ? UINTPTR_MAX : start + bytes;
    unsigned tries = 0;
    for (unsigned i = 0; i < context->started && !serving; i++) {
        struct news *news = &context->service_news[i];
        unsigned step = atomic_load(&news->step);
        while (tries < HEAR_TRIES && is_in_work(news, step, start, end))
            if (++tries > HEAR_SPINS)
                pause_hearing();
    }
}

void service_hear_others(struct context *context, uintptr_t start, size_t bytes)
{
    struct rung *rung = &context->rung;
    unsigned tries = 0;
    for (int i = 0; i < RUNG_FDS && rung->ops->is_changing && !serving; i++)
        while (rung->fds[i] >= 0 && rung->ops->is_changing(rung, rung->fds[i]) &&
               tries++ < HEAR_OTHERS_TRIES)
            pause_hearing();
    service_hear(context, start, bytes);
}

void service_catch_up(void)
{
    struct fault faults[MOST_PUT_OFF];
    unsigned count = 0;
    if (!serving)
        return;
    struct rung *rung = &serving->rung;
    attend_elsewhere();
    for (int i = 0; i < RUNG_FDS; i++) {
        enum next next = rung->fds[i] < 0 ? NOTHING : NEWS;
        while (next != NOTHING && count < MOST_PUT_OFF) {
            next = read_next(serving, rung->fds[i], &faults[count]);
            count += next == FAULT;
        }
    }
    while (count > 0) /* they come again */
        rung->ops->settle(rung, &faults[--count]);
}

static bool serve_one(struct context *context, int fd)
{
    struct fault fault;
    enum next next = read_next(context, fd, &fault);
    if (next == NOTHING)
        return false;
    if (next == FAULT) {
        attend_fault();
        fetch_serve(context, &fault);
    }
    attend_served(fault.thread);
    return true;
}

static int watch(int queue, int fd, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.fd = fd};
    return epoll_ctl(queue, EPOLL_CTL_ADD, fd, &event);
}

/* A fault wakes one thread: the first if it sleeps, else one of the others. */
#define FIRST_EVENTS (EPOLLIN | EPOLLEXCLUSIVE)
#define OTHERS_EVENTS (EPOLLIN | EPOLLEXCLUSIVE | EPOLLET)

static int open_queue(struct context *context, uint32_t events)
{
    int queue = epoll_create1(EPOLL_CLOEXEC);
    bool is_bad = queue < 0 || watch(queue, context->stop_fd, EPOLLIN);
    for (int i = 0; i < RUNG_FDS && !is_bad; i++)
        is_bad = context->rung.fds[i] >= 0 && watch(queue, context->rung.fds[i], events);
    if (is_bad && queue >= 0)
        close(queue);
    return is_bad ? -1 : queue;
}

void service_close_fds(struct context *context)
{
    for (int i = 0; i < SERVICE_QUEUES; i++) {
        if (context->service_queues[i] >= 0)
            close(context->service_queues[i]);
        context->service_queues[i] = -1;
    }
    if (context->stop_fd >= 0)
        close(context->stop_fd);
    context->stop_fd = -1;
}

void service_share(struct context *context, bool is_shared)
{
    int queue = context->service_queues[1], fd = context->rung.fds[context->rung.busy];
    if (!is_shared)
        epoll_ctl(queue, EPOLL_CTL_DEL, fd, NULL);
    while (is_shared && watch(queue, fd, OTHERS_EVENTS) && errno != EEXIST)
        sched_yield(); /* the kernel is out of memory for a moment */
}

static void *serve(void *argument)
{
    struct context *context = argument;
    unsigned index = atomic_fetch_add(&context->service_count, 1);
    bool is_first = index == 0, is_stopped = false;
    int queue = context->service_queues[is_first ? 0 : 1];
    atomic_store(&context->service_ids[index], thread_id());
    serving = context;
    my_news = &context->service_news[index];
    if (is_first)
        attend_start(context);
    while (!is_stopped) {
        struct epoll_event events[RUNG_FDS + 1];
        int patience = attend_patience();
        if (patience == 0)
            serve_one(
                context,
                context->rung.fds[context->rung.busy]); /* most likely there, and sooner known so */
        int count = epoll_wait(queue, events, RUNG_FDS + 1, patience);
        if (count == 0)
            attend_nothing();
        for (int i = 0; i < count; i++) {
            int fd = events[i].data.fd;
            is_stopped |= fd == context->stop_fd;
            while (fd != context->stop_fd && serve_one(context, fd) && !is_first)
                ; /* the others are told once */
        }
    }
    attend_stop();
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
    for (int i = 0; i < SERVICE_QUEUES; i++)
        context->service_queues[i] = -1;
    if (!context->rung.ops->next)
        return 0; /* nothing to serve */
    context->stop_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (context->stop_fd < 0)
        return GPUVM_ERROR;
    context->service_queues[0] = open_queue(context, FIRST_EVENTS);
    context->service_queues[1] = open_queue(context, OTHERS_EVENTS);
    bool has_queues = context->service_queues[0] >= 0 && context->service_queues[1] >= 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = has_queues ? start_threads(context) : GPUVM_ERROR;
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
    service_close_fds(context);
    context->started = 0;
}

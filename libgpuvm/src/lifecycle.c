/* SPDX-License-Identifier: MIT */
#include "lifecycle.h"

#include "backend.h"
#include "check.h"
#include "coherence.h"
#include "fetch.h"
#include "log.h"
#include "rung_signal.h"
#include "service.h"
#include "signal_block.h"
#include "thread.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct context *_Atomic current;
static bool has_handlers;
static pthread_mutex_t fork_lock = PTHREAD_MUTEX_INITIALIZER; /* several threads may fork at once */
static struct array *held_for_fork;
static struct signal_block signals_for_fork; /* under fork_lock */

struct context *lifecycle_context(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

/* ---- Arrays that end ---- */

void lifecycle_release_buffer(struct device *device, void *buffer, bool is_ours, size_t bytes)
{
    if (!buffer)
        return;
    if (is_ours) {
        device->allocator.release(device->allocator.user, device->index, buffer);
        atomic_fetch_sub(&device->used_bytes, bytes);
    } else if (device->backend->let_go)
        device->backend->let_go(buffer);
}

int lifecycle_drop(struct array *array, bool is_kept)
{
    while (array->link_count) {
        struct link *link = &array->links[array->link_count - 1];
        struct link old = *link;
        int error = 0;
        bool is_gone = array_is_gone(array); /* there is nowhere to bring anything */
        if (link->begun && !is_gone) {       /* the kernels so far are the last of it */
            struct use use = {.array = array, .link = link};
            link->begun = 1;
            if (is_kept)
                error = coherence_end(&use, 1, link->device, (struct site){0});
            link->begun = 0;
        }
        if (is_gone)
            array_remove_link(array, link);
        else if (!error)
            error = coherence_unlink(array, link, is_kept);
        if (error && is_kept)
            return error;
        array_unlock(array); /* the allocator may need locks of its own */
        lifecycle_release_buffer(old.device, old.buffer, old.is_buffer_ours, array->bytes);
        array_lock(array);
    }
    array_remove(array);
    return 0;
}

static void note_unmapped(struct array *array, uintptr_t start, uintptr_t end)
{
    if (array_note_unmapped(array, start, end))
        check_report(array->context, "freed-while-linked", array, NULL, -1, (struct site){0});
}

/* Another thread that has the array removes it when done: until then none can be linked there. */
static void remove_noted(struct array *array, uintptr_t start, uintptr_t end)
{
    if (array_try_lock(array))
        array_unlock(array);
}

/* For arrays with pages in the range. */
static void for_unmapped(struct context *context, uintptr_t start, uintptr_t end,
                         void (*visit)(struct array *, uintptr_t, uintptr_t))
{
    struct array *array;
    uintptr_t at = start;
    while ((array = array_find_next(context, at)) && array->node.start < end) {
        at = array->node.end;
        uintptr_t first = (uintptr_t)array->interior;
        if (first < end && first + array->pages * context->page_bytes > start)
            visit(array, start, end);
        array_forget(array);
    }
    if (array)
        array_forget(array);
}

void lifecycle_unmapped(struct context *context, uintptr_t start, uintptr_t end)
{
    for_unmapped(context, start, end, note_unmapped);
    for_unmapped(context, start, end, remove_noted);
}

/* ---- A rung that is lost ---- */

static void lose_rung(struct context *context)
{
    struct array *array;
    uintptr_t at = 0;
    atomic_store(&context->rung.is_lost, true);
    snprintf(context->rung_reason, sizeof(context->rung_reason),
             "%s: its descriptors were closed, or another handler took its signal",
             context->rung.ops->name);
    log_always("%s: everything comes back to the host, and arrays are copied whole from now on",
               context->rung_reason);
    while ((array = array_find_next(context, at))) {
        at = array->node.end;
        array_lock(array);
        if (!array_is_gone(array))
            array_abandon(array);
        array_release(array);
    }
}

void lifecycle_check_rung(struct context *context)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct rung *rung = &context->rung;
    if (!rung->ops->is_intact || (!atomic_load(&rung->is_lost) && rung->ops->is_intact(rung)))
        return;
    pthread_mutex_lock(&lock); /* later callers wait until it is done */
    if (!atomic_load(&rung->is_lost))
        lose_rung(context);
    pthread_mutex_unlock(&lock);
}

/* ---- Fork ---- */

/* A child has no service threads: everything comes to the host first, and no thread may take it
 * away before the child is made. */
static void before_fork(void)
{
    struct context *context = lifecycle_context();
    struct array *array, **end = &held_for_fork;
    uintptr_t at = 0;
    struct signal_block block = signal_block_begin(context);
    if (context)
        service_await_unmaps(context, 0, UINTPTR_MAX);
    pthread_mutex_lock(&fork_lock);
    signals_for_fork = block;
    held_for_fork = NULL;
    while (context && (array = array_find_next(context, at))) {
        at = array->node.end;
        array_lock(array);
        if (!array_is_gone(array) && !array_is_written(array))
            fetch_stubbornly(array); /* a device that fails for good: the child lacks the data */
        array->fork_next = NULL;
        *end = array;
        end = &array->fork_next;
    }
}

static void leave_fork(void)
{
    struct signal_block block = signals_for_fork;
    pthread_mutex_unlock(&fork_lock);
    signal_block_end(&block);
}

static void after_fork(void)
{
    while (held_for_fork) {
        struct array *array = held_for_fork;
        held_for_fork = array->fork_next;
        array_release(array);
    }
    leave_fork();
}

static void leave_context(struct context *context)
{
    struct rung *rung = &context->rung;
    atomic_store(&current, NULL);
    rung->ops->release_child(rung, NULL);
    for (struct array *array = held_for_fork; array; array = array->fork_next)
        if (array->is_attached)
            rung->ops->release_child(rung, array);
    rung_close_fds(rung);
    service_close_fds(context);
}

static void in_child(void)
{
    struct context *context = lifecycle_context();
    thread_forget();
    if (context)
        leave_context(context);
    held_for_fork = NULL;
    leave_fork();
}

/* ---- The end ---- */

/* Also when the library itself is unloaded. */
static void at_exit(void)
{
    gpuvm_finish();
    signal_restore();
}

void lifecycle_publish(struct context *context)
{
    if (context && !has_handlers) {
        has_handlers = true;
        pthread_atfork(before_fork, after_fork, in_child);
        atexit(at_exit);
    }
    atomic_store_explicit(&current, context, memory_order_release);
}

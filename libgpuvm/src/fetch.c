/* SPDX-License-Identifier: MIT */
#include "fetch.h"

#include "adapt.h"
#include "check.h"
#include "log.h"
#include "padding.h"
#include "service.h"
#include "trace.h"
#include "transfer.h"
#include "watch.h"

#include <string.h>

#define COPY_BYTES                                                                                 \
    ((size_t)64                                                                                    \
     << 10) /* up to here copying pages in is as fast as moving them, and can track them */
#define TRIES 3

/* Results beyond 0 and errors. */
#define NOT_OPENED 1 /* contents are there, the page is not open */
#define NOTHING 2    /* there was nothing to do */

struct link *fetch_source(struct array *array, size_t page, size_t end, size_t *run_end)
{
    struct link *best = NULL;
    for (unsigned i = 0; i < array->link_count; i++) {
        struct link *link = &array->links[i];
        if (link->valid && bits_get(link->valid, page) && (!best || (!best->reach && link->reach)))
            best = link;
    }
    if (best) {
        struct runs valid = {.with = {best->valid}, .end = end};
        *run_end = runs_find(&valid, page, false);
    }
    return best;
}

/* Contents of [from, to) lie at data, but the padding of the last page is not the device's. */
static void pages_complete(const struct array *array, size_t from, size_t to, char *data)
{
    if (array->padding_bytes && to == array->pages)
        padding_seal(data + (to - from) * array->context->page_bytes,
                     (uintptr_t)array->host + array->bytes);
}

/* The contents of pages, by way of a bounce buffer. For a fault the kernel copies memory within
 * reach by itself: the kernels before it were waited for when they ended. */
static int copy_in(struct array *array, struct link *link, size_t from, size_t to, bool is_tracked,
                   bool is_fault)
{
    struct rung *rung = &array->context->rung;
    size_t offset = array_offset(array, from), bytes = (to - from) * rung->page_bytes;
    bool is_whole = offset + bytes <= array->bytes; /* or the buffer ends before the page */
    if (is_fault && link->reach && is_whole) {
        transfer_reads(array, link, offset, bytes);
        int refused = rung->ops->install(rung, array, from, to, link->reach + offset, is_tracked);
        return refused < 0 ? GPUVM_ERROR : refused;
    }
    char *bounce = bounce_take(array->context);
    if (!bounce)
        return GPUVM_ESALLOC;
    int error = transfer_read(array, link, offset, bytes, bounce, is_fault);
    if (!error) {
        pages_complete(array, from, to, bounce);
        int refused = rung->ops->install(rung, array, from, to, bounce, is_tracked);
        error = refused < 0 ? GPUVM_ERROR : refused;
    }
    bounce_give(array->context, bounce);
    return error;
}

static int move_in(struct array *array, struct link *link, size_t from, size_t to, bool is_fault)
{
    struct rung *rung = &array->context->rung;
    size_t offset = array_offset(array, from), bytes = (to - from) * rung->page_bytes;
    char *slot = array->staging + from * rung->page_bytes;
    int error = transfer_read(array, link, offset, bytes, slot, is_fault);
    if (error) {
        bits_set(array->staged, from, to); /* some slots may have got a page */
        return error;
    }
    pages_complete(array, from, to, slot);
    int refused = rung->ops->move_in(rung, array, from, to);
    return refused < 0 ? GPUVM_ERROR : refused;
}

/* Up to where pages from `from` on can be moved in together; `from` if it would not pay. */
static size_t movable_end(const struct array *array, size_t from, size_t to)
{
    const struct rung *rung = &array->context->rung;
    struct runs staged = {.with = {array->staged}, .end = to};
    if (!array->staging)
        return from;
    size_t end = rung->ops->moves_back_only ? runs_find(&staged, from, false) : to;
    return (end - from) * rung->page_bytes > COPY_BYTES ? end : from;
}

/* One run that one device has, absent from the host, at most a block long unless it is moved.
 * (fault: NULL on request.) */
static int fetch_run(struct array *array, struct link *link, size_t from, size_t to, bool is_write,
                     const struct fault *fault)
{
    bool is_moved = movable_end(array, from, to) == to;
    bool is_tracked = !is_write && !is_moved;
    int error = is_moved ? move_in(array, link, from, to, fault)
                         : copy_in(array, link, from, to, is_tracked, fault);
    if (error < 0)
        return error;
    mark_present(array, from, to, is_tracked);
    if (!is_tracked)
        mark_host_only(array, from, to);
    return error;
}

/* The end of a run that fetch_run takes. */
static size_t run_limit(const struct array *array, size_t from, size_t to)
{
    size_t most = BLOCK_BYTES / array->context->page_bytes, end = movable_end(array, from, to);
    return end > from ? end : to - from > most ? from + most : to;
}

/* Pages that are nowhere, or whose contents do not matter: zeros, or what the host page held. */
static int open_empty(struct array *array, size_t from, size_t to)
{
    struct rung *rung = &array->context->rung;
    size_t most = BLOCK_BYTES / rung->page_bytes;
    char *bounce = bounce_take(array->context);
    if (!bounce)
        return GPUVM_ESALLOC;
    memset(bounce, 0, BLOCK_BYTES);
    int result = 0;
    while (from < to && result >= 0) {
        size_t end = to - from > most ? from + most : to;
        pages_complete(array, from, end, bounce);
        int refused = rung->ops->install(rung, array, from, end, bounce, false);
        if (refused < 0) {
            result = GPUVM_ERROR;
        } else {
            result |= refused;
            mark_present(array, from, end, false);
            mark_host_only(array, from, end);
            from = end;
        }
    }
    bounce_give(array->context, bounce);
    return result;
}

/* Brings in the absent pages of a range; NOT_OPENED if the kernel kept some shut. (fault: NULL on
 * request.) */
static int fetch_absent(struct array *array, size_t from, size_t to, bool is_write, bool needs_data,
                        const struct fault *fault)
{
    struct runs absent = {.without = {array->present}, .at = from, .end = to};
    size_t start, end;
    int result = 0;
    while (result >= 0 && runs_next(&absent, &start, &end)) {
        while (result >= 0 && start < end) {
            size_t run_end = end;
            struct link *link = needs_data ? fetch_source(array, start, end, &run_end) : NULL;
            if (link)
                run_end = run_limit(array, start, run_end);
            int error = link ? fetch_run(array, link, start, run_end, is_write, fault)
                             : open_empty(array, start, run_end);
            result = error < 0 ? error : (result | error);
            start = run_end;
        }
    }
    return result;
}

/* First writes to [from, to) need not be noticed any more. */
static int pages_untrack(struct array *array, size_t from, size_t to)
{
    struct rung *rung = &array->context->rung;
    if (rung->ops->unprotect(rung, array, from, to))
        return array_refuse(array);
    mark_host_only(array, from, to);
    return 0;
}

static int untrack_all(struct array *array, size_t from, size_t to)
{
    struct runs tracked = {.with = {array->tracked}, .at = from, .end = to};
    size_t start, end;
    int error = 0;
    while (!error && array->pages && runs_next(&tracked, &start, &end))
        error = pages_untrack(array, start, end);
    return error;
}

int fetch_range(struct array *array, size_t from, size_t to, bool is_write, bool needs_data)
{
    int error = fetch_absent(array, from, to, is_write, needs_data, NULL);
    if (error < 0)
        return error;
    if (error == NOT_OPENED)
        return array_refuse(array);
    return is_write ? untrack_all(array, from, to) : 0;
}

int fetch_all(struct array *array)
{
    if (array->present_pages == array->pages)
        return 0;
    int error = fetch_absent(array, 0, array->pages, true, true, NULL);
    return error < 0 ? error : 0;
}

int fetch_stubbornly(struct array *array)
{
    int error = GPUVM_ERROR;
    for (int i = 0; i < TRIES && error == GPUVM_ERROR; i++)
        error = fetch_all(array);
    return error;
}

/* ---- Faults ---- */

/* A page that the host has: it may be there by now, or it was never populated, or the program
 * dropped it. A hole reads as zeros from here on, and is not protected. */
static int serve_hole(struct array *array, size_t page)
{
    struct rung *rung = &array->context->rung;
    if (rung->ops->zero(rung, array, page) != HOLE_FILLED)
        return NOTHING;
    mark_host_only(array, page, page + 1);
    return 0;
}

/* Before the page opens, so that the program finds its fault counted. */
static void count_fault(_Atomic uint64_t *total, unsigned long long *count)
{
    atomic_fetch_add(total, 1);
    ++*count;
}

static int serve_first_write(struct array *array, size_t page)
{
    struct totals *totals = &array->context->totals;
    struct rung *rung = &array->context->rung;
    size_t from, to;
    adapt_write_window(array, page, &from, &to);
    count_fault(&totals->tracking_faults, &array->counts.tracking_faults);
    if (rung->ops->unprotect(rung, array, from, to))
        return array_refuse(array);
    mark_host_only(array, from, to);
    return adapt_resume(array, page, true, &from, &to) ? untrack_all(array, from, to) : 0;
}

static void count_absent(struct array *array, bool is_write)
{
    struct totals *totals = &array->context->totals;
    if (is_write)
        count_fault(&totals->write_faults, &array->counts.write_faults);
    else
        count_fault(&totals->read_faults, &array->counts.read_faults);
}

/* By a command this may take long, and a thread waits. */
static int fetch_for(struct array *array, struct link *link, size_t from, size_t to,
                     const struct fault *fault)
{
    struct context *context = array->context;
    bool is_command = !link->reach;
    unsigned index = service_index();
    int error = GPUVM_ERROR;
    if (context->is_checking && check_after_end(array, link, true))
        return GPUVM_ERROR;
    if (is_command)
        watch_begin(array, fault, link, (to - from) * context->page_bytes, index);
    for (int i = 0; i < TRIES && error == GPUVM_ERROR; i++)
        error = fetch_run(array, link, from, to, fault->is_write, fault);
    if (is_command)
        watch_end(context, index);
    return error;
}

/* More than the fault's window, while its thread goes on if the rung can do that. What cannot be
 * had now is left to faults of its own. */
static int fetch_ahead_of(struct array *array, struct link *link, size_t from, size_t to,
                          const struct fault *fault)
{
    struct context *context = array->context;
    size_t absent = to - from - bits_count(array->present, from, to);
    if (!link->reach)
        watch_begin(array, fault, link, absent * context->page_bytes, service_index());
    int error = fetch_absent(array, from, to, fault->is_write, true, fault);
    if (!link->reach)
        watch_end(context, service_index());
    if (error >= 0)
        array->counts.fetched_bytes += absent * context->page_bytes;
    return error == NOT_OPENED ? array_refuse(array) : 0;
}

static int serve_absent(struct array *array, size_t page, const struct fault *fault)
{
    size_t from, to, before, after;
    struct link *link = fetch_source(array, page, page + 1, &after);
    adapt_read_window(array, page, link ? link->device : array->links[0].device, fault->is_write,
                      &from, &to);
    count_absent(array, fault->is_write);
    if (!link)
        return open_empty(array, page, page + 1);
    /* The part of the window that this device has. */
    for (before = page; before > from && bits_get(link->valid, before - 1); before--)
        ;
    struct runs valid = {.with = {link->valid}, .end = to};
    after = runs_find(&valid, page, false);
    int error = fetch_for(array, link, before, after, fault);
    array->counts.window_bytes = (after - before) * array->context->page_bytes;
    if (error >= 0)
        array->counts.fetched_bytes += array->counts.window_bytes;
    if (error == NOT_OPENED)
        return array_refuse(array);
    bool is_resumed = !error && adapt_resume(array, page, false, &from, &to);
    return is_resumed ? fetch_ahead_of(array, link, from, to, fault) : error;
}

static int serve_page(struct array *array, size_t page, const struct fault *fault)
{
    struct rung *rung = &array->context->rung;
    if (!bits_get(array->present, page))
        return serve_absent(array, page, fault);
    if (bits_get(array->tracked, page) && (fault->is_write || fault->is_protection))
        return serve_first_write(array, page);
    if (fault->is_protection)
        return rung->ops->unprotect(rung, array, page, page + 1);
    return serve_hole(array, page);
}

static void count_time(struct context *context, uint64_t ns, uint64_t copied_ns)
{
    struct totals *totals = &context->totals;
    atomic_fetch_add(&totals->fault_ns, ns > copied_ns ? ns - copied_ns : 0);
    uint64_t longest = atomic_load(&totals->longest_fault_ns);
    while (ns > longest && !atomic_compare_exchange_weak(&totals->longest_fault_ns, &longest, ns))
        ;
}

/* 0, NOTHING, or an error. */
static int serve_locked(struct array *array, const struct fault *fault)
{
    struct context *context = array->context;
    uintptr_t start = (uintptr_t)array->interior;
    uint64_t begun_ns = now_ns(), copied_ns = atomic_load(&context->totals.host_copy_ns);
    size_t page = (fault->address - start) / context->page_bytes;
    if (fault->address < start || page >= array->pages || !array->is_attached ||
        array_is_gone(array))
        return NOTHING;
    check_touch(array, fault, page);
    bool was_absent = !bits_get(array->present, page);
    int result = serve_page(array, page, fault);
    uint64_t ns = now_ns() - begun_ns;
    count_time(context, ns, atomic_load(&context->totals.host_copy_ns) - copied_ns);
    log_line(3, "fault: array %p page %zu thread %d %s%s: %d, %llu ns", (void *)array->host, page,
             fault->thread, fault->is_write ? "write" : "read", was_absent ? "" : " (present)",
             result, (unsigned long long)ns);
    trace_event(context,
                was_absent ? (fault->is_write ? TRACE_WRITE_FAULT : TRACE_READ_FAULT)
                           : TRACE_TRACKING_FAULT,
                array, fault->address - array->node.start, array->counts.window_bytes, 0, ns);
    return result;
}

/* Tells the thread that waits. */
static void serve_waiting(struct array *array, const struct fault *fault)
{
    struct rung *rung = &array->context->rung;
    int result = serve_locked(array, fault);
    if (result < 0) {
        rung->ops->reject(rung, fault, REJECT_FAILED);
        if (rung->has_poison)
            watch_failed(array->context, fault->address);
    } else if (result == NOTHING) {
        rung->ops->reject(rung, fault, REJECT_UNCHANGED);
    } else if (fault->waiter || !rung->ops->wakes) {
        rung->ops->settle(rung, fault);
    }
}

/* The lock's holder is itself copying host pages and met a hole: it would wait for itself. */
static bool fill_hole(struct array *array, const struct fault *fault)
{
    struct rung *rung = &array->context->rung;
    pthread_mutex_lock(&array->context->copying_lock);
    bool is_hole = false;
    size_t page = 0;
    if (array->is_copying && !fault->is_protection &&
        fault->address >= (uintptr_t)array->interior) {
        page = (fault->address - (uintptr_t)array->interior) / rung->page_bytes;
        is_hole = page < array->pages && bits_get(array->present, page) &&
                  !(fault->is_write && bits_get(array->tracked, page));
    }
    if (is_hole) {
        array->has_filled_hole |= rung->ops->zero(rung, array, page) == HOLE_FILLED;
        rung->ops->settle(rung, fault);
    }
    pthread_mutex_unlock(&array->context->copying_lock);
    return is_hole;
}

void fetch_serve(struct context *context, const struct fault *fault)
{
    struct rung *rung = &context->rung;
    struct array *array = array_find(context, (void *)fault->address);
    if (!array) {
        /* With the index locked, so that the page cannot become an array's meanwhile. */
        pthread_rwlock_rdlock(&context->index_lock);
        bool is_ours = index_find(&context->index, fault->address) != NULL;
        if (is_ours)
            rung->ops->settle(rung, fault);
        else
            rung->ops->reject(rung, fault, REJECT_UNKNOWN);
        pthread_rwlock_unlock(&context->index_lock);
        return;
    }
    if (array_try_lock(array)) {
        serve_waiting(array, fault);
        array_release(array);
        return;
    }
    bool has_filled_hole = fill_hole(array, fault);
    if (!has_filled_hole && fault->waiter && array_is_owner(array, fault->thread)) {
        /* It would wait for itself: the program has protected what a call of ours copies. */
        rung->ops->reject(rung, fault, REJECT_UNCHANGED);
    } else if (!has_filled_hole) {
        log_line(3, "fault: array %p at %p waits for the array%s", (void *)array->host,
                 (void *)fault->address, fault->is_protection ? " (protection)" : "");
        rung->ops->defer(rung, array, fault);
        atomic_store(&array->has_waiters, true);
        if (array_try_lock(array)) /* its holder may have left before it could see the note */
            array_unlock(array);
    }
    array_forget(array);
}

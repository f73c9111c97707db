/* SPDX-License-Identifier: MIT */
/* The public interface: arrays and their links. */
#include "api.h"

#include "adapt.h"
#include "backend.h"
#include "buffer.h"
#include "check.h"
#include "coherence.h"
#include "fetch.h"
#include "thread.h"
#include "trace.h"
#include "transfer.h"

#define LINK_FLAGS (GPUVM_ON_HOST | GPUVM_ON_DEVICE | GPUVM_OPENCL | GPUVM_OPS)

/* The array that overlaps the range, if there is one; else `fresh`, if not NULL, is one from now
 * on.
 */
static struct array *find_or_insert(struct context *context, uintptr_t start, uintptr_t end,
                                    struct array *fresh)
{
    pthread_rwlock_wrlock(&context->index_lock);
    struct array *found = (struct array *)index_at_or_after(&context->index, start);
    if (found && found->node.start >= end)
        found = NULL;
    if (found) {
        atomic_fetch_add(&found->references, 1);
    } else if (fresh) {
        index_insert(&context->index, &fresh->node);
        atomic_fetch_add(&fresh->references, 1); /* the index's and the caller's */
        atomic_fetch_add(&context->totals.arrays, 1);
    }
    pthread_rwlock_unlock(&context->index_lock);
    return found;
}

/* Finds the array of just this range, or makes it; locked. Sets *error if neither can be. */
static struct array *find_or_create(struct context *context, void *host, size_t bytes, bool *is_new,
                                    int *error)
{
    uintptr_t start = (uintptr_t)host, end = start + bytes;
    struct array *fresh = NULL;
    for (;;) {
        struct array *found = find_or_insert(context, start, end, fresh);
        *is_new = !found;
        if (!found && fresh)
            return fresh;
        if (!found) {
            fresh = array_create(context, host, bytes, false);
            if (!fresh) {
                *error = GPUVM_ESALLOC;
                return NULL;
            }
            array_lock(fresh);
            continue;
        }
        if (fresh) {
            array_unlock(fresh);
            array_destroy(fresh);
            fresh = NULL;
        }
        array_lock(found);
        bool is_gone = array_is_gone(found);
        if (!is_gone && found->node.start == start && found->bytes == bytes)
            return found;
        array_release(found);
        if (!is_gone) {
            *error = GPUVM_ERANGE;
            return NULL;
        }
    }
}

static int add_link(struct array *array, struct device *device, void *buffer, int flags,
                    bool is_new)
{
    bool is_on_device = flags & GPUVM_ON_DEVICE;
    if (array_link(array, device))
        return is_on_device ? GPUVM_ETWICE : GPUVM_ELINK;
    if (is_on_device && !is_new)
        return GPUVM_ETWICE;
    int error = array_add_link(array, device, buffer, false);
    if (error)
        return error;
    struct link *link = array_link(array, device);
    if (buffer && device->backend->hold)
        device->backend->hold(buffer);
    if (is_on_device && (error = coherence_adopt(array, link))) {
        lifecycle_release_buffer(device, buffer, false, 0);
        array_remove_link(array, link);
    }
    return error;
}

static int link_array(struct context *context, struct device *device, void *host, size_t bytes,
                      void *buffer, int flags, struct site here)
{
    bool is_new;
    int error = 0;
    struct array *array = find_or_create(context, host, bytes, &is_new, &error);
    if (!array)
        return error;
    if (is_new)
        array->linked_at = here;
    error = add_link(array, device, buffer, flags, is_new);
    if (!array->link_count)
        array_remove(array);
    if (!error)
        trace_event(context, TRACE_LINK, array, 0, bytes, device->index, 0);
    array_release(array);
    return error;
}

int gpuvm_link(void *hostptr, size_t nbytes, unsigned idev, void *devbuf, int flags)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct site here = HERE;
    if (!context)
        return GPUVM_ESTATE;
    lifecycle_check_rung(context);
    struct device *device = api_device(context, idev);
    int where = flags & (GPUVM_ON_HOST | GPUVM_ON_DEVICE);
    if (!hostptr)
        return GPUVM_ENULL;
    if (!nbytes || !device || (flags & ~LINK_FLAGS) ||
        (where != GPUVM_ON_HOST && where != GPUVM_ON_DEVICE) ||
        (uintptr_t)hostptr + nbytes < (uintptr_t)hostptr)
        return GPUVM_EARG;
    if (!devbuf && !device->has_allocator && !device->is_svm)
        return GPUVM_ENULL;
    if (!devbuf && where == GPUVM_ON_DEVICE)
        return GPUVM_EARG;
    service_await_other_unmaps(context, (uintptr_t)hostptr, nbytes);
    return link_array(context, device, hostptr, nbytes, devbuf, flags, here);
}

/* The array that holds the address, locked, with a reference; NULL: none. array_release undoes
 * both. */
static struct array *array_acquire(struct context *context, const void *address)
{
    struct array *array = api_find(context, address);
    if (!array)
        return NULL;
    array_lock(array);
    if (!array_is_gone(array))
        return array;
    array_release(array);
    return NULL;
}

int gpuvm_unlink(void *hostptr, unsigned idev)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct site here = HERE;
    if (!context)
        return GPUVM_ESTATE;
    if (!hostptr)
        return 0;
    lifecycle_check_rung(context);
    struct device *device = api_device(context, idev);
    if (!device)
        return GPUVM_EARG;
    struct array *array = array_acquire(context, hostptr);
    if (!array)
        return GPUVM_EHOSTPTR;
    struct link *link = array_link(array, device);
    struct link old = {0};
    size_t bytes = array->bytes;
    int error = 0;
    if (link && link->begun) {
        check_report(context, "unlink-during-kernel", array, link, -1, here);
        error = GPUVM_ESTATE;
    } else if (link) {
        old = *link;
        error = coherence_unlink(array, link, !(context->flags & GPUVM_UNLINK_NO_SYNC_BACK));
        trace_event(context, TRACE_UNLINK, array, 0, array->bytes, idev, 0);
    }
    if (!array->link_count)
        array_remove(array);
    array_release(array);
    if (!error)
        lifecycle_release_buffer(device, old.buffer, old.is_buffer_ours, bytes);
    return error;
}

void *gpuvm_xlate(void *hostptr, unsigned idev)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct device *device = context ? api_device(context, idev) : NULL;
    struct array *array = device ? api_find(context, hostptr) : NULL;
    if (!array)
        return NULL;
    int error = buffer_make(array, device);
    array_lock(array);
    struct link *link = array_is_gone(array) ? NULL : array_link(array, device);
    void *buffer = NULL;
    if (link && !error)
        buffer = link_is_direct(link) ? array->host : link->buffer;
    array_release(array);
    return buffer;
}

int gpuvm_array_info(void *hostptr, struct gpuvm_array_info *info)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    if (!hostptr || !info)
        return GPUVM_ENULL;
    struct array *array = array_acquire(context, hostptr);
    if (!array)
        return GPUVM_EHOSTPTR;
    *info = array->counts;
    info->host = array->host;
    info->bytes = array->bytes;
    info->links = array->link_count;
    info->eager = array->is_eager;
    info->page_bytes = context->page_bytes;
    info->pages = array->pages;
    info->host_pages = array->present_pages;
    info->tracked_pages = array->tracked_pages;
    array_release(array);
    return 0;
}

/* ---- Explicit touches ---- */

/* Calls visit for each array that overlaps the range, locked; stops at an error. Returns the error
 * or the sum. */
static int for_overlapping(struct context *context, void *ptr, size_t bytes,
                           int (*visit)(struct array *, void *), void *argument)
{
    uintptr_t at = (uintptr_t)ptr, end = at + bytes;
    struct array *array;
    int sum = 0;
    service_await_unmaps(context, at, bytes);
    while (sum >= 0 && (array = array_find_next(context, at))) {
        if (array->node.start >= end) {
            array_forget(array);
            break;
        }
        at = array->node.end;
        if (array_is_owner(array,
                           thread_id())) { /* a transfer of ours, seen by the preload library */
            array_forget(array);
            continue;
        }
        array_lock(array);
        int result = array_is_gone(array) ? 0 : visit(array, argument);
        sum = result < 0 ? result : sum + result;
        array_release(array);
    }
    return sum;
}

struct touch {
    uintptr_t start, end;
    int flags;
};

/* The whole pages of the array that the range covers, with or without those that it covers in part.
 */
static void pages_of(const struct array *array, const struct touch *touch, bool with_parts,
                     size_t *from, size_t *to)
{
    size_t page_bytes = array->context->page_bytes;
    uintptr_t first = (uintptr_t)array->interior, last = first + array->pages * page_bytes;
    uintptr_t start = touch->start > first ? touch->start : first,
              end = touch->end < last ? touch->end : last;
    *from = *to = 0;
    if (start >= end)
        return;
    *from = (start - first + (with_parts ? 0 : page_bytes - 1)) / page_bytes;
    *to = (end - first + (with_parts ? page_bytes - 1 : 0)) / page_bytes;
    if (*to < *from)
        *to = *from;
}

static int touch_array(struct array *array, void *argument)
{
    const struct touch *touch = argument;
    bool is_write = touch->flags & GPUVM_WRITE_ONLY;
    size_t from, to;
    int error = 0;
    array->is_host_using = true;
    if (touch->flags == GPUVM_WRITE_ONLY) {
        pages_of(array, touch, false, &from, &to);
        error = fetch_range(array, from, to, true, false);
    }
    pages_of(array, touch, true, &from, &to);
    if (from < to)
        adapt_was_touched(array, from, to, is_write);
    return error ? error : fetch_range(array, from, to, is_write, true);
}

int gpuvm_host_begin(void *ptr, size_t nbytes, int flags)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    if (!ptr)
        return GPUVM_ENULL;
    if (flags != GPUVM_READ_ONLY && flags != GPUVM_READ_WRITE && flags != GPUVM_WRITE_ONLY)
        return GPUVM_EARG;
    struct touch touch = {.start = (uintptr_t)ptr, .end = (uintptr_t)ptr + nbytes, .flags = flags};
    return for_overlapping(context, ptr, nbytes, touch_array, &touch);
}

/* Other rungs hold no data by protections, and nothing waits for a lock: a device's driver may have
 * one of its own while it calls mprotect. */
static int open_array(struct array *array, const struct touch *touch)
{
    bool is_write = touch->flags & GPUVM_WRITE_ONLY;
    size_t from, to;
    int error = 0;
    if (is_write)
        atomic_store(&array->is_writable, true);
    if (array->context->rung.ops != &rung_segv_mem || array_is_owner(array, thread_id()))
        return 0;
    array_lock(array);
    pages_of(array, touch, true, &from, &to);
    if (array->is_attached && !array_is_gone(array))
        error = fetch_range(array, from, to, is_write, true);
    array_unlock(array);
    return error;
}

int api_opening(void *start, size_t bytes, bool is_write)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct touch touch = {.start = (uintptr_t)start,
                          .end = (uintptr_t)start + bytes,
                          .flags = is_write ? GPUVM_READ_WRITE : GPUVM_READ_ONLY};
    struct array *array;
    int error = 0;
    for (uintptr_t at = touch.start;
         context && error >= 0 && (array = array_find_next(context, at)) != NULL;) {
        bool is_in = array->node.start < touch.end;
        at = is_in ? array->node.end : UINTPTR_MAX;
        if (is_in)
            error = open_array(array, &touch);
        array_forget(array);
    }
    return error < 0 ? error : 0;
}

static int untouch_array(struct array *array, void *argument)
{
    array->is_host_using = false;
    return 0;
}

int gpuvm_host_end(void *ptr, size_t nbytes)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context)
        return GPUVM_ESTATE;
    return ptr ? for_overlapping(context, ptr, nbytes, untouch_array, NULL) : GPUVM_ENULL;
}

/* ---- Memory that goes away ---- */

struct forget {
    bool is_kept;
    struct site here;
};

static int forget_array(struct array *array, void *argument)
{
    const struct forget *forget = argument;
    check_report(array->context, "freed-while-linked", array, NULL, -1, forget->here);
    int error = lifecycle_drop(array, forget->is_kept);
    if (error)
        return error;
    if (!atomic_exchange(&array->is_unmapped, true)) /* else it is counted where that was noticed */
        atomic_fetch_add(&array->context->totals.unmapped_arrays, 1);
    return 1;
}

int gpuvm_forget(void *ptr, size_t nbytes, int flags)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct forget forget = {.is_kept = flags == GPUVM_READ_WRITE, .here = HERE};
    if (!context)
        return GPUVM_ESTATE;
    return for_overlapping(context, ptr, nbytes, forget_array, &forget);
}

int gpuvm_is_linked(const void *ptr, size_t nbytes)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    if (!context || !atomic_load_explicit(&context->totals.arrays, memory_order_relaxed))
        return 0;
    service_await_unmaps(context, (uintptr_t)ptr, nbytes);
    pthread_rwlock_rdlock(&context->index_lock);
    struct index_node *node = index_at_or_after(&context->index, (uintptr_t)ptr);
    while (node && atomic_load(&((struct array *)node)->is_unmapped))
        node = index_at_or_after(&context->index, node->end);
    bool is_linked = node && node->start < (uintptr_t)ptr + nbytes;
    pthread_rwlock_unlock(&context->index_lock);
    return is_linked;
}

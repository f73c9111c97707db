/* SPDX-License-Identifier: MIT */
/* The public interface: kernels' use of arrays. */
#include "api.h"

#include "backend.h"
#include "buffer.h"
#include "check.h"
#include "coherence.h"
#include "log.h"

#include <stdlib.h>

#define INLINE_USES 8

/* The arrays of one call, sorted by address, so that two calls lock in the same order. */
struct uses {
    struct use *list;
    unsigned count;
    struct use inline_list[INLINE_USES];
};

static int by_address(const void *left, const void *right)
{
    uintptr_t a = ((const struct use *)left)->array->node.start,
              b = ((const struct use *)right)->array->node.start;
    return a < b ? -1 : a > b;
}

static void forget_all(struct uses *uses, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        array_forget(uses->list[i].array);
}

static void uses_finish(struct uses *uses)
{
    if (uses->list != uses->inline_list)
        free(uses->list);
}

/* Finds the arrays, without locks. flags may be NULL. */
static int find_all(struct uses *uses, struct context *context, unsigned count, void *const *hosts,
                    const int *flags)
{
    uses->list = uses->inline_list;
    uses->count = count;
    if (count > INLINE_USES && !(uses->list = malloc(count * sizeof(*uses->list))))
        return GPUVM_ESALLOC;
    for (unsigned i = 0; i < count; i++) {
        struct array *array = api_find(context, hosts[i]);
        if (!array) {
            forget_all(uses, i);
            uses_finish(uses);
            return hosts[i] ? GPUVM_EHOSTPTR : GPUVM_ENULL;
        }
        uses->list[i] = (struct use){.array = array, .flags = flags ? flags[i] : 0};
    }
    if (count > 1)
        qsort(uses->list, count, sizeof(*uses->list), by_address);
    for (unsigned i = 1; i < count; i++)
        if (uses->list[i].array == uses->list[i - 1].array) {
            forget_all(uses, count);
            uses_finish(uses);
            return GPUVM_EARG;
        }
    return 0;
}

/* Locks them and finds their links. */
static int lock_all(struct uses *uses, struct device *device)
{
    int error = 0;
    for (unsigned i = 0; i < uses->count; i++) {
        struct use *use = &uses->list[i];
        array_lock(use->array);
        use->link = array_link(use->array, device);
        if (array_is_gone(use->array))
            error = GPUVM_EHOSTPTR;
        else if (!use->link && !error)
            error = GPUVM_ENOLINK;
    }
    return error;
}

static void unlock_all(struct uses *uses)
{
    for (unsigned i = uses->count; i-- > 0;)
        array_unlock(uses->list[i].array);
}

static void release_all(struct uses *uses)
{
    unlock_all(uses);
    forget_all(uses, uses->count);
    uses_finish(uses);
}

static int refuse_conflicts(struct uses *uses, struct site here)
{
    for (unsigned i = 0; i < uses->count; i++) {
        struct array *array = uses->list[i].array;
        bool writes = uses->list[i].flags & GPUVM_WRITE_ONLY;
        for (unsigned k = 0; k < array->link_count; k++) {
            struct link *other = &array->links[k];
            if (other == uses->list[i].link || !other->begun || !(writes || other->writes))
                continue;
            check_report(array->context, "two-devices", array, other, -1, here);
            return GPUVM_ESTATE;
        }
    }
    return 0;
}

/* The host would get what a kernel wrote by a write that its memory does not allow. */
static int refuse_unwritable(const struct uses *uses)
{
    for (unsigned i = 0; i < uses->count; i++) {
        struct array *array = uses->list[i].array;
        if (!(uses->list[i].flags & GPUVM_WRITE_ONLY) || array_is_writable(array))
            continue;
        log_line(1,
                 "array %p of %zu bytes: a kernel is to write it, and its memory may only be read: "
                 "use GPUVM_READ_ONLY, or mprotect it",
                 (void *)array->host, array->bytes);
        return GPUVM_EPROT;
    }
    return 0;
}

static bool needs_buffers(const struct uses *uses)
{
    for (unsigned i = 0; i < uses->count; i++)
        if (!uses->list[i].link->buffer && !link_is_direct(uses->list[i].link))
            return true;
    return false;
}

/* Locks the arrays and finds their links, with buffers, if this use of them is allowed. They are
 * locked even after an error. */
static int uses_enter(struct uses *uses, struct device *device, struct site here)
{
    int error = lock_all(uses, device);
    if (!error)
        error = refuse_conflicts(uses, here);
    if (error || !needs_buffers(uses))
        return error;
    unlock_all(uses);
    for (unsigned i = 0; i < uses->count && !error; i++)
        error = buffer_make(uses->list[i].array, device);
    int again = lock_all(uses, device); /* much may have happened meanwhile */
    if (!error)
        error = again;
    return error ? error : refuse_conflicts(uses, here);
}

static bool is_use(int flags)
{
    return flags == GPUVM_READ_ONLY || flags == GPUVM_READ_WRITE || flags == GPUVM_WRITE_ONLY;
}

static int uses_begin(unsigned count, void *const *hosts, unsigned idev, const int *flags,
                      struct site here)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct uses uses;
    if (!context)
        return GPUVM_ESTATE;
    lifecycle_check_rung(context);
    struct device *device = api_device(context, idev);
    if (!device)
        return GPUVM_EARG;
    for (unsigned i = 0; i < count; i++)
        if (!hosts[i])
            return GPUVM_ENULL;
        else if (!is_use(flags[i]))
            return GPUVM_EARG;
    int error = find_all(&uses, context, count, hosts, flags);
    if (error)
        return error;
    for (unsigned i = 0; i < count; i++)
        atomic_fetch_add(&uses.list[i].array->pins, 1);
    error = uses_enter(&uses, device, here);
    if (!error)
        error = refuse_unwritable(&uses);
    if (!error)
        error = coherence_begin(uses.list, uses.count, device, here);
    for (unsigned i = 0; i < count; i++)
        atomic_fetch_sub(&uses.list[i].array->pins, 1);
    release_all(&uses);
    return error;
}

/* Events that the use ends after. */
struct events {
    unsigned count;
    void *const *list;
};

static int uses_end(unsigned count, void *const *hosts, unsigned idev, struct events events,
                    struct site here)
{
    struct context *context = lifecycle_context();
    BLOCK_SIGNALS(context);
    struct uses uses;
    if (!context)
        return GPUVM_ESTATE;
    lifecycle_check_rung(context);
    struct device *device = api_device(context, idev);
    if (!device)
        return GPUVM_EARG;
    int error = find_all(&uses, context, count, hosts, NULL);
    if (error)
        return error;
    error = lock_all(&uses, device);
    for (unsigned i = 0; i < uses.count && !error; i++)
        if (!uses.list[i].link->begun) {
            check_report(context, "end-without-begin", uses.list[i].array, NULL, -1, here);
            error = GPUVM_ESTATE;
        }
    if (!error && events.count)
        error = device->backend->after(device, events.count, events.list);
    if (!error)
        error = coherence_end(uses.list, uses.count, device, here);
    release_all(&uses);
    return error;
}

int gpuvm_kernel_begin(void *hostptr, unsigned idev, int flags)
{
    return uses_begin(1, &hostptr, idev, &flags, HERE);
}

int gpuvm_kernel_end(void *hostptr, unsigned idev)
{
    return uses_end(1, &hostptr, idev, (struct events){0}, HERE);
}

int gpuvm_kernel_end_after(void *hostptr, unsigned idev, unsigned nevents, void *const *events)
{
    for (unsigned i = 0; i < nevents; i++)
        if (!events || !events[i])
            return GPUVM_ENULL;
    return uses_end(1, &hostptr, idev, (struct events){nevents, events}, HERE);
}

int gpuvm_kernel_begin_many(unsigned n, void *const *hosts, unsigned idev, const int *flags)
{
    return hosts && flags ? uses_begin(n, hosts, idev, flags, HERE) : GPUVM_ENULL;
}

int gpuvm_kernel_end_many(unsigned n, void *const *hosts, unsigned idev)
{
    return hosts ? uses_end(n, hosts, idev, (struct events){0}, HERE) : GPUVM_ENULL;
}

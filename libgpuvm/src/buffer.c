/* SPDX-License-Identifier: MIT */
#include "buffer.h"

#include "coherence.h"
#include "lifecycle.h"
#include "log.h"

static bool lacks_buffer(const struct link *link)
{
    return link && !link->buffer && !link_is_direct(link);
}

/* ---- Room ---- */

/* The array, locked, has a buffer there that may go. */
static struct link *buffer_is_evictable(struct array *array, const struct device *device)
{
    struct link *link = array_is_gone(array) ? NULL : array_link(array, device);
    bool is_free =
        link && link->buffer && link->is_buffer_ours && !link->begun && !atomic_load(&array->pins);
    return is_free ? link : NULL;
}

/* The one whose last use is longest ago, with a reference; NULL: none. */
static struct array *find_oldest(struct context *context, const struct device *device)
{
    struct array *array, *oldest = NULL;
    uint64_t oldest_use = UINT64_MAX;
    uintptr_t at = 0;
    while ((array = array_find_next(context, at))) {
        at = array->node.end;
        array_lock(array);
        struct link *link = buffer_is_evictable(array, device);
        uint64_t use = link ? link->last_use : UINT64_MAX;
        array_unlock(array);
        struct array *other = array;
        if (use < oldest_use) {
            other = oldest;
            oldest = array;
            oldest_use = use;
        }
        if (other)
            array_forget(other);
    }
    return oldest;
}

/* 0, GPUVM_ERROR, or GPUVM_EDEVALLOC: there is nothing that may go. */
static int evict_oldest(struct context *context, struct device *device)
{
    struct array *array = find_oldest(context, device);
    if (!array)
        return GPUVM_EDEVALLOC;
    array_lock(array);
    struct link *link = buffer_is_evictable(array, device); /* or it has been used meanwhile */
    void *buffer = link ? link->buffer : NULL;
    int error = link ? coherence_evict(array, link) : 0;
    if (link && !error) {
        link->buffer = NULL;
        link->is_buffer_ours = false;
        atomic_fetch_add(&context->totals.evictions, 1);
        log_line(2, "array %p of %zu bytes: its buffer on device %u goes", (void *)array->host,
                 array->bytes, device->index);
    }
    size_t bytes = array->bytes;
    array_release(array);
    if (buffer && !error)
        lifecycle_release_buffer(device, buffer, true, bytes);
    return error;
}

/* Counts the bytes as used, once they fit. */
static int make_room(struct context *context, struct device *device, size_t bytes)
{
    size_t budget = atomic_load(&device->budget_bytes), used = atomic_load(&device->used_bytes);
    for (;;) {
        if (budget && (bytes > budget || used > budget - bytes)) {
            int error = evict_oldest(context, device);
            if (error)
                return error;
            used = atomic_load(&device->used_bytes);
        } else if (atomic_compare_exchange_weak(&device->used_bytes, &used, used + bytes)) {
            return 0;
        }
    }
}

static void *budget_ask(struct device *device, size_t bytes)
{
    const struct gpuvm_allocator *allocator = &device->allocator;
    void *buffer = allocator->allocate(allocator->user, device->index, bytes);
    if (!buffer && allocator->collect && allocator->collect(allocator->user, device->index, bytes))
        buffer = allocator->allocate(allocator->user, device->index, bytes);
    return buffer;
}

/* The device may be fuller than the budget says: then more goes. */
static int bytes_allocate(struct context *context, struct device *device, size_t bytes,
                          void **buffer)
{
    int error = make_room(context, device, bytes);
    if (error)
        return error;
    while (!error && !(*buffer = budget_ask(device, bytes)))
        error =
            atomic_load(&device->budget_bytes) ? evict_oldest(context, device) : GPUVM_EDEVALLOC;
    if (error)
        atomic_fetch_sub(&device->used_bytes, bytes);
    return error;
}

int buffer_make(struct array *array, struct device *device)
{
    array_lock(array);
    bool is_needed = lacks_buffer(array_link(array, device));
    array_unlock(array);
    if (!is_needed)
        return 0;
    if (!device->has_allocator)
        return GPUVM_ENULL;
    void *buffer = NULL;
    atomic_fetch_add(&array->pins, 1);
    int error = bytes_allocate(array->context, device, array->bytes, &buffer);
    array_lock(array);
    struct link *link = array_link(array, device);
    is_needed = !error && lacks_buffer(link); /* or another thread was quicker */
    if (is_needed) {
        link->buffer = buffer;
        link->is_buffer_ours = true;
    }
    array_unlock(array);
    atomic_fetch_sub(&array->pins, 1);
    if (!error && !is_needed)
        lifecycle_release_buffer(device, buffer, true, array->bytes);
    return error;
}

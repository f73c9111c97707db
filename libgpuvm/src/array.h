/* SPDX-License-Identifier: MIT */
/*
 * Arrays: their layout (edges and interior), their life, their lock, and the marks on their pages.
 * What the marks mean is in context.h; when they change is coherence.h's and fetch.h's.
 */
#ifndef GPUVM_ARRAY_H
#define GPUVM_ARRAY_H

#include "context.h"

/* The whole array is on the host and nothing is watched. NULL: no memory. is_small_allowed: keeps
 * an interior however small. */
struct array *array_create(struct context *context, void *host, size_t bytes,
                           bool is_small_allowed);
void array_destroy(struct array *array);

/* The array that holds the address, with a reference that array_forget gives back; NULL: none. */
struct array *array_find(struct context *context, const void *address);
/* The first array that ends after the address. */
struct array *array_find_next(struct context *context, uintptr_t address);
void array_forget(struct array *array);
void array_lock(struct array *array);
bool array_try_lock(struct array *array);
/* Whether that thread has the lock. Exact for the thread itself, and for one that is stopped. */
bool array_is_owner(const struct array *array, int thread);
/* An array whose memory was unmapped meanwhile is removed. */
void array_unlock(struct array *array);
/* Unlocks and forgets. */
void array_release(struct array *array);

/* Memory in [start, end) is gone. False: that was known of this array already. Who has, or next
 * gets, the array's lock brings back what is left of it, and removes it. */
bool array_note_unmapped(struct array *array, uintptr_t start, uintptr_t end);
/* Whether the array, locked, is none any more: who found it gives it back, and looks again. */
bool array_is_gone(const struct array *array);
/* Takes the array, locked, out of the index and drops the index's reference: no thread finds it any
 * more. It is detached here and not when the last reference goes: by then the memory may be another
 * array's. False: it was out already. */
bool array_remove(struct array *array);

/* The link with a device, or NULL. */
struct link *array_link(struct array *array, const struct device *device);
/* Adds a link (data valid there or not) or removes one; 0 or GPUVM_ESALLOC. */
int array_add_link(struct array *array, struct device *device, void *buffer, bool is_valid);
void array_remove_link(struct array *array, struct link *link);

/* The device works on host memory itself: nothing is copied. */
static inline bool link_is_direct(const struct link *link)
{
    return link->device->is_svm && !link->buffer && !link->device->has_allocator;
}

/* Whether a device is using the array; `writes`: in a way that writes. */
bool array_is_begun(const struct array *array);
bool array_is_written(const struct array *array);

/* Marks on [from, to) of the interior, with their counts. mark_host_only: no device has them any
 * more. */
void mark_present(struct array *array, size_t from, size_t to, bool is_tracked);
void mark_absent(struct array *array, size_t from, size_t to);
void mark_tracked(struct array *array, size_t from, size_t to, bool is_tracked);
void mark_valid(struct array *array, struct link *link, size_t from, size_t to, bool is_valid);
void mark_host_only(struct array *array, size_t from, size_t to);

/* Whether the program may write to its memory. Asked of the kernel, by a word, while nothing is
 * watched; then known. */
bool array_is_writable(struct array *array);

/* Starts watching the interior if it is not watched yet. 0, or GPUVM_EPROT: then the array has
 * become eager (array_refuse). */
int array_attach(struct array *array);

/* Stops watching for good: everything is brought to the host, and the whole array becomes an edge.
 * 0, or GPUVM_ERROR. */
int array_refuse(struct array *array);

/* The same when the device of a link has everything: [interior] is read from there. */
int array_refuse_from(struct array *array, struct link *link);

/* The same when the rung is lost, whatever it takes. */
void array_abandon(struct array *array);

/* Stops watching; what is absent is lost. */
void array_detach(struct array *array);

/* A transfer is going to touch the host's pages, or has done so. */
void array_copying(struct array *array, bool is_copying);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Memory that goes away or moves while arrays in it are linked. Without this the allocator hands
 * pages that the library still watches to another part of the program. That then sees a device's
 * old data.
 */
#include "blocks.h"
#include "preload.h"

#include "gpuvm.h"

#include <errno.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define DROP 0 /* gpuvm_forget: no data need come back */

PRELOAD_API void free(void *pointer)
{
    void (*next)(void *) = NEXT(free);
    const struct preload_library *library = preload_get();

    if (next == NULL || pointer == NULL || allocate_is_first(pointer))
        return; /* called by the search for `free` itself: lost, a few bytes once */
    size_t usable_bytes = malloc_usable_size(pointer);
    if (library != NULL)
        preload_forget(library, pointer, usable_bytes, DROP);
    allocate_unseal(pointer, usable_bytes);
    blocks_remove(pointer);
    next(pointer);
}

/* Before a block moves: its arrays become ordinary memory with their data. */
static bool bring_back(void *pointer, size_t new_bytes)
{
    const struct preload_library *library = preload_get();

    if (pointer == NULL || library == NULL || allocate_is_first(pointer))
        return true;
    return preload_forget(library, pointer, malloc_usable_size(pointer),
                          new_bytes > 0 ? GPUVM_READ_WRITE : DROP);
}

PRELOAD_API void *realloc(void *pointer, size_t nbytes)
{
    __typeof__(realloc) *next = NEXT(realloc);

    if (next == NULL || !bring_back(pointer, nbytes)) {
        errno = ENOMEM; /* the block stays as it is, linked */
        return NULL;
    }
    return allocate_again(pointer, nbytes);
}

PRELOAD_API void *reallocarray(void *pointer, size_t count, size_t nbytes)
{
    size_t total;

    if (NEXT(realloc) == NULL || __builtin_mul_overflow(count, nbytes, &total) ||
        !bring_back(pointer, total)) {
        errno = ENOMEM;
        return NULL;
    }
    return allocate_again(pointer, total);
}

/* Pages that vanish. An array that also lies outside of them keeps its data there. */
static bool pages_lose(void *pointer, size_t nbytes)
{
    const struct preload_library *library = preload_get();
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    char *start = pointer, *end;
    bool sticks_out;

    if (library == NULL || nbytes == 0 || nbytes > SIZE_MAX - page_bytes)
        return true;
    end = start + (nbytes + page_bytes - 1) / page_bytes * page_bytes;
    sticks_out = preload_is_linked(library, start - 1, 1) || preload_is_linked(library, end, 1);
    return preload_forget(library, start, (size_t)(end - start),
                          sticks_out ? GPUVM_READ_WRITE : DROP);
}

PRELOAD_API int munmap(void *pointer, size_t nbytes)
{
    if (!pages_lose(pointer, nbytes)) {
        errno = ENOMEM;
        return -1;
    }
    return NEXT(munmap)(pointer, nbytes);
}

PRELOAD_API void *mremap(void *pointer, size_t old_bytes, size_t new_bytes, int flags, ...)
{
    const struct preload_library *library = preload_get();
    void *target = NULL;
    bool is_well = true;
    va_list list;

    if (flags & MREMAP_FIXED) {
        va_start(list, flags);
        target = va_arg(list, void *);
        va_end(list);
        is_well = pages_lose(target, new_bytes);
    }
    if (is_well && (flags & MREMAP_MAYMOVE) && library != NULL)
        is_well = preload_forget(library, pointer, old_bytes, GPUVM_READ_WRITE);
    else if (is_well && new_bytes < old_bytes)
        is_well = pages_lose((char *)pointer + new_bytes, old_bytes - new_bytes);
    if (!is_well) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return NEXT(mremap)(pointer, old_bytes, new_bytes, flags, target);
}

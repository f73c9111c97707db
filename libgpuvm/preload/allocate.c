/* SPDX-License-Identifier: MIT */
/*
 * malloc and its kin. Blocks of GPUVM_ALIGN_FROM bytes (8192) and more begin with a page. Nothing
 * else is in their last one (padding.h), so that arrays have no edges. 0: none do. With GPUVM_LOG
 * what that costs in memory is printed at the program's end. What comes from posix_memalign and its
 * like stays as it is.
 */
#include "blocks.h"
#include "padding.h"
#include "preload.h"

#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ALIGN_FROM 8192
#define FIRST_BYTES 16384 /* for the search for malloc itself */

static size_t align_from; /* 0: not known yet; SIZE_MAX: never */
static atomic_ullong blocks, asked_bytes, given_bytes;

static size_t page_bytes(void)
{
    static size_t known;
    if (known == 0)
        known = (size_t)sysconf(_SC_PAGESIZE);
    return known;
}

static bool is_to_align(size_t nbytes)
{
    if (align_from == 0) {
        const char *text = getenv("GPUVM_ALIGN_FROM");
        size_t from = text != NULL && *text != '\0' ? strtoul(text, NULL, 10) : ALIGN_FROM;
        align_from = from > 0 ? from : SIZE_MAX;
    }
    return nbytes >= align_from && nbytes <= SIZE_MAX - 2 * page_bytes() && align_from != SIZE_MAX;
}

static void *bytes_padded(size_t nbytes)
{
    __typeof__(aligned_alloc) *next = NEXT(aligned_alloc);
    size_t whole = (nbytes + page_bytes() - 1) & ~(page_bytes() - 1);
    char *block = next != NULL ? next(page_bytes(), whole) : NULL;

    if (block == NULL)
        return NULL;
    if (padding_room((uintptr_t)block + nbytes, page_bytes()) > 0)
        padding_seal(block + whole, (uintptr_t)block + nbytes);
    blocks_add(block, nbytes);
    atomic_fetch_add_explicit(&blocks, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&asked_bytes, nbytes, memory_order_relaxed);
    atomic_fetch_add_explicit(&given_bytes, whole, memory_order_relaxed);
    return block;
}

/* While dlsym looks for the C library's functions it may allocate; such blocks are never freed. */
static _Alignas(16) char first[FIRST_BYTES];
static atomic_size_t first_used;

static void *allocate_first(size_t nbytes)
{
    size_t at = atomic_fetch_add(&first_used, (nbytes + 15) & ~(size_t)15);
    return nbytes <= FIRST_BYTES && at <= FIRST_BYTES - nbytes ? first + at : NULL;
}

bool allocate_is_first(const void *pointer)
{
    return (const char *)pointer >= first && (const char *)pointer < first + FIRST_BYTES;
}

void allocate_unseal(void *pointer, size_t usable_bytes)
{
    padding_unseal(pointer, usable_bytes, page_bytes());
}

PRELOAD_API void *malloc(size_t nbytes)
{
    __typeof__(malloc) *next = NEXT(malloc);
    void *block;

    if (next == NULL)
        return allocate_first(nbytes);
    if (is_to_align(nbytes))
        return bytes_padded(nbytes);
    block = next(nbytes);
    blocks_add(block, 0);
    return block;
}

/* Pages that were never touched read as zeros, and stay untouched. */
static void block_clear(char *block, size_t nbytes)
{
    for (size_t at = 0; at < nbytes; at += page_bytes()) {
        size_t bytes = nbytes - at < page_bytes() ? nbytes - at : page_bytes();

        if (block[at] != 0 || memcmp(block + at, block + at + 1, bytes - 1) != 0)
            memset(block + at, 0, bytes);
    }
}

PRELOAD_API void *calloc(size_t count, size_t nbytes)
{
    __typeof__(calloc) *next = NEXT(calloc);
    size_t total;
    void *block;

    if (__builtin_mul_overflow(count, nbytes, &total)) {
        errno = ENOMEM;
        return NULL;
    }
    if (next == NULL)
        return allocate_first(total); /* zeros since the start */
    if (!is_to_align(total)) {
        block = next(count, nbytes);
        blocks_add(block, 0);
        return block;
    }
    block = bytes_padded(total);
    if (block != NULL)
        block_clear(block, total);
    return block;
}

/* realloc by the C library's own. */
static void *block_resized(void *pointer, size_t nbytes)
{
    __typeof__(realloc) *next = NEXT(realloc);
    void *block;

    blocks_remove(pointer);
    block = next(pointer, nbytes);
    blocks_add(block != NULL || nbytes == 0 ? block : pointer, 0);
    return block;
}

void *allocate_again(void *pointer, size_t nbytes)
{
    void (*next_free)(void *) = NEXT(free);
    size_t old_bytes =
        pointer != NULL && !allocate_is_first(pointer) ? malloc_usable_size(pointer) : 0;
    void *block;

    if (allocate_is_first(pointer)) {
        block = malloc(nbytes);
        old_bytes = (size_t)(first + FIRST_BYTES - (char *)pointer);
        return block != NULL ? memcpy(block, pointer, nbytes < old_bytes ? nbytes : old_bytes)
                             : NULL;
    }
    if (pointer != NULL)
        allocate_unseal(pointer, old_bytes);
    if (!is_to_align(nbytes))
        return block_resized(pointer, nbytes);
    block = bytes_padded(nbytes);
    if (block == NULL || pointer == NULL)
        return block;
    memcpy(block, pointer, nbytes < old_bytes ? nbytes : old_bytes);
    blocks_remove(pointer);
    next_free(pointer);
    return block;
}

__attribute__((destructor)) static void print_cost(void)
{
    const char *level = getenv("GPUVM_LOG");
    unsigned long long asked = atomic_load(&asked_bytes), given = atomic_load(&given_bytes);
    char line[200];
    int bytes;

    if (level == NULL || atoi(level) < 1 || asked == 0)
        return;
    bytes = snprintf(line, sizeof line,
                     "gpuvm: malloc of %zu bytes and more: %llu blocks, %llu bytes asked for, %llu "
                     "given: %.2f %% more\n",
                     align_from, atomic_load(&blocks), asked, given,
                     100.0 * (double)(given - asked) / (double)asked);
    if (bytes > 0 && write(STDERR_FILENO, line, (size_t)bytes) < 0)
        return;
}

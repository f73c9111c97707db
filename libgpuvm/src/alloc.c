/* SPDX-License-Identifier: MIT */
/* The public interface: memory for arrays that have no edges (padding.h). */
#include "api.h"

#include "padding.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

void *gpuvm_alloc(size_t nbytes)
{
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    if (!nbytes || nbytes > SIZE_MAX - BLOCK_BYTES)
        return NULL;
    size_t whole = (nbytes + page_bytes - 1) & ~(page_bytes - 1);
    bool is_large = whole >= BLOCK_BYTES;
    void *memory;
    if (posix_memalign(&memory, is_large ? BLOCK_BYTES : page_bytes, whole))
        return NULL;
    char *block = memory;
    if (is_large)
        madvise(block, whole, MADV_HUGEPAGE);
    if (padding_room((uintptr_t)block + nbytes, page_bytes))
        padding_seal(block + whole, (uintptr_t)block + nbytes);
    return block;
}

/* keeps: the data are still needed. */
static void unlink_all(void *block, bool keeps)
{
    if (lifecycle_context())
        gpuvm_forget(block, malloc_usable_size(block), keeps ? GPUVM_READ_WRITE : 0);
}

void gpuvm_free(void *block)
{
    if (!block)
        return;
    unlink_all(block, false);
    padding_unseal(block, malloc_usable_size(block), (size_t)sysconf(_SC_PAGESIZE));
    free(block);
}

void *gpuvm_realloc(void *block, size_t nbytes)
{
    if (!block)
        return gpuvm_alloc(nbytes);
    if (!nbytes) {
        gpuvm_free(block);
        return NULL;
    }
    size_t old = malloc_usable_size(block);
    void *larger = gpuvm_alloc(nbytes);
    if (!larger)
        return NULL;
    unlink_all(block, true);
    memcpy(larger, block, old < nbytes ? old : nbytes);
    gpuvm_free(block);
    return larger;
}

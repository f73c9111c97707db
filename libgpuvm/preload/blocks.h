/* SPDX-License-Identifier: MIT */
/*
 * Which block of malloc's a pointer points into: where it begins, and how long it is. Only where
 * PRELOAD_BLOCKS is defined (libnuda.so); in libgpuvm-preload.so nothing is noted.
 *
 * One bit for each 16 bytes of the address space says that a block begins there. Tables of 1 GB
 * each are mapped when the first block in them is. A second table has a bit a page, which stays
 * set: it lets the search pass over the pages of a large block. Noting a block is one or two atomic
 * operations, and takes no lock, so that a thread that is stopped in malloc has none. Blocks that
 * begin with a page have their length beside; of others malloc_usable_size says it.
 */
#ifndef PRELOAD_BLOCKS_H
#define PRELOAD_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>

#ifdef PRELOAD_BLOCKS
/* A block begins at base; nbytes 0: malloc_usable_size knows. base may be NULL. */
void blocks_add(void *base, size_t nbytes);
/* It is about to be freed. */
void blocks_remove(void *base);
/* The block that holds the byte at pointer. */
bool blocks_find(const void *pointer, void **base, size_t *nbytes);
#else
static inline void blocks_add(void *base, size_t nbytes)
{
    (void)base, (void)nbytes;
}
static inline void blocks_remove(void *base)
{
    (void)base;
}
#endif

#endif

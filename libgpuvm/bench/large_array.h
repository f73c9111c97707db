/* SPDX-License-Identifier: MIT */
/* A 64 MB malloc'ed array, its buffer on the fake device, and stamps by which each page shows whose
 * data it holds. */
#ifndef BENCH_LARGE_ARRAY_H
#define BENCH_LARGE_ARRAY_H

#include "faults.h"

#define LARGE_BYTES ((size_t)64 << 20)
#define LARGE_BLOCK_BYTES ((size_t)2 << 20)

struct large_array {
    struct bench *bench;
    unsigned char *host;
    void *buffer;
    size_t page_bytes, pages;
    uint32_t generation; /* kernels run so far */
    uint32_t random;     /* state */
    double kernel_us;    /* what a kernel takes; it runs when the use is ended, unless this is 0 */
    double work_us;      /* what the host does between two accesses */
};

void large_open(struct large_array *array, struct bench *bench);
void large_close(struct large_array *array);
/* Ends the link and makes a new one: all that the library has learnt of the array is gone. */
void large_relink(struct large_array *array);

/* A kernel stamps every page, so that only the device has the data. */
void large_give_to_device(struct large_array *array);
/* A kernel that only reads: afterwards the host and the device have the data. */
void large_share(struct large_array *array);

/* Reads the stamp of a page and ends the program if it is not the last kernel's. Microseconds of
 * the reading. */
double large_read(struct large_array *array, size_t page);
/* Writes into a page, beside its stamp. */
double large_write(struct large_array *array, size_t page);

/* The first page that is whole and the page after the last whole one; the same for 2 MB blocks by
 * address. */
size_t large_first_page(const struct large_array *array);
size_t large_last_page(const struct large_array *array);
size_t large_blocks(const struct large_array *array);
size_t large_block_page(const struct large_array *array, size_t block);

/* `count` different numbers below `limit` in random order. */
void large_shuffle(struct large_array *array, size_t *numbers, size_t count, size_t limit);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Batches of copies between the host and one device: built piece by piece, then run as one
 * transfer, counted and timed. Pieces of a buffer that the host can reach are plain copies.
 */
#ifndef GPUVM_TRANSFER_H
#define GPUVM_TRANSFER_H

#include "array.h"

#define BATCH_INLINE 16

struct batch {
    struct device *device;
    bool is_read;  /* from the device */
    bool is_fault; /* a faulting thread waits */
    struct gpuvm_segment *segments;
    struct piece *pieces; /* of the segment with the same index */
    size_t count, capacity;
    struct gpuvm_segment inline_segments[BATCH_INLINE];
    struct piece {
        struct array *array;
        struct link *link;
    } inline_pieces[BATCH_INLINE];
};

void batch_init(struct batch *batch, struct device *device, bool is_read, bool is_fault);
/* Adjacent pieces become one. The link has its buffer. 0 or GPUVM_ESALLOC. */
int batch_add(struct batch *batch, struct array *array, struct link *link, size_t offset,
              size_t bytes, char *host);
/* Copies all; 0 or GPUVM_ERROR (some may have been copied). */
int batch_run(struct batch *batch);
void batch_finish(struct batch *batch);

/* One piece, at once. */
int transfer_read(struct array *array, struct link *link, size_t offset, size_t bytes, char *host,
                  bool is_fault);
int transfer_write(struct array *array, struct link *link, size_t offset, size_t bytes, char *host);

/* Counts a copy from memory within reach that the kernel is about to make along with the page. So
 * the program finds it counted (not timed apart). */
void transfer_reads(struct array *array, struct link *link, size_t offset, size_t bytes);

/* The device's memory of the link's buffer if the host can reach it. The link has its buffer. */
char *link_reach(struct array *array, struct link *link);

/* The index of all clocks here: CLOCK_MONOTONIC in nanoseconds. */
uint64_t now_ns(void);

/* Asks for the start of each kilobyte. A kernel may have evicted the memory from the caches. A copy
 * or comparison then does not wait for one page after the other. */
static inline void fetch_ahead(const void *start, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 1024)
        __builtin_prefetch((const char *)start + at);
}

#endif

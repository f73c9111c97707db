/* SPDX-License-Identifier: MIT */
/*
 * What is learnt of how the host uses each block, and what follows. Costs come in three sizes: a
 * fault (some microseconds), a device's command, and the bytes; each rule bounds the loss when the
 * past misleads. An *epoch* is the time between two kernels.
 *
 * Windows: a fault fetches one page; a sequential reader's window doubles up to a block. After
 * MANY_FAULTS in a block the rest of it comes at once: those faults have cost as much as the rest
 * will. First writes have windows of their own.
 *
 * Hot pages: what the host fetched after each of two kernels is copied back at the end of the next
 * 16 (then 32, 64) without waiting to be touched, as full copying would, and stays accessible. Then
 * one end is lazy again, to look. Hot pages that the host only reads are tracked, so that they need
 * not go to the device again.
 *
 * Pages that are written in two epochs in a row are not tracked in the next 16 (32, 64): they go to
 * the device each time, as full copying would do it.
 */
#ifndef GPUVM_ADAPT_H
#define GPUVM_ADAPT_H

#include "array.h"

/* The pages to fetch for a touch of the absent page: a run that holds it. */
void adapt_read_window(struct array *array, size_t page, const struct device *device, size_t *from,
                       size_t *to);

/* The pages to stop tracking for a first write to the page. */
void adapt_write_window(struct array *array, size_t page, size_t *from, size_t *to);

/* A use that writes ends: closes the epoch, and chooses the hot pages to copy back now. */
void adapt_end(struct array *array);

/* They were copied back: closes the eager period of blocks that have had theirs. */
void adapt_was_eager(struct array *array);

/* Whether first writes to a run of hot pages, now equal on the link's device, should be noticed. */
bool adapt_wants_hot_tracking(const struct array *array, const struct link *link, size_t from,
                              size_t to);

/* A use that only reads begins: closes the block's epoch of writes, and chooses the pages that are
 * not to be tracked in the next one (array->writes.hot). */
void adapt_begin(struct array *array, size_t block);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What is learnt of how the host uses each block, and what follows. Costs come in three sizes: a
 * fault (some microseconds), a device's command, and the bytes; each rule bounds the loss when the
 * past misleads.
 *
 *   windows     A fault fetches one page; a sequential reader's window doubles up to a block. After
 * MANY_FAULTS in a block the rest of it comes at once: those faults have cost as much as the rest
 * will. First writes have windows of their own. eager       A block that the host fetched nearly
 * whole after each of two kernels is copied back at the end of the next 16 (then 32, 64) without
 * waiting to be touched, as full copying would. Then one end is lazy again, to look. unarmed     A
 * block that the host wrote nearly whole in two epochs is not tracked in the next 16 (32, 64): it
 * goes to the device each time, as full copying would. recording   An array whose first writes are
 * scattered is given to the kernel to record, which costs a sixth of a fault a page, but a scan at
 * each begin.
 *
 * An *epoch* is the time between two kernels.
 */
#ifndef GPUVM_ADAPT_H
#define GPUVM_ADAPT_H

#include "array.h"

/* The pages to fetch for a touch of the absent page: a run that holds it. */
void adapt_read_window(struct array *array, size_t page, const struct device *device, size_t *from,
                       size_t *to);

/* The pages to stop tracking for a first write to the page. */
void adapt_write_window(struct array *array, size_t page, size_t *from, size_t *to);

/* A use that writes ends: closes the epoch of reads. Then whether a block is to be copied back now.
 */
void adapt_end_reads(struct array *array);
static inline bool adapt_is_eager(const struct array *array, size_t block)
{
    return array->blocks[block].eager_left > 0;
}
/* Block was copied back eagerly once more. */
void adapt_was_eager(struct array *array, size_t block);

/* A use begins: closes the block's epoch of writes; whether to track it from now on. */
bool adapt_wants_tracking(struct array *array, size_t block);

/* Whether the kernel should record writes from now on; called when a use begins, all pages present.
 */
bool adapt_wants_recording(struct array *array, size_t written_pages);

#endif

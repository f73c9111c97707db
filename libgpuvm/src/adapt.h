/* SPDX-License-Identifier: MIT */
/*
 * What is learnt of how the host uses each block, and what follows. Costs come in three sizes: a
 * fault (some microseconds), a device's command, and the bytes; each rule bounds the loss when the
 * past misleads. An *epoch* is the time between two kernels.
 *
 * Windows: a fault fetches one page (where commands are dear some more, until that turns out
 * wrong). A sequential reader's window doubles up to a block, and goes on into the next block.
 * After MANY_FAULTS in a block the rest of it comes at once: those faults have cost as much as the
 * rest will. What was used in the last epoch comes at once too. First writes have windows of their
 * own.
 *
 * Used is what was touched, not what was fetched: the page of a fault, and a window that a further
 * fault follows. A window that no fault could follow leaves out its last page, the *witness*.
 *
 * Hot pages: what was used after each of two kernels is copied back at the end of the next ones, as
 * full copying would. It does not wait to be touched, and stays accessible. Every PROBE_EPOCHS
 * epochs one of them, the *probe*, is left to fault. If it does not, all predictions of the array
 * are dropped. So a wrong one lasts PROBE_EPOCHS kernels. Hot pages that the host only reads are
 * tracked, so that they need not go to the device again.
 *
 * Pages that are written in two epochs in a row are not tracked in the next ones. They go to the
 * device each time, as full copying would do it. One of them is tracked now and then, as a probe.
 */
#ifndef GPUVM_ADAPT_H
#define GPUVM_ADAPT_H

#include "array.h"

/* The pages to fetch for a touch of the absent page: a run that holds it. */
void adapt_read_window(struct array *array, size_t page, const struct device *device, bool is_write,
                       size_t *from, size_t *to);

/* The pages to stop tracking for a first write to the page. */
void adapt_write_window(struct array *array, size_t page, size_t *from, size_t *to);

/* Once, after a window that followed another, where pages were hot until they were dropped. The
 * rest of their run in the reader's direction, of which some are there already. */
bool adapt_resume(struct array *array, size_t page, bool is_write, size_t *from, size_t *to);

/* The host says that it touches [from, to). */
void adapt_was_touched(struct array *array, size_t from, size_t to, bool is_write);

/* A use that writes ends: closes the epoch, and chooses the hot pages to copy back now. */
void adapt_end(struct array *array);

/* How far hot pages from `from` on, up to `to`, are to be treated alike. */
size_t adapt_hot_end(const struct array *array, size_t from, size_t to);

/* Whether first writes to hot pages from `from` on, now equal on the device, should be noticed. */
bool adapt_wants_hot_tracking(const struct array *array, size_t from);

/* A use that only reads begins. Closes the epoch of writes, and chooses the pages that are not to
 * be tracked in the next one (array->writes.hot). */
void adapt_begin(struct array *array);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * From the devices to the host: serving faults, and the same on request. All but fetch_serve
 * are called with the array locked.
 */
#ifndef GPUVM_FETCH_H
#define GPUVM_FETCH_H

#include "array.h"

/* Serves one fault, on a service thread. Waits for a device, but for no array's lock. */
void fetch_serve(struct context *context, const struct fault *fault);

/*
 * Makes [from, to) of the interior ready for the host: present, and untracked if it is to be
 * written. Without needs_data what a device has of it is not fetched (the host overwrites it).
 * Returns 0, GPUVM_ERROR or GPUVM_ESALLOC.
 */
int fetch_range(struct array *array, size_t from, size_t to, bool is_write, bool needs_data);

/* Everything present, whatever it takes: pages that the kernel does not open are opened by detach.
 */
int fetch_all(struct array *array);

/* The same, trying again if a device fails. */
int fetch_stubbornly(struct array *array);

/* The link whose device has the page, and the end of the run that it has. NULL: none (its data are
 * lost). */
struct link *fetch_source(struct array *array, size_t page, size_t end, size_t *run_end);

#endif

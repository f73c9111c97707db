/* SPDX-License-Identifier: MIT */
/*
 * Fetches that do not end. A fault whose data come by a device's command may wait for a thread of
 * the device's driver that itself waits for the fault. A thread of its own says so on stderr, once
 * a fetch, after a second.
 */
#ifndef GPUVM_WATCH_H
#define GPUVM_WATCH_H

#include "array.h"

/* 0 or GPUVM_ERROR. Signals are blocked by the caller. stop: after stop_fd was written to
 * (is_told). */
int watch_start(struct context *context);
void watch_stop(struct context *context, bool is_told);

/* On a service thread: a command for this fault begins, or is over. index: the thread's. */
void watch_begin(struct array *array, const struct fault *fault, const struct link *link,
                 size_t bytes, unsigned index);
void watch_end(struct context *context, unsigned index);

/* The touch of this page was rejected since a device failed, and would be again, by the kernel
 * alone. A quarter of a second later the device is asked anew. */
void watch_failed(struct context *context, uintptr_t address);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The threads that serve faults. They block all signals, touch no array that is absent, and need no
 * lock that a program's thread may hold while it touches one.
 */
#ifndef GPUVM_SERVICE_H
#define GPUVM_SERVICE_H

#include "context.h"

/* 0, GPUVM_ESALLOC or GPUVM_ERROR. */
int service_start(struct context *context);
void service_stop(struct context *context);

/* On a service thread that cannot go on until all events have been read: reads them, and puts off
 * the faults that come before them. On others nothing. */
void service_catch_up(void);

/*
 * Waits until the library has seen to what was unmapped in a range. A thread that has returned from
 * munmap, and calls this, does not use the arrays that were there. (The kernel lets the thread go
 * on when a service thread has read of it.) For about a second at most; on a service thread not at
 * all. No place of cancellation.
 *
 * _others: also to what threads have unmapped that did not return from it yet. The kernel may have
 * given the addresses to the caller before any thread could read of it.
 */
void service_await_unmaps(struct context *context, uintptr_t start, size_t bytes);
void service_await_other_unmaps(struct context *context, uintptr_t start, size_t bytes);

/* The calling service thread's number. */
unsigned service_index(void);

/* In a forked child, which has no such threads. */
void service_close_fds(struct context *context);

#endif

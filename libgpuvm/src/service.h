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

/* The first service thread: whether the others are told too of faults on the rung's first
 * descriptor, which is where most of them come from. */
void service_share(struct context *context, bool is_shared);

/* On a service thread that cannot go on until all news have been read: reads them, and puts off the
 * faults that come before them. On others nothing. */
void service_catch_up(void);

/*
 * Waits until the library has seen to what was unmapped in a range: whoever has returned from
 * munmap, and calls this, does not find the arrays that were there. (The kernel lets the thread go
 * on when a service thread has read of it.) At most a second; not with an array's or the index's
 * lock held. No place of cancellation.
 */
void service_hear(struct context *context, uintptr_t start, size_t bytes);

/* Whether memory was unmapped by a thread that has not returned from that, so that another may have
 * its addresses before anybody has read of it. */
bool service_is_behind(struct context *context);
/* Waits for 0.1 ms. No place of cancellation. */
void service_pause(void);

/* In a forked child, which has no such threads. */
void service_close_fds(struct context *context);

#endif

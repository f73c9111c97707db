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

/* Waits until the library has taken notice of all that was unmapped until now, by whichever thread,
 * so that no array is taken for one that had the same addresses before, and none is fetched to
 * where it was; at most a second. Not with a lock held. */
void service_hear(struct context *context);

/* In a forked child, which has no such threads. */
void service_close_fds(struct context *context);

#endif

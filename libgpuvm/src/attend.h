/* SPDX-License-Identifier: MIT */
/*
 * How the first service thread waits for faults. What a fault costs is mostly two processors that
 * wake each other from idleness (a few microseconds, in a virtual machine 10 to 40), so it learns
 * from the faults how to spare that:
 *
 * It follows: while one thread faults again and again, it keeps to the processor of that thread,
 * which is free as long as the thread waits, and has the data in its caches afterwards. Without a
 * fault for a while, and whenever a device's driver is called (threads that it starts inherit the
 * processors), it may run anywhere again.
 *
 * It lingers: where faults come so close upon each other that the scheduler has no time to settle,
 * it looks for the next one for some microseconds before it sleeps, and the other service threads
 * are not woken meanwhile.
 */
#ifndef GPUVM_ATTEND_H
#define GPUVM_ATTEND_H

#include <stdbool.h>

struct context;

/* The calling thread is the first service thread from here until attend_stop. */
void attend_start(struct context *context);
void attend_stop(void);

/* How long it may sleep now, for epoll_wait: milliseconds, 0 for lingering, -1. */
int attend_patience(void);
/* Nothing came within that time. */
void attend_nothing(void);

/* A fault has come; it has been served. thread: the one that faulted, 0 if unknown. */
void attend_fault(void);
void attend_served(int thread);

/* On any thread: what comes next may take long, or runs others' code. */
void attend_elsewhere(void);

#endif

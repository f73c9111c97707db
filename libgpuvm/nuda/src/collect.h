/* SPDX-License-Identifier: MIT */
/*
 * Boehm's collector (libgc), if the program has it. Three things must go together:
 *
 * It stops threads anywhere by signals. A thread that is stopped in malloc or in OpenCL has a lock.
 * A thread that cannot be stopped, since it has signals blocked, may need that lock: then nothing
 * ends. So whatever this library does happens in collect_guard. The thread is declared inactive
 * (GC_do_blocking), so the collector need not stop it. It passes a gate, which the collector closes
 * before it stops the others and opens when they go on. While the world stands, nothing of this
 * library's is half done.
 *
 * It reads what may hold pointers: an array that a device owns would be fetched page by page while
 * all threads stand. So before the world stops, arrays that are scanned (not those of
 * GC_MALLOC_ATOMIC) come back to the host.
 *
 * It gives memory of dead arrays to others. Each array that a device has is known by a weak
 * pointer. It is a long link, which is cleared when no finalizer can bring the array back either.
 * After a collection the links of those that died end, and their buffers are released. The
 * collector's lock is then still held, and nothing has been allocated.
 *
 * The collector's own lock is never asked for inside the gate.
 *
 * OpenCL's compilers take the signal by which it lets threads go on. At the gate it gets that back.
 */
#ifndef NUDA_COLLECT_H
#define NUDA_COLLECT_H

#include "memory.h"

/* Whether the pointer is the collector's, and to what. */
bool collect_find(void *pointer, struct memory *memory);

/* Starts to watch the collector, if the program has one that is initialised; costs little when
 * called again. Not in collect_guard. */
void collect_start(void);

/* Runs function(argument) as described above. May be nested. */
void collect_guard(void (*function)(void *argument), void *argument);

/* Before an array is linked first: the collector will be asked whether it lives. False: no
 * memory. Not in collect_guard. */
bool collect_watch(const struct memory *memory);

/* Device memory is full: collects. Returns whether there is a collector. Not in collect_guard. */
bool collect_now(void);

/* Buffers that were released since their arrays had died. */
unsigned long long collect_released(void);

#endif

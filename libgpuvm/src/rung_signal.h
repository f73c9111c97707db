/* SPDX-License-Identifier: MIT */
/*
 * Faults that arrive as signals, for the rungs whose kernel side has no descriptor to read them
 * from. The thread that meets a fault serves it itself, in the signal's handler, where that takes
 * nothing that a handler must not do (fetch_serve_here); else it hands the fault to a service
 * thread through a pipe, and waits on a futex. One rung at a time.
 */
#ifndef GPUVM_RUNG_SIGNAL_H
#define GPUVM_RUNG_SIGNAL_H

#include "rung.h"

/*
 * Takes the signal `number` (SIGSEGV or SIGBUS); what is not ours goes to whoever had it before.
 * *read_fd is the pipe's end for rung->fds. False: no pipe, or no handler.
 */
bool signal_open(struct rung *rung, int number, int *read_fd);
/* Open or not; returns when no thread is in the handler any more. The handler stays: a thread may
 * have met its last fault and not have got there yet. */
void signal_close(struct rung *rung, int read_fd);
/* Gives the signals back: the library's code may go away. */
void signal_restore(void);
/* In a forked child: the handler is off, and touches nothing of the library's. */
void signal_leave(void);

/* struct rung_ops' functions, for faults with a waiter. */
bool signal_next(int read_fd, struct fault *fault);
void signal_settle(const struct fault *fault);
void signal_reject(const struct fault *fault, bool is_lost);
void signal_defer(struct rung *rung, const struct fault *fault);
void signal_resume(struct rung *rung, const struct array *array);

#endif

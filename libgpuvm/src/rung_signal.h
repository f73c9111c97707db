/* SPDX-License-Identifier: MIT */
/*
 * Faults that arrive as SIGSEGV, for the rung whose kernel side has no descriptor to read them
 * from. The signal's handler gives the fault to a service thread through a pipe, and waits on a
 * futex. One rung at a time.
 */
#ifndef GPUVM_RUNG_SIGNAL_H
#define GPUVM_RUNG_SIGNAL_H

#include "rung.h"

#include <signal.h>

/* Takes SIGSEGV; a signal that is not ours goes to the handler that was there before. Faults are
 * read from rung->fds[0]. False: no pipe, or no handler. */
bool signal_open(struct rung *rung);
/* Open or not; returns when no thread is in the handler any more. The handler stays: a thread may
 * have met its last fault and not have got there yet. */
void signal_close(struct rung *rung);
/* Gives the signal back: the library's code may go away. */
void signal_restore(void);
/* Whether the signal and the descriptors are still ours. */
bool signal_is_intact(struct rung *rung);
/* While SIGSEGV is ours: sets and tells the action that comes after us, as sigaction would. False:
 * it is not, or the action is our own. */
bool signal_stands_before(const struct sigaction *action, struct sigaction *before);
/* In a forked child: the handler is off, and touches nothing of the library's. */
void signal_leave(void);

/* struct rung_ops' functions. */
bool signal_next(struct rung *rung, int read_fd, struct fault *fault);
void signal_settle(struct rung *rung, const struct fault *fault);
void signal_reject(struct rung *rung, const struct fault *fault, enum rejection why);
void signal_defer(struct rung *rung, struct array *array, const struct fault *fault);
void signal_resume(struct rung *rung, struct array *array);

#endif

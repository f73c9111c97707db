/* SPDX-License-Identifier: MIT */
/*
 * Running another program (the compiler) without a shell, and reading what it prints.
 *
 * The host program owns this process: it may ignore SIGCHLD, reap children that are not its own,
 * block signals or carry an LD_PRELOAD meant for itself. The child is shielded from all of these.
 */
#ifndef PROGRAM_CHILD_PROCESS_H
#define PROGRAM_CHILD_PROCESS_H

#include <stdbool.h>

#include "base/diagnosis.h"
#include "base/text.h"

/* Runs words[0] (a path) with these arguments (NULL-terminated) and waits. What it writes to stdout
 * and stderr is appended to `output`, up to a megabyte. `folder` is where it puts temporary files,
 * NULL for the default. `status` is its exit status, 128 + the signal that ended it, or -1 where
 * somebody else reaped it. False: it could not be started; the diagnosis says why. */
bool child_process_run(char *const *words, const char *folder, struct text *output, int *status,
                       struct diagnosis *diagnosis) MUST_USE;

#endif

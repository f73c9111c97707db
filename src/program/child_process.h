/* SPDX-License-Identifier: MIT */
/*
 * Running another program (the compiler) without a shell, and reading what it prints.
 *
 * The host program owns this process. It may ignore SIGCHLD, reap children that are not its own,
 * block signals or carry an LD_PRELOAD meant for itself. The child is shielded from all of these.
 */
#ifndef PROGRAM_CHILD_PROCESS_H
#define PROGRAM_CHILD_PROCESS_H

#include <stdbool.h>

#include "base/diagnosis.h"
#include "base/text.h"

/* A child that runs. */
struct child_process {
    long id;
    int messages;     /* where it writes what it has to say */
    int signal;       /* a pipe to its stdin, for child_process_signal; -1: none */
    int signal_guard; /* the pipe's other end: else a child that is gone would end this process */
};

/* Where a child's stdin and stdout go; -1 for the usual: nothing, and the messages. */
struct child_ends {
    bool has_signal; /* stdin is what child_process_signal writes */
    int input, output;
};

/* Starts words[0] (a path) with these arguments (NULL-terminated). `folder` is where it puts
 * temporary files, NULL for the default. False: it could not be started; the diagnosis says why. */
bool child_process_start(struct child_process *child, char *const *words, const char *folder,
                         const struct child_ends *ends, struct diagnosis *diagnosis) MUST_USE;

/* Gives a child that waits for it one byte. Once. */
void child_process_signal(struct child_process *child, char byte);

/* Waits for the end. What the child wrote to stderr (and stdout, unless that went elsewhere) is
 * appended to `output`, up to a megabyte. The exit status, 128 + the signal that ended it, or -1
 * where another part of this process reaped it. */
int child_process_finish(struct child_process *child, struct text *output);

/* Both at once. */
bool child_process_run(char *const *words, const char *folder, struct text *output, int *status,
                       struct diagnosis *diagnosis) MUST_USE;

#endif

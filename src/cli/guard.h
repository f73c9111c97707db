/* SPDX-License-Identifier: MIT */
/*
 * A process between `wavetank run` and the program. It outlives the command when that is killed,
 * and then leaves nothing behind: no process, no temporary folder.
 *
 *     the shell ─► wavetank run ─► guard ─► the program ─► its children
 *
 * The guard adopts children that the program left (PR_SET_CHILD_SUBREAPER), so that it can find
 * them. It stands in a process group of its own, where a signal to the command's group does not
 * reach it. The program is in the command's group, as the terminal wants it. Only a SIGKILL of both
 * leaves something: the temporary folder. The program then dies by PR_SET_PDEATHSIG.
 *
 * Source: Linux manual pages, prctl(2) and setpgid(2), https://man7.org/linux/man-pages/.
 */
#ifndef CLI_GUARD_H
#define CLI_GUARD_H

#include <stdbool.h>
#include <sys/types.h>

/* Runs `work` in the guard and gives the status that it gives. Signals to this process are passed
 * on to the guard, but for those that a terminal has sent to the program as well. In the guard they
 * wait until guard_watch. */
int guard_run(int (*work)(void *context), void *context);

/* In the guard: passes signals on to the program from now on; 0: there is none. */
void guard_watch(pid_t program);
/* In the guard: ends what is left when the command was killed. True if it was. */
bool guard_clean(void);

/* In the program's process, before exec: back to the signals and the group that the command had,
 * and an end with the guard's. */
void guard_release_program(void);

/* Whether the signal is one that is passed on. */
bool guard_passes_on(int number);

#endif

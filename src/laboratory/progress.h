/* SPDX-License-Identifier: MIT */
/* How far a sweep is, on standard error: a bar with the time left on a terminal, else a line now
 * and then. */
#ifndef LABORATORY_PROGRESS_H
#define LABORATORY_PROGRESS_H

#include <stdbool.h>

struct progress {
    unsigned total, done, failed, busy, known; /* known: were in the database already */
    bool is_silent, is_terminal;
    double began, shown;
    unsigned lines; /* printed so far, without a terminal */
};

void progress_begin(struct progress *progress, unsigned total, unsigned known, bool is_silent);
/* After each change, and now and then. */
void progress_show(struct progress *progress);
/* Removes the bar, to print a line. */
void progress_hide(struct progress *progress);

#endif

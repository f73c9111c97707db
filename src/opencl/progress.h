/* SPDX-License-Identifier: MIT */
/* How far a kernel has come: a line that is rewritten on the terminal, and one at SIGUSR1. For
 * people only: it goes by the host's clock. */
#ifndef OPENCL_PROGRESS_H
#define OPENCL_PROGRESS_H

#include "machine/machine.h"

struct progress_display {
    double started, shown; /* host seconds, 0: not yet */
    bool is_wanted;        /* on a terminal, without being asked */
    bool is_visible;
};
/* Before a launch. */
void progress_start(struct progress_display *display);
/* In a signal handler: the running launch is to say how far it is. False: none runs. */
bool progress_ask(void);
/* machine_options.progress; `context` is a struct progress_display. */
void progress_show(void *context, const struct machine_progress *progress);
/* machine_options.say: the display goes out of the way. */
void progress_say(void *context, const char *lines);
void progress_clear(struct progress_display *display);

#endif

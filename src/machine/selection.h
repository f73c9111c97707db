/* SPDX-License-Identifier: MIT */
/*
 * Which launches of a timed machine are timed; the others run functionally, on the same memory.
 *
 *     SELECTION = CHOICE[,CHOICE]...     CHOICE = NAME | NAME:NUMBERS | NUMBERS
 *     NUMBERS = N | FIRST-LAST | FIRST-
 *
 * NAME is a kernel's; numbers count from 1, alone all launches of the process, behind a name those
 * of that kernel. A launch that any choice means is timed.
 */
#ifndef MACHINE_SELECTION_H
#define MACHINE_SELECTION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnosis.h"

struct launch_choice {
    char *kernel; /* NULL: every one */
    uint64_t first, last;
    uint64_t seen; /* launches of that kernel so far */
};

struct launch_selection {
    struct launch_choice *choices;
    uint32_t count;
    uint64_t seen; /* launches so far */
};

bool launch_selection_parse(struct launch_selection *selection, const char *text,
                            struct diagnosis *diagnosis) MUST_USE;
void launch_selection_finish(struct launch_selection *selection);

/* Counts a launch, and says whether it is to be timed. */
bool launch_selection_next(struct launch_selection *selection, const char *kernel);

#endif

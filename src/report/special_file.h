/* SPDX-License-Identifier: MIT */
/* Which of the names that a user gives for results stand for something that is not replaced. */
#ifndef REPORT_SPECIAL_FILE_H
#define REPORT_SPECIAL_FILE_H

#include <stdbool.h>

/* Whether what stands there is written to, and never replaced: a terminal, a pipe, a device; or a
 * name of a file that a process has open, as /dev/stdout is, whatever that file is. */
bool special_file(const char *path);
/* To be written to, behind what is there; -1 and errno. A name of a file that this process has open
 * is that descriptor again, so that what others write through it goes on behind. */
int special_file_open(const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The profile by source line (WAVETANK_PROFILE): the machine's lines, with the text of the sources
 * that programs were built of.
 */
#ifndef OPENCL_PROFILE_H
#define OPENCL_PROFILE_H

#include <stdbool.h>

#include "machine/machine.h"
#include "report/profile.h"

bool profile_is_wanted(void);
/* The source of a program that is built; copied. */
void profile_note_source(const char *source, size_t source_bytes);
/* What the machine has counted so far. profile_report_finish frees. */
void profile_collect(struct machine *machine, struct profile_report *report);
/* Writes the text for people into the file. False: errno says why. */
bool profile_write(struct machine *machine, const char *path);

#endif

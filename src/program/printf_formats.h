/* SPDX-License-Identifier: MIT */
/*
 * The formats of a program's printf calls, which its metadata lists under amdhsa.printf. A call
 * stores the format's number and its arguments (backend/printf.c), and the text is made from both.
 *
 * A line is NUMBER:COUNT:BYTES:...fTEXT, or NUMBER:COUNT:BYTES:...a. COUNT arguments are stored,
 * each with its own BYTES (it takes a multiple of four). TEXT is the format as it is; `a` says that
 * its address is the first argument.
 */
#ifndef PROGRAM_PRINTF_FORMATS_H
#define PROGRAM_PRINTF_FORMATS_H

#include <stddef.h>

#include "program/program.h"

/* Reads one line, of `count` characters, into *format, which printf_format_finish frees. False: it
 * is no such line, and *format is empty. */
bool printf_format_read(const char *line, size_t count, struct program_format *format) MUST_USE;
void printf_format_finish(struct program_format *format);

#endif

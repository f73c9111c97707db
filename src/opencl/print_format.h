/* SPDX-License-Identifier: MIT */
/*
 * What a printf call of a kernel prints. It is the format, in the syntax of OpenCL C, filled in
 * with the arguments that the call has stored.
 *
 * Left out: half, which the device does not have. A conversion that OpenCL C does not know, or that
 * has no argument, prints itself. A string that cannot be read (it lies in private or local memory)
 * is ???. Widths and precisions beyond 4095 count as 4095. Bytes may be anything: a kernel may have
 * written over its records.
 * Source: Khronos, "The OpenCL C Specification" 3.0, 6.15.14 "printf"; ISO C, "The fprintf
 * function".
 */
#ifndef OPENCL_PRINT_FORMAT_H
#define OPENCL_PRINT_FORMAT_H

#include "base/text.h"
#include "program/program.h"

/* Where the strings of %s lie: device memory. */
struct print_memory {
    /* Appends what stands at the address until a zero byte; false: there is no memory. */
    bool (*read_string)(void *context, uint64_t address, struct text *text);
    void *context;
};

/* Appends the text of one call; `arguments` are `count` bytes. Numbers are written in the locale of
 * the thread. */
void print_format(struct text *text, const struct program_format *format,
                  const unsigned char *arguments, size_t count, const struct print_memory *memory);

#endif

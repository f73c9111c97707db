/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library, and of the compiler, that OpenCL C has too. Their results agree with
 * the host's within OpenCL's bounds; those of sqrt, fma, fabs, floor and so on, which are exact, in
 * all bits.
 */
#ifndef NUDACC_KNOWN_H
#define NUDACC_KNOWN_H

#include <stdbool.h>

/* Of types: r double or float (by `is_float`), i int, l long, u unsigned, U unsigned long, x: as
 * given. */
struct known_function {
    const char *name;
    const char *call; /* in OpenCL C, $0 and $1 and $2 are its arguments */
    char result;
    const char *arguments;
    bool is_float;
};

/* The function with this name; false: there is none. */
bool known_find(const char *name, struct known_function *function);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * clang's front end: OpenCL C to bitcode on which no pass has run. Functions that are only declared
 * stay so. The bitcode has line tables always, for messages; the backend drops them unless the
 * program was built with -g.
 */
#ifndef PROGRAM_FRONT_END_H
#define PROGRAM_FRONT_END_H

#include "program/compilation.h"

struct front_end {
    const char *source;
    size_t source_bytes;
    const struct program_headers *headers; /* NULL: none */
    struct build_options options;
    char source_name[PROGRAM_NAME_BYTES];
    bool is_written; /* source and headers lie in the folder */
};

/* Appends all that the bitcode depends on, and what is said when it is made. False: it cannot be
 * known, so that nothing may be cached. */
bool front_end_add_key(struct compilation *job, struct front_end *front, struct text *key);

/* Makes the bitcode file, whose name in the folder is `front_end_output`. */
extern const char front_end_output[];
bool front_end_run(struct compilation *job, struct front_end *front) MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The options of clBuildProgram: splitting the string into words and choosing what clang is given
 * for each.
 *
 * Words are separated by blanks; '...' and "..." quote, a backslash takes the next character as it
 * is (except inside '...'). An option that is not in the table is refused: a misspelt
 * -cl-fast-relaxed-math that is silently dropped would change results in silence.
 *
 * Left out: what other vendors invented (-cl-nv-*, -fbin-*).
 * Source: The OpenCL API specification 3.0, "Compiler Options" and "Linker Options".
 */
#ifndef PROGRAM_BUILD_OPTIONS_H
#define PROGRAM_BUILD_OPTIONS_H

#include <stdbool.h>

#include "base/diagnosis.h"
#include "program/binary.h"
#include "program/word_list.h"

struct build_options {
    struct word_list words;          /* for clang, in the order given */
    bool warnings_are_errors;        /* -Werror was given (it is not among the words) */
    struct binary_settings settings; /* for the backend */
};

/* Of clLinkProgram. */
struct link_options {
    bool makes_library; /* -create-library */
};

/* Splits and checks. `options` may be NULL. False: the diagnosis names the option at fault; nothing
 * is owned. */
bool build_options_parse(const char *options, struct build_options *parsed,
                         struct diagnosis *diagnosis) MUST_USE;
void build_options_finish(struct build_options *options);

/* The same for clLinkProgram. Options of the compiler that need no source are allowed and change
 * nothing: the programs were compiled with their own. */
bool link_options_parse(const char *options, struct link_options *parsed,
                        struct diagnosis *diagnosis) MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A litmus test in a file: one of herd's for OpenCL (`.litmus`), with the remote operations of its
 * opencl_rem.cat, or one in the plain form (docs/models/litmus-files.md).
 *
 * What the machine or the model does not have is refused, by its line and name: loops, fences,
 * sequential consistency, what is not an int.
 */
#ifndef VERIFY_LITMUS_FILE_H
#define VERIFY_LITMUS_FILE_H

#include "verify/litmus_condition.h"

struct litmus_file {
    char name[64];
    struct litmus litmus; /* points to the name and the names: the file stays where it is */
    struct litmus_names names;
    struct litmus_condition condition;
    bool shares_local; /* some word of local memory is of several work-groups: the machine has one
                          in each, the model one for all */
};

/* False and a diagnosis: file and line are wrong. */
bool litmus_file_read(struct litmus_file *file, const char *path,
                      struct diagnosis *diagnosis) MUST_USE;
/* The same of text, which need not end with a zero. `path`: how it is called. */
bool litmus_file_parse(struct litmus_file *file, const char *path, const char *text, size_t length,
                       struct diagnosis *diagnosis) MUST_USE;

#endif

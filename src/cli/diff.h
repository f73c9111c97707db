/* SPDX-License-Identifier: MIT */
/* `wavetank diff` in parts: diff.c chooses, diff_json.c compares statistics files, diff_trace.c
 * instruction traces. */
#ifndef CLI_DIFF_H
#define CLI_DIFF_H

#include "base/diagnosis.h"

struct diff_file {
    const char *path;
    char *bytes; /* terminated by a zero; owned */
    size_t count;
};

enum diff_outcome { DIFF_SAME, DIFF_DIFFERENT, DIFF_FAILED /* the diagnosis says why */ };

/* Both print the first difference on stdout. */
enum diff_outcome diff_json(const struct diff_file files[2], struct diagnosis *diagnosis);
enum diff_outcome diff_traces(const struct diff_file files[2], struct diagnosis *diagnosis);

/* Whether the file begins with a line of a trace. */
bool diff_is_trace(const struct diff_file *file);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a process keeps while it runs, so that its results survive an end at any instant. Kept are
 * the end of its JSON report and its table. That end belongs behind the first `offset` bytes of the
 * unfinished file beside the result (json_file.h).
 *
 *     FILE.PART  {...kernels: [..., ...|, later ones
 *                                      └ offset
 *     FILE.KEPT  offset, the end ...]...}, table
 *
 * The file appears whole, in place of the one before. It is a header line of three numbers, then
 * the bytes.
 */
#ifndef REPORT_KEPT_H
#define REPORT_KEPT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct kept {
    uint64_t offset;
    struct text end, table; /* empty: not wanted */
};

/* Replaces the file. False: errno says why, and the file is as it was. */
bool kept_write(const char *path, const struct kept *kept);
/* False: there is none. kept_finish frees. */
bool kept_read(const char *path, struct kept *kept);
void kept_finish(struct kept *kept);

/* Makes the unfinished file a whole report. False: errno says why. */
bool kept_complete(const struct kept *kept, const char *part);

#endif

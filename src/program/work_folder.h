/* SPDX-License-Identifier: MIT */
/* A private folder for one compilation: the source, the embedded headers, the compiler's own
 * temporary files. It is made on first use and removed with all it holds. */
#ifndef PROGRAM_WORK_FOLDER_H
#define PROGRAM_WORK_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnosis.h"

struct work_folder {
    char *path; /* NULL: not made yet */
};

/* Makes it under $TMPDIR, else /tmp, unless it is there. */
bool work_folder_make(struct work_folder *folder, struct diagnosis *diagnosis) MUST_USE;
/* Writes a file, and the folders in its name. Names that lead out of the folder are refused. */
bool work_folder_write(const struct work_folder *folder, const char *name, const void *bytes,
                       size_t count, struct diagnosis *diagnosis) MUST_USE;
void work_folder_remove(struct work_folder *folder);

#endif

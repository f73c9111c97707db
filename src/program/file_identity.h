/* SPDX-License-Identifier: MIT */
/* Which file a path names today, without reading it: for cache keys of large files (the compiler,
 * its library). */
#ifndef PROGRAM_FILE_IDENTITY_H
#define PROGRAM_FILE_IDENTITY_H

#include "base/text.h"

/* Appends path, size and time of change. */
void file_identity_add(struct text *key, const char *path);

#endif

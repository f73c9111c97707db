/* SPDX-License-Identifier: MIT */
/*
 * A folder of results by content hash. Each entry is a file: the content, then 32 bytes with its
 * length and its hash. So a cut or damaged file is no entry. Entries appear by rename, hence whole,
 * and two processes that make the same entry at once do no harm. Every failure is a miss: a cache
 * is never an error. An entry that is a link, that another user owns (root may), or that others can
 * write to is a miss too, told once. Folders are made for their owner alone.
 *
 * Left out: a limit on its size; it may be deleted at any time.
 */
#ifndef PROGRAM_OBJECT_CACHE_H
#define PROGRAM_OBJECT_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The entry's content, which the caller frees; false: there is none. `ending` is the file's, e.g.
 * "co". */
bool object_cache_read(const uint64_t key[2], const char *ending, unsigned char **bytes,
                       size_t *count);
void object_cache_write(const uint64_t key[2], const char *ending, const void *bytes, size_t count);

/* Reads a whole regular file, at most 256 MB; the caller frees. False: it cannot be read. */
bool read_whole_file(const char *path, unsigned char **bytes, size_t *count);

#endif

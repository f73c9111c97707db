/* SPDX-License-Identifier: MIT */
/* A private cache and temporary folder for each test program, and short ways to compile and load.
 */
#ifndef TESTS_PROGRAM_SUPPORT_H
#define TESTS_PROGRAM_SUPPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "program/program.h"

/* cmocka group fixtures: the group's state becomes the name of a private folder. It holds the cache
 * (FOLDER/cache) and the temporary files (FOLDER/tmp), and is removed at the end. */
int make_sandbox(void **state);
int remove_sandbox(void **state);

/* Compiles and fails the test with the log if it does not succeed. The caller frees. */
unsigned char *must_compile(const char *source, const char *options, size_t *file_bytes);
struct program *must_build(const char *source, const char *options);

/* Compiles what must fail; the caller calls text_finish(log). */
void must_not_compile(const char *source, const char *options, struct text *log,
                      struct diagnosis *diagnosis);

/* A kernel like any other. */
extern const char simple_source[];

void write_file(const char *folder, const char *name, const char *text);
/* How many entries a folder has. */
unsigned count_entries(const char *folder);

#endif

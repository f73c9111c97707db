/* SPDX-License-Identifier: MIT */
/* A growing string. Not for hot paths: it allocates. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>

struct text {
    char *chars; /* always terminated once something was added; NULL while empty */
    size_t length;
    size_t capacity;
};

/* A zeroed struct text is an empty one; text_finish frees it and leaves it empty. */
void text_finish(struct text *text);
void text_add(struct text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_bytes(struct text *text, const void *bytes, size_t count);

/* The characters, never NULL; borrowed until the next change. */
const char *text_chars(const struct text *text);

/* A malloc that ends the program with a message when memory is short. Nothing here can go on
 * without it, and no caller has a better answer. The caller frees. `allocate` gives zeroed
 * memory. */
void *allocate(size_t count, size_t bytes) __attribute__((malloc, alloc_size(1, 2)));
void *reallocate(void *old, size_t count, size_t bytes) __attribute__((alloc_size(2, 3)));
char *copy_string(const char *string);
/* A formatted string that the caller frees. */
char *format_string(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

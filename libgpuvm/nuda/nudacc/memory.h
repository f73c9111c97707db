/* SPDX-License-Identifier: MIT */
/*
 * Memory of one run of nudacc: all of it lives until memory_release. And texts that grow.
 */
#ifndef NUDACC_MEMORY_H
#define NUDACC_MEMORY_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory that lives until memory_release; ends the program when there is none. */
void *memory_take(size_t bytes);

/* Frees all that was taken. */
void memory_release(void);

/* A copy of `length` characters, with a zero after them. */
char *memory_copy(const char *text, size_t length);

/* The text that printf would write. */
__attribute__((format(printf, 1, 0))) char *memory_print(const char *format, va_list arguments);
__attribute__((format(printf, 1, 2))) char *memory_format(const char *format, ...);

/* An array that grows: makes room for one more element of `size` bytes, zeroed, and returns it. */
struct list {
    void *items;
    size_t count, room;
};
void *list_add(struct list *list, size_t size);

/* Element `index` of a list of TYPE. */
#define LIST_AT(list, TYPE, index) (((TYPE *)(list)->items) + (index))

/* A text that grows. `characters` ends with a zero, or is NULL when nothing was added yet. */
struct text {
    char *characters;
    size_t length, room;
};
void text_add(struct text *text, const char *part, size_t length);
__attribute__((format(printf, 2, 3))) void text_print(struct text *text, const char *format, ...);

/* The text's characters, "" for an empty one. */
const char *text_string(const struct text *text);

/* Whether two strings are the same; NULL is like nothing. */
bool string_is(const char *one, const char *other);

/* Whether a string begins with `prefix`. */
bool string_begins(const char *text, const char *prefix);

#endif

/* SPDX-License-Identifier: MIT */
#include "base/text.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *text_reserve(void *memory, size_t bytes)
{
    if (memory == NULL) {
        fprintf(stderr, "wavetank: out of memory (%zu bytes were asked for)\n", bytes);
        exit(70);
    }
    return memory;
}

void *allocate(size_t count, size_t bytes)
{
    return text_reserve(calloc(count > 0 ? count : 1, bytes > 0 ? bytes : 1), count * bytes);
}

void *reallocate(void *old, size_t count, size_t bytes)
{
    if (bytes > 0 && count > SIZE_MAX / bytes)
        text_reserve(NULL, SIZE_MAX);
    return text_reserve(realloc(old, count * bytes > 0 ? count * bytes : 1), count * bytes);
}

char *copy_string(const char *string)
{
    size_t bytes = strlen(string) + 1;

    return memcpy(allocate(bytes, 1), string, bytes);
}

char *format_string(const char *format, ...)
{
    va_list arguments;
    char *string = NULL;

    va_start(arguments, format);
    if (vasprintf(&string, format, arguments) < 0)
        string = text_reserve(NULL, 0);
    va_end(arguments);
    return string;
}

void text_finish(struct text *text)
{
    free(text->chars);
    memset(text, 0, sizeof *text);
}

static void make_room(struct text *text, size_t extra)
{
    size_t wanted = text->length + extra + 1;

    if (wanted <= text->capacity)
        return;
    text->capacity = wanted < 2 * text->capacity ? 2 * text->capacity : wanted + 64;
    text->chars = reallocate(text->chars, text->capacity, 1);
}

void text_add_bytes(struct text *text, const void *bytes, size_t count)
{
    make_room(text, count);
    memcpy(text->chars + text->length, bytes, count);
    text->length += count;
    text->chars[text->length] = '\0';
}

void text_add(struct text *text, const char *format, ...)
{
    va_list arguments;
    int needed;

    va_start(arguments, format);
    needed = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    make_room(text, (size_t)needed);
    va_start(arguments, format);
    vsnprintf(text->chars + text->length, (size_t)needed + 1, format, arguments);
    va_end(arguments);
    text->length += (size_t)needed;
}

const char *text_chars(const struct text *text)
{
    return text->chars != NULL ? text->chars : "";
}

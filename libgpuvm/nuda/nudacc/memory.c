/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    struct block *next;
    max_align_t bytes[];
};

static struct block *memory_blocks;

void *memory_take(size_t bytes)
{
    struct block *block = calloc(1, sizeof(*block) + bytes);
    if (!block) {
        fprintf(stderr, "nudacc: out of memory\n");
        exit(1);
    }
    block->next = memory_blocks;
    memory_blocks = block;
    return block->bytes;
}

void memory_release(void)
{
    while (memory_blocks) {
        struct block *next = memory_blocks->next;
        free(memory_blocks);
        memory_blocks = next;
    }
}

char *memory_copy(const char *text, size_t length)
{
    char *copy = memory_take(length + 1);
    memcpy(copy, text, length);
    return copy;
}

char *memory_print(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = memory_take((size_t)length + 1);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *memory_format(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = memory_print(format, arguments);
    va_end(arguments);
    return text;
}

void *list_add(struct list *list, size_t size)
{
    if (list->count == list->room) {
        size_t room = list->room ? 2 * list->room : 8;
        void *items = memory_take(room * size);
        if (list->count)
            memcpy(items, list->items, list->count * size);
        list->items = items;
        list->room = room;
    }
    return (char *)list->items + size * list->count++;
}

void text_add(struct text *text, const char *part, size_t length)
{
    if (text->length + length + 1 > text->room) {
        size_t room = 2 * (text->length + length + 1);
        char *characters = memory_take(room);
        if (text->length)
            memcpy(characters, text->characters, text->length);
        text->characters = characters;
        text->room = room;
    }
    memcpy(text->characters + text->length, part, length);
    text->length += length;
    text->characters[text->length] = 0;
}

void text_print(struct text *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *part = memory_print(format, arguments);
    va_end(arguments);
    text_add(text, part, strlen(part));
}

const char *text_string(const struct text *text)
{
    return text->characters ? text->characters : "";
}

bool string_is(const char *one, const char *other)
{
    return one && other && strcmp(one, other) == 0;
}

bool string_begins(const char *text, const char *prefix)
{
    return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

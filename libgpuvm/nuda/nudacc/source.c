/* SPDX-License-Identifier: MIT */
#include "source.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "original.h"

struct line {
    size_t begin;
    const char *file;
    int number;
    bool is_directive;
};

/* The file's name in a line marker, and the line after it; false: it is no marker. */
static bool source_marker(const char *text, int *number, const char **file)
{
    char *end;
    if (strncmp(text, "# ", 2) != 0 || !isdigit((unsigned char)text[2]))
        return false;
    *number = (int)strtol(text + 2, &end, 10);
    if (strncmp(end, " \"", 2) != 0)
        return true;
    struct text name = {0};
    for (end += 2; *end && *end != '"' && *end != '\n'; end++) {
        if (*end == '\\' && end[1])
            end++;
        text_add(&name, end, 1);
    }
    *file = text_string(&name);
    return true;
}

/* Whether a line is `# pragma nuda`; `rest` then is where its words begin. */
static bool source_is_pragma(const char *text, const char **rest)
{
    if (*text++ != '#')
        return false;
    for (const char *const words[] = {"pragma", "nuda"}, *const *word = words; word < words + 2;
         word++) {
        text += strspn(text, " \t");
        if (!string_begins(text, *word))
            return false;
        text += strlen(*word);
        if (isalnum((unsigned char)*text) || *text == '_')
            return false;
    }
    *rest = text;
    return true;
}

bool source_has_pragma(const char *text)
{
    const char *rest;
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (source_is_pragma(line, &rest))
            return true;
        if (!*line)
            break;
    }
    return false;
}

/* Steps over a word, and white space before it; false: another follows. */
static bool source_word(const char **at, const char *word)
{
    const char *text = *at + strspn(*at, " \t");
    if (!string_begins(text, word))
        return false;
    *at = text + strlen(word);
    return true;
}

/* Reads the numbers of block(); false: it is faulty, `*at` is where. */
static bool source_blocks(const char **at, struct pragma *pragma)
{
    if (!source_word(at, "("))
        return false;
    do {
        char *end;
        *at += strspn(*at, " \t");
        long number = isdigit((unsigned char)**at) ? strtol(*at, &end, 10) : 0;
        if (number < 1 || number > 1024 || pragma->blocks == 3 || isalnum((unsigned char)*end))
            return false;
        pragma->block[pragma->blocks++] = (size_t)number;
        *at = end;
    } while (source_word(at, ","));
    return source_word(at, ")");
}

static void source_add_pragma(struct source *source, size_t begin, size_t end, const char *rest)
{
    struct pragma pragma = {.begin = begin, .end = end, .next = source_skip(source, end)};
    const char *at = rest, *fault = NULL;
    if (!source_word(&at, "parallel") || !source_word(&at, "for"))
        fault = "unknown pragma: write `#pragma nuda parallel for [block(a[,b[,c]])] "
                "[independent]`";
    for (bool is_known = !fault; is_known;) {
        bool is_block = !fault && !pragma.blocks && source_word(&at, "block");
        if (is_block && !source_blocks(&at, &pragma))
            fault = "block() takes one to three whole numbers from 1 to 1024, one a loop, "
                    "such as block(128) or block(8,16)";
        bool is_word = !fault && !pragma.is_independent && source_word(&at, "independent");
        pragma.is_independent |= is_word;
        is_known = !fault && (is_block || is_word);
    }
    at += strspn(at, " \t\r");
    if (!fault && *at != '\n' && *at)
        fault = "unknown clause: a pragma takes `block(a[,b[,c]])` and `independent`, once each";
    size_t here = (size_t)(at - source->text);
    if (fault)
        source_error(source, here < end ? here : begin, "%s", fault);
    else
        *(struct pragma *)list_add(&source->pragmas, sizeof(pragma)) = pragma;
}

void source_read(struct source *source, const char *text, size_t length)
{
    *source = (struct source){.text = text, .length = length};
    const char *file = "<input>", *rest;
    int number = 1;
    for (size_t at = 0, end; at < length; at = end + 1) {
        const char *newline = memchr(text + at, '\n', length - at);
        end = newline ? (size_t)(newline - text) : length;
        struct line *line = list_add(&source->lines, sizeof(*line));
        *line = (struct line){
            .begin = at, .file = file, .number = number, .is_directive = text[at] == '#'};
        if (!source_marker(text + at, &number, &file))
            number++;
    }
    for (size_t i = 0; i < source->lines.count; i++) {
        size_t begin = LIST_AT(&source->lines, struct line, i)->begin;
        const char *end = strchr(text + begin, '\n');
        if (source_is_pragma(text + begin, &rest))
            source_add_pragma(source, begin, end ? (size_t)(end - text) : length, rest);
    }
}

static size_t source_line_at(const struct source *source, size_t offset)
{
    size_t low = 0, high = source->lines.count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (LIST_AT(&source->lines, struct line, middle)->begin <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static size_t source_line_end(const struct source *source, size_t line)
{
    return line + 1 < source->lines.count ? LIST_AT(&source->lines, struct line, line + 1)->begin
                                          : source->length;
}

struct place source_place(const struct source *source, size_t offset)
{
    size_t first = source_line_at(source, offset), last;
    const struct line *lines = source->lines.items, *line = lines + first;
    struct place place = {.file = line->file, .line = line->number};
    /* All that the preprocessor made of the line that was written by hand, and the place in it. */
    struct text made = {0};
    for (last = first;
         last + 1 < source->lines.count &&
         (lines[last + 1].is_directive ||
          (lines[last + 1].number == line->number && string_is(lines[last + 1].file, line->file)));)
        last++;
    while (first > 0 &&
           (lines[first - 1].is_directive || (lines[first - 1].number == line->number &&
                                              string_is(lines[first - 1].file, line->file))))
        first--;
    size_t here = 0;
    for (size_t i = first; i <= last; i++) {
        if (lines + i == line)
            here = made.length + (offset - line->begin);
        if (!lines[i].is_directive || lines + i == line)
            text_add(&made, source->text + lines[i].begin,
                     source_line_end(source, i) - lines[i].begin);
    }
    struct column column = original_column(line->file, line->number, text_string(&made), here);
    if (!column.row) { /* no such file, or its lines have other numbers */
        size_t end = source_line_end(source, (size_t)(line - lines));
        place.row = memory_copy(source->text + line->begin, end - line->begin);
        place.row = memory_copy(place.row, strcspn(place.row, "\r\n"));
        place.column = (int)(offset - line->begin) + 1;
    } else {
        place.row = column.row;
        place.column = column.column;
    }
    return place;
}

static void source_tell(const struct source *source, size_t offset, const char *kind,
                        const char *format, va_list arguments)
{
    struct place place = source_place(source, offset);
    fprintf(stderr, "%s:%d:%d: %s: nuda: ", place.file, place.line, place.column, kind);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n%s\n", place.row);
    for (int i = 0; i < place.column - 1 && place.row[i]; i++)
        fputc(place.row[i] == '\t' ? '\t' : ' ', stderr);
    fprintf(stderr, "^\n");
}

void source_error(struct source *source, size_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    source_tell(source, offset, "error", format, arguments);
    va_end(arguments);
    source->errors++;
}

void source_note(const struct source *source, size_t offset, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    source_tell(source, offset, "note", format, arguments);
    va_end(arguments);
}

size_t source_skip(const struct source *source, size_t offset)
{
    const char *text = source->text;
    while (offset < source->length) {
        if (isspace((unsigned char)text[offset]))
            offset++;
        else if (text[offset] == '#' && (offset == 0 || text[offset - 1] == '\n'))
            offset += strcspn(text + offset, "\n");
        else
            break;
    }
    return offset;
}

char *source_flat(const struct source *source, size_t begin, size_t end)
{
    struct text flat = {0};
    for (size_t at = begin; at < end; at++) {
        size_t next = source_skip(source, at);
        if (next > at) {
            text_add(&flat, " ", 1);
            at = next;
        }
        if (at < end)
            text_add(&flat, source->text + at, 1);
    }
    return flat.characters ? flat.characters : memory_copy("", 0);
}

/* SPDX-License-Identifier: MIT */
/*
 * A source file after the preprocessor: its text, where each place of it was before, its pragmas,
 * and messages about it in the compiler's form. The preprocessor sees to it that pragmas of macros
 * are lines of their own; its line markers (`# 12 "file.c"`) tell where a line comes from.
 */
#ifndef NUDACC_SOURCE_H
#define NUDACC_SOURCE_H

#include "memory.h"

/* `#pragma nuda parallel for [block(a[,b[,c]])] [independent]`. */
struct pragma {
    size_t begin, end;   /* of its line in the text, without the line's end */
    size_t next;         /* where the next statement begins */
    unsigned blocks;     /* numbers in block(), 0: none given */
    size_t block[3];     /* as written: the outermost loop's first */
    bool is_independent; /* the programmer's word that no two iterations meet */
    bool is_taken;       /* a loop that follows it was found */
};

struct source {
    const char *text;
    size_t length;
    struct list lines;   /* of the text; private */
    struct list pragmas; /* struct pragma, in order */
    unsigned errors;     /* told so far */
};

/* Where a place of the text was in the file that was written by hand. */
struct place {
    const char *file;
    int line;        /* from 1 */
    int column;      /* from 1, in bytes */
    const char *row; /* the whole line, for messages */
};

/* Reads lines and pragmas of a preprocessed text. Faulty pragmas are told, and counted as errors.
 * */
void source_read(struct source *source, const char *text, size_t length);

/* Whether a preprocessed text has a pragma of ours at all. */
bool source_has_pragma(const char *text);

/* Where the character at `offset` was. */
struct place source_place(const struct source *source, size_t offset);

/* Tells of an error or gives a note, as `file:line:column: error: nuda: ...`, with the line and a
 * caret. */
__attribute__((format(printf, 3, 4))) void source_error(struct source *source, size_t offset,
                                                        const char *format, ...);
__attribute__((format(printf, 3, 4))) void source_note(const struct source *source, size_t offset,
                                                       const char *format, ...);

/* Where the next token at or after `offset` begins: white space and lines that begin with # are
 * skipped. */
size_t source_skip(const struct source *source, size_t offset);

/* The text of a range on one line, without line markers. */
char *source_flat(const struct source *source, size_t begin, size_t end);

#endif

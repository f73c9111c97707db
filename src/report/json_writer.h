/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON as it goes: a run of ten thousand kernels needs no tree in memory. Members appear in
 * the order written, numbers in the "C" locale's form, so that equal runs make equal bytes.
 *
 * Scalars in a compact container share a line; everything else gets a line each.
 *
 * A writer is plain data: a copy of it, with a text of its own, goes on from the same point.
 */
#ifndef REPORT_JSON_WRITER_H
#define REPORT_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

enum { JSON_MAX_DEPTH = 8 };

struct json_writer {
    struct text *text; /* borrowed; what is written is appended */
    unsigned depth;
    unsigned compact; /* depth from which on all stands on one line; 0: none */
    bool has_members[JSON_MAX_DEPTH];
    bool has_key; /* json_key has written the next value's */
};

/* `key` is NULL for array elements and for the outermost value. */
void json_open(struct json_writer *writer, const char *key, char bracket);
void json_open_compact(struct json_writer *writer, const char *key, char bracket);
void json_close(struct json_writer *writer, char bracket);
void json_text(struct json_writer *writer, const char *key, const char *text); /* NULL: null */
void json_number(struct json_writer *writer, const char *key, uint64_t number);
void json_real(struct json_writer *writer, const char *key, double number); /* %.12g */
void json_null(struct json_writer *writer, const char *key);
/* A hash of 128 bits, as 32 hexadecimal digits. */
void json_hash(struct json_writer *writer, const char *key, const uint64_t hash[2]);

/* A key of two parts, "PLACE.NAME", for the next value, whose own key is then NULL. */
void json_key(struct json_writer *writer, const char *place, const char *name);

#endif

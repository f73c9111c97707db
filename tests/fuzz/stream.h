/* SPDX-License-Identifier: MIT */
/*
 * Random instruction streams: valid encodings drawn from the tables of operations, and some words
 * that are drawn without them.
 *
 * A stream begins with values in registers (descriptors and addresses of the test's buffer among
 * them), goes on with random instructions, and ends. It ends by construction: branches go forward,
 * or back a few times under a counter. Each memory instruction waits for its data, so that what a
 * register holds does not depend on time.
 */
#ifndef TESTS_FUZZ_STREAM_H
#define TESTS_FUZZ_STREAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/text.h"
#include "isa/isa.h"

enum {
    STREAM_ITEMS = 96,            /* instructions at most */
    STREAM_WORDS = 1024,          /* of code, prologue included */
    STREAM_BUFFER_BYTES = 16384,  /* where vector memory instructions go */
    STREAM_CONSTANT_BYTES = 4096, /* behind it: what scalar loads read, which no store changes */
    STREAM_LOCAL_BYTES = 4096,
    STREAM_NO_TARGET = -1
};

/* A few words that belong together: an instruction and the wait behind it. */
struct stream_item {
    uint32_t words[6];
    uint8_t count;
    uint8_t branch; /* index of the word whose low half is a distance */
    int16_t target; /* index of the item it goes to, or STREAM_NO_TARGET */
    bool is_dropped;
};

struct stream {
    struct stream_item items[STREAM_ITEMS];
    uint32_t count;
    uint64_t buffer; /* device address of the test's memory, for the prologue's registers */
    uint32_t groups, group_items;
    bool is_shared; /* several wavefronts: none of them writes memory */
    bool
        has_stores; /* to the buffer; then scalar loads, whose cache does not see them, keep away */
};

/* Makes the stream that follows from the two numbers. */
void stream_make(struct stream *stream, uint64_t seed, uint64_t number, uint64_t buffer);

/* The words of the stream as it stands; returns how many. `code` has room for STREAM_WORDS. */
uint32_t stream_lay_out(const struct stream *stream, uint32_t *code);

/* The instructions after the prologue, one a line. */
void stream_print(const struct stream *stream, const struct isa *isa, struct text *text);

/* A stream as a text file, and back. Reading returns false when the file is none. */
void stream_write(const struct stream *stream, FILE *file);
bool stream_read(struct stream *stream, FILE *file);

#endif

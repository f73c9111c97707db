/* SPDX-License-Identifier: MIT */
/*
 * Replacement: which line of a full set is given up for a new one. The mechanism asks (mem/tags.c);
 * protocols' tables know nothing of it.
 *
 *  a line enters a way ──► enter      a request uses a line ──► use      a way is needed ──► choose
 *
 * A policy keeps one word in each line (`used`) and one in each cache (`memory`), and nothing else.
 * Both begin at zero and are part of the controller's state. The mechanism takes a free way before
 * it asks, and never offers a line that a fill holds. `choose` changes nothing: the answer stands
 * until something enters.
 *
 * To add one: a file in mem/replacement/ and its line in mem/replacement/list.c.
 */
#ifndef MEM_REPLACEMENT_H
#define MEM_REPLACEMENT_H

#include <stdint.h>

#include "mem/protocol.h"
#include "sim/declare.h"

struct replacement {
    const char *name; /* "lru" */
    const char *help; /* one line */
    void (*enter)(struct line *line, uint64_t *memory);
    void (*use)(struct line *line, uint64_t *memory); /* NULL: uses do not count */
    /* One of the candidates, a set of ways of which at least one is in it. */
    uint32_t (*choose)(const struct line *ways, uint64_t candidates, const uint64_t *memory);
    bool
        is_by_way; /* it chooses by way and memory; else by the order of `used`, which is never 0 */
};

/* All policies, NULL-terminated; the first is the usual one. */
extern const struct replacement *const replacements[];
/* NULL: there is none of that name. */
const struct replacement *replacement_find(const char *name);
parameter_words replacement_word;

/* The candidate with the least `used`: what several policies choose by. */
uint32_t replacement_least_used(const struct line *ways, uint64_t candidates,
                                const uint64_t *memory);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The states that wait to be looked at, oldest first: whole ones, written as where they differ from
 * the first state of the search. A queue of blocks.
 *
 *   number of words that are the same (1 byte), number of words that follow (1 byte), these; again
 */
#ifndef VERIFY_FRONTIER_H
#define VERIFY_FRONTIER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct frontier_block;

struct frontier {
    size_t state_bytes;   /* a multiple of 8 */
    unsigned char *first; /* the state that others are written against */
    struct frontier_block *head, *tail;
    size_t at; /* in the head: the next to be read */
    uint64_t bytes, count;
};

void frontier_init(struct frontier *frontier, size_t state_bytes, const unsigned char *first);
void frontier_finish(struct frontier *frontier);
void frontier_put(struct frontier *frontier, const unsigned char *state);
/* False: there is none. */
bool frontier_take(struct frontier *frontier, unsigned char *state);

#endif

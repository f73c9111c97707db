/* SPDX-License-Identifier: MIT */
#include "verify/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

enum { WORD = 8, BLOCK_BYTES = 1 << 20, RUN_MAX = 255 };

struct frontier_block {
    struct frontier_block *next;
    size_t used;
    unsigned char bytes[BLOCK_BYTES];
};

void frontier_init(struct frontier *frontier, size_t state_bytes, const unsigned char *first)
{
    memset(frontier, 0, sizeof *frontier);
    check(state_bytes % WORD == 0, "a state of %zu bytes", state_bytes);
    frontier->state_bytes = state_bytes;
    frontier->first = allocate(1, state_bytes);
    memcpy(frontier->first, first, state_bytes);
}

void frontier_finish(struct frontier *frontier)
{
    while (frontier->head != NULL) {
        struct frontier_block *next = frontier->head->next;

        free(frontier->head);
        frontier->head = next;
    }
    free(frontier->first);
    memset(frontier, 0, sizeof *frontier);
}

static void add_block(struct frontier *frontier)
{
    struct frontier_block *block = reallocate(NULL, 1, sizeof *block);

    block->next = NULL;
    block->used = 0;
    if (frontier->tail == NULL)
        frontier->head = block;
    else
        frontier->tail->next = block;
    frontier->tail = block;
    frontier->bytes += sizeof *block;
}

static bool is_same(const unsigned char *a, const unsigned char *b, size_t word)
{
    return memcmp(a + word * WORD, b + word * WORD, WORD) == 0;
}

void frontier_put(struct frontier *frontier, const unsigned char *state)
{
    const unsigned char *first = frontier->first;
    size_t words = frontier->state_bytes / WORD;
    unsigned char *to;

    /* At the worst two bytes more for each word. */
    if (frontier->tail == NULL ||
        frontier->tail->used + words * (WORD + 2) + 2 > sizeof frontier->tail->bytes)
        add_block(frontier);
    to = frontier->tail->bytes + frontier->tail->used;
    for (size_t at = 0; at < words;) {
        size_t same = 0, other = 0;

        while (at + same + WORD <= words && same + WORD <= RUN_MAX &&
               memcmp(state + (at + same) * WORD, first + (at + same) * WORD, WORD * WORD) == 0)
            same += WORD;
        while (at + same < words && same < RUN_MAX && is_same(state, first, at + same))
            same++;
        at += same;
        while (at + other < words && other < RUN_MAX && !is_same(state, first, at + other))
            other++;
        *to++ = (unsigned char)same;
        *to++ = (unsigned char)other;
        memcpy(to, state + at * WORD, other * WORD);
        to += other * WORD;
        at += other;
    }
    frontier->tail->used = (size_t)(to - frontier->tail->bytes);
    frontier->count++;
}

static void drop_head(struct frontier *frontier)
{
    struct frontier_block *next = frontier->head->next;

    free(frontier->head);
    frontier->head = next;
    if (next == NULL)
        frontier->tail = NULL;
    frontier->at = 0;
    frontier->bytes -= sizeof *next;
}

bool frontier_take(struct frontier *frontier, unsigned char *state)
{
    size_t words = frontier->state_bytes / WORD;
    const unsigned char *from;

    if (frontier->count == 0)
        return false;
    if (frontier->at == frontier->head->used)
        drop_head(frontier);
    from = frontier->head->bytes + frontier->at;
    memcpy(state, frontier->first, frontier->state_bytes);
    for (size_t at = 0; at < words;) {
        size_t other = from[1];

        at += from[0];
        memcpy(state + at * WORD, from + 2, other * WORD);
        from += 2 + other * WORD;
        at += other;
    }
    frontier->at = (size_t)(from - frontier->head->bytes);
    frontier->count--;
    return true;
}

/* SPDX-License-Identifier: MIT */
#include "verify/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"

enum { WORD = 8, BLOCK_BYTES = 1 << 20, RUN_MAX = 255 };

struct frontier_block {
    struct frontier_block *next;
    size_t used;
    unsigned char bytes[BLOCK_BYTES];
};

/* ---- Numbers as they are written ---- */

static void put_set(unsigned char *to, uint64_t set)
{
    memcpy(to, &set, sizeof set);
}

static uint64_t get_set(const unsigned char *from)
{
    uint64_t set;

    memcpy(&set, from, sizeof set);
    return set;
}

static void put_length(unsigned char *to, uint32_t length)
{
    const uint16_t written = (uint16_t)length;

    memcpy(to, &written, sizeof written);
}

static uint32_t get_length(const unsigned char *from)
{
    uint16_t written;

    memcpy(&written, from, sizeof written);
    return written;
}

/* ---- A part ---- */

static bool is_same(const unsigned char *a, const unsigned char *b, uint32_t word)
{
    return memcmp(a + (size_t)word * WORD, b + (size_t)word * WORD, WORD) == 0;
}

/* How many words from this one on are as in the first state. */
static uint32_t count_same(const struct frontier_part *part, uint32_t word)
{
    uint32_t at = word;

    while (at + WORD <= part->words &&
           memcmp(part->at + (size_t)at * WORD, part->first + (size_t)at * WORD, WORD * WORD) == 0)
        at += WORD;
    while (at < part->words && is_same(part->at, part->first, at))
        at++;
    return at - word;
}

/* Writes the part as it is in the world; returns its length. */
static uint32_t part_write(const struct frontier_part *part, unsigned char *to)
{
    unsigned char *begin = to;
    uint32_t at = 0;

    for (;;) {
        uint32_t same = count_same(part, at), other = 0;

        if (at + same == part->words)
            return (uint32_t)(to - begin);
        if (same > RUN_MAX)
            same = RUN_MAX;
        at += same;
        while (at + other < part->words && other < RUN_MAX &&
               !is_same(part->at, part->first, at + other))
            other++;
        *to++ = (unsigned char)same;
        *to++ = (unsigned char)other;
        memcpy(to, part->at + (size_t)at * WORD, (size_t)other * WORD);
        to += other * WORD;
        at += other;
    }
}

static void part_read(const struct frontier_part *part, const unsigned char *from, uint32_t length)
{
    const unsigned char *end = from + length;

    memcpy(part->base, part->first, (size_t)part->words * WORD);
    for (uint32_t at = 0; from < end;) {
        size_t other = (size_t)from[1] * WORD;

        at += from[0];
        memcpy(part->base + (size_t)at * WORD, from + 2, other);
        at += from[1];
        from += 2 + other;
    }
}

/* At the worst two bytes more for each word. */
static size_t written_max(const struct frontier_part *part)
{
    return sizeof(uint16_t) + (size_t)part->words * (WORD + 2);
}

/* ---- The queue ---- */

void frontier_init(struct frontier *frontier, const struct world *world)
{
    unsigned char *state;
    size_t bytes = 0;

    memset(frontier, 0, sizeof *frontier);
    frontier->part_count = world->part_count;
    for (uint32_t i = 0; i < world->part_count; i++)
        bytes += world->parts[i].bytes;
    state = frontier->states = allocate(2, bytes);
    frontier->written_max = sizeof(uint64_t);
    for (uint32_t i = 0; i < world->part_count; i++) {
        struct frontier_part *part = &frontier->parts[i];

        *part = (struct frontier_part){.at = world->parts[i].at,
                                       .words = (uint32_t)(world->parts[i].bytes / WORD),
                                       .first = state,
                                       .base = state + bytes};
        memcpy(part->first, part->at, world->parts[i].bytes);
        memcpy(part->base, part->at, world->parts[i].bytes);
        state += world->parts[i].bytes;
        check(written_max(part) <= UINT16_MAX, "a part of %zu bytes", world->parts[i].bytes);
        frontier->written_max += written_max(part);
    }
    check(frontier->written_max <= BLOCK_BYTES, "a state of %zu bytes", bytes);
    frontier->taken = allocate(1, frontier->written_max);
}

void frontier_finish(struct frontier *frontier)
{
    while (frontier->head != NULL) {
        struct frontier_block *next = frontier->head->next;

        free(frontier->head);
        frontier->head = next;
    }
    free(frontier->states);
    free(frontier->taken);
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

void frontier_put(struct frontier *frontier, uint64_t changed)
{
    uint64_t differing = 0, parts;
    unsigned char *begin, *to;

    changed &= low_mask(frontier->part_count);
    parts = changed | frontier->differing;
    if (frontier->tail == NULL || frontier->tail->used + frontier->written_max > BLOCK_BYTES)
        add_block(frontier);
    begin = frontier->tail->bytes + frontier->tail->used;
    to = begin + sizeof differing;
    for_each_bit(number, parts)
    {
        const struct frontier_part *part = &frontier->parts[number];
        uint32_t length = part->length;

        if ((changed >> number & 1) != 0)
            length = part_write(part, to + sizeof(uint16_t));
        else
            memcpy(to + sizeof(uint16_t), frontier->taken + part->from, length);
        if (length == 0)
            continue;
        put_length(to, length);
        to += sizeof(uint16_t) + length;
        differing |= UINT64_C(1) << number;
    }
    put_set(begin, differing);
    frontier->tail->used += (size_t)(to - begin);
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

/* Its parts at the head are those of the state that is taken; `changed` gets those that differ. */
static size_t parts_take(struct frontier *frontier, const unsigned char *begin, uint64_t *changed)
{
    uint64_t differing = get_set(begin), parts = differing | frontier->differing;
    const unsigned char *from = begin + sizeof differing;

    *changed = 0;
    for_each_bit(number, parts)
    {
        struct frontier_part *part = &frontier->parts[number];
        uint32_t length = 0;

        if ((differing >> number & 1) != 0) {
            length = get_length(from);
            from += sizeof(uint16_t);
        }
        if (length != part->length || memcmp(from, frontier->taken + part->from, length) != 0) {
            part_read(part, from, length);
            *changed |= UINT64_C(1) << number;
        }
        part->from = (uint32_t)(from - begin);
        part->length = length;
        from += length;
    }
    frontier->differing = differing;
    return (size_t)(from - begin);
}

bool frontier_take(struct frontier *frontier, uint64_t *changed)
{
    const unsigned char *begin;
    size_t bytes;

    if (frontier->count == 0)
        return false;
    if (frontier->at == frontier->head->used)
        drop_head(frontier);
    begin = frontier->head->bytes + frontier->at;
    bytes = parts_take(frontier, begin, changed);
    memcpy(frontier->taken, begin, bytes);
    frontier->at += bytes;
    frontier->count--;
    return true;
}

void frontier_restore(const struct frontier *frontier, uint64_t parts)
{
    parts &= low_mask(frontier->part_count);
    for_each_bit(number, parts)
    {
        const struct frontier_part *part = &frontier->parts[number];

        memcpy(part->at, part->base, (size_t)part->words * WORD);
    }
}

void frontier_restore_first(const struct frontier *frontier)
{
    for (uint32_t i = 0; i < frontier->part_count; i++)
        memcpy(frontier->parts[i].at, frontier->parts[i].first,
               (size_t)frontier->parts[i].words * WORD);
}

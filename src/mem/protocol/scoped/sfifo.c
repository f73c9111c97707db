/* SPDX-License-Identifier: MIT */
#include "mem/protocol/scoped/sfifo.h"

#include <string.h>

/* ---- FIFO ---- */

static int find_line(const uint64_t *lines, uint64_t count, uint64_t line)
{
    for (uint64_t i = 0; i < count; i++)
        if (lines[i] == line)
            return (int)i;
    return -1;
}

/* The array without its entry; what becomes free is zero. */
static void close_gap(uint64_t *lines, uint64_t count, uint64_t entry)
{
    memmove(&lines[entry], &lines[entry + 1], (count - entry - 1) * sizeof *lines);
    lines[count - 1] = 0;
}

void sfifo_push(struct sfifo *fifo, uint64_t line)
{
    fifo->lines[fifo->count++] = line;
}

bool sfifo_has(const struct sfifo *fifo, uint64_t line)
{
    return find_line(fifo->lines, fifo->count, line) >= 0;
}

uint64_t sfifo_remove(struct sfifo *fifo, uint64_t line)
{
    int place = find_line(fifo->lines, fifo->count, line);

    if (place < 0)
        return NO_PLACE;
    close_gap(fifo->lines, fifo->count, (uint64_t)place);
    fifo->count--;
    return (uint64_t)place;
}

/* ---- Releases ---- */

int release_find(const struct release_table *table, uint64_t line)
{
    return find_line(table->lines, table->count, line);
}

void release_remove(struct release_table *table, unsigned entry)
{
    close_gap(table->lines, table->count, entry);
    memmove(&table->places[entry], &table->places[entry + 1], table->count - entry - 1);
    table->places[table->count - 1] = 0;
    table->count--;
}

void release_note(struct release_table *table, uint64_t line, uint64_t place)
{
    int entry = release_find(table, line);

    if (entry >= 0)
        release_remove(table, (unsigned)entry);
    table->lines[table->count] = line;
    table->places[table->count++] = (uint8_t)place;
}

void release_left(struct release_table *table, uint64_t place, bool keeps)
{
    for (unsigned i = 0; i < table->count; i++) {
        if (table->places[i] == NO_PLACE || table->places[i] < place)
            continue;
        if (table->places[i] > place) {
            table->places[i]--;
            continue;
        }
        table->places[i] = NO_PLACE;
        if (!keeps)
            release_remove(table, i--);
    }
}

/* ---- Promotions ---- */

bool promotion_has(const struct promotion_table *table, uint64_t line)
{
    return table->all != 0 || find_line(table->lines, table->count, line) >= 0;
}

bool promotion_add(struct promotion_table *table, uint64_t line, uint64_t entries)
{
    if (promotion_has(table, line))
        return true;
    if (table->count == entries) {
        memset(table, 0, sizeof *table);
        table->all = 1;
        return false;
    }
    table->lines[table->count++] = line;
    return true;
}

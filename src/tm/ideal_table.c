/* SPDX-License-Identifier: MIT */
/*
 * The exact table of the system `ideal_global`, and its centre, which alone changes it.
 *
 * A line has at most one store under way, so that stores cannot overtake each other. What is
 * published meanwhile is dirty until the answer comes, and then goes as one store.
 *
 *     published: dirty ──► store of the publishing unit ──► under way ──► answered: memory has it
 *                  ▲                                           │
 *                  └── published again: dirty, and under way ◄─┘
 *
 * Compute units look at words in their ticks. They see them as they were when the instant began, so
 * it is one whether the centre has ticked before them or not.
 */
#include "tm/ideal_global.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/msg.h"
#include "sim/debug.h"

enum { LINE_WORDS = LINE_BYTES / 4, FIRST_CAPACITY = 1024 };

struct ideal_word {
    struct ideal_version now, before; /* this instant's changes are in `now` only */
    uint64_t changed;
};

/* A wavefront waits until what it has published is in memory. */
struct ideal_waiter {
    uint16_t unit, slot;
    uint64_t sequence;
};

struct ideal_line {
    uint64_t line;            /* address; 0: the place is free */
    uint64_t dirty, flying;   /* bytes */
    uint64_t published, sent; /* sequence numbers: of the latest commit, of the store under way */
    uint16_t owner;
    bool is_touched; /* by the commit that is being published */
    struct ideal_waiter *waiters;
    uint32_t waiter_count, waiter_capacity;
    struct ideal_word words[LINE_WORDS];
};

struct ideal_stores {
    struct ideal_store *items; /* a ring */
    uint32_t capacity;
    uint64_t head, tail;
};

struct ideal_table {
    struct ideal_line **places;
    uint32_t capacity, count;
    struct ideal_line **touched;
    uint32_t touched_count, touched_capacity;
    uint32_t unit_count;
    struct ideal_stores *stores;              /* of each unit, then of IDEAL_NOBODY */
    uint32_t (*unsettled)[TM_MAX_WAVEFRONTS]; /* lines that each wavefront waits for */
};

/* ---- life ---- */

struct ideal_table *ideal_table_create(uint32_t units)
{
    struct ideal_table *table = allocate(1, sizeof *table);

    table->unit_count = units;
    table->capacity = FIRST_CAPACITY;
    table->places = allocate(table->capacity, sizeof *table->places);
    table->stores = allocate(units + 1, sizeof *table->stores);
    table->unsettled = allocate(units, sizeof *table->unsettled);
    return table;
}

void ideal_table_destroy(struct ideal_table *table)
{
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->places[i] != NULL)
            free(table->places[i]->waiters);
        free(table->places[i]);
    }
    for (uint32_t i = 0; i <= table->unit_count; i++)
        free(table->stores[i].items);
    free(table->places);
    free(table->touched);
    free(table->stores);
    free(table->unsettled);
    free(table);
}

/* ---- lines ---- */

static uint32_t place_of(const struct ideal_table *table, uint64_t line)
{
    uint32_t place = (uint32_t)((line / LINE_BYTES * UINT64_C(0x9e3779b97f4a7c15)) >> 32) &
                     (table->capacity - 1);

    while (table->places[place] != NULL && table->places[place]->line != line)
        place = (place + 1) & (table->capacity - 1);
    return place;
}

static void ideal_table_grow(struct ideal_table *table)
{
    struct ideal_line **old = table->places;
    uint32_t old_capacity = table->capacity;

    table->capacity *= 2;
    table->places = allocate(table->capacity, sizeof *table->places);
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i] != NULL)
            table->places[place_of(table, old[i]->line)] = old[i];
    free(old);
}

static struct ideal_line *line_of(struct ideal_table *table, uint64_t line)
{
    uint32_t place = place_of(table, line);

    if (table->places[place] != NULL)
        return table->places[place];
    if (2 * table->count >= table->capacity) {
        ideal_table_grow(table);
        place = place_of(table, line);
    }
    table->count++;
    table->places[place] = allocate(1, sizeof **table->places);
    table->places[place]->line = line;
    for (unsigned i = 0; i < LINE_WORDS; i++)
        table->places[place]->words[i].changed = UINT64_MAX;
    return table->places[place];
}

static const struct ideal_word *find_word(const struct ideal_table *table, uint64_t word)
{
    uint64_t line = word * 4 & ~(uint64_t)(LINE_BYTES - 1);
    const struct ideal_line *found = table->places[place_of(table, line)];

    return found != NULL ? &found->words[word % LINE_WORDS] : NULL;
}

static const struct ideal_version *version_of(const struct ideal_table *table, uint64_t word,
                                              uint64_t now, bool is_centre)
{
    const struct ideal_word *found = find_word(table, word);
    const struct ideal_version *version;

    if (found == NULL)
        return NULL;
    version = found->changed == now && !is_centre ? &found->before : &found->now;
    return version->ever != 0 ? version : NULL;
}

const struct ideal_version *ideal_table_look(struct ideal_table *table, uint64_t word, uint64_t now)
{
    return version_of(table, word, now, false);
}

/* By value: a word that was stored again with what it had is the same. */
bool ideal_reads_hold(struct ideal_table *table, const struct ideal_log *log, uint64_t now,
                      bool is_centre)
{
    for (uint32_t i = 0; i < log->read_count; i++) {
        const struct ideal_read *read = &log->reads[i];
        const struct ideal_version *version = version_of(table, read->word, now, is_centre);

        if (version != NULL && version->cycle >= read->since &&
            ((version->value ^ read->value) & read->mask & version->ever) != 0)
            return false;
    }
    return true;
}

/* ---- publishing ---- */

static struct ideal_version *word_change(struct ideal_word *word, uint64_t now)
{
    if (word->changed != now) {
        word->before = word->now;
        word->changed = now;
    }
    return &word->now;
}

static uint64_t byte_mask(uint32_t bits, unsigned word)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < 4; i++)
        bytes |= (uint64_t)((bits >> (8 * i) & 1) != 0) << (4 * word + i);
    return bytes;
}

static void line_touch(struct ideal_table *table, struct ideal_line *line)
{
    if (line->is_touched)
        return;
    line->is_touched = true;
    if (table->touched_count == table->touched_capacity) {
        table->touched_capacity = table->touched_capacity * 2 + 64;
        table->touched =
            reallocate(table->touched, table->touched_capacity, sizeof(struct ideal_line *));
    }
    table->touched[table->touched_count++] = line;
}

static void publish_word(struct ideal_table *table, const struct ideal_write *write, uint64_t now)
{
    struct ideal_line *line = line_of(table, write->word * 4 & ~(uint64_t)(LINE_BYTES - 1));
    struct ideal_version *version = word_change(&line->words[write->word % LINE_WORDS], now);

    version->value = (version->value & ~write->mask) | (write->value & write->mask);
    version->ever |= write->mask;
    version->cycle = now;
    for (unsigned i = 0; i < 4; i++)
        if ((write->mask >> (8 * i) & 1) != 0)
            version->settled[i] = UINT64_MAX;
    line->dirty |= byte_mask(write->mask, (unsigned)(write->word % LINE_WORDS));
    line_touch(table, line);
}

void ideal_table_publish(struct ideal_table *table, const struct ideal_log *log, uint16_t unit,
                         uint16_t slot, uint64_t now)
{
    for (uint32_t i = 0; i < log->write_count; i++)
        publish_word(table, &log->writes[i], now);
}

/* ---- stores ---- */

static struct ideal_store *new_store(struct ideal_stores *stores)
{
    if (stores->tail - stores->head == stores->capacity) {
        uint32_t capacity = stores->capacity * 2 + 64;
        struct ideal_store *items = allocate(capacity, sizeof *items);

        for (uint64_t i = stores->head; i < stores->tail; i++)
            items[i % capacity] = stores->items[i % stores->capacity];
        free(stores->items);
        stores->items = items;
        stores->capacity = capacity;
    }
    return &stores->items[stores->tail++ % stores->capacity];
}

static struct ideal_stores *stores_of(const struct ideal_table *table, uint16_t unit)
{
    return &table->stores[unit == IDEAL_NOBODY ? table->unit_count : unit];
}

static void send_line(struct ideal_table *table, struct ideal_line *line, uint16_t unit,
                      uint64_t now)
{
    struct ideal_store *store = new_store(stores_of(table, unit));

    store->line = line->line;
    store->mask = line->dirty;
    store->since = now;
    for (unsigned i = 0; i < LINE_WORDS; i++)
        memcpy(store->data + 4 * i, &line->words[i].now.value, 4);
    line->flying = line->dirty;
    line->dirty = 0;
    line->sent = line->published;
    line->owner = unit;
}

static void add_waiter(struct ideal_table *table, struct ideal_line *line, uint16_t unit,
                       uint16_t slot)
{
    if (line->waiter_count == line->waiter_capacity) {
        line->waiter_capacity = line->waiter_capacity * 2 + 4;
        line->waiters = reallocate(line->waiters, line->waiter_capacity, sizeof *line->waiters);
    }
    line->waiters[line->waiter_count++] = (struct ideal_waiter){unit, slot, line->published};
    table->unsettled[unit][slot]++;
}

uint32_t ideal_table_flush(struct ideal_table *table, uint16_t unit, uint16_t slot, uint64_t now)
{
    for (uint32_t i = 0; i < table->touched_count; i++) {
        struct ideal_line *line = table->touched[i];

        line->is_touched = false;
        line->published++;
        add_waiter(table, line, unit, slot);
        if (line->flying == 0)
            send_line(table, line, unit, now);
    }
    table->touched_count = 0;
    return table->unsettled[unit][slot];
}

static void settle_words(struct ideal_line *line, uint64_t now)
{
    uint64_t bytes = line->flying & ~line->dirty;

    for_each_bit(byte, bytes) word_change(&line->words[byte / 4], now)->settled[byte % 4] = now;
    line->flying = 0;
}

void ideal_table_settle(struct ideal_table *table, uint64_t now)
{
    for (uint32_t i = 0; i < table->touched_count; i++) {
        struct ideal_line *line = table->touched[i];

        line->is_touched = false;
        send_line(table, line, IDEAL_NOBODY, now);
        settle_words(line, now);
    }
    table->touched_count = 0;
}

static void release_waiters(struct ideal_table *table, struct ideal_line *line, uint64_t *settled)
{
    uint32_t left = 0;

    for (uint32_t i = 0; i < line->waiter_count; i++) {
        struct ideal_waiter waiter = line->waiters[i];

        if (waiter.sequence > line->sent) {
            line->waiters[left++] = waiter;
            continue;
        }
        if (--table->unsettled[waiter.unit][waiter.slot] == 0)
            settled[waiter.unit] |= UINT64_C(1) << waiter.slot;
    }
    line->waiter_count = left;
}

uint32_t ideal_table_answered(struct ideal_table *table, uint64_t address, uint64_t now,
                              uint64_t *settled)
{
    struct ideal_line *line = line_of(table, address);

    check(line->flying != 0, "a store of line 0x%llx was answered that was not sent",
          (unsigned long long)address);
    settle_words(line, now);
    release_waiters(table, line, settled);
    if (line->dirty == 0)
        return UINT32_MAX;
    send_line(table, line, line->owner, now);
    return line->owner;
}

const struct ideal_store *ideal_table_store(const struct ideal_table *table, uint16_t unit)
{
    const struct ideal_stores *stores = stores_of(table, unit);

    return stores->head < stores->tail ? &stores->items[stores->head % stores->capacity] : NULL;
}

void ideal_table_take_store(struct ideal_table *table, uint16_t unit)
{
    stores_of(table, unit)->head++;
}

/* SPDX-License-Identifier: MIT */
/* A lane's log in the system `ideal_global`. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "mem/msg.h"
#include "tm/ideal_global.h"

struct ideal_read *ideal_log_read(struct ideal_log *log, uint64_t word)
{
    for (uint32_t i = 0; i < log->read_count; i++)
        if (log->reads[i].word == word)
            return &log->reads[i];
    if (log->read_count == log->read_capacity) {
        log->read_capacity = log->read_capacity * 2 + 8;
        log->reads = reallocate(log->reads, log->read_capacity, sizeof *log->reads);
    }
    log->reads[log->read_count] = (struct ideal_read){.word = word, .since = UINT64_MAX};
    return &log->reads[log->read_count++];
}

void ideal_log_write(struct ideal_log *log, struct ideal_write write)
{
    uint32_t place;

    if (log->write_count == log->write_capacity) {
        log->write_capacity = log->write_capacity * 2 + 8;
        log->writes = reallocate(log->writes, log->write_capacity, sizeof *log->writes);
    }
    for (place = log->write_count++; place > 0 && log->writes[place - 1].sequence > write.sequence;
         place--)
        log->writes[place] = log->writes[place - 1];
    log->writes[place] = write;
}

uint32_t ideal_log_own(const struct ideal_log *log, uint64_t word, uint32_t sequence,
                       uint32_t *value)
{
    uint32_t mask = 0;

    *value = 0;
    for (uint32_t i = 0; i < log->write_count && log->writes[i].sequence < sequence; i++) {
        const struct ideal_write *write = &log->writes[i];

        if (write->word != word)
            continue;
        *value = (*value & ~write->mask) | (write->value & write->mask);
        mask |= write->mask;
    }
    return mask;
}

struct ideal_place ideal_place_of(const struct isa_memory_request *request, unsigned lane,
                                  unsigned i)
{
    uint64_t address = request->address[lane] + 4 * i;
    unsigned bytes = request->element_bytes;

    check(bytes < 4 ? (address & 3) + bytes <= 4 : (address & 3) == 0,
          "an access to the odd address %llx in a transaction", (unsigned long long)address);
    return (struct ideal_place){
        .word = address / 4,
        .shift = bytes < 4 ? 8 * (unsigned)(address & 3) : 0,
        .mask = bytes < 4 ? (uint32_t)low_mask(8 * bytes) << (8 * (address & 3)) : UINT32_MAX};
}

unsigned ideal_words(const struct isa_memory_request *request)
{
    return (request->element_bytes + 3u) / 4;
}

void ideal_log_store(struct ideal_log *log, const struct isa_memory_request *request, unsigned lane,
                     uint32_t sequence)
{
    for (unsigned i = 0; i < ideal_words(request); i++) {
        struct ideal_place place = ideal_place_of(request, lane, i);

        ideal_log_write(log, (struct ideal_write){.word = place.word,
                                                  .mask = place.mask,
                                                  .value = request->data[i][lane] << place.shift,
                                                  .sequence = sequence});
    }
}

bool ideal_log_serve(const struct ideal_log *log, struct isa_memory_request *request, unsigned lane,
                     uint32_t sequence)
{
    uint32_t values[4];

    for (unsigned i = 0; i < ideal_words(request); i++) {
        struct ideal_place place = ideal_place_of(request, lane, i);

        if ((place.mask & ~ideal_log_own(log, place.word, sequence, &values[i])) != 0)
            return false;
        values[i] = (values[i] & place.mask) >> place.shift;
    }
    for (unsigned i = 0; i < ideal_words(request); i++)
        request->data[i][lane] = values[i];
    return true;
}

/* The items of a full ring at the beginning of a list of the new capacity; the old one is freed. */
static void *grow_ring(void *list, size_t item_bytes, uint32_t count, uint32_t head,
                       uint32_t capacity)
{
    unsigned char *grown = allocate(capacity, item_bytes);

    for (uint32_t i = 0; i < count; i++)
        memcpy(grown + i * item_bytes,
               (const unsigned char *)list + (head + i) % count * item_bytes, item_bytes);
    free(list);
    return grown;
}

struct ideal_flight *ideal_flights_add(struct ideal_flights *flights)
{
    if (flights->count == flights->capacity) {
        flights->capacity = flights->capacity * 2 + 4;
        flights->list = grow_ring(flights->list, sizeof *flights->list, flights->count,
                                  flights->head, flights->capacity);
        flights->head = 0;
    }
    return &flights->list[(flights->head + flights->count++) % flights->capacity];
}

void ideal_flights_take(struct ideal_flights *flights)
{
    flights->head = (flights->head + 1) % flights->capacity;
    flights->count--;
}

void ideal_debts_add(struct ideal_debts *debts, uint64_t word, uint16_t slot)
{
    uint64_t line = word * 4 & ~(uint64_t)(LINE_BYTES - 1);
    uint64_t mask = UINT64_C(0xf) << (word * 4 - line);
    struct ideal_owed *latest;

    if (debts->count > 0) {
        latest = &debts->list[(debts->head + debts->count - 1) % debts->capacity];
        if (latest->line == line && latest->slot == slot) {
            latest->mask |= mask;
            return;
        }
    }
    if (debts->count == debts->capacity) {
        debts->capacity = debts->capacity * 2 + 16;
        debts->list =
            grow_ring(debts->list, sizeof *debts->list, debts->count, debts->head, debts->capacity);
        debts->head = 0;
    }
    debts->list[(debts->head + debts->count++) % debts->capacity] =
        (struct ideal_owed){line, mask, slot};
}

struct ideal_owed ideal_debts_take(struct ideal_debts *debts)
{
    struct ideal_owed owed = debts->list[debts->head];

    debts->head = (debts->head + 1) % debts->capacity;
    debts->count--;
    return owed;
}

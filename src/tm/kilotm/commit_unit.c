/* SPDX-License-Identifier: MIT */
#include "tm/kilotm/commit_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "sim/debug.h"
#include "tm/parameters.h"

#define STATISTICS_ROW(...) STATISTIC_ROW(struct commit_unit_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {COMMIT_UNIT_STATISTICS(STATISTICS_ROW)};

enum { FIRST_CAPACITY = 1024, FIRST_ID = 1, PAPER_SET_WORDS = 8 };

static struct commit_unit *commit_unit_of(struct component *component)
{
    struct tm_partition *partition = container_of(component, struct tm_partition, component);

    return container_of(partition, struct commit_unit, partition);
}

/* ---- entries ---- */

static void enlarge_ring(struct commit_unit *unit)
{
    uint32_t capacity = 2 * unit->capacity;
    struct entry *entries = allocate(capacity, sizeof *entries);

    for (uint32_t i = 0; i < unit->capacity; i++) {
        uint32_t id = unit->retire + i;

        entries[id & (capacity - 1)] = *commit_entry(unit, id);
    }
    free(unit->entries);
    unit->entries = entries;
    unit->capacity = capacity;
    history_enlarge(&unit->history, capacity);
}

/* An entry keeps the room of its sets. */
static void allocate_entry(struct commit_unit *unit)
{
    const struct kilotm_parameters *parameters = unit->parameters;
    struct kilotm_words reads, writes;
    struct entry *entry;

    if (unit->head - unit->retire == unit->capacity)
        enlarge_ring(unit);
    entry = commit_entry(unit, unit->head);
    reads = entry->reads;
    writes = entry->writes;
    reads.count = writes.count = 0;
    *entry = (struct entry){.reads = reads, .writes = writes};
    unit->head++;
    check(parameters->ring_entries == 0 || unit->head - unit->retire <= parameters->ring_entries,
          "%s: a ring of %llu entries holds %u", unit->partition.component.path,
          (unsigned long long)parameters->ring_entries, unit->head - unit->retire);
    histogram_add(&unit->statistics.ring, unit->head - unit->retire, 1);
    commit_buffers(unit, unit->head - 1);
}

static void add_word(struct kilotm_words *words, const struct message *message,
                     const struct message_entry *from)
{
    if (words->count == words->capacity) {
        words->capacity = 2 * words->capacity + 4;
        words->list = reallocate(words->list, words->capacity, sizeof *words->list);
    }
    words->list[words->count++] = (struct kilotm_word){.address = kilotm_address(message, from),
                                                       .value = from->value,
                                                       .bytes = message->word_bytes};
}

/* ---- messages ---- */

static void begin_entry(struct commit_unit *unit, struct entry *entry,
                        const struct message *message)
{
    if (entry->has_begun)
        return;
    entry->has_begun = true;
    entry->rcid = unit->retire;
    entry->base = message->transaction;
    entry->unit = message->requester.unit;
    entry->slot = message->requester.wavefront;
    entry->lanes = message->requester.part;
}

static void entry_fill(struct commit_unit *unit, struct entry *entry)
{
    struct commit_unit_statistics *counts = &unit->statistics;

    entry->is_filled = true;
    counts->entries++;
    histogram_add(&counts->read_set, entry->reads.count, 1);
    histogram_add(&counts->write_set, entry->writes.count, 1);
    counts->long_read_sets += entry->reads.count > PAPER_SET_WORDS;
    counts->long_write_sets += entry->writes.count > PAPER_SET_WORDS;
}

static void commit_settle(struct commit_unit *unit, uint32_t id, bool has_passed)
{
    struct entry *entry = commit_entry(unit, id);

    if (id < unit->retire || entry->state == ENTRY_RETIRED)
        return; /* it has failed here, and the compute unit was told */
    check(entry->state == ENTRY_PASSED, "transaction %u has an outcome before it was sent one", id);
    entry->state = has_passed ? ENTRY_READY : ENTRY_RETIRED;
}

static void add_read(struct commit_unit *unit, uint32_t id, const struct message *message,
                     const struct message_entry *word)
{
    struct entry *entry = commit_entry(unit, id);

    add_word(&entry->reads, message, word);
    entry->loads++;
    commit_accesses_put(&unit->loads, id, entry->reads.count - 1);
}

/* A word that the transaction writes twice is stored once: no load of others may see the first
 * value. */
static void add_write(struct entry *entry, const struct message *message,
                      const struct message_entry *word)
{
    uint32_t bits = kilotm_bits(message->word_bytes);

    for (uint32_t i = 0; i < entry->writes.count; i++) {
        struct kilotm_word *write = &entry->writes.list[i];

        if (write->address != kilotm_address(message, word))
            continue;
        write->value = (write->value & ~bits) | (word->value & bits);
        write->bytes |= message->word_bytes;
        return;
    }
    add_word(&entry->writes, message, word);
}

/* One transaction's part of a message. */
static void take_scalar(struct commit_unit *unit, const struct message *message, uint32_t number)
{
    uint32_t id = message->transaction + kilotm_nth_bit(message->mask, number);
    struct message_entry word = {0};
    struct entry *entry;

    while (unit->head <= id)
        allocate_entry(unit);
    entry = commit_entry(unit, id);
    if (id >= unit->retire)
        begin_entry(unit, entry, message);
    if (number < message->entry_count)
        memcpy(&word, message->data + number * sizeof word, sizeof word);
    switch (message->rmw) {
    case KILOTM_READ_SET:
        add_read(unit, id, message, &word);
        break;
    case KILOTM_WRITE_SET:
        add_write(entry, message, &word);
        break;
    case KILOTM_FILLED:
        entry_fill(unit, entry);
        break;
    case KILOTM_SKIP:
        entry->is_filled = true;
        entry->state = ENTRY_RETIRED;
        unit->statistics.skipped++;
        break;
    case KILOTM_READS_AGAIN:
    case KILOTM_WRITES_AGAIN:
        entry->resent++;
        break;
    case KILOTM_AGAIN:
        commit_set_came(unit, id);
        break;
    default:
        commit_settle(unit, id, message->rmw == KILOTM_PASS);
    }
    if (id >= unit->retire)
        commit_buffers(unit, id);
}

static bool take_message(struct commit_unit *unit)
{
    struct port *port = unit->partition.from_units;
    const struct message *message = port_peek(port);

    if (message == NULL)
        return false;
    take_scalar(unit, message, unit->position++);
    if (unit->position == count_bits(message->mask)) {
        unit->position = 0;
        port_take(port);
    }
    return true;
}

static bool take_reply(struct commit_unit *unit)
{
    struct port *port = unit->partition.from_slice;
    const struct message *message = port_peek(port);
    uint32_t id, value, offset;

    if (message == NULL)
        return false;
    id = unit->retire + (uint16_t)(message->requester.entry - (uint16_t)unit->retire);
    if (message->kind == MESSAGE_STORE_REPLY) {
        commit_stored(unit, id);
    } else {
        offset = commit_entry(unit, id)->reads.list[message->requester.part].address % LINE_BYTES;
        memcpy(&value, message->data + offset, sizeof value);
        commit_loaded(unit, id, message->requester.part, value);
    }
    port_take(port);
    return true;
}

/* ---- accesses to the slice, and answers ---- */

static struct message *access_word(struct commit_unit *unit, uint32_t id, uint32_t number,
                                   const struct kilotm_word *word, uint8_t kind)
{
    struct message *message = port_reserve(unit->partition.to_slice, 1);
    uint64_t offset = word->address % LINE_BYTES;

    memset(message, 0, sizeof *message);
    message->kind = kind;
    message->addr = word->address - offset;
    message->mask = (uint64_t)word->bytes << offset;
    message->scope = SCOPE_DEVICE;
    message->requester = (struct message_requester){
        .unit = REQUESTER_COMMIT, .entry = (uint16_t)id, .part = (uint16_t)number};
    return message;
}

static bool send_load(struct commit_unit *unit)
{
    struct commit_accesses *loads = &unit->loads;
    struct commit_access *access = &loads->list[loads->first];
    struct entry *entry;
    struct message *message;

    if (loads->count == 0 || !port_has_room(unit->partition.to_slice, 1))
        return false;
    entry = commit_entry(unit, access->id);
    if (entry->state != ENTRY_FILL && entry->state != ENTRY_AGAIN) { /* one word was enough */
        entry->loads--;
    } else {
        message = access_word(unit, access->id, access->word, &entry->reads.list[access->word],
                              MESSAGE_LOAD);
        message->mask = UINT64_C(0xf) << (entry->reads.list[access->word].address % LINE_BYTES);
        if (unit->parameters->validation_always_hits != 0)
            message->requester.unit = REQUESTER_COMMIT_IDEAL;
        unit->statistics.validations++;
    }
    loads->first = (loads->first + 1) % loads->capacity;
    loads->count--;
    return true;
}

static bool send_store(struct commit_unit *unit)
{
    struct commit_accesses *stores = &unit->stores;
    struct commit_access *access = &stores->list[stores->first];
    const struct kilotm_word *word;
    struct message *message;

    if (stores->count == 0 || !port_has_room(unit->partition.to_slice, 1))
        return false;
    word = &commit_entry(unit, access->id)->writes.list[access->word];
    message = access_word(unit, access->id, access->word, word, MESSAGE_STORE);
    memcpy(message->data + word->address % LINE_BYTES, &word->value, sizeof word->value);
    stores->first = (stores->first + 1) % stores->capacity;
    stores->count--;
    return true;
}

static bool send_answer(struct commit_unit *unit)
{
    struct commit_answers *answers = &unit->answers;
    const struct commit_answer *answer = &answers->list[answers->first];
    struct message *message;

    if (answers->count == 0 || !port_has_room(unit->partition.to_units, 1))
        return false;
    if (answer->changed_at == component_cycle(&unit->partition.component))
        return true; /* more may join it */
    message = port_reserve(unit->partition.to_units, 1);
    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_TRANSACTION_REPLY;
    message->rmw = answer->kind;
    message->destination = answer->unit;
    message->source = (uint16_t)unit->partition.number;
    message->transaction = answer->base;
    message->mask = answer->mask;
    message->requester = (struct message_requester){
        .unit = answer->unit, .wavefront = answer->slot, .part = answer->lanes};
    answers->first = (answers->first + 1) % answers->capacity;
    answers->count--;
    return true;
}

/* ---- the component ---- */

static bool commit_unit_tick(struct component *component)
{
    struct commit_unit *unit = commit_unit_of(component);
    uint64_t rest = component_cycle(component) % unit->parameters->unit_cycles;
    bool progress;

    if (rest != 0) {
        component_wake_at(component,
                          component_cycle(component) + unit->parameters->unit_cycles - rest);
        return false;
    }
    progress = take_reply(unit);
    progress |= take_message(unit);
    progress |= commit_advance(unit);
    progress |= send_load(unit);
    progress |= send_store(unit);
    progress |= send_answer(unit);
    return progress;
}

static void commit_unit_explain(const struct component *component, struct text *text)
{
    const struct commit_unit *unit = commit_unit_of((struct component *)(uintptr_t)component);

    if (unit->retire == unit->head)
        return;
    text_add(text,
             "commit IDs %u to %u are not retired; commits at %u, outcomes at %u, hazards at %u",
             unit->retire, unit->head - 1, unit->commit, unit->pass, unit->hazard);
    if (unit->hazard < unit->head && !commit_entry(unit, unit->hazard)->is_filled)
        text_add(text, "; the logs of %u have not come", unit->hazard);
}

static void commit_unit_settle(struct component *component)
{
    commit_buffers_settle(commit_unit_of(component));
}

static const struct component_operations operations = {
    .tick = commit_unit_tick, .settle = commit_unit_settle, .explain = commit_unit_explain};

struct tm_partition *commit_unit_create(const struct tm_system *system,
                                        const struct tm_options *options, uint32_t number)
{
    struct commit_unit *unit = allocate(1, sizeof *unit);
    char path[64];

    unit->parameters = &options->parameters->kilotm;
    unit->breaks = options->breaks;
    component_init(&unit->partition.component, &operations, options->clock, options->path);
    unit->scheme =
        (uint8_t)parameter_word_index(kilotm_set_scheme_word, unit->parameters->set_scheme);
    unit->capacity = FIRST_CAPACITY;
    unit->entries = allocate(unit->capacity, sizeof *unit->entries);
    unit->retire = unit->commit = unit->pass = unit->hazard = unit->head = FIRST_ID;
    history_init(&unit->history, unit->parameters, unit->capacity,
                 debug_breaks(unit->breaks, KILO_FORGET_EVICTED));
    snprintf(path, sizeof path, "%s.kilotm", options->path);
    registry_add(options->registry, path, "commit_unit", statistics, ARRAY_COUNT(statistics),
                 &unit->statistics, sizeof unit->statistics);
    return &unit->partition;
}

void commit_unit_destroy(struct tm_partition *partition)
{
    struct commit_unit *unit = container_of(partition, struct commit_unit, partition);

    for (uint32_t i = 0; i < unit->capacity; i++) {
        free(unit->entries[i].reads.list);
        free(unit->entries[i].writes.list);
    }
    history_finish(&unit->history);
    free(unit->entries);
    free(unit->loads.list);
    free(unit->stores.list);
    free(unit->answers.list);
    component_finish(&partition->component);
    free(unit);
}

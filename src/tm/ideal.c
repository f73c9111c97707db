/* SPDX-License-Identifier: MIT */
/*
 * An ideal transactional memory on local memory, as a bound for others: nothing costs anything but
 * the accesses themselves.
 *
 *   access   is served at its turn at the banks: loads see memory and the lane's own stores, stores
 *            stay in the lane's log. If a word that the lane has read is another by then, it
 *            aborts.
 *   commit   in that cycle, lanes in order: a lane whose reads still hold, by value, publishes its
 *            stores; the others abort and start again at once.
 *
 * No limit to a log, no false conflict, no back-off. Left out: global memory. A system for that
 * beside this one decides later, in an order of its own. Then lanes pass that conflict with none
 * still to be decided. A lane that conflicts with one of its own wavefront fails; one that
 * conflicts with one of another wavefront waits.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "sim/debug.h"
#include "tm/systems.h"

#define IDEAL_STATISTICS(X)                                                                        \
    X(COUNTER, commits, "lanes", "lanes that committed")                                           \
    X(COUNTER, failed_at_access, "lanes",                                                          \
      "lanes that aborted because a word they had read changed")                                   \
    X(COUNTER, failed_at_commit, "lanes", "the same, found at their commit")

struct ideal_statistics {
    IDEAL_STATISTICS(STATISTIC_FIELD)
};
#define STATISTICS_ROW(...) STATISTIC_ROW(struct ideal_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {IDEAL_STATISTICS(STATISTICS_ROW)};

/* A word that a lane has read, stored or both: bits of masks say which. */
struct ideal_entry {
    uint32_t word;
    uint32_t read_mask, read;
    uint32_t write_mask, written;
};

struct ideal_log {
    struct ideal_entry *entries;
    uint32_t count, capacity;
};

struct ideal_unit {
    struct tm_unit unit;
    struct ideal_statistics statistics;
    uint64_t breaks;
    struct ideal_log logs[TM_MAX_WAVEFRONTS][ISA_MAX_LANES];
    uint64_t waiting; /* wavefront slots, for sealed lanes of others */
};

static struct ideal_unit *ideal_of(struct tm_unit *unit)
{
    return container_of(unit, struct ideal_unit, unit);
}

static struct tm_unit *ideal_create(const struct tm_system *system,
                                    const struct tm_options *options)
{
    struct ideal_unit *ideal = allocate(1, sizeof *ideal);
    char path[64];

    ideal->breaks = options->breaks;
    snprintf(path, sizeof path, "%s.ideal", options->path);
    registry_add(options->registry, path, "ideal", statistics, ARRAY_COUNT(statistics),
                 &ideal->statistics, sizeof ideal->statistics);
    return &ideal->unit;
}

static void ideal_destroy(struct tm_unit *unit)
{
    struct ideal_unit *ideal = ideal_of(unit);

    for (unsigned i = 0; i < TM_MAX_WAVEFRONTS; i++)
        for (unsigned j = 0; j < ISA_MAX_LANES; j++)
            free(ideal->logs[i][j].entries);
    free(ideal);
}

/* ---- logs ---- */

static void clear_logs(struct ideal_unit *ideal, const struct tm_wavefront *wavefront,
                       uint64_t lanes)
{
    for_each_bit(lane, lanes) ideal->logs[wavefront->slot][lane].count = 0;
}

static struct ideal_entry *entry_of(struct ideal_log *log, uint32_t word)
{
    for (uint32_t i = 0; i < log->count; i++)
        if (log->entries[i].word == word)
            return &log->entries[i];
    if (log->count == log->capacity) {
        log->capacity = log->capacity * 2 + 16;
        log->entries = reallocate(log->entries, log->capacity, sizeof *log->entries);
    }
    log->entries[log->count] = (struct ideal_entry){.word = word};
    return &log->entries[log->count++];
}

static uint32_t *memory_of(const struct tm_wavefront *wavefront)
{
    return (uint32_t *)(void *)wavefront->group->lds;
}

static bool reads_hold(const struct ideal_log *log, const uint32_t *memory)
{
    for (uint32_t i = 0; i < log->count; i++)
        if (((memory[log->entries[i].word] ^ log->entries[i].read) & log->entries[i].read_mask) !=
            0)
            return false;
    return true;
}

static void log_publish(const struct ideal_log *log, uint32_t *memory)
{
    for (uint32_t i = 0; i < log->count; i++) {
        const struct ideal_entry *entry = &log->entries[i];

        memory[entry->word] =
            (memory[entry->word] & ~entry->write_mask) | (entry->written & entry->write_mask);
    }
}

/* ---- accesses ---- */

static uint32_t read_word(struct ideal_entry *entry, const uint32_t *memory, uint32_t mask)
{
    uint32_t fresh = mask & ~entry->write_mask & ~entry->read_mask;

    entry->read = (entry->read & ~fresh) | (memory[entry->word] & fresh);
    entry->read_mask |= fresh;
    return (entry->read & ~entry->write_mask) | (entry->written & entry->write_mask);
}

static void write_word(struct ideal_entry *entry, uint32_t mask, uint32_t value)
{
    entry->written = (entry->written & ~mask) | (value & mask);
    entry->write_mask |= mask;
}

/* The words of an atomic are in data: its operands, and then the old values. */
static void word_update(struct ideal_log *log, uint32_t word, struct isa_memory_request *request,
                        unsigned lane)
{
    bool is_wide = request->element_bytes == 8;
    uint64_t operand = request->data[0][lane] | (uint64_t)request->data[1][lane] << 32;
    uint64_t compare = request->compare[0][lane] | (uint64_t)request->compare[1][lane] << 32;
    uint64_t old = request->data[2][lane] | (uint64_t)request->data[3][lane] << 32;
    uint64_t new =
        is_wide ? rmw_apply_64(request->rmw, old, operand, compare)
                : rmw_apply_32(request->rmw, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);

    for (unsigned i = 0; i < (is_wide ? 2u : 1u); i++) {
        write_word(entry_of(log, word + i), UINT32_MAX, (uint32_t)(new >> (32 * i)));
        request->data[i][lane] = request->data[2 + i][lane];
    }
}

static void serve_element(struct ideal_log *log, const uint32_t *memory,
                          struct isa_memory_request *request, unsigned lane, uint64_t address,
                          unsigned first)
{
    unsigned bytes = request->element_bytes, shift = bytes < 4 ? 8 * (address & 3) : 0;
    uint32_t mask = bytes < 4 ? (uint32_t)low_mask(8 * bytes) << shift : UINT32_MAX;
    uint32_t word = (uint32_t)(address / 4);
    bool is_atomic = request->kind == ISA_MEMORY_ATOMIC;

    for (unsigned i = 0; i < (bytes + 3) / 4; i++) {
        struct ideal_entry *entry = entry_of(log, word + i);

        if (request->kind == ISA_MEMORY_STORE)
            write_word(entry, mask, request->data[first + i][lane] << shift);
        else
            request->data[(is_atomic ? 2 : first) + i][lane] =
                (read_word(entry, memory, mask) & mask) >> shift;
    }
    if (is_atomic)
        word_update(log, word, request, lane);
}

static uint64_t ideal_access(struct tm_unit *unit, struct tm_wavefront *wavefront,
                             struct isa_memory_request *request, struct tm_charge *charge)
{
    struct ideal_unit *ideal = ideal_of(unit);
    const uint32_t *memory = memory_of(wavefront);
    uint64_t first = request->lanes;
    uint64_t second = request->second_delta != 0 ? request->second_lanes : 0;
    uint64_t lanes = first | second, aborted = 0;

    if (request->space != ISA_SPACE_LOCAL)
        return 0;
    for_each_bit(lane, lanes)
    {
        struct ideal_log *log = &ideal->logs[wavefront->slot][lane];
        uint64_t address = request->address[lane];

        if (!reads_hold(log, memory)) {
            aborted |= UINT64_C(1) << lane;
            continue;
        }
        if ((first >> lane & 1) != 0)
            serve_element(log, memory, request, lane, address, 0);
        if ((second >> lane & 1) != 0)
            serve_element(log, memory, request, lane,
                          address + (uint64_t)(int64_t)request->second_delta,
                          request->element_bytes < 4 ? 1 : request->element_bytes / 4u);
    }
    request->lanes = request->second_lanes = 0; /* all are served */
    clear_logs(ideal, wavefront, aborted);
    ideal->statistics.failed_at_access += count_bits(aborted);
    return aborted;
}

/* ---- begin and commit ---- */

static void ideal_begin(struct tm_unit *unit, struct tm_wavefront *wavefront,
                        struct tm_charge *charge)
{
    clear_logs(ideal_of(unit), wavefront, wavefront->running);
}

static bool logs_conflict(const struct ideal_log *one, const struct ideal_log *other)
{
    for (uint32_t i = 0; i < one->count; i++)
        for (uint32_t j = 0; j < other->count; j++) {
            const struct ideal_entry *a = &one->entries[i], *b = &other->entries[j];

            if (a->word == b->word && ((a->write_mask & (b->read_mask | b->write_mask)) != 0 ||
                                       (a->read_mask & b->write_mask) != 0))
                return true;
        }
    return false;
}

static bool conflicts_with(const struct ideal_unit *ideal, const struct ideal_log *log,
                           uint32_t slot, uint64_t lanes)
{
    for_each_bit(lane, lanes)
    {
        if (logs_conflict(log, &ideal->logs[slot][lane]))
            return true;
    }
    return false;
}

/* Whether sealed lanes of another wavefront of the group conflict with the lane. */
static bool must_wait(const struct ideal_unit *ideal, const struct tm_wavefront *wavefront,
                      unsigned lane)
{
    uint64_t others = wavefront->group->members & ~(UINT64_C(1) << wavefront->slot);
    struct tm_host *host = ideal->unit.host;

    for_each_bit(slot, others)
    {
        if (conflicts_with(ideal, &ideal->logs[wavefront->slot][lane], slot,
                           host->wavefront(host, slot)->sealed))
            return true;
    }
    return false;
}

/* Lanes that may be decided in any order: whose reads hold, and that conflict with no other. */
static uint64_t prepare_first(struct ideal_unit *ideal, const struct tm_wavefront *wavefront,
                              uint64_t *passed, uint64_t *failed)
{
    uint64_t running = wavefront->running;

    for_each_bit(lane, running)
    {
        const struct ideal_log *log = &ideal->logs[wavefront->slot][lane];

        if (!reads_hold(log, memory_of(wavefront)) ||
            conflicts_with(ideal, log, wavefront->slot, *passed))
            *failed |= UINT64_C(1) << lane;
        else if (!must_wait(ideal, wavefront, lane))
            *passed |= UINT64_C(1) << lane;
    }
    if ((*passed | *failed) == wavefront->running)
        return TM_NOW;
    ideal->waiting |= UINT64_C(1) << wavefront->slot;
    return TM_LATER;
}

/* A lane passes if its reads hold when the lanes before it have published. Memory is as it was
 * afterwards: finish publishes. */
static uint64_t ideal_prepare(struct tm_unit *unit, struct tm_wavefront *wavefront,
                              uint64_t *passed, uint64_t *failed)
{
    struct ideal_unit *ideal = ideal_of(unit);
    uint32_t *memory = memory_of(wavefront), words = wavefront->group->lds_bytes / 4;
    uint32_t *before;
    uint64_t running = wavefront->running;

    if (unit->is_first)
        return prepare_first(ideal, wavefront, passed, failed);
    before = allocate(words + 1, sizeof *before);
    memcpy(before, memory, words * sizeof *before);
    for_each_bit(lane, running)
    {
        const struct ideal_log *log = &ideal->logs[wavefront->slot][lane];
        uint64_t bit = UINT64_C(1) << lane;

        if (!reads_hold(log, memory) && !debug_breaks(ideal->breaks, TM_SKIP_VALIDATION)) {
            *failed |= bit;
            continue;
        }
        log_publish(log, memory);
        *passed |= bit;
    }
    memcpy(memory, before, words * sizeof *before);
    free(before);
    return TM_NOW;
}

static uint64_t ideal_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                             uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    struct ideal_unit *ideal = ideal_of(unit);
    uint64_t left = committed;

    ideal->statistics.commits += count_bits(committed);
    ideal->statistics.failed_at_commit += count_bits(aborted);
    for_each_bit(lane, left) log_publish(&ideal->logs[wavefront->slot][lane], memory_of(wavefront));
    clear_logs(ideal, wavefront, committed | aborted);
    left = ideal->waiting & ~(UINT64_C(1) << wavefront->slot);
    ideal->waiting &= ~left;
    for_each_bit(slot, left) unit->host->wake(unit->host, slot);
    return TM_NOW;
}

static void ideal_abort(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                        struct tm_charge *charge)
{
    clear_logs(ideal_of(unit), wavefront, lanes);
}

const struct tm_system tm_ideal = {
    .name = "ideal",
    .help = "lazy transactions on local memory that cost nothing but their accesses: a bound",
    .spaces = TM_SPACE_LOCAL,
    .promise = TM_PROMISES_OPACITY,
    .create = ideal_create,
    .destroy = ideal_destroy,
    .begin = ideal_begin,
    .access = ideal_access,
    .prepare = ideal_prepare,
    .finish = ideal_finish,
    .abort = ideal_abort,
};

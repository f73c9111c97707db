/* SPDX-License-Identifier: MIT */
/* Loads and stores of transactions: rows of the logs, and a lane's own writes. */
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "sim/debug.h"
#include "tm/kilotm/core.h"

static const char log_is_full[] =
    "its log of reads or writes is full: enlarge kilotm.log_rows, or make the transaction shorter";
static const char not_aligned[] = "an access across words in a transaction";

static struct kilotm_row *new_row(struct kilotm_core *core, uint32_t slot, uint32_t which)
{
    struct kilotm_log *log = &core->waves[slot].logs[which];
    struct kilotm_row *row;

    if (log->count == log->capacity) {
        log->capacity = 2 * log->capacity + 8;
        log->rows = reallocate(log->rows, log->capacity, sizeof *log->rows);
    }
    log_cache_row(core, slot, which, log->count, true);
    row = &log->rows[log->count++];
    row->lanes = 0;
    return row;
}

/* The part of a request that is a lane's word `number`. */
struct part {
    uint64_t word;
    uint8_t bytes;
    unsigned shift;
};

static struct part part_of(const struct isa_memory_request *request, unsigned lane, unsigned number)
{
    uint64_t address = request->address[lane];
    unsigned offset = (unsigned)(address & 3);

    if (request->element_bytes >= 4)
        return (struct part){address / 4 + number, 0xf, 0};
    return (struct part){address / 4, (uint8_t)(low_mask(request->element_bytes) << offset),
                         8 * offset};
}

/* Whether each lane's element lies in whole words, or inside of one. */
static bool is_in_words(const struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes;

    for_each_bit(lane, lanes)
    {
        unsigned offset = (unsigned)(request->address[lane] & 3);

        if (request->element_bytes >= 4 ? offset != 0 : offset + request->element_bytes > 4)
            return false;
    }
    return true;
}

/* What the lane has written of these bytes, the latest of the first `rows` rows. */
static uint8_t own_bytes(const struct kilotm_log *writes, uint32_t rows, unsigned lane,
                         const struct part *part, uint32_t *value)
{
    uint8_t found = 0;

    while (rows-- > 0 && found != part->bytes) {
        const struct kilotm_row *row = &writes->rows[rows];
        uint8_t fresh;

        if ((row->lanes >> lane & 1) == 0 || row->words[lane] != part->word)
            continue;
        fresh = (uint8_t)(row->bytes[lane] & part->bytes & ~found);
        *value = (*value & ~kilotm_bits(fresh)) | (row->values[lane] & kilotm_bits(fresh));
        found |= fresh;
    }
    return found;
}

static unsigned words_of(const struct isa_memory_request *request)
{
    return (request->element_bytes + 3u) / 4;
}

static void occupy_log(struct kilotm_core *core, uint32_t blocks)
{
    uint64_t now = core_cycle(core);

    if (core->log_free_at < now)
        core->log_free_at = now;
    core->log_free_at += blocks * core->parameters->log_block_cycles;
}

/* ---- stores ---- */

/* An atomic's values are not known yet. */
static void add_write_rows(struct kilotm_core *core, uint32_t slot,
                           const struct isa_memory_request *request)
{
    for (unsigned i = 0; i < words_of(request); i++) {
        struct kilotm_row *row = new_row(core, slot, LOG_WRITES);
        uint64_t lanes = row->lanes = request->lanes;

        for_each_bit(lane, lanes)
        {
            struct part part = part_of(request, lane, i);

            row->words[lane] = part.word;
            row->bytes[lane] = part.bytes;
            row->values[lane] = request->data[i][lane] << part.shift;
        }
    }
    core->waves[slot].wrote |= request->lanes;
    occupy_log(core, 2 * words_of(request));
}

/* ---- loads ---- */

/* Lanes whose whole element they have written themselves; it goes into data. */
static uint64_t serve_own(struct kilotm_core *core, const struct kilotm_wave *wave,
                          struct isa_memory_request *request)
{
    const struct kilotm_log *writes = &wave->logs[LOG_WRITES];
    uint64_t lanes = request->lanes & wave->wrote, own = 0;

    if (debug_breaks(core->breaks, KILO_MISS_OWN_WRITES) || wave->atomic_count > 0)
        return 0; /* while an atomic is under way, what is in the write log is not known */
    for_each_bit(lane, lanes)
    {
        uint32_t values[4] = {0};
        bool is_whole = true;

        for (unsigned i = 0; i < words_of(request); i++) {
            struct part part = part_of(request, lane, i);

            is_whole &= own_bytes(writes, writes->count, lane, &part, &values[i]) == part.bytes;
            values[i] = (values[i] & kilotm_bits(part.bytes)) >> part.shift;
        }
        if (!is_whole)
            continue;
        own |= UINT64_C(1) << lane;
        for (unsigned i = 0; i < words_of(request); i++)
            request->data[i][lane] = values[i];
        core->statistics.own_words += words_of(request);
    }
    return own;
}

/* What must come from memory, and be what it is then at the commit. */
static void add_read_rows(struct kilotm_core *core, uint32_t slot,
                          const struct isa_memory_request *request)
{
    struct kilotm_wave *wave = &core->waves[slot];
    const struct kilotm_log *writes = &wave->logs[LOG_WRITES];

    for (unsigned i = 0; i < words_of(request); i++) {
        struct kilotm_row *row = new_row(core, slot, LOG_READS);
        uint64_t lanes = request->lanes;

        for_each_bit(lane, lanes)
        {
            struct part part = part_of(request, lane, i);
            uint32_t value = 0;
            uint8_t own = own_bytes(writes, writes->count, lane, &part, &value);

            row->words[lane] = part.word;
            row->bytes[lane] = (uint8_t)(part.bytes & ~own);
            if (row->bytes[lane] != 0)
                row->lanes |= UINT64_C(1) << lane;
        }
    }
    occupy_log(core, 2 * words_of(request));
}

/* The filter of the words that lanes have written is perfect: none is walked for in vain. It says
 * which lanes load from memory at all, so the load begins after it. */
static void walk_own(struct kilotm_core *core, const struct kilotm_wave *wave,
                     struct isa_memory_request *request, struct tm_charge *charge)
{
    uint32_t walked = wave->logs[LOG_WRITES].count;
    uint32_t asked =
        (request->lanes & wave->wrote) == 0 ? 0 : (uint32_t)core->parameters->filter_cycles;
    uint64_t own = serve_own(core, wave, request);

    charge->unit_cycles += asked;
    if (own == 0)
        return;
    core->statistics.walks++;
    occupy_log(core, walked);
    charge->wavefront_cycles += asked + (uint32_t)(walked * core->parameters->log_block_cycles);
    request->lanes &= ~own;
}

/* An atomic is a load, and a store of what it makes of that. */
static void keep_atomic(struct kilotm_wave *wave, struct kilotm_load *under_way,
                        struct isa_memory_request *request)
{
    if (under_way->atomic == NULL)
        under_way->atomic = allocate(1, sizeof *under_way->atomic);
    memcpy(under_way->atomic->operand, request->data, sizeof under_way->atomic->operand);
    memcpy(under_way->atomic->compare, request->compare, sizeof under_way->atomic->compare);
    under_way->atomic->rmw = request->rmw;
    request->kind = ISA_MEMORY_LOAD;
    if (!request->returns)
        request->written = 0;
    wave->atomic_count++;
}

static void log_load(struct kilotm_core *core, uint32_t slot, struct isa_memory_request *request,
                     struct tm_charge *charge)
{
    struct kilotm_wave *wave = &core->waves[slot];
    struct kilotm_load *under_way =
        &wave->loads[(wave->first_load + wave->load_count) % KILOTM_LOADS];

    check(wave->load_count < KILOTM_LOADS, "a wavefront has %u loads under way", KILOTM_LOADS);
    wave->load_count++;
    if (request->kind == ISA_MEMORY_LOAD)
        walk_own(core, wave, request, charge);
    request->glc = true; /* past the L1 */
    under_way->first_row = wave->logs[LOG_READS].count;
    under_way->write_rows = wave->logs[LOG_WRITES].count;
    under_way->has_rows = request->lanes != 0;
    under_way->is_atomic = request->kind == ISA_MEMORY_ATOMIC;
    if (under_way->has_rows)
        add_read_rows(core, slot, request);
    if (under_way->is_atomic && under_way->has_rows)
        add_write_rows(core, slot, request);
    if (under_way->is_atomic)
        keep_atomic(wave, under_way, request);
}

static const char *cannot_serve(const struct kilotm_core *core, uint32_t slot,
                                const struct isa_memory_request *request)
{
    const struct kilotm_log *logs = core->waves[slot].logs;
    uint64_t max = core->parameters->log_rows - words_of(request);

    if (!is_in_words(request))
        return not_aligned;
    if ((request->kind != ISA_MEMORY_STORE && logs[LOG_READS].count > max) ||
        (request->kind != ISA_MEMORY_LOAD && logs[LOG_WRITES].count > max))
        return log_is_full;
    return NULL;
}

static bool is_ours(const struct isa_memory_request *request)
{
    return request->space == ISA_SPACE_GLOBAL &&
           (request->kind == ISA_MEMORY_LOAD || request->kind == ISA_MEMORY_STORE ||
            request->kind == ISA_MEMORY_ATOMIC);
}

uint64_t kilotm_access(struct tm_unit *unit, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request, struct tm_charge *charge)
{
    struct kilotm_core *core = core_of(unit);
    const char *refusal = NULL;
    uint64_t held = 0;

    if (!is_ours(request))
        return 0;
    if (request->lanes != 0)
        refusal = cannot_serve(core, wavefront->slot, request);
    if (refusal != NULL) {
        held = watch_hold(core, wavefront, request->lanes);
        charge->refusal = held == request->lanes ? NULL : refusal;
        request->lanes = 0;
    }
    if (request->kind != ISA_MEMORY_STORE) {
        log_load(core, wavefront->slot, request, charge);
    } else if (request->lanes != 0) {
        add_write_rows(core, wavefront->slot, request);
        request->lanes = 0;
    }
    return held;
}

/* A word that a lane loaded, with what it had written of it before. */
static void merge_word(struct kilotm_core *core, struct kilotm_wave *wave, struct kilotm_row *row,
                       const struct kilotm_load *under_way, struct isa_memory_request *request,
                       unsigned lane, unsigned number)
{
    struct part part = part_of(request, lane, number);
    uint32_t value = request->data[number][lane] << part.shift;

    row->values[lane] = value;
    if ((wave->wrote >> lane & 1) == 0 || debug_breaks(core->breaks, KILO_MISS_OWN_WRITES))
        return;
    own_bytes(&wave->logs[LOG_WRITES], under_way->write_rows, lane, &part, &value);
    request->data[number][lane] = (value & kilotm_bits(part.bytes)) >> part.shift;
}

static void make_atomic(struct kilotm_wave *wave, const struct kilotm_load *under_way,
                        const struct isa_memory_request *request, unsigned lane)
{
    const struct kilotm_atomic *atomic = under_way->atomic;
    struct kilotm_row *row = &wave->logs[LOG_WRITES].rows[under_way->write_rows];
    uint64_t old = request->data[0][lane] | (uint64_t)request->data[1][lane] << 32;
    uint64_t operand = atomic->operand[0][lane] | (uint64_t)atomic->operand[1][lane] << 32;
    uint64_t compare = atomic->compare[0][lane] | (uint64_t)atomic->compare[1][lane] << 32;
    uint64_t new = request->element_bytes == 8 ? rmw_apply_64(atomic->rmw, old, operand, compare)
                                               : rmw_apply_32(atomic->rmw, (uint32_t)old,
                                                              (uint32_t)operand, (uint32_t)compare);

    for (unsigned i = 0; i < words_of(request); i++)
        row[i].values[lane] = (uint32_t)(new >> (32 * i));
}

uint64_t kilotm_loaded(struct tm_unit *unit, struct tm_wavefront *wavefront,
                       struct isa_memory_request *request)
{
    struct kilotm_core *core = core_of(unit);
    struct kilotm_wave *wave = &core->waves[wavefront->slot];
    const struct kilotm_load *under_way = &wave->loads[wave->first_load];

    if (!is_ours(request) || request->kind != ISA_MEMORY_LOAD)
        return 0;
    check(wave->load_count > 0, "a load of a transaction comes back that was not sent");
    wave->first_load = (wave->first_load + 1) % KILOTM_LOADS;
    wave->load_count--;
    for (unsigned i = 0; under_way->has_rows && i < words_of(request); i++) {
        uint64_t lanes = request->lanes;

        for_each_bit(lane, lanes)
            merge_word(core, wave, &wave->logs[LOG_READS].rows[under_way->first_row + i], under_way,
                       request, lane, i);
    }
    if (under_way->is_atomic) {
        uint64_t lanes = under_way->has_rows ? request->lanes : 0;

        for_each_bit(lane, lanes) make_atomic(wave, under_way, request, lane);
        wave->atomic_count--;
    }
    return 0;
}

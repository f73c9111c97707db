/* SPDX-License-Identifier: MIT */
/* The witnesses of the oracle on global memory: what each compute unit's lanes did. */
#include "tm/global_oracle.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "tm/global_oracle_private.h"

enum { NO_TAG = 0xffff }; /* nothing comes back */

#define STATISTICS_ROW(...) STATISTIC_ROW(struct global_oracle_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {GLOBAL_ORACLE_STATISTICS(STATISTICS_ROW)};

struct global_oracle *global_oracle_create(const struct global_oracle_options *options)
{
    struct global_oracle *oracle = allocate(1, sizeof *oracle);

    oracle->promise = options->promise;
    oracle->doomed_max = options->doomed_max;
    oracle->unit_count = options->units;
    oracle->units = allocate(options->units, sizeof *oracle->units);
    registry_add(options->registry, "tm.oracle", "oracle", statistics, ARRAY_COUNT(statistics),
                 &oracle->statistics, sizeof oracle->statistics);
    return oracle;
}

static void attempts_forget(struct global_oracle *oracle)
{
    for (uint32_t i = 0; i < oracle->unit_count; i++) {
        struct global_witness *unit = &oracle->units[i];

        for (uint32_t j = 0; j < unit->ended_count; j++)
            free(unit->ended[j].steps);
        for (unsigned j = 0; j < TM_MAX_WAVEFRONTS * ISA_MAX_LANES; j++) {
            free(unit->open[j / ISA_MAX_LANES][j % ISA_MAX_LANES].steps);
            unit->open[j / ISA_MAX_LANES][j % ISA_MAX_LANES] = (struct global_attempt){0};
        }
        unit->ended_count = unit->plain_count = 0;
    }
    while (oracle->image_count > 0)
        free(oracle->images[--oracle->image_count].bytes);
}

void global_oracle_destroy(struct global_oracle *oracle)
{
    if (oracle == NULL)
        return;
    attempts_forget(oracle);
    for (uint32_t i = 0; i < oracle->unit_count; i++) {
        free(oracle->units[i].ended);
        free(oracle->units[i].plain);
    }
    text_finish(&oracle->text);
    free(oracle->units);
    free(oracle->images);
    free(oracle);
}

void global_oracle_start(struct global_oracle *oracle)
{
    attempts_forget(oracle);
}

void global_oracle_image(struct global_oracle *oracle, uint64_t address, const void *bytes,
                         uint64_t count)
{
    struct global_image *image;

    if (oracle->image_count == oracle->image_capacity) {
        oracle->image_capacity = oracle->image_capacity * 2 + 16;
        oracle->images = reallocate(oracle->images, oracle->image_capacity, sizeof *oracle->images);
    }
    image = &oracle->images[oracle->image_count++];
    image->address = address;
    image->count = count;
    image->bytes = allocate(align_up(count, 4), 1);
    memcpy(image->bytes, bytes, count);
}

/* ---- attempts ---- */

static struct global_attempt *attempt_of(struct global_oracle *oracle, uint32_t unit, uint32_t slot,
                                         unsigned lane)
{
    return &oracle->units[unit].open[slot][lane];
}

void global_oracle_begin(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint64_t lanes,
                         uint64_t cycle, const struct oracle_place *place)
{
    for_each_bit(lane, lanes)
    {
        struct global_attempt *attempt = attempt_of(oracle, unit, slot, lane);

        check(!attempt->is_open, "an attempt in an attempt");
        *attempt =
            (struct global_attempt){.is_open = true, .began = cycle, .place = *place, .unit = unit};
    }
}

static void end_attempt(struct global_oracle *oracle, struct global_attempt *attempt,
                        uint64_t cycle)
{
    struct global_witness *unit = &oracle->units[attempt->unit];

    if (unit->ended_count == unit->ended_capacity) {
        unit->ended_capacity = unit->ended_capacity * 2 + 64;
        unit->ended = reallocate(unit->ended, unit->ended_capacity, sizeof *unit->ended);
    }
    attempt->ended = cycle;
    attempt->is_open = false;
    attempt->sequence = unit->ended_count;
    unit->ended[unit->ended_count++] = *attempt;
    *attempt = (struct global_attempt){0};
}

void global_oracle_commit(struct global_oracle *oracle, uint32_t unit, uint32_t slot, unsigned lane,
                          uint64_t order, uint64_t cycle)
{
    struct global_attempt *attempt = attempt_of(oracle, unit, slot, lane);

    check(attempt->is_open, "a commit without an attempt");
    attempt->has_committed = true;
    attempt->order = order;
    end_attempt(oracle, attempt, cycle);
}

void global_oracle_stop(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint64_t lanes,
                        uint64_t cycle)
{
    for_each_bit(lane, lanes) attempt_of(oracle, unit, slot, lane)->stopped = cycle;
}

void global_oracle_abort(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint64_t lanes,
                         uint64_t cycle)
{
    for_each_bit(lane, lanes)
    {
        struct global_attempt *attempt = attempt_of(oracle, unit, slot, lane);

        if (attempt->is_open)
            end_attempt(oracle, attempt, cycle);
    }
}

/* ---- accesses ---- */

static struct global_step *add_step(struct global_attempt *attempt)
{
    if (attempt->count == attempt->capacity) {
        attempt->capacity = attempt->capacity * 2 + 8;
        attempt->steps = reallocate(attempt->steps, attempt->capacity, sizeof *attempt->steps);
    }
    memset(&attempt->steps[attempt->count], 0, sizeof *attempt->steps);
    return &attempt->steps[attempt->count++];
}

static void serve_update(struct global_attempt *attempt, uint16_t tag, uint64_t pc,
                         const struct isa_memory_request *request, unsigned lane)
{
    struct global_step *step = add_step(attempt);
    bool is_wide = request->element_bytes == 8;

    step->action = ACTION_UPDATE;
    step->word = request->address[lane] / 4;
    step->mask = UINT32_MAX;
    step->rmw = request->rmw;
    step->is_wide = is_wide;
    step->operand = request->data[0][lane];
    step->compare = request->compare[0][lane];
    if (is_wide) {
        step->operand |= (uint64_t)request->data[1][lane] << 32;
        step->compare |= (uint64_t)request->compare[1][lane] << 32;
    }
    step->tag = request->returns ? tag : NO_TAG;
    step->pc = pc;
}

static void serve_words(struct global_attempt *attempt, uint16_t tag, uint64_t pc,
                        const struct isa_memory_request *request, unsigned lane)
{
    unsigned bytes = request->element_bytes;

    for (unsigned i = 0; i < (bytes + 3) / 4; i++) {
        struct global_step *step = add_step(attempt);
        uint64_t address = request->address[lane] + 4 * i;
        unsigned shift = bytes < 4 ? 8 * (unsigned)(address & 3) : 0;

        step->action = request->kind == ISA_MEMORY_STORE ? ACTION_WRITE : ACTION_READ;
        step->word = address / 4;
        step->mask = bytes < 4 ? (uint32_t)low_mask(8 * bytes) << shift : UINT32_MAX;
        if (step->action == ACTION_WRITE) {
            step->value = (uint32_t)(request->data[i][lane] << shift);
            step->is_known = true;
        }
        step->tag = tag;
        step->pc = pc;
    }
}

void global_oracle_served(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint16_t tag,
                          uint64_t pc, const struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes;

    if (request->space != ISA_SPACE_GLOBAL || request->kind > ISA_MEMORY_ATOMIC)
        return;
    for_each_bit(lane, lanes)
    {
        struct global_attempt *attempt = attempt_of(oracle, unit, slot, lane);

        if (!attempt->is_open)
            continue;
        if (request->kind == ISA_MEMORY_ATOMIC)
            serve_update(attempt, tag, pc, request, lane);
        else
            serve_words(attempt, tag, pc, request, lane);
    }
}

void global_oracle_landed(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint16_t tag,
                          const struct isa_memory_request *request, uint64_t lanes, uint64_t cycle)
{
    unsigned bytes = request->element_bytes;

    if (request->space != ISA_SPACE_GLOBAL)
        return;
    for_each_bit(lane, lanes)
    {
        struct global_attempt *attempt = attempt_of(oracle, unit, slot, lane);
        unsigned word = 0;

        for (uint32_t i = 0; attempt->is_open && i < attempt->count; i++) {
            struct global_step *step = &attempt->steps[i];
            unsigned shift = bytes < 4 ? 8 * (unsigned)(request->address[lane] & 3) : 0;

            if (step->is_known || step->tag != tag)
                continue;
            step->is_known = true;
            step->landed = cycle;
            step->value = (uint32_t)(request->data[word++][lane] << shift);
            if (step->is_wide)
                step->value |= (uint64_t)request->data[word++][lane] << 32;
        }
    }
}

void global_oracle_plain(struct global_oracle *oracle, uint32_t unit_number,
                         const struct isa_memory_request *request)
{
    struct global_witness *unit = &oracle->units[unit_number];
    uint64_t lanes = request->lanes;

    if (request->space != ISA_SPACE_GLOBAL ||
        (request->kind != ISA_MEMORY_STORE && request->kind != ISA_MEMORY_ATOMIC))
        return;
    for_each_bit(lane, lanes)
    {
        for (unsigned i = 0; i < (request->element_bytes + 3u) / 4; i++) {
            if (unit->plain_count == unit->plain_capacity) {
                unit->plain_capacity = unit->plain_capacity * 2 + 64;
                unit->plain = reallocate(unit->plain, unit->plain_capacity, sizeof *unit->plain);
            }
            unit->plain[unit->plain_count++] = request->address[lane] / 4 + i;
        }
    }
}

/* SPDX-License-Identifier: MIT */
/*
 * Attempts that may be doomed: what they have read is loaded again and compared. This is done when
 * an attempt has run for long, and when a lane of it would fault. Lanes whose reads are no longer
 * what memory holds begin again. A fault whose reads hold is the program's: it stops the lane when
 * it comes again.
 */
#include <string.h>

#include "base/check.h"
#include "tm/kilotm/core.h"

enum { LANE_BITS = 6, ROUND_MASK = 0x3ff };

uint64_t watch_next(const struct kilotm_core *core)
{
    uint64_t next = UINT64_MAX;

    for (uint32_t i = 0; i < core->facts.wavefronts; i++)
        if (core->waves[i].validate_at < next)
            next = core->waves[i].validate_at;
    return next;
}

static void load_word(struct kilotm_core *core, uint32_t slot, uint32_t row, unsigned lane)
{
    struct kilotm_wave *wave = &core->waves[slot];
    uint64_t address = wave->logs[LOG_READS].rows[row].words[lane] * 4;
    struct message *message = core_message(core);

    message->kind = MESSAGE_LOAD;
    message->addr = address - address % LINE_BYTES;
    message->mask = UINT64_C(0xf) << (address % LINE_BYTES);
    message->glc = true;
    message->scope = SCOPE_DEVICE;
    message->source = core->unit.number;
    message->destination = (uint16_t)core_channel(core, address / 4);
    message->requester = (struct message_requester){
        .unit = REQUESTER_LOG,
        .wavefront = (uint16_t)slot,
        .entry = (uint16_t)(row + 1), /* 0: a line of a log */
        .part = (uint16_t)((wave->check_round & ROUND_MASK) << LANE_BITS | lane)};
    wave->checks++;
}

static void watch_conclude(struct kilotm_core *core, uint32_t slot)
{
    struct kilotm_wave *wave = &core->waves[slot];
    struct tm_host *host = core->unit.host;
    const struct tm_wavefront *wavefront = host->wavefront(host, slot);
    uint64_t doomed = wave->invalid & wavefront->running;

    wave->trusted |= wave->faulty & wave->checked & ~wave->invalid;
    wave->faulty = 0;
    if (doomed != 0 && wavefront->in_attempt) {
        core->statistics.aborts_by_watchdog += count_bits(doomed);
        host->abort(host, slot, doomed);
    }
    host->wake(host, slot);
}

/* Validates the reads of lanes, from the beginning if that is under way. */
static void begin_checks(struct kilotm_core *core, uint32_t slot, uint64_t lanes)
{
    struct kilotm_wave *wave = &core->waves[slot];
    uint32_t rows = wave->logs[LOG_READS].count;

    for (uint32_t i = 0; i < wave->load_count; i++) { /* what is under way has no values yet */
        const struct kilotm_load *load = &wave->loads[(wave->first_load + i) % KILOTM_LOADS];

        if (load->has_rows && load->first_row < rows)
            rows = load->first_row;
    }
    wave->check_round++;
    wave->checks = 0;
    wave->checked = lanes;
    wave->invalid = 0;
    core->statistics.validations++;
    for (uint32_t i = 0; i < rows; i++) {
        uint64_t left = wave->logs[LOG_READS].rows[i].lanes & lanes;

        for_each_bit(lane, left) load_word(core, slot, i, lane);
    }
}

uint64_t watch_hold(struct kilotm_core *core, const struct tm_wavefront *wavefront, uint64_t lanes)
{
    struct kilotm_wave *wave = &core->waves[wavefront->slot];
    uint64_t held = lanes & ~wave->trusted;

    if (held == 0)
        return 0;
    core->statistics.faults_held += count_bits(held);
    wave->faulty |= held;
    begin_checks(core, wavefront->slot, wave->faulty | wavefront->running);
    if (wave->checks == 0) {
        wave->trusted |= wave->faulty;
        wave->faulty = 0;
    }
    return held;
}

void watch_tick(struct kilotm_core *core)
{
    struct tm_host *host = core->unit.host;

    for (uint32_t i = 0; i < core->facts.wavefronts; i++) {
        struct kilotm_wave *wave = &core->waves[i];

        if (wave->validate_at > core_cycle(core))
            continue;
        wave->validate_at = core_cycle(core) + core->parameters->watchdog_cycles;
        if (wave->checks == 0)
            begin_checks(core, i, host->wavefront(host, i)->running);
    }
}

void watch_loaded(struct kilotm_core *core, const struct message *message)
{
    uint32_t slot = message->requester.wavefront, row = message->requester.entry - 1u;
    struct kilotm_wave *wave = &core->waves[slot];
    unsigned lane = message->requester.part & (ISA_MAX_LANES - 1);
    const struct kilotm_row *read = &wave->logs[LOG_READS].rows[row];
    uint32_t value;

    if (message->requester.part >> LANE_BITS != (wave->check_round & ROUND_MASK) ||
        wave->checks == 0)
        return; /* of an attempt that is over */
    memcpy(&value, message->data + read->words[lane] * 4 % LINE_BYTES, sizeof value);
    if (((value ^ read->values[lane]) & kilotm_bits(read->bytes[lane])) != 0)
        wave->invalid |= UINT64_C(1) << lane;
    if (--wave->checks == 0)
        watch_conclude(core, slot);
}

/* SPDX-License-Identifier: MIT */
/* A wavefront's commit as its compute unit does it: entries and IDs, logs to messages, outcomes. */
#include <string.h>

#include "base/check.h"
#include "sim/debug.h"
#include "tm/kilotm/core.h"
#include "tm/kilotm/vendor.h"

enum { OUT_LIMIT = 64 }; /* messages that may wait before the walk goes on */

/* ---- ranks ---- */

uint64_t walk_to_ranks(const struct kilotm_wave *wave, uint64_t lanes)
{
    uint64_t left = wave->committing, ranks = 0, bit = 1;

    for_each_bit(lane, left)
    {
        ranks |= (lanes >> lane & 1) != 0 ? bit : 0;
        bit <<= 1;
    }
    return ranks;
}

static uint64_t to_lanes(const struct kilotm_wave *wave, uint64_t ranks)
{
    uint64_t left = wave->committing, lanes = 0;

    for_each_bit(lane, left)
    {
        lanes |= (ranks & 1) << lane;
        ranks >>= 1;
    }
    return lanes;
}

/* ---- begin: entries and commit IDs ---- */

static void note_row(struct kilotm_core *core, struct kilotm_wave *wave,
                     const struct kilotm_row *row, uint64_t has[KILOTM_CHANNELS])
{
    uint64_t lanes = row->lanes & wave->attempt;

    for_each_bit(lane, lanes) has[core_channel(core, row->words[lane])] |= UINT64_C(1) << lane;
}

static void note_logs(struct kilotm_core *core, struct kilotm_wave *wave)
{
    const struct kilotm_log *reads = &wave->logs[LOG_READS], *writes = &wave->logs[LOG_WRITES];

    memset(wave->has_words, 0, sizeof wave->has_words);
    memset(wave->has_writes, 0, sizeof wave->has_writes);
    for (uint32_t i = 0; i < reads->count; i++)
        note_row(core, wave, &reads->rows[i], wave->has_words);
    for (uint32_t i = 0; i < writes->count; i++)
        note_row(core, wave, &writes->rows[i], wave->has_writes);
    memset(wave->answers, 0, sizeof wave->answers);
    memset(wave->dones, 0, sizeof wave->dones);
    wave->committing = 0;
    for (uint32_t i = 0; i < core->facts.channels; i++) {
        uint64_t words = wave->has_words[i] |= wave->has_writes[i], written = wave->has_writes[i];

        wave->committing |= words;
        for_each_bit(lane, words) wave->answers[lane]++;
        for_each_bit(lane, written) wave->dones[lane]++;
    }
}

void walk_begin(struct kilotm_core *core, const struct tm_wavefront *wavefront)
{
    struct kilotm_wave *wave = &core->waves[wavefront->slot];

    if (wave->has_outcomes)
        walk_tell_outcomes(core, wave, wavefront->slot);
    wave->attempt = wavefront->running;
    wave->told = 0;
    note_logs(core, wave);
    wave->failed = wave->settled = 0;
    wave->passed = wave->attempt & ~wave->committing;
    wave->phase = KILO_ANSWERS;
    if (wave->committing == 0)
        return;
    wave->phase = KILO_CREDITS;
    slot_queue_put(&core->credit_queue, wavefront->slot);
    walk_next_credits(core);
    core->statistics.credit_waits += wave->phase == KILO_CREDITS;
}

static void ask_for_ids(struct kilotm_core *core, uint32_t slot)
{
    vendor_ask(core->unit.to_centre, core->unit.number, (uint16_t)slot,
               count_bits(core->waves[slot].committing));
    core->waves[slot].phase = KILO_IDS;
}

void walk_next_credits(struct kilotm_core *core)
{
    while (core->credit_queue.count > 0) {
        uint32_t slot = core->credit_queue.slots[0];
        uint32_t count = count_bits(core->waves[slot].committing);

        if (core->parameters->credits != 0) {
            if (core->credits < count ||
                core->chunk_count == sizeof core->chunks / sizeof core->chunks[0])
                return;
            core->credits -= count;
        }
        slot_queue_take(&core->credit_queue, slot);
        ask_for_ids(core, slot);
    }
}

void walk_has_ids(struct kilotm_core *core, uint32_t slot, uint32_t base)
{
    struct kilotm_wave *wave = &core->waves[slot];
    uint32_t count = count_bits(wave->committing);

    wave->base = base;
    wave->phase = KILO_WALK;
    slot_queue_put(&core->walk_queue, slot);
    if (core->parameters->credits != 0)
        core->chunks[core->chunk_count++] =
            (struct credit_chunk){base, count, count * core->facts.channels};
}

/* ---- logs to messages ---- */

struct message *walk_message(struct kilotm_core *core, uint32_t slot, uint32_t channel,
                             enum kilotm_kind kind)
{
    const struct kilotm_wave *wave = &core->waves[slot];
    struct message *message = core_message(core);

    message->kind = MESSAGE_TRANSACTION;
    message->rmw = (uint8_t)kind;
    message->source = core->unit.number;
    message->destination = (uint16_t)channel;
    message->transaction = wave->base;
    message->requester = (struct message_requester){.unit = core->unit.number,
                                                    .wavefront = (uint16_t)slot,
                                                    .part = (uint16_t)count_bits(wave->committing)};
    return message;
}

static void count_packet(struct kilotm_core *core, enum kilotm_kind kind, uint32_t bytes)
{
    struct kilotm_statistics *statistics = &core->statistics;

    if (kind == KILOTM_READ_SET) {
        statistics->read_set_packets++;
        statistics->read_set_bytes += bytes;
    } else if (kind == KILOTM_WRITE_SET) {
        statistics->write_set_packets++;
        statistics->write_set_bytes += bytes;
    } else {
        statistics->again_packets++;
        statistics->again_bytes += bytes;
    }
}

/* Of the lanes, those whose word goes where the first's goes, in a packet. */
uint64_t walk_packet(struct kilotm_core *core, uint32_t slot, const struct kilotm_row *row,
                     uint64_t lanes, enum kilotm_kind kind)
{
    unsigned first = lowest_bit(lanes);
    uint32_t channel = core_channel(core, row->words[first]), count = 0;
    uint64_t high = kilotm_high_bits(row->words[first] * 4), sent = 0;
    struct message *message = NULL;

    for_each_bit(lane, lanes)
    {
        struct message_entry entry = {(uint32_t)row->words[lane], row->values[lane]};

        if (row->bytes[lane] != row->bytes[first] ||
            kilotm_high_bits(row->words[lane] * 4) != high ||
            core_channel(core, row->words[lane]) != channel)
            continue;
        if (message == NULL || message->entry_count == MESSAGE_MAX_ENTRIES) {
            message = walk_message(core, slot, channel, kind);
            message->addr = high;
            message->word_bytes = row->bytes[first];
        }
        memcpy(message->data + message->entry_count++ * sizeof entry, &entry, sizeof entry);
        message->mask |= walk_to_ranks(&core->waves[slot], UINT64_C(1) << lane);
        sent |= UINT64_C(1) << lane;
        count++;
    }
    count_packet(core, kind, KILOTM_HEADER_BYTES + 8 * count);
    return sent;
}

static void send_row(struct kilotm_core *core, uint32_t slot, uint32_t log, uint32_t number)
{
    const struct kilotm_wave *wave = &core->waves[slot];
    const struct kilotm_row *row = &wave->logs[log].rows[number];
    uint64_t lanes = row->lanes & wave->committing;

    while (lanes != 0)
        lanes &= ~walk_packet(core, slot, row, lanes,
                              log == LOG_READS ? KILOTM_READ_SET : KILOTM_WRITE_SET);
}

/* What ends a walk: each unit hears of each transaction, whether it has words there or not. */
static void send_ends(struct kilotm_core *core, uint32_t slot)
{
    struct kilotm_wave *wave = &core->waves[slot];

    for (uint32_t i = 0; i < core->facts.channels; i++) {
        uint64_t words = wave->has_words[i], none = wave->committing & ~words;

        if (words != 0) {
            walk_message(core, slot, i, KILOTM_FILLED)->mask = walk_to_ranks(wave, words);
            core->statistics.filled_packets++;
        }
        if (none == 0 ||
            (i + 1 == core->facts.channels && debug_breaks(core->breaks, KILO_LOSE_SKIP)))
            continue;
        walk_message(core, slot, i, KILOTM_SKIP)->mask = walk_to_ranks(wave, none);
        core->statistics.skip_packets++;
    }
    wave->phase = KILO_ANSWERS;
    slot_queue_take(&core->walk_queue, slot);
    core->walk_log = core->walk_row = 0;
}

bool walk_can_go_on(const struct kilotm_core *core)
{
    return core->out.count <= OUT_LIMIT &&
           (((core->walk_queue.count > 0 || core->resend_count > 0) && core->fetches == 0) ||
            core->outcome_waves != 0);
}

static void walk_row(struct kilotm_core *core)
{
    uint32_t slot = core->walk_queue.slots[0];
    const struct kilotm_wave *wave = &core->waves[slot];

    while (core->walk_log < LOG_COUNT && core->walk_row == wave->logs[core->walk_log].count) {
        core->walk_log++;
        core->walk_row = 0;
    }
    if (core->walk_log == LOG_COUNT) {
        send_ends(core, slot);
        return;
    }
    if (!core->row_is_here) {
        log_cache_row(core, slot, core->walk_log, core->walk_row, false);
        core->row_is_here = true;
        if (core->fetches > 0)
            return;
    }
    send_row(core, slot, core->walk_log, core->walk_row);
    if (core->parameters->set_words == 0 && core->parameters->set_buffers == 0)
        log_cache_drop(core, slot, core->walk_log, core->walk_row);
    core->walk_row++;
    core->row_is_here = false;
}

void walk_go_on(struct kilotm_core *core)
{
    if (core->outcome_waves != 0) {
        uint32_t slot = lowest_bit(core->outcome_waves);

        walk_tell_outcomes(core, &core->waves[slot], slot);
    } else if (core->resend_count > 0) {
        resend_go_on(core);
    } else {
        walk_row(core);
    }
}

/* ---- outcomes ---- */

void walk_tell_outcomes(struct kilotm_core *core, struct kilotm_wave *wave, uint32_t slot)
{
    for (uint32_t i = 0; i < core->facts.channels; i++) {
        uint64_t pass = wave->tell_pass[i], fail = wave->tell_fail[i];

        if (pass != 0)
            walk_message(core, slot, i, KILOTM_PASS)->mask = walk_to_ranks(wave, pass);
        if (fail != 0)
            walk_message(core, slot, i, KILOTM_FAIL)->mask = walk_to_ranks(wave, fail);
        core->statistics.outcome_packets += (pass != 0) + (fail != 0);
        wave->tell_pass[i] = wave->tell_fail[i] = 0;
    }
    wave->has_outcomes = false;
    core->outcome_waves &= ~(UINT64_C(1) << slot);
}

/* All units have answered about these lanes. */
static void settle_lanes(struct kilotm_core *core, struct kilotm_wave *wave, uint32_t slot,
                         uint64_t lanes)
{
    uint64_t pass = lanes & ~wave->failed;

    for (uint32_t i = 0; i < core->facts.channels; i++) {
        wave->tell_pass[i] |= pass & wave->has_words[i];
        wave->tell_fail[i] |= lanes & wave->failed & wave->has_words[i];
    }
    wave->has_outcomes = true;
    core->outcome_waves |= UINT64_C(1) << slot;
    wave->settled |= lanes;
    for_each_bit(lane, pass)
    {
        if (wave->dones[lane] == 0)
            wave->passed |= UINT64_C(1) << lane;
    }
}

static void take_answers(struct kilotm_core *core, struct kilotm_wave *wave, uint32_t slot,
                         uint64_t lanes, bool has_failed)
{
    uint64_t settled = 0;

    if (has_failed && !debug_breaks(core->breaks, KILO_IGNORE_FAIL))
        wave->failed |= lanes;
    for_each_bit(lane, lanes)
    {
        check(wave->answers[lane] > 0, "a commit unit answers twice");
        if (--wave->answers[lane] == 0)
            settled |= UINT64_C(1) << lane;
    }
    core->statistics.answer_packets++;
    if (settled != 0)
        settle_lanes(core, wave, slot, settled);
}

static void take_dones(struct kilotm_core *core, struct kilotm_wave *wave, uint64_t lanes)
{
    core->statistics.done_packets++;
    for_each_bit(lane, lanes)
    {
        check(wave->dones[lane] > 0, "a commit unit is done twice");
        if (--wave->dones[lane] == 0)
            wave->passed |= UINT64_C(1) << lane;
    }
}

static void take_retired(struct kilotm_core *core, const struct message *message)
{
    uint32_t i = 0;

    core->statistics.retired_packets++;
    while (i < core->chunk_count && core->chunks[i].base != message->transaction)
        i++;
    check(i < core->chunk_count, "entries retire that are not in use");
    core->chunks[i].reports -= count_bits(message->mask);
    if (core->chunks[i].reports > 0)
        return;
    core->credits += core->chunks[i].count;
    core->chunks[i] = core->chunks[--core->chunk_count];
    walk_next_credits(core);
}

void walk_answered(struct kilotm_core *core, const struct message *message)
{
    uint32_t slot = message->requester.wavefront;
    struct kilotm_wave *wave = &core->waves[slot];
    uint64_t lanes;

    if (message->rmw == KILOTM_CU_RETIRED) {
        take_retired(core, message);
        return;
    }
    check(message->transaction == wave->base, "an answer for commit ID %u comes to that of %u",
          message->transaction, wave->base);
    lanes = to_lanes(wave, message->mask);
    if (message->rmw == KILOTM_CU_READS_AGAIN || message->rmw == KILOTM_CU_WRITES_AGAIN)
        resend_asked(core, message, lanes);
    else if (message->rmw == KILOTM_CU_DONE)
        take_dones(core, wave, lanes);
    else
        take_answers(core, wave, slot, lanes, message->rmw == KILOTM_CU_FAIL);
    core->unit.host->wake(core->unit.host, slot);
}

/* SPDX-License-Identifier: MIT */
#include "tm/kilotm/core.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "sim/debug.h"
#include "tm/kilotm/commit_unit.h"
#include "tm/kilotm/vendor.h"
#include "tm/systems.h"

#define KILOTM_PARAMETER_ROW(...) PARAMETER_ROW(struct kilotm_parameters, __VA_ARGS__)
const struct parameter kilotm_parameters[] = {KILOTM_PARAMETERS(KILOTM_PARAMETER_ROW)};
const uint32_t kilotm_parameter_count = ARRAY_COUNT(kilotm_parameters);

#define STATISTICS_ROW(...) STATISTIC_ROW(struct kilotm_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {KILOTM_STATISTICS(STATISTICS_ROW)};

/* ---- messages ---- */

struct message *core_message(struct kilotm_core *core)
{
    struct message_ring *out = &core->out;
    struct message *message;

    if (out->count == out->capacity) {
        uint32_t capacity = 2 * out->capacity + 256;
        struct message *list = allocate(capacity, sizeof *list);

        for (uint32_t i = 0; i < out->count; i++)
            list[i] = out->list[(out->first + i) % out->capacity];
        free(out->list);
        *out = (struct message_ring){list, 0, out->count, capacity};
    }
    message = &out->list[(out->first + out->count++) % out->capacity];
    memset(message, 0, sizeof *message);
    return message;
}

static bool can_send(const struct kilotm_core *core)
{
    return core->out.count > 0 && port_has_room(core->unit.to_network, 1);
}

void core_send_oldest(struct kilotm_core *core)
{
    struct message_ring *out = &core->out;

    memcpy(port_reserve(core->unit.to_network, 1), &out->list[out->first], sizeof(struct message));
    out->first = (out->first + 1) % out->capacity;
    out->count--;
    component_progress(core->unit.compute_unit);
}

/* ---- life ---- */

static bool credits_are_enough(const struct kilotm_parameters *parameters,
                               const struct tm_facts *facts, struct diagnosis *diagnosis)
{
    if (parameters->credits != 0 && parameters->credits < facts->wave_lanes)
        return diagnose(diagnosis,
                        "kilotm.credits: %llu entries are too few for a wavefront of %u lanes",
                        (unsigned long long)parameters->credits, facts->wave_lanes);
    if (parameters->ring_entries == 0)
        return true;
    if (parameters->credits == 0 || parameters->ring_entries < parameters->credits * facts->units) {
        diagnose(diagnosis, "kilotm.ring_entries: %llu entries could overflow",
                 (unsigned long long)parameters->ring_entries);
        return diagnose_hint(diagnosis,
                             "a ring holds what all compute units may use: kilotm.credits of each "
                             "of %u",
                             facts->units);
    }
    return true;
}

static bool kilotm_accepts(const struct tm_parameters *all, const struct tm_facts *facts,
                           struct diagnosis *diagnosis)
{
    const struct kilotm_parameters *parameters = &all->kilotm;

    if (strcmp(facts->protocol, "si") != 0)
        return diagnose(diagnosis,
                        "gpu.transactional_memory: kilotm stores at L2, past the copies that "
                        "gpu.protocol %s keeps above; it runs with si",
                        facts->protocol);
    if (facts->channels > KILOTM_CHANNELS)
        return diagnose(diagnosis, "gpu.transactional_memory: kilotm has at most %u commit units",
                        (unsigned)KILOTM_CHANNELS);
    if (parameters->commit_id_cycles == 1)
        return diagnose(diagnosis, "kilotm.commit_id_cycles: a way there and back takes 2; 0 is "
                                   "without any");
    if (parameters->lanes_per_core != 0 && parameters->lanes_per_core < facts->wave_lanes)
        return diagnose(diagnosis,
                        "kilotm.lanes_per_core: %llu are too few for a wavefront of %u lanes",
                        (unsigned long long)parameters->lanes_per_core, facts->wave_lanes);
    if (parameters->history_entries % parameters->history_ways != 0)
        return diagnose(diagnosis, "kilotm.history_entries: %llu do not divide into %llu ways",
                        (unsigned long long)parameters->history_entries,
                        (unsigned long long)parameters->history_ways);
    return credits_are_enough(parameters, facts, diagnosis);
}

/* The watchdog looks within one period, and has its answers within another. */
static uint64_t kilotm_doomed_max(const struct tm_parameters *all)
{
    return 2 * all->kilotm.watchdog_cycles;
}

static uint64_t kilotm_private_bytes(const struct tm_parameters *all, const struct tm_facts *facts)
{
    return all->kilotm.log_rows * LOG_COUNT * facts->wavefronts * log_row_bytes(facts);
}

static struct tm_unit *kilotm_create(const struct tm_system *system,
                                     const struct tm_options *options)
{
    struct kilotm_core *core = allocate(1, sizeof *core);
    char path[64];

    core->parameters = &options->parameters->kilotm;
    core->facts = options->facts;
    core->breaks = options->breaks;
    core->credits = core->parameters->credits;
    core->limit = (struct tm_limit){.waits = &core->statistics.token_waits,
                                    .max = core->parameters->lanes_per_core != 0
                                               ? core->parameters->lanes_per_core
                                               : core->parameters->warps_per_core,
                                    .counts_lanes = core->parameters->lanes_per_core != 0};
    log_cache_init(&core->cache, core->parameters);
    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++)
        core->waves[i].validate_at = UINT64_MAX;
    snprintf(path, sizeof path, "%s.kilotm", options->path);
    registry_add(options->registry, path, "kilotm", statistics, ARRAY_COUNT(statistics),
                 &core->statistics, sizeof core->statistics);
    return &core->unit;
}

static void kilotm_destroy(struct tm_unit *unit)
{
    struct kilotm_core *core = core_of(unit);

    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++) {
        for (uint32_t j = 0; j < LOG_COUNT; j++)
            free(core->waves[i].logs[j].rows);
        for (uint32_t j = 0; j < KILOTM_LOADS; j++)
            free(core->waves[i].loads[j].atomic);
    }
    free(core->cache.lines);
    free(core->out.list);
    free(core->resends);
    free(core);
}

/* ---- begin ---- */

static uint64_t kilotm_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    struct kilotm_core *core = core_of(unit);
    const struct kilotm_wave *wave = &core->waves[wavefront->slot];

    if (wave->checks > 0 && wave->faulty != 0)
        return TM_LATER; /* whether a fault was the program's */
    if (wavefront->is_open && wave->retry_at > core_cycle(core))
        return wave->retry_at;
    return tm_limit_allows(&core->limit, wavefront) ? TM_NOW : TM_LATER;
}

static void kilotm_begin(struct tm_unit *unit, struct tm_wavefront *wavefront,
                         struct tm_charge *charge)
{
    struct kilotm_core *core = core_of(unit);
    struct kilotm_wave *wave = &core->waves[wavefront->slot];

    tm_limit_enter(&core->limit, core->unit.host, wavefront);
    if (wavefront->attempts == 1) {
        wave->failed_attempts = 0;
        wave->done = wave->trusted = 0;
    }
    check(wave->load_count == 0, "an attempt begins while loads of the latest are under way");
    wave->logs[LOG_READS].count = wave->logs[LOG_WRITES].count = 0;
    wave->wrote = 0;
    wave->phase = KILO_RUN;
    wave->wants_acquire = wave->awaits_acquire = false;
    wave->check_round++;
    wave->checks = 0;
    wave->faulty = 0;
    wave->validate_at = debug_breaks(core->breaks, KILO_STOP_WATCHDOG)
                            ? UINT64_MAX
                            : core_cycle(core) + core->parameters->watchdog_cycles;
}

/* ---- accesses ---- */

static uint64_t kilotm_may_issue(struct tm_unit *unit, const struct tm_wavefront *wavefront,
                                 const struct isa_instruction *instruction)
{
    enum { OUT_MAX = 128 };
    const struct kilotm_core *core = core_of(unit);
    uint64_t now = core_cycle(core);

    if (instruction->unit != ISA_UNIT_VMEM)
        return TM_NOW;
    if (core->out.count > OUT_MAX)
        return now + core->out.count - OUT_MAX; /* no sooner: a message leaves a cycle */
    return core->log_free_at > now ? core->log_free_at : TM_NOW;
}

static uint64_t kilotm_fault(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes)
{
    return watch_hold(core_of(unit), wavefront, lanes);
}

/* ---- commit ---- */

static uint64_t kilotm_prepare(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t *passed, uint64_t *failed)
{
    struct kilotm_core *core = core_of(unit);
    struct kilotm_wave *wave = &core->waves[wavefront->slot];

    if (wave->phase == KILO_RUN) {
        wave->validate_at = UINT64_MAX;
        wave->check_round++;
        wave->checks = 0;
        walk_begin(core, wavefront);
    }
    *passed = wave->passed;
    *failed = wave->failed & wave->settled;
    return TM_LATER;
}

/* Commit IDs; who had no words comes at any time. */
static uint64_t kilotm_order(struct tm_unit *unit, const struct tm_wavefront *wavefront,
                             unsigned lane)
{
    const struct kilotm_wave *wave = &core_of(unit)->waves[wavefront->slot];

    return (wave->committing >> lane & 1) == 0
               ? UINT64_MAX
               : wave->base + count_bits(wave->committing & low_mask(lane));
}

static void count_lanes(struct kilotm_core *core, const struct kilotm_wave *wave,
                        uint64_t committed, uint64_t aborted)
{
    core->statistics.commits += count_bits(committed);
    core->statistics.read_only += count_bits(committed & ~wave->wrote);
    core->statistics.aborts += count_bits(aborted);
    for (uint32_t i = 0; committed != 0 && i < wave->logs[LOG_READS].count; i++)
        core->statistics.read_words += count_bits(wave->logs[LOG_READS].rows[i].lanes & committed);
    for (uint32_t i = 0; committed != 0 && i < wave->logs[LOG_WRITES].count; i++)
        core->statistics.write_words +=
            count_bits(wave->logs[LOG_WRITES].rows[i].lanes & committed);
}

/* All lanes of the attempt are told. */
static void end_attempt(struct kilotm_core *core, struct kilotm_wave *wave,
                        const struct tm_wavefront *wavefront)
{
    const struct kilotm_parameters *parameters = core->parameters;
    uint64_t wait = ++wave->failed_attempts * parameters->backoff_cycles;

    if (wave->failed != 0)
        wave->retry_at =
            core_cycle(core) +
            (wait < parameters->backoff_most_cycles ? wait : parameters->backoff_most_cycles);
    if (wave->done == wavefront->lanes)
        tm_limit_leave(&core->limit, core->unit.host, wavefront->slot);
    wave->wants_acquire = parameters->acquire != 0 && (wave->attempt & ~wave->failed) != 0;
    wave->awaits_acquire = wave->wants_acquire;
    if (wave->wants_acquire)
        core->acquiring |= UINT64_C(1) << wavefront->slot;
}

static uint64_t kilotm_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                              uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    struct kilotm_core *core = core_of(unit);
    struct kilotm_wave *wave = &core->waves[wavefront->slot];

    if ((committed | aborted) != 0) {
        count_lanes(core, wave, committed, aborted);
        wave->done |= committed;
        wave->told |= committed | aborted;
        if (wave->told == wave->attempt)
            end_attempt(core, wave, wavefront);
    }
    return wave->awaits_acquire ? TM_LATER : TM_NOW;
}

/* ---- the tick ---- */

static uint64_t kilotm_next_cycle(const struct tm_unit *unit)
{
    const struct kilotm_core *core = core_of((struct tm_unit *)(uintptr_t)unit);

    if (can_send(core) || walk_can_go_on(core) || core->acquiring != 0)
        return core_cycle(core);
    return watch_next(core);
}

static void kilotm_tick(struct tm_unit *unit)
{
    struct kilotm_core *core = core_of(unit);

    if (can_send(core))
        core_send_oldest(core);
    if (walk_can_go_on(core))
        walk_go_on(core);
    watch_tick(core);
}

/* What a wavefront's own L1 holds is older than what its transactions have published. */
static bool kilotm_send(struct tm_unit *unit, struct message *message)
{
    struct kilotm_core *core = core_of(unit);
    uint32_t slot;

    if (core->acquiring == 0)
        return false;
    slot = lowest_bit(core->acquiring);
    core->acquiring &= ~(UINT64_C(1) << slot);
    message->kind = MESSAGE_INVALIDATE;
    message->scope = SCOPE_DEVICE;
    message->order = ORDER_ACQUIRE;
    message->requester =
        (struct message_requester){.unit = REQUESTER_COMMIT, .wavefront = (uint16_t)slot};
    return true;
}

static void kilotm_receive(struct tm_unit *unit, const struct message *message)
{
    struct kilotm_core *core = core_of(unit);

    core->waves[message->requester.wavefront].awaits_acquire = false;
    unit->host->wake(unit->host, message->requester.wavefront);
}

static void kilotm_packet(struct tm_unit *unit, const struct tm_packet *packet)
{
    walk_has_ids(core_of(unit), packet->slot, (uint32_t)packet->id);
}

static void kilotm_message(struct tm_unit *unit, const struct message *message)
{
    struct kilotm_core *core = core_of(unit);

    if (message->kind == MESSAGE_TRANSACTION_REPLY)
        walk_answered(core, message);
    else if (message->kind == MESSAGE_LOAD_REPLY && message->requester.entry != 0)
        watch_loaded(core, message);
    else if (message->kind == MESSAGE_LOAD_REPLY)
        core->fetches--;
}

static void kilotm_explain(const struct tm_unit *unit, struct text *text)
{
    static const char *const phases[] = {"", "wants entries of commit units", "wants commit IDs",
                                         "sends its logs", "waits for commit units"};
    const struct kilotm_core *core = core_of((struct tm_unit *)(uintptr_t)unit);

    for (uint32_t i = 0; i < core->facts.wavefronts; i++)
        if (core->waves[i].phase != KILO_RUN && core->waves[i].told != core->waves[i].attempt)
            text_add(text, "; slot %u %s", i, phases[core->waves[i].phase]);
    if (core->limit.queue.count > 0)
        text_add(text, "; %u wavefronts wait until one of %u in transactions is done",
                 core->limit.queue.count, (unsigned)core->limit.taken);
}

const struct tm_system tm_kilotm = {
    .name = "kilotm",
    .help =
        "KILO TM: lazy transactions on global memory, validated by value at each memory channel",
    .spaces = TM_SPACE_GLOBAL,
    .promise = TM_PROMISES_AN_END,
    .doomed_max = kilotm_doomed_max,
    .uses_network = true,
    .accepts = kilotm_accepts,
    .storage = kilotm_storage,
    .private_bytes = kilotm_private_bytes,
    .create = kilotm_create,
    .destroy = kilotm_destroy,
    .create_centre = vendor_create,
    .destroy_centre = vendor_destroy,
    .create_partition = commit_unit_create,
    .destroy_partition = commit_unit_destroy,
    .may_begin = kilotm_may_begin,
    .begin = kilotm_begin,
    .may_issue = kilotm_may_issue,
    .access = kilotm_access,
    .loaded = kilotm_loaded,
    .fault = kilotm_fault,
    .prepare = kilotm_prepare,
    .finish = kilotm_finish,
    .order = kilotm_order,
    .next_cycle = kilotm_next_cycle,
    .tick = kilotm_tick,
    .send = kilotm_send,
    .receive = kilotm_receive,
    .packet = kilotm_packet,
    .message = kilotm_message,
    .explain = kilotm_explain,
};

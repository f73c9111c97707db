/* SPDX-License-Identifier: MIT */
/*
 * An ideal transactional memory on global memory, as a bound for others: nothing costs anything but
 * the accesses themselves.
 *
 * load     ordinary traffic, past L1. What is committed but not yet in memory comes from a table of
 *          the whole machine, before it reaches the registers. If a word that the lane has read
 *          is another by then, the lane aborts.
 * store    its value stays in the lane's log. An atomic is a load, and a store of what it makes of
 *          it.
 * commit   all logs of the wavefront go to the table at once. There, lanes in order: one whose
 *          reads still hold, by value, publishes its stores; the others start again at once.
 * words    that were published go to memory as stores that no commit waits for, lines at a time.
 *
 * With stores_at=execution a store takes its way when it executes, also in an attempt that aborts.
 * It changes no byte (MESSAGE_KEEPS), and neither commit nor restart waits for it. What is
 * committed is in memory when that instant closes (tm_facts.write_now). So nothing is left to wait
 * for, and the table serves only loads that were under way then. Atomics' stores are sent when
 * their loads are back, and none waits for them.
 *
 * lane's log ─ COMMIT ─► table: exact, machine-wide ─ OUTCOME, NEWS ─► compute unit ─ stores ─► L1
 *     ▲                        │
 *     └── what loads find ◄────┘
 *
 * A commit takes the two cycles of its packets, however long the logs are. No limit to a log, no
 * false conflict, no back-off, no limit to what commits at once. As in other systems, the number of
 * wavefronts in transactions at one time may be limited, since fewer may miss less in L2.
 *
 * What a wavefront does outside of transactions comes after its commits: its accesses, barriers and
 * end wait until what it has published is in memory. Plain stores of others to words that
 * transactions use are seen by value only where a load meets them (weak isolation).
 *
 * The table is shared memory between components, which only this system's centre changes, and which
 * shows the others what was there when the instant began. So it ties a machine to one thread.
 * Source of the idea: Fung et al., "Hardware Transactional Memory for GPU Architectures", MICRO
 * 2011, section 3 (an ideal TM without overheads of conflict detection) and 6.2 (it writes while it
 * executes, without a limit); its simulator, where accesses of an ideal transaction are ordinary
 * ones and a commit takes no time.
 */
#include "tm/ideal_unit.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "sim/debug.h"
#include "tm/parameters.h"
#include "tm/systems.h"

#define IDEAL_GLOBAL_PARAMETER_ROW(...) PARAMETER_ROW(struct ideal_global_parameters, __VA_ARGS__)
const struct parameter ideal_global_parameters[] = {
    IDEAL_GLOBAL_PARAMETERS(IDEAL_GLOBAL_PARAMETER_ROW)};
const uint32_t ideal_global_parameter_count = ARRAY_COUNT(ideal_global_parameters);

#define STATISTICS_ROW(...) STATISTIC_ROW(struct ideal_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {IDEAL_GLOBAL_STATISTICS(STATISTICS_ROW)};

PARAMETER_CHOICES(ideal_global_stores_at_word, {"commit", "when it commits"},
                  {"execution", "when they execute, those of aborted attempts too"})

bool ideal_global_pays_at_execution(const struct ideal_global_parameters *parameters)
{
    return strcmp(parameters->stores_at, "execution") == 0;
}

static bool ideal_accepts(const struct tm_parameters *parameters, const struct tm_facts *facts,
                          struct diagnosis *diagnosis)
{
    return !ideal_global_pays_at_execution(&parameters->ideal_global) ||
           strcmp(facts->protocol, "si") == 0 ||
           diagnose(diagnosis,
                    "ideal_global.stores_at: `execution` writes below the copies that "
                    "gpu.protocol %s keeps above L2; it runs with si",
                    facts->protocol);
}

static struct tm_unit *ideal_create(const struct tm_system *system,
                                    const struct tm_options *options)
{
    struct ideal_unit *ideal = allocate(1, sizeof *ideal);
    char path[64];

    ideal->breaks = options->breaks;
    ideal->pays_at_execution = ideal_global_pays_at_execution(&options->parameters->ideal_global);
    ideal->limit = (struct tm_limit){.max = options->parameters->ideal_global.warps_per_core,
                                     .waits = &ideal->statistics.token_waits};
    snprintf(path, sizeof path, "%s.ideal_global", options->path);
    registry_add(options->registry, path, "ideal_global", statistics, ARRAY_COUNT(statistics),
                 &ideal->statistics, sizeof ideal->statistics);
    return &ideal->unit;
}

static void ideal_destroy(struct tm_unit *unit)
{
    struct ideal_unit *ideal = ideal_of(unit);

    for (unsigned i = 0; i < TM_MAX_WAVEFRONTS; i++) {
        for (unsigned j = 0; j < ISA_MAX_LANES; j++) {
            free(ideal->wavefronts[i].logs[j].reads);
            free(ideal->wavefronts[i].logs[j].writes);
        }
        free(ideal->wavefronts[i].flights.list);
    }
    free(ideal->answered);
    free(ideal->debts.list);
    free(ideal);
}

/* ---- logs ---- */

static void clear_logs(struct ideal_wavefront *wavefront, uint64_t lanes)
{
    for_each_bit(lane, lanes)
    {
        wavefront->logs[lane].read_count = 0;
        wavefront->logs[lane].write_count = 0;
    }
}

/* ---- an access is served ---- */

static void take_off(struct ideal_wavefront *wavefront, struct isa_memory_request *request,
                     uint64_t now)
{
    struct ideal_flight *flight = ideal_flights_add(&wavefront->flights);

    flight->since = now;
    flight->sequence = wavefront->sequence;
    flight->is_atomic = request->kind == ISA_MEMORY_ATOMIC;
    if (!flight->is_atomic)
        return;
    flight->rmw = request->rmw;
    memcpy(flight->operands, request->data, sizeof flight->operands);
    memcpy(flight->compare, request->compare, sizeof flight->compare);
    wavefront->atomics++;
    request->kind = ISA_MEMORY_LOAD;
    request->glc = true; /* as all loads here: not from L1 */
    if (!request->returns)
        request->written = 0;
}

static void serve_store(struct ideal_unit *ideal, struct ideal_wavefront *wavefront,
                        struct isa_memory_request *request)
{
    uint64_t lanes = request->lanes;

    for_each_bit(lane, lanes)
        ideal_log_store(&wavefront->logs[lane], request, lane, wavefront->sequence);
    if (!ideal->pays_at_execution) {
        request->lanes = 0;
        return;
    }
    request->keeps = request->glc = true;
    request->slc = false;
}

static uint64_t ideal_access(struct tm_unit *unit, struct tm_wavefront *tm_wavefront,
                             struct isa_memory_request *request, struct tm_charge *charge)
{
    struct ideal_wavefront *wavefront = &ideal_of(unit)->wavefronts[tm_wavefront->slot];
    uint64_t lanes = request->lanes;

    if (request->space != ISA_SPACE_GLOBAL || request->kind > ISA_MEMORY_ATOMIC)
        return 0;
    wavefront->sequence++;
    if (request->kind == ISA_MEMORY_STORE) {
        serve_store(ideal_of(unit), wavefront, request);
        return 0;
    }
    if (request->kind == ISA_MEMORY_LOAD && wavefront->atomics == 0)
        for_each_bit(lane, lanes) request->lanes &=
            ~((uint64_t)ideal_log_serve(&wavefront->logs[lane], request, lane, wavefront->sequence)
              << lane);
    take_off(wavefront, request, ideal_cycle(unit));
    return 0;
}

/* ---- data is back ---- */

/* Memory's bytes, or what was committed and may not have been there yet. */
static uint32_t word_newest(struct ideal_unit *ideal, uint64_t word, uint32_t value, uint64_t since)
{
    const struct ideal_version *version =
        ideal_table_look(ideal_table_of(&ideal->unit), word, ideal_cycle(&ideal->unit));

    uint32_t mask = 0;

    if (debug_breaks(ideal->breaks, TM_FORGET_TABLE))
        return value;
    for (unsigned i = 0; version != NULL && i < 4; i++)
        if ((version->ever >> (8 * i) & 1) != 0 && version->settled[i] >= since)
            mask |= UINT32_C(0xff) << (8 * i);
    ideal->statistics.from_table += mask != 0;
    return mask == 0 ? value : (value & ~mask) | (version->value & mask);
}

/* One word of the element. False: it is not what the lane has read there before. */
static bool land_word(struct ideal_unit *ideal, struct ideal_log *log,
                      const struct ideal_flight *flight, struct isa_memory_request *request,
                      unsigned lane, unsigned i)
{
    struct ideal_place place = ideal_place_of(request, lane, i);
    uint32_t own, own_mask = ideal_log_own(log, place.word, flight->sequence, &own);
    uint32_t foreign = place.mask & ~own_mask, value;
    struct ideal_read *read;

    value = word_newest(ideal, place.word, request->data[i][lane] << place.shift, flight->since);
    if (foreign != 0) {
        read = ideal_log_read(log, place.word);
        if (((read->value ^ value) & read->mask & foreign) != 0)
            return false;
        read->value = (read->value & ~foreign) | (value & foreign);
        read->mask |= foreign;
        if (read->since == UINT64_MAX)
            read->since = ideal_cycle(&ideal->unit);
    }
    value = (value & foreign) | (own & place.mask & ~foreign);
    request->data[i][lane] = value >> place.shift;
    return true;
}

static void land_atomic(struct ideal_log *log, const struct ideal_flight *flight,
                        const struct isa_memory_request *request, unsigned lane)
{
    bool is_wide = request->element_bytes == 8;
    uint64_t operand = flight->operands[0][lane] | (uint64_t)flight->operands[1][lane] << 32;
    uint64_t compare = flight->compare[0][lane] | (uint64_t)flight->compare[1][lane] << 32;
    uint64_t old = request->data[0][lane] | (uint64_t)request->data[1][lane] << 32;
    uint64_t new =
        is_wide ? rmw_apply_64(flight->rmw, old, operand, compare)
                : rmw_apply_32(flight->rmw, (uint32_t)old, (uint32_t)operand, (uint32_t)compare);

    for (unsigned i = 0; i < ideal_words(request); i++)
        ideal_log_write(log, (struct ideal_write){.word = ideal_place_of(request, lane, i).word,
                                                  .mask = UINT32_MAX,
                                                  .value = (uint32_t)(new >> (32 * i)),
                                                  .sequence = flight->sequence});
}

static bool flight_land(struct ideal_unit *ideal, struct ideal_log *log,
                        const struct ideal_flight *flight, struct isa_memory_request *request,
                        unsigned lane)
{
    if (!ideal_reads_hold(ideal_table_of(&ideal->unit), log, ideal_cycle(&ideal->unit), false))
        return false;
    for (unsigned i = 0; i < ideal_words(request); i++)
        if (!land_word(ideal, log, flight, request, lane, i))
            return false;
    if (flight->is_atomic)
        land_atomic(log, flight, request, lane);
    return true;
}

/* Atomics have stored, too. */
static void owe_stores(struct ideal_unit *ideal, uint32_t slot,
                       const struct isa_memory_request *request, uint64_t lanes)
{
    for_each_bit(lane, lanes)
    {
        for (unsigned i = 0; i < ideal_words(request); i++)
            ideal_debts_add(&ideal->debts, ideal_place_of(request, lane, i).word, (uint16_t)slot);
    }
}

static uint64_t ideal_loaded(struct tm_unit *unit, struct tm_wavefront *tm_wavefront,
                             struct isa_memory_request *request)
{
    struct ideal_unit *ideal = ideal_of(unit);
    struct ideal_wavefront *wavefront = &ideal->wavefronts[tm_wavefront->slot];
    struct ideal_flight *flight;
    uint64_t lanes = request->lanes, aborted = 0;

    if (request->space != ISA_SPACE_GLOBAL)
        return 0;
    check(wavefront->flights.count > 0, "a load comes back that a transaction does not know");
    flight = &wavefront->flights.list[wavefront->flights.head];
    for_each_bit(lane, lanes) aborted |=
        (uint64_t)!flight_land(ideal, &wavefront->logs[lane], flight, request, lane) << lane;
    if (flight->is_atomic && ideal->pays_at_execution)
        owe_stores(ideal, tm_wavefront->slot, request, request->lanes & ~aborted);
    wavefront->atomics -= flight->is_atomic;
    ideal_flights_take(&wavefront->flights);
    clear_logs(wavefront, aborted);
    ideal->statistics.failed_at_access += count_bits(aborted);
    return aborted;
}

/* ---- begin and commit ---- */

static uint64_t ideal_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    return tm_limit_allows(&ideal_of(unit)->limit, wavefront) ? TM_NOW : TM_LATER;
}

static void ideal_begin(struct tm_unit *unit, struct tm_wavefront *tm_wavefront,
                        struct tm_charge *charge)
{
    struct ideal_wavefront *wavefront = &ideal_of(unit)->wavefronts[tm_wavefront->slot];

    check(wavefront->flights.count == 0, "an attempt begins while loads are under way");
    tm_limit_enter(&ideal_of(unit)->limit, unit->host, tm_wavefront);
    clear_logs(wavefront, tm_wavefront->running);
    wavefront->sequence = 0;
    wavefront->state = COMMIT_NONE;
}

static uint64_t ideal_prepare(struct tm_unit *unit, struct tm_wavefront *tm_wavefront,
                              uint64_t *passed, uint64_t *failed)
{
    struct ideal_wavefront *wavefront = &ideal_of(unit)->wavefronts[tm_wavefront->slot];
    struct tm_packet *packet;

    if (wavefront->state == COMMIT_DECIDED) {
        *passed = tm_wavefront->running & wavefront->passed;
        *failed = tm_wavefront->running & ~wavefront->passed;
        return TM_NOW;
    }
    if (wavefront->state == COMMIT_SENT)
        return TM_LATER;
    if (!port_has_room(unit->to_centre, 1))
        return ideal_cycle(unit) + 1;
    packet = port_reserve(unit->to_centre, 1);
    memset(packet, 0, offsetof(struct tm_packet, pairs));
    packet->kind = IDEAL_COMMIT;
    packet->unit = unit->number;
    packet->slot = (uint16_t)tm_wavefront->slot;
    packet->lanes = tm_wavefront->running;
    packet->id = (uintptr_t)wavefront->logs;
    wavefront->state = COMMIT_SENT;
    return TM_LATER;
}

static uint64_t ideal_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                             uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    struct ideal_unit *ideal = ideal_of(unit);

    ideal->statistics.commits += count_bits(committed);
    ideal->statistics.failed_at_commit += count_bits(aborted);
    clear_logs(&ideal->wavefronts[wavefront->slot], committed | aborted);
    if ((wavefront->committed | committed) == wavefront->lanes)
        tm_limit_leave(&ideal->limit, unit->host, wavefront->slot);
    return TM_NOW;
}

static void ideal_abort(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                        struct tm_charge *charge)
{
    clear_logs(&ideal_of(unit)->wavefronts[wavefront->slot], lanes);
}

/* Commits have numbers in the order in which the table took them. */
static uint64_t ideal_order(struct tm_unit *unit, const struct tm_wavefront *tm_wavefront,
                            unsigned lane)
{
    const struct ideal_wavefront *wavefront = &ideal_of(unit)->wavefronts[tm_wavefront->slot];

    return wavefront->first_order + count_bits(wavefront->passed & low_mask(lane));
}

static const char *const packet_kinds[] = {[IDEAL_COMMIT] = "commit",
                                           [IDEAL_OUTCOME] = "outcome",
                                           [IDEAL_ANSWERED] = "answered",
                                           [IDEAL_NEWS] = "news",
                                           NULL};

const struct tm_system tm_ideal_global = {
    .name = "ideal_global",
    .help = "lazy transactions on global memory that cost nothing but their accesses: a bound",
    .spaces = TM_SPACE_GLOBAL,
    .promise = TM_PROMISES_OPACITY,
    .packet_kinds = packet_kinds,
    .accepts = ideal_accepts,
    .create = ideal_create,
    .destroy = ideal_destroy,
    .create_centre = ideal_centre_create,
    .destroy_centre = ideal_centre_destroy,
    .may_begin = ideal_may_begin,
    .begin = ideal_begin,
    .access = ideal_access,
    .loaded = ideal_loaded,
    .prepare = ideal_prepare,
    .finish = ideal_finish,
    .abort = ideal_abort,
    .order = ideal_order,
    .next_cycle = ideal_next_cycle,
    .tick = ideal_tick,
    .send = ideal_send,
    .receive = ideal_receive,
    .packet = ideal_packet,
    .explain = ideal_explain,
};

/* SPDX-License-Identifier: MIT */
#include "tm/localtm.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "sim/debug.h"
#include "tm/localtm_banks.h"
#include "tm/parameters.h"
#include "tm/systems.h"

#define LOCALTM_PARAMETER_ROW(...) PARAMETER_ROW(struct localtm_parameters, __VA_ARGS__)
const struct parameter localtm_parameters[] = {LOCALTM_PARAMETERS(LOCALTM_PARAMETER_ROW)};
const uint32_t localtm_parameter_count = ARRAY_COUNT(localtm_parameters);

#define STATISTICS_ROW(...) STATISTIC_ROW(struct localtm_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {LOCALTM_STATISTICS(STATISTICS_ROW)};

enum { NO_HOLDER = TM_MAX_WAVEFRONTS };

/* How a wavefront's latest attempts went. */
struct localtm_history {
    uint64_t conflict_mask; /* at its latest restart */
    uint32_t restarts;      /* one after the other with this mask */
    uint32_t alone_in_vain; /* attempts of one lane that changed nothing */
    bool is_alone;          /* this attempt is one lane's */
    bool stops_group;       /* and the work-group has stopped for it */
};

struct localtm_unit {
    struct tm_unit unit;
    struct localtm_statistics statistics;
    struct localtm_settings settings;
    uint32_t scalar_cycles;
    struct localtm_group groups[TM_MAX_WAVEFRONTS]; /* by work-group slot */
    uint32_t holder[TM_MAX_WAVEFRONTS];             /* of a stopped group: the one that runs */
    struct localtm_history history[TM_MAX_WAVEFRONTS];
};

static struct localtm_unit *localtm_of(struct tm_unit *unit)
{
    return container_of(unit, struct localtm_unit, unit);
}

/* ---- life ---- */

PARAMETER_CHOICES(localtm_bloom_index_word, {"row", "its row of the bank, modulo the bits"},
                  {"word", "its number, as the paper has it, modulo the bits"})
PARAMETER_CHOICES(localtm_search_word, {"free", "in no time"},
                  {"scan", "by reading all its owner bytes"})

/* Shadow registers; filters; the conflict mask and the saved EXEC, two scalar registers each; an
 * old value and an owner byte for each word. */
static void localtm_resources(const struct tm_parameters *all, const struct tm_facts *facts,
                              struct tm_resources *resources)
{
    const struct localtm_parameters *parameters = &all->localtm;
    uint64_t bits = parameters->filter_bits * facts->banks * (parameters->tell_reads != 0 ? 2 : 1);
    uint32_t granule = facts->lds_granule_bytes > 0 ? facts->lds_granule_bytes : 4;
    uint32_t words = (uint32_t)align_up(resources->lds_bytes, granule) / 4;

    resources->vector_registers = 2 * resources->vector_registers + (uint32_t)(bits + 31) / 32;
    resources->scalar_registers += 4;
    resources->lds_bytes = 9 * words;
    if (resources->items > LOCALTM_ITEMS)
        resources->refusal = "an owner byte tells 256 work-items apart, no more";
}

static struct tm_unit *localtm_create(const struct tm_system *system,
                                      const struct tm_options *options)
{
    struct localtm_unit *localtm = allocate(1, sizeof *localtm);
    const struct localtm_parameters *parameters = &options->parameters->localtm;
    char path[64];

    localtm->settings =
        (struct localtm_settings){.parameters = parameters,
                                  .banks = options->facts.banks,
                                  .bits = (uint32_t)parameters->filter_bits,
                                  .by_word = strcmp(parameters->bloom_index, "word") == 0,
                                  .scans = strcmp(parameters->search, "scan") == 0,
                                  .tells_reads = parameters->tell_reads != 0,
                                  .has_valid = parameters->owner_valid != 0,
                                  .breaks = options->breaks};
    localtm->scalar_cycles = options->facts.scalar_cycles;
    snprintf(path, sizeof path, "%s.localtm", options->path);
    registry_add(options->registry, path, "localtm", statistics, ARRAY_COUNT(statistics),
                 &localtm->statistics, sizeof localtm->statistics);
    return &localtm->unit;
}

static void localtm_destroy(struct tm_unit *unit)
{
    struct localtm_unit *localtm = localtm_of(unit);

    for (unsigned i = 0; i < TM_MAX_WAVEFRONTS; i++)
        localtm_group_finish(&localtm->groups[i]);
    free(localtm);
}

static void localtm_group_start(struct tm_unit *unit, const struct tm_group *group)
{
    struct localtm_unit *localtm = localtm_of(unit);

    localtm_group_init(&localtm->groups[group->slot], &localtm->settings, &localtm->statistics,
                       group);
    localtm->holder[group->slot] = NO_HOLDER;
}

static void localtm_group_end(struct tm_unit *unit, const struct tm_group *group)
{
    localtm_of(unit)->groups[group->slot].group = NULL;
}

/* ---- begin: serialisation ---- */

static uint64_t localtm_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    uint32_t holder = localtm_of(unit)->holder[wavefront->group->slot];

    return holder == NO_HOLDER || holder == wavefront->slot ? TM_NOW : TM_LATER;
}

/* What the latest attempt has shown; decides how the next one runs. */
static void history_learn(const struct localtm_parameters *parameters,
                          struct localtm_history *history, uint64_t conflict_mask)
{
    bool same = conflict_mask == history->conflict_mask;
    bool was_alone = history->is_alone;

    history->restarts = same ? history->restarts + 1 : 1;
    history->alone_in_vain = same && was_alone ? history->alone_in_vain + 1 : 0;
    history->conflict_mask = conflict_mask;
    history->is_alone = history->restarts >= parameters->attempts;
    history->stops_group =
        history->is_alone && history->alone_in_vain >= parameters->attempts_before_group;
}

/* All other wavefronts of the work-group abort; they wait at their begin. */
static void stop_others(struct localtm_unit *localtm, const struct tm_wavefront *wavefront,
                        struct tm_charge *charge)
{
    struct localtm_group *state = &localtm->groups[wavefront->group->slot];
    uint64_t others = wavefront->group->members & ~(UINT64_C(1) << wavefront->slot);
    struct tm_host *host = localtm->unit.host;
    struct localtm_load load = {0};
    uint32_t cycles;

    localtm->holder[wavefront->group->slot] = wavefront->slot;
    localtm->statistics.group_serialised++;
    if (debug_breaks(localtm->settings.breaks, TM_RUN_OTHERS))
        return;
    for_each_bit(slot, others)
    {
        const struct tm_wavefront *other = host->wavefront(host, slot);

        if (!other->in_attempt || other->running == other->sealed)
            continue;
        localtm_undo(state, other, other->running & ~other->sealed, &load);
        host->abort(host, slot, other->running);
    }
    cycles = localtm_busiest(&load, &localtm->settings);
    localtm->statistics.restore_cycles += cycles;
    charge->bank_cycles += cycles;
    charge->wavefront_cycles += cycles;
}

/* Begin and commit last as long as a scalar instruction; the compute unit counts an issue slot. */
static void charge_marker(struct localtm_unit *localtm, struct tm_charge *charge)
{
    enum { SLOT_CYCLES = 4 };

    localtm->statistics.marker_cycles += localtm->scalar_cycles;
    if (localtm->scalar_cycles > SLOT_CYCLES)
        charge->wavefront_cycles += localtm->scalar_cycles - SLOT_CYCLES;
}

static void localtm_begin(struct tm_unit *unit, struct tm_wavefront *wavefront,
                          struct tm_charge *charge)
{
    struct localtm_unit *localtm = localtm_of(unit);
    struct localtm_history *history = &localtm->history[wavefront->slot];

    charge_marker(localtm, charge);
    if (wavefront->attempts == 1)
        *history = (struct localtm_history){0};
    else
        history_learn(localtm->settings.parameters, history, wavefront->running);
    if (!history->is_alone)
        return;
    wavefront->running &= -wavefront->running; /* the lowest lane */
    localtm->statistics.wavefront_serialised++;
    if (history->stops_group)
        stop_others(localtm, wavefront, charge);
}

/* ---- accesses ---- */

struct localtm_access {
    const struct isa_memory_request *request;
    struct localtm_group *state;
    const struct tm_wavefront *wavefront;
    struct localtm_load copies, restores;
};

/* The words of one element of a lane. False: a conflict. */
static bool touch_element(struct localtm_access *access, unsigned lane, uint64_t address)
{
    uint32_t first = (uint32_t)(address / 4);
    uint32_t last = (uint32_t)((address + access->request->element_bytes - 1) / 4);

    for (uint32_t word = first; word <= last; word++)
        if (!localtm_touch(access->state, access->wavefront, lane, word,
                           access->request->kind != ISA_MEMORY_LOAD, &access->copies,
                           &access->restores))
            return false;
    return true;
}

static bool touch_lane(struct localtm_access *access, unsigned lane)
{
    const struct isa_memory_request *request = access->request;
    uint64_t address = request->address[lane];

    if ((request->lanes >> lane & 1) != 0 && !touch_element(access, lane, address))
        return false;
    return request->second_delta == 0 || (request->second_lanes >> lane & 1) == 0 ||
           touch_element(access, lane, address + (uint64_t)(int64_t)request->second_delta);
}

/* Beside a system for global memory: what they hold they keep until that has decided. */
static bool others_are_sealed(const struct localtm_unit *localtm,
                              const struct tm_wavefront *wavefront)
{
    uint64_t members = wavefront->group->members, sealed = 0;

    for_each_bit(slot, members) sealed |=
        localtm->unit.host->wavefront(localtm->unit.host, slot)->sealed;
    return sealed != 0;
}

static uint64_t localtm_access(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               struct isa_memory_request *request, struct tm_charge *charge)
{
    struct localtm_unit *localtm = localtm_of(unit);
    struct localtm_access access = {.request = request,
                                    .state = &localtm->groups[wavefront->group->slot],
                                    .wavefront = wavefront};
    uint64_t lanes = request->lanes | (request->second_delta != 0 ? request->second_lanes : 0);
    uint32_t detect = (uint32_t)localtm->settings.parameters->detect_cycles, version, restore;
    uint64_t aborted = 0;

    if (request->space != ISA_SPACE_LOCAL || lanes == 0)
        return 0;
    for_each_bit(lane, lanes)
    {
        if (!touch_lane(&access, lane))
            aborted |= UINT64_C(1) << lane;
    }
    check(aborted == 0 || !localtm->history[wavefront->slot].stops_group ||
              others_are_sealed(localtm, wavefront),
          "a transaction for which its work-group has stopped met a conflict");
    localtm_undo(access.state, wavefront, aborted, &access.restores);
    version = localtm_busiest(&access.copies, &localtm->settings);
    restore = localtm_busiest(&access.restores, &localtm->settings);
    localtm->statistics.detect_cycles += detect;
    localtm->statistics.version_cycles += version;
    localtm->statistics.restore_cycles += restore;
    charge->bank_cycles += detect + version + restore;
    return aborted;
}

static void localtm_abort(struct tm_unit *unit, struct tm_wavefront *wavefront, uint64_t lanes,
                          struct tm_charge *charge)
{
    struct localtm_unit *localtm = localtm_of(unit);
    struct localtm_load load = {0};
    uint32_t cycles;

    localtm_undo(&localtm->groups[wavefront->group->slot], wavefront, lanes, &load);
    cycles = localtm_busiest(&load, &localtm->settings);
    localtm->statistics.restore_cycles += cycles;
    charge->bank_cycles += cycles;
}

/* ---- commit ---- */

static void start_others(struct localtm_unit *localtm, const struct tm_wavefront *wavefront)
{
    uint64_t others = wavefront->group->members & ~(UINT64_C(1) << wavefront->slot);
    struct tm_host *host = localtm->unit.host;

    localtm->holder[wavefront->group->slot] = NO_HOLDER;
    for_each_bit(slot, others) host->wake(host, slot);
}

static uint64_t localtm_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                               uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    struct localtm_unit *localtm = localtm_of(unit);
    struct localtm_group *state = &localtm->groups[wavefront->group->slot];
    struct localtm_load load = {0};
    uint32_t cycles;

    if ((committed | aborted) == 0)
        return TM_NOW;
    localtm_release(state, wavefront, committed, &load);
    localtm->statistics.commits += count_bits(committed);
    if (localtm->history[wavefront->slot].is_alone)
        localtm->statistics.serialised_commits += count_bits(committed);
    if (aborted != 0)
        localtm_undo(state, wavefront, aborted, &load);
    cycles = localtm_busiest(&load, &localtm->settings);
    localtm->statistics.release_cycles += cycles;
    charge->bank_cycles += cycles;
    charge->wavefront_cycles += cycles;
    charge_marker(localtm, charge);
    if (localtm->holder[wavefront->group->slot] == wavefront->slot)
        start_others(localtm, wavefront);
    return TM_NOW;
}

static void localtm_explain(const struct tm_unit *unit, struct text *text)
{
    const struct localtm_unit *localtm = localtm_of((struct tm_unit *)(uintptr_t)unit);

    for (uint32_t i = 0; i < TM_MAX_WAVEFRONTS; i++)
        if (localtm->groups[i].group != NULL && localtm->holder[i] != NO_HOLDER)
            text_add(text, "; work-group slot %u has stopped for the transaction of slot %u", i,
                     localtm->holder[i]);
}

const struct tm_system tm_localtm = {
    .name = "localtm",
    .help = "GPU-LocalTM: eager transactions on local memory, in its banks",
    .spaces = TM_SPACE_LOCAL,
    .promise = TM_PROMISES_OPACITY,
    .resources = localtm_resources,
    .create = localtm_create,
    .destroy = localtm_destroy,
    .group_start = localtm_group_start,
    .group_end = localtm_group_end,
    .may_begin = localtm_may_begin,
    .begin = localtm_begin,
    .access = localtm_access,
    .finish = localtm_finish,
    .abort = localtm_abort,
    .explain = localtm_explain,
};

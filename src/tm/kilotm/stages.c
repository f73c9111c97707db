/* SPDX-License-Identifier: MIT */
/* An entry's way through a commit unit, from its hazards to its end. */
#include <stdlib.h>

#include "base/check.h"
#include "base/text.h"
#include "sim/debug.h"
#include "tm/kilotm/commit_unit.h"

/* ---- queues ---- */

void commit_accesses_put(struct commit_accesses *accesses, uint32_t id, uint32_t word)
{
    if (accesses->count == accesses->capacity) {
        uint32_t capacity = 2 * accesses->capacity + 64;
        struct commit_access *list = allocate(capacity, sizeof *list);

        for (uint32_t i = 0; i < accesses->count; i++)
            list[i] = accesses->list[(accesses->first + i) % accesses->capacity];
        free(accesses->list);
        *accesses = (struct commit_accesses){list, 0, accesses->count, capacity};
    }
    accesses->list[(accesses->first + accesses->count++) % accesses->capacity] =
        (struct commit_access){id, word};
}

static struct commit_answer *answer_at(const struct commit_answers *answers, uint32_t place)
{
    return &answers->list[(answers->first + place) % answers->capacity];
}

static struct commit_answer *new_answer(struct commit_answers *answers)
{
    if (answers->count == answers->capacity) {
        uint32_t capacity = 2 * answers->capacity + 64;
        struct commit_answer *list = allocate(capacity, sizeof *list);

        for (uint32_t i = 0; i < answers->count; i++)
            list[i] = *answer_at(answers, i);
        free(answers->list);
        *answers = (struct commit_answers){list, 0, answers->count, capacity};
    }
    return answer_at(answers, answers->count++);
}

void commit_answer(struct commit_unit *unit, uint32_t id, enum kilotm_kind kind)
{
    enum { YOUNGEST = 4 };
    const struct entry *entry = commit_entry(unit, id);
    struct commit_answers *answers = &unit->answers;
    uint64_t now = component_cycle(&unit->partition.component);
    struct commit_answer *answer;

    for (uint32_t i = 1; i <= YOUNGEST && i <= answers->count; i++) {
        answer = answer_at(answers, answers->count - i);
        if (answer->kind == kind && answer->base == entry->base) {
            answer->mask |= UINT64_C(1) << (id - entry->base);
            answer->changed_at = now;
            return;
        }
    }
    *new_answer(answers) = (struct commit_answer){.mask = UINT64_C(1) << (id - entry->base),
                                                  .changed_at = now,
                                                  .base = entry->base,
                                                  .unit = entry->unit,
                                                  .slot = entry->slot,
                                                  .lanes = entry->lanes,
                                                  .kind = (uint8_t)kind};
}

/* ---- outcomes ---- */

void commit_conclude(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);
    bool has_failed = entry->state == ENTRY_FAILED || entry->differs;

    unit->statistics.failed += has_failed && entry->state == ENTRY_FAILED;
    unit->statistics.failed_again += has_failed && entry->state == ENTRY_AGAIN;
    unit->statistics.passed += !has_failed;
    commit_answer(unit, id, has_failed ? KILOTM_CU_FAIL : KILOTM_CU_PASS);
    entry->state = has_failed ? ENTRY_RETIRED : ENTRY_PASSED;
}

void commit_loaded(struct commit_unit *unit, uint32_t id, uint32_t word, uint32_t value)
{
    struct entry *entry = commit_entry(unit, id);
    const struct kilotm_word *read = &entry->reads.list[word];

    entry->loads--;
    if (((read->value ^ value) & kilotm_bits(read->bytes)) != 0 &&
        !debug_breaks(unit->breaks, KILO_SKIP_VALIDATION)) {
        entry->differs = true;
        if (entry->state == ENTRY_FILL)
            entry->state = ENTRY_FAILED;
    }
    if (entry->state == ENTRY_AGAIN && entry->loads == 0)
        commit_conclude(unit, id);
}

void commit_stored(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);

    if (--entry->stores > 0)
        return;
    entry->state = ENTRY_RETIRED;
    commit_answer(unit, id, KILOTM_CU_DONE);
}

/* ---- pointers, the last first: an entry moves by one stage a cycle ---- */

static bool advance_retire(struct commit_unit *unit)
{
    struct entry *entry = commit_entry(unit, unit->retire);

    if (unit->retire == unit->commit || entry->state != ENTRY_RETIRED || entry->loads > 0)
        return false;
    commit_buffers_end(unit, unit->retire);
    if (unit->parameters->credits != 0)
        commit_answer(unit, unit->retire, KILOTM_CU_RETIRED);
    unit->retire++;
    return true;
}

static void begin_commit(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);

    entry->stores = entry->writes.count;
    entry->state = entry->stores > 0 ? ENTRY_SENT : ENTRY_RETIRED;
    unit->statistics.writes += entry->stores;
    for (uint32_t i = 0; i < entry->writes.count; i++)
        commit_accesses_put(&unit->stores, id, i);
}

static bool advance_commit(struct commit_unit *unit)
{
    struct entry *entry = commit_entry(unit, unit->commit);

    if (unit->commit == unit->pass)
        return false;
    if (entry->state == ENTRY_READY && !commit_set_is_here(unit, unit->commit, SET_WRITES))
        return false; /* those behind it must not store before it */
    if (entry->state == ENTRY_READY)
        begin_commit(unit, unit->commit);
    else if (entry->state != ENTRY_RETIRED && entry->state != ENTRY_SENT)
        return false;
    unit->commit++;
    return true;
}

static void validate_again(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);

    entry->state = ENTRY_AGAIN;
    entry->loads = entry->reads.count;
    for (uint32_t i = 0; i < entry->reads.count; i++)
        commit_accesses_put(&unit->loads, id, i);
}

/* Whether the writer that it must wait for has retired. */
static bool hazard_is_over(const struct commit_unit *unit, const struct entry *entry)
{
    return unit->retire > entry->ycid || debug_breaks(unit->breaks, KILO_REVALIDATE_EARLY);
}

static bool advance_pass(struct commit_unit *unit)
{
    struct entry *entry = commit_entry(unit, unit->pass);
    bool in_order = !debug_breaks(unit->breaks, KILO_PASS_FIRST);

    if (unit->pass == (in_order ? unit->hazard : unit->head))
        return false;
    if (entry->state == ENTRY_FAILED) {
        if (!entry->is_filled || entry->awaits[SET_READS] || entry->awaits[SET_WRITES])
            return false;
        commit_conclude(unit, unit->pass);
    } else if (entry->state != ENTRY_RETIRED) {
        if (!entry->is_filled || entry->loads > 0 ||
            (entry->has_hazard && !hazard_is_over(unit, entry)))
            return false;
        if (!entry->has_hazard || entry->reads.count == 0 || /* a hazard of its writes */
            debug_breaks(unit->breaks, KILO_SKIP_REVALIDATION))
            commit_conclude(unit, unit->pass);
        else if (commit_set_is_here(unit, unit->pass, SET_READS))
            validate_again(unit, unit->pass);
        else
            return false;
    }
    unit->pass++;
    return true;
}

static uint32_t oldest_hazard(const struct commit_unit *unit, const struct entry *entry)
{
    return debug_breaks(unit->breaks, KILO_LATE_RCID) ? unit->retire : entry->rcid;
}

/* The entry is to wait for this one; 0: for none. */
static void note_hazard(struct commit_unit *unit, struct entry *entry, uint32_t other)
{
    if (other == 0 || debug_breaks(unit->breaks, KILO_SKIP_HAZARD))
        return;
    unit->statistics.hazards += !entry->has_hazard;
    entry->has_hazard = true;
    if (other > entry->ycid)
        entry->ycid = other;
}

static void look_up(struct commit_unit *unit, struct entry *entry)
{
    const struct kilotm_word *read = &entry->reads.list[entry->looked_up];

    unit->statistics.history_reads++;
    note_hazard(
        unit, entry,
        history_read(&unit->history, read->address / 4, unit->hazard, oldest_hazard(unit, entry)));
}

/* The entry's logs, a word a cycle: reads before writes, so that it is no hazard to itself. */
static void look_at_word(struct commit_unit *unit, struct entry *entry)
{
    if (entry->looked_up < entry->reads.count) {
        look_up(unit, entry);
    } else {
        const struct kilotm_word *write =
            &entry->writes.list[entry->looked_up - entry->reads.count];

        note_hazard(unit, entry,
                    history_write(&unit->history, write->address / 4, unit->hazard,
                                  oldest_hazard(unit, entry)));
        unit->statistics.history_writes++;
    }
    entry->looked_up++;
}

/* Whether the words are here that come next: the first of a set asks for it. */
static bool sets_are_here(struct commit_unit *unit, const struct entry *entry)
{
    if (entry->looked_up == 0 && entry->reads.count > 0)
        return commit_set_is_here(unit, unit->hazard, SET_READS);
    if (entry->looked_up == entry->reads.count && entry->writes.count > 0)
        return commit_set_is_here(unit, unit->hazard, SET_WRITES);
    return true;
}

static bool advance_hazard(struct commit_unit *unit)
{
    struct entry *entry = commit_entry(unit, unit->hazard);

    if (unit->hazard == unit->head || !entry->is_filled)
        return false;
    if (entry->state == ENTRY_FILL && !sets_are_here(unit, entry))
        return false;
    if (entry->state == ENTRY_FILL && entry->looked_up < entry->reads.count + entry->writes.count)
        look_at_word(unit, entry);
    if (entry->state != ENTRY_FILL || entry->looked_up == entry->reads.count + entry->writes.count)
        unit->hazard++;
    return true;
}

bool commit_advance(struct commit_unit *unit)
{
    bool progress = advance_retire(unit);

    progress |= advance_commit(unit);
    progress |= advance_pass(unit);
    progress |= advance_hazard(unit);
    return progress;
}

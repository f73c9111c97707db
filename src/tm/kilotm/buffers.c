/* SPDX-License-Identifier: MIT */
/*
 * A commit unit's buffers for read sets and write sets: who has one, and what becomes of sets that
 * have none or are longer. Those are validated as they come, and sent again by their compute unit
 * for hazard detection, for another validation, and for their stores. Source: the paper's 4.5.3 and
 * 6.4.2.
 */
#include "base/check.h"
#include "tm/kilotm/commit_unit.h"

PARAMETER_CHOICES(kilotm_set_scheme_word, [BUFFERS_ALL] = {"all", "those of all entries"},
                  [BUFFERS_ACCESSED] = {"accessed", "those of entries that have accessed memory"},
                  [BUFFERS_USED] = {"used", "those that have words"},
                  [BUFFERS_NEEDED] = {"needed", "those that have words, while these are needed"})

static const struct kilotm_words *set_of(const struct entry *entry, unsigned set)
{
    return set == SET_READS ? &entry->reads : &entry->writes;
}

/* Whether the set's words may still be asked for. */
static bool is_needed(const struct entry *entry, unsigned set)
{
    if (entry->state == ENTRY_FAILED || entry->state == ENTRY_RETIRED)
        return false;
    return set == SET_WRITES || entry->state == ENTRY_FILL || entry->state == ENTRY_AGAIN;
}

/* Whether the set has a buffer by the scheme. */
static bool is_wanted(const struct entry *entry, enum buffer_scheme scheme, unsigned set)
{
    if (scheme == BUFFERS_ALL)
        return true;
    if (!entry->has_begun || (entry->is_filled && entry->reads.count + entry->writes.count == 0))
        return false;
    if (scheme == BUFFERS_ACCESSED)
        return true;
    return set_of(entry, set)->count > 0 && (scheme == BUFFERS_USED || is_needed(entry, set));
}

static struct histogram *histogram_of(struct commit_unit *unit, unsigned scheme)
{
    struct commit_unit_statistics *statistics = &unit->statistics;
    struct histogram *const histograms[] = {&statistics->buffers_all, &statistics->buffers_accessed,
                                            &statistics->buffers_used, &statistics->buffers_needed};

    return histograms[scheme];
}

static void count_wanted(struct commit_unit *unit, struct entry *entry, unsigned scheme,
                         uint8_t wanted)
{
    struct occupancy *buffers = &unit->buffers[scheme];

    if (wanted != entry->wanted[scheme])
        occupancy_change(buffers, histogram_of(unit, scheme),
                         component_cycle(&unit->partition.component),
                         buffers->value + wanted - entry->wanted[scheme]);
    entry->wanted[scheme] = wanted;
}

/* A ring without an entry counts for nothing. */
static void begin_counting(struct commit_unit *unit)
{
    for (unsigned scheme = 0; scheme < BUFFER_SCHEMES; scheme++)
        unit->buffers[scheme].since = component_cycle(&unit->partition.component);
}

static void buffer_overflow(struct commit_unit *unit, struct entry *entry, unsigned set)
{
    unit->statistics.overflows += !entry->overflows[set];
    entry->overflows[set] = true;
}

/* Takes and gives back the buffers that there are. */
static void take_buffer(struct commit_unit *unit, struct entry *entry, unsigned set)
{
    uint64_t max = unit->parameters->set_buffers;
    bool is_wanted_now = is_wanted(entry, unit->scheme, set);

    if (entry->has_buffer[set] && !is_wanted_now) {
        entry->has_buffer[set] = false;
        unit->buffers_taken--;
    } else if (!entry->has_buffer[set] && is_wanted_now && !entry->overflows[set]) {
        if (max != 0 && unit->buffers_taken >= max) {
            buffer_overflow(unit, entry, set);
            return;
        }
        entry->has_buffer[set] = true;
        unit->buffers_taken++;
    }
}

void commit_buffers(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);
    uint64_t words = unit->parameters->set_words;

    if (unit->buffers[BUFFERS_ALL].value == 0)
        begin_counting(unit);
    for (unsigned scheme = 0; scheme < BUFFER_SCHEMES; scheme++)
        count_wanted(
            unit, entry, scheme,
            (uint8_t)(is_wanted(entry, scheme, SET_READS) + is_wanted(entry, scheme, SET_WRITES)));
    for (unsigned set = 0; set < SETS; set++) {
        take_buffer(unit, entry, set);
        if (words != 0 && set_of(entry, set)->count > words)
            buffer_overflow(unit, entry, set);
    }
}

void commit_buffers_end(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);

    commit_buffers_settle(unit);
    for (unsigned scheme = 0; scheme < BUFFER_SCHEMES; scheme++)
        count_wanted(unit, entry, scheme, 0);
    for (unsigned set = 0; set < SETS; set++)
        unit->buffers_taken -= entry->has_buffer[set];
}

void commit_buffers_settle(struct commit_unit *unit)
{
    uint64_t now = component_cycle(&unit->partition.component);

    for (unsigned scheme = 0; scheme < BUFFER_SCHEMES; scheme++)
        if (unit->buffers[BUFFERS_ALL].value > 0)
            occupancy_settle(&unit->buffers[scheme], histogram_of(unit, scheme), now);
}

bool commit_set_is_here(struct commit_unit *unit, uint32_t id, unsigned set)
{
    struct entry *entry = commit_entry(unit, id);

    if (!entry->overflows[set] || set_of(entry, set)->count == 0)
        return true;
    if (entry->is_here[set]) {
        entry->is_here[set] = false;
        return true;
    }
    if (!entry->awaits[set]) {
        entry->awaits[set] = true;
        entry->resent = 0;
        unit->statistics.resends++;
        commit_answer(unit, id, set == SET_READS ? KILOTM_CU_READS_AGAIN : KILOTM_CU_WRITES_AGAIN);
    }
    return false;
}

void commit_set_came(struct commit_unit *unit, uint32_t id)
{
    struct entry *entry = commit_entry(unit, id);
    unsigned set = entry->awaits[SET_READS] ? SET_READS : SET_WRITES;

    check(entry->awaits[set] && entry->resent >= set_of(entry, set)->count,
          "transaction %u sends a set again: %u words of %u", id, entry->resent,
          set_of(entry, set)->count);
    entry->awaits[set] = false;
    entry->is_here[set] = true;
}

/* SPDX-License-Identifier: MIT */
#include "tm/localtm_banks.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "sim/debug.h"

enum { READS, WRITES }; /* filters; with one for all accesses, READS is it */
enum { NO_WORD = 0xffffffff, ALL_BANKS = -1 };

/* ---- life ---- */

static size_t filter_count(const struct localtm_settings *settings)
{
    return (size_t)settings->banks * settings->bits * TM_GROUP_WAVEFRONTS;
}

static void make_room(struct localtm_group *state)
{
    for (unsigned i = 0; i < 2 && state->filters[i] == NULL; i++)
        state->filters[i] = allocate(filter_count(state->settings), sizeof(uint64_t));
    if (state->words <= state->word_capacity)
        return;
    free(state->is_valid);
    free(state->next);
    state->is_valid = allocate(state->words, sizeof *state->is_valid);
    state->next = allocate(state->words, sizeof *state->next);
    state->word_capacity = state->words;
}

void localtm_group_init(struct localtm_group *state, const struct localtm_settings *settings,
                        struct localtm_statistics *statistics, const struct tm_group *group)
{
    state->settings = settings;
    state->statistics = statistics;
    state->group = group;
    state->words = group->lds_bytes / 4;
    check(group->tm_bytes >= 5 * state->words, "no room for shadow memory: %u bytes for %u words",
          group->tm_bytes, state->words);
    check(group->items <= LOCALTM_ITEMS, "%u work-items", group->items);
    make_room(state);
    state->values = (uint32_t *)(void *)group->lds;
    state->old = state->values + state->words;
    state->owner = (unsigned char *)(state->old + state->words);
    for (unsigned i = 0; i < 2; i++)
        memset(state->filters[i], 0, filter_count(settings) * sizeof(uint64_t));
    if (state->words > 0)
        memset(state->is_valid, 0, state->words * sizeof *state->is_valid);
    for (unsigned i = 0; i < LOCALTM_ITEMS; i++)
        state->first[i] = NO_WORD;
}

void localtm_group_finish(struct localtm_group *state)
{
    free(state->filters[READS]);
    free(state->filters[WRITES]);
    free(state->is_valid);
    free(state->next);
}

uint32_t localtm_busiest(const struct localtm_load *load, const struct localtm_settings *settings)
{
    uint32_t max = 0;

    for (uint32_t i = 0; i < settings->banks; i++)
        max = load->bank[i] > max ? load->bank[i] : max;
    return max * (uint32_t)settings->parameters->bank_cycles;
}

/* ---- filters ---- */

static uint32_t bank_of(const struct localtm_group *state, uint32_t word)
{
    return word % state->settings->banks;
}

/* The place of a word's bit for the group's first wavefront; those of the others follow. */
static size_t place_of(const struct localtm_group *state, uint32_t word)
{
    const struct localtm_settings *settings = state->settings;
    uint32_t bit = (settings->by_word ? word : word / settings->banks) % settings->bits;

    return ((size_t)bank_of(state, word) * settings->bits + bit) * TM_GROUP_WAVEFRONTS;
}

/* Whether a filter other than the lane's own is positive, and whether one of another wavefront. */
static bool others_positive(const struct localtm_group *state, const struct tm_wavefront *wavefront,
                            unsigned lane, size_t place, unsigned which, bool *elsewhere)
{
    const uint64_t *filters = state->filters[which] + place;
    bool here = (filters[wavefront->index] & ~(UINT64_C(1) << lane)) != 0;

    for (uint32_t i = 0; i < TM_GROUP_WAVEFRONTS; i++)
        if (i != wavefront->index && filters[i] != 0)
            *elsewhere = true;
    return here || *elsewhere;
}

static bool own_positive(const struct localtm_group *state, const struct tm_wavefront *wavefront,
                         unsigned lane, size_t place, unsigned which)
{
    return (state->filters[which][place + wavefront->index] >> lane & 1) != 0;
}

/* Of one bank, or of all. */
static void clear_filters(struct localtm_group *state, const struct tm_wavefront *wavefront,
                          uint64_t lanes, int bank)
{
    const struct localtm_settings *settings = state->settings;
    uint32_t first = bank == ALL_BANKS ? 0 : (uint32_t)bank * settings->bits;
    uint32_t end = bank == ALL_BANKS ? settings->banks * settings->bits : first + settings->bits;

    for (unsigned which = 0; which <= (settings->tells_reads ? WRITES : READS); which++)
        for (uint32_t i = first; i < end; i++)
            state->filters[which][(size_t)i * TM_GROUP_WAVEFRONTS + wavefront->index] &= ~lanes;
}

/* ---- shadow memory ---- */

static bool item_owns(const struct localtm_group *state, uint32_t word, uint32_t item)
{
    return state->owner[word] == item && (state->is_valid[word] || !state->settings->has_valid);
}

static void word_keep(struct localtm_group *state, uint32_t word, uint32_t item,
                      struct localtm_load *copies)
{
    if (state->is_valid
            [word]) /* by the byte alone, the lane's own earlier entry may be taken again */
        check(state->owner[word] == item || debug_breaks(state->settings->breaks, TM_FORGET_FILTER),
              "word %u has two owners", word);
    state->old[word] = state->values[word];
    state->owner[word] = (unsigned char)item;
    if (!state->is_valid[word]) {
        state->is_valid[word] = true;
        state->next[word] = state->first[item];
        state->first[item] = word;
    }
    state->statistics->copies++;
    copies->bank[bank_of(state, word)]++;
}

static void put_back(struct localtm_group *state, uint32_t word, struct localtm_load *load)
{
    if (!debug_breaks(state->settings->breaks, TM_KEEP_STORES))
        state->values[word] = state->old[word];
    state->statistics->restored++;
    load->bank[bank_of(state, word)]++;
}

/* By the owner byte alone: every word with the lane's number behind a positive bit of its
 * filter. */
static void put_back_by_byte(struct localtm_group *state, const struct tm_wavefront *wavefront,
                             unsigned lane, int bank, struct localtm_load *load)
{
    uint32_t item = tm_item(wavefront, lane);

    for (uint32_t word = 0; word < state->words; word++) {
        unsigned which = state->settings->tells_reads ? WRITES : READS;

        if ((bank != ALL_BANKS && bank_of(state, word) != (uint32_t)bank) ||
            state->owner[word] != item ||
            !own_positive(state, wavefront, lane, place_of(state, word), which))
            continue;
        put_back(state, word, load);
    }
}

/* Takes the lane's entries of a bank, or of all, off its list; with `restores` their old values are
 * put back. Returns how many there were. */
static uint32_t drop_entries(struct localtm_group *state, uint32_t item, int bank, bool restores,
                             struct localtm_load *load)
{
    uint32_t *link = &state->first[item], count = 0;

    while (*link != NO_WORD) {
        uint32_t word = *link;

        if (bank != ALL_BANKS && bank_of(state, word) != (uint32_t)bank) {
            link = &state->next[word];
            continue;
        }
        *link = state->next[word];
        state->is_valid[word] = false;
        if (restores)
            put_back(state, word, load);
        else if (load != NULL)
            load->bank[bank_of(state, word)]++;
        count++;
    }
    return count;
}

/* A bank that has to find a lane's entries reads all owner bytes of its words, four at a time. */
static void count_scan(const struct localtm_group *state, int bank, struct localtm_load *load)
{
    uint32_t reads = (state->words / state->settings->banks + 3) / 4;

    if (!state->settings->scans)
        return;
    for (uint32_t i = 0; i < state->settings->banks; i++)
        if (bank == ALL_BANKS || i == (uint32_t)bank)
            load->bank[i] += reads;
}

static void undo_lane(struct localtm_group *state, const struct tm_wavefront *wavefront,
                      unsigned lane, int bank, struct localtm_load *restores)
{
    if (state->settings->has_valid) {
        drop_entries(state, tm_item(wavefront, lane), bank, true, restores);
        return;
    }
    put_back_by_byte(state, wavefront, lane, bank, restores);
    drop_entries(state, tm_item(wavefront, lane), bank, false, NULL);
}

/* ---- the three stages ---- */

static bool banks_conflict(struct localtm_group *state, const struct tm_wavefront *wavefront,
                           unsigned lane, uint32_t word, bool elsewhere,
                           struct localtm_load *restores)
{
    struct localtm_statistics *statistics = state->statistics;
    int bank = (int)bank_of(state, word);

    statistics->conflicts++;
    statistics->conflicts_in_wavefront += !elsewhere;
    statistics->false_conflicts += !state->settings->tells_reads && !state->is_valid[word];
    count_scan(state, bank, restores);
    undo_lane(state, wavefront, lane, bank, restores);
    clear_filters(state, wavefront, UINT64_C(1) << lane, bank);
    return false;
}

bool localtm_touch(struct localtm_group *state, const struct tm_wavefront *wavefront, unsigned lane,
                   uint32_t word, bool is_write, struct localtm_load *copies,
                   struct localtm_load *restores)
{
    const bool tells = state->settings->tells_reads;
    const unsigned own = tells && is_write ? WRITES : READS;
    size_t place = place_of(state, word);
    bool elsewhere = false, is_new, has_conflict;

    state->statistics->accesses++;
    has_conflict =
        others_positive(state, wavefront, lane, place, tells ? WRITES : READS, &elsewhere);
    if (own == WRITES)
        has_conflict |= others_positive(state, wavefront, lane, place, READS, &elsewhere);
    if (has_conflict && !debug_breaks(state->settings->breaks, TM_COMMIT_MARKED))
        return banks_conflict(state, wavefront, lane, word, elsewhere, restores);
    is_new = !own_positive(state, wavefront, lane, place, own) ||
             !item_owns(state, word, tm_item(wavefront, lane));
    state->statistics->repeated += !is_new;
    if (!debug_breaks(state->settings->breaks, TM_FORGET_FILTER))
        state->filters[own][place + wavefront->index] |= UINT64_C(1) << lane;
    if (is_new && (!tells || is_write) && !has_conflict)
        word_keep(state, word, tm_item(wavefront, lane), copies);
    return true;
}

void localtm_undo(struct localtm_group *state, const struct tm_wavefront *wavefront, uint64_t lanes,
                  struct localtm_load *restores)
{
    uint64_t left = lanes;

    if (lanes == 0)
        return;
    count_scan(state, ALL_BANKS, restores);
    for_each_bit(lane, left) undo_lane(state, wavefront, lane, ALL_BANKS, restores);
    clear_filters(state, wavefront, lanes, ALL_BANKS);
}

void localtm_release(struct localtm_group *state, const struct tm_wavefront *wavefront,
                     uint64_t lanes, struct localtm_load *load)
{
    bool clears = state->settings->has_valid;
    uint64_t left = lanes;

    if (clears)
        count_scan(state, ALL_BANKS, load);
    for_each_bit(lane, left)
    {
        uint32_t count =
            drop_entries(state, tm_item(wavefront, lane), ALL_BANKS, false, clears ? load : NULL);

        state->statistics->released += clears ? count : 0;
    }
    if (!debug_breaks(state->settings->breaks, TM_KEEP_FILTER))
        clear_filters(state, wavefront, lanes, ALL_BANKS);
}

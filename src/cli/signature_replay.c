/* SPDX-License-Identifier: MIT */
/*
 * Transactions that run have places. Who has set a bit of a signature is a set of places, and so is
 * who has accessed a word. A lookup among all that run is a union or intersection of such sets.
 */
#include "cli/signature_replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "base/text.h"

enum { PARTS = 4, WORD_BITS = 40, NO_PLACE = UINT32_MAX };

enum event_kind { EVENT_END, EVENT_BEGIN, EVENT_ACCESS };

struct event {
    uint64_t cycle;
    uint32_t attempt, access;
    uint8_t kind;
};

/* Accesses to a word by what runs, in any order. */
struct word_users {
    uint64_t word; /* + 1; 0: free */
    uint32_t *accesses;
    uint32_t count, capacity;
};

struct replay {
    const struct recording *recording;
    enum signature_scheme scheme;
    uint32_t part_bits;
    struct signature_counts *counts;
    uint64_t hashes[PARTS][WORD_BITS];
    uint32_t places, row; /* row: words of a set of places */
    uint64_t *bits;       /* [part][bit]: a set of places */
    struct word_users *users;
    uint32_t user_mask;
    uint32_t *place_of;   /* by attempt */
    uint32_t *attempt_of; /* by access */
    uint32_t *listed_at;  /* by access: its place in the word's list */
    uint32_t *attempt_at, *free_places;
    uint32_t free_count;
    uint32_t *done; /* accesses of an attempt that have been replayed */
    bool *is_stopped;
    uint64_t *exact, *found, *scratch; /* sets of places */
};

static uint64_t *bit_row(const struct replay *replay, unsigned part, uint32_t bit)
{
    return replay->bits + ((uint64_t)part * replay->part_bits + bit) * replay->row;
}

static uint32_t part_hash(const struct replay *replay, unsigned part, uint64_t word)
{
    uint64_t sum = 0;

    word &= low_mask(WORD_BITS);
    for_each_bit(i, word) sum ^= replay->hashes[part][i];
    return (uint32_t)sum & (replay->part_bits - 1);
}

static struct word_users *users_of(struct replay *replay, uint64_t word)
{
    uint32_t place = (uint32_t)(word * UINT64_C(0x9e3779b97f4a7c15) >> 32) & replay->user_mask;

    while (replay->users[place].word != 0 && replay->users[place].word != word + 1)
        place = (place + 1) & replay->user_mask;
    replay->users[place].word = word + 1;
    return &replay->users[place];
}

/* ---- what runs ---- */

/* Whether the scheme's signature of what runs has the access. */
static bool is_in_signature(const struct replay *replay, const struct recorded_access *access)
{
    return access->is_read || replay->scheme == SCHEME_SETS;
}

static void reader_add(struct replay *replay, uint32_t place, uint32_t number)
{
    const struct recorded_access *access = &replay->recording->accesses[number];
    struct word_users *users;

    if (!is_in_signature(replay, access))
        return;
    for (unsigned part = 0; part < PARTS; part++)
        bit_row(replay, part, part_hash(replay, part, access->word))[place / 64] |= UINT64_C(1)
                                                                                    << place % 64;
    users = users_of(replay, access->word);
    if (users->count == users->capacity) {
        users->capacity = 2 * users->capacity + 4;
        users->accesses = reallocate(users->accesses, users->capacity, sizeof *users->accesses);
    }
    replay->listed_at[number] = users->count;
    users->accesses[users->count++] = number;
}

static void reader_forget(struct replay *replay, uint32_t place, uint32_t number)
{
    const struct recorded_access *access = &replay->recording->accesses[number];
    struct word_users *users;
    uint32_t last;

    if (!is_in_signature(replay, access))
        return;
    for (unsigned part = 0; part < PARTS; part++)
        bit_row(replay, part, part_hash(replay, part, access->word))[place / 64] &=
            ~(UINT64_C(1) << place % 64);
    users = users_of(replay, access->word);
    last = users->accesses[--users->count];
    users->accesses[replay->listed_at[number]] = last;
    replay->listed_at[last] = replay->listed_at[number];
}

/* ---- a commit ---- */

/* Who has all of the word's bits. */
static void look_up_word(struct replay *replay, uint64_t word)
{
    const uint64_t *rows[PARTS];

    for (unsigned part = 0; part < PARTS; part++)
        rows[part] = bit_row(replay, part, part_hash(replay, part, word));
    for (uint32_t i = 0; i < replay->row; i++)
        replay->found[i] |= rows[0][i] & rows[1][i] & rows[2][i] & rows[3][i];
}

/* Who has, in each part, a bit of what is written. */
static void meet_signatures(struct replay *replay, const struct recorded_attempt *attempt)
{
    const struct recorded_access *accesses = replay->recording->accesses + attempt->first;

    memset(replay->found, 0xff, replay->row * sizeof *replay->found);
    for (unsigned part = 0; part < PARTS; part++) {
        memset(replay->scratch, 0, replay->row * sizeof *replay->scratch);
        for (uint32_t i = 0; i < attempt->count; i++) {
            const uint64_t *row = bit_row(replay, part, part_hash(replay, part, accesses[i].word));

            for (uint32_t j = 0; accesses[i].is_write && j < replay->row; j++)
                replay->scratch[j] |= row[j];
        }
        for (uint32_t j = 0; j < replay->row; j++)
            replay->found[j] &= replay->scratch[j];
    }
}

static void count_found(struct replay *replay)
{
    for (uint32_t i = 0; i < replay->row; i++) {
        uint64_t found = replay->found[i] | replay->exact[i];

        replay->counts->real += count_bits(replay->exact[i]);
        replay->counts->false_ones += count_bits(found & ~replay->exact[i]);
        for_each_bit(bit, found)
        {
            uint32_t attempt = replay->attempt_at[64 * i + bit];

            if (replay->is_stopped[attempt])
                continue;
            replay->is_stopped[attempt] = true;
            replay->counts->stopped++;
            replay->counts->stopped_for_nothing += (replay->exact[i] >> bit & 1) == 0;
        }
    }
}

static void attempt_commit(struct replay *replay, const struct recorded_attempt *attempt)
{
    const struct recorded_access *accesses = replay->recording->accesses + attempt->first;
    bool has_written = false;

    memset(replay->exact, 0, replay->row * sizeof *replay->exact);
    memset(replay->found, 0, replay->row * sizeof *replay->found);
    for (uint32_t i = 0; i < attempt->count; i++) {
        const struct word_users *users;

        if (!accesses[i].is_write)
            continue;
        has_written = true;
        users = users_of(replay, accesses[i].word);
        for (uint32_t j = 0; j < users->count; j++) {
            uint32_t place = replay->place_of[replay->attempt_of[users->accesses[j]]];

            replay->exact[place / 64] |= UINT64_C(1) << place % 64;
        }
        if (replay->scheme == SCHEME_SETS)
            look_up_word(replay, accesses[i].word);
    }
    if (has_written && replay->scheme == SCHEME_RING)
        meet_signatures(replay, attempt);
    if (has_written)
        count_found(replay);
}

/* ---- time ---- */

/* The signature is emptied before it is looked at: no transaction meets itself. */
static void attempt_end(struct replay *replay, uint32_t number)
{
    const struct recorded_attempt *attempt = &replay->recording->attempts[number];
    uint32_t place = replay->place_of[number];

    for (uint32_t i = 0; i < replay->done[number]; i++)
        reader_forget(replay, place, attempt->first + i);
    replay->counts->attempts++;
    replay->counts->commits += attempt->has_committed;
    if (attempt->has_committed)
        attempt_commit(replay, attempt);
    replay->free_places[replay->free_count++] = place;
}

static void event_play(struct replay *replay, const struct event *event)
{
    uint32_t number = event->attempt;

    if (event->kind == EVENT_BEGIN) {
        replay->place_of[number] = replay->free_places[--replay->free_count];
        replay->attempt_at[replay->place_of[number]] = number;
    } else if (event->kind == EVENT_ACCESS) {
        reader_add(replay, replay->place_of[number], event->access);
        replay->done[number]++;
    } else {
        attempt_end(replay, number);
    }
}

static int events_compare(const void *left, const void *right)
{
    const struct event *a = left, *b = right;

    if (a->cycle != b->cycle)
        return a->cycle < b->cycle ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->attempt != b->attempt)
        return a->attempt < b->attempt ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

/* In the order of time; an attempt that ends in the cycle of its begin ends a cycle later. */
static struct event *make_events(const struct recording *recording, uint64_t *count)
{
    struct event *events =
        allocate(2 * (uint64_t)recording->count + recording->access_count + 1, sizeof *events);

    *count = 0;
    for (uint32_t i = 0; i < recording->count; i++) {
        const struct recorded_attempt *attempt = &recording->attempts[i];
        uint64_t last = attempt->began;

        events[(*count)++] = (struct event){attempt->began, i, 0, EVENT_BEGIN};
        for (uint32_t j = attempt->first; j < attempt->first + attempt->count; j++) {
            if (recording->accesses[j].cycle > last)
                last = recording->accesses[j].cycle;
            events[(*count)++] = (struct event){last, i, j, EVENT_ACCESS};
        }
        events[(*count)++] =
            (struct event){attempt->ended > last ? attempt->ended : last + 1, i, 0, EVENT_END};
    }
    qsort(events, *count, sizeof *events, events_compare);
    return events;
}

static uint32_t max_at_once(const struct event *events, uint64_t count)
{
    uint32_t now = 0, max = 0;

    for (uint64_t i = 0; i < count; i++) {
        now += events[i].kind == EVENT_BEGIN;
        now -= events[i].kind == EVENT_END;
        if (now > max)
            max = now;
    }
    return max;
}

static void begin_replay(struct replay *replay, uint32_t places)
{
    const struct recording *recording = replay->recording;
    struct random random = {2011};

    for (unsigned part = 0; part < PARTS; part++)
        for (unsigned i = 0; i < WORD_BITS; i++)
            replay->hashes[part][i] = random_next(&random);
    replay->places = places;
    replay->row = (places + 63) / 64;
    replay->bits = allocate((uint64_t)PARTS * replay->part_bits * replay->row, 8);
    for (replay->user_mask = 1024; replay->user_mask < 2 * (uint64_t)recording->access_count;)
        replay->user_mask *= 2;
    replay->users = allocate(replay->user_mask--, sizeof *replay->users);
    replay->place_of = allocate(recording->count, sizeof *replay->place_of);
    replay->attempt_of = allocate(recording->access_count + 1, sizeof *replay->attempt_of);
    replay->listed_at = allocate(recording->access_count + 1, sizeof *replay->listed_at);
    for (uint32_t i = 0; i < recording->count; i++)
        for (uint32_t j = 0; j < recording->attempts[i].count; j++)
            replay->attempt_of[recording->attempts[i].first + j] = i;
    replay->done = allocate(recording->count, sizeof *replay->done);
    replay->is_stopped = allocate(recording->count, sizeof *replay->is_stopped);
    replay->attempt_at = allocate(64 * (uint64_t)replay->row, sizeof *replay->attempt_at);
    replay->free_places = allocate(places, sizeof *replay->free_places);
    for (uint32_t i = 0; i < places; i++)
        replay->free_places[replay->free_count++] = i;
    replay->exact = allocate(replay->row, 8);
    replay->found = allocate(replay->row, 8);
    replay->scratch = allocate(replay->row, 8);
}

static void finish_replay(struct replay *replay)
{
    for (uint32_t i = 0; i <= replay->user_mask; i++)
        free(replay->users[i].accesses);
    free(replay->bits);
    free(replay->users);
    free(replay->place_of);
    free(replay->attempt_of);
    free(replay->listed_at);
    free(replay->done);
    free(replay->is_stopped);
    free(replay->attempt_at);
    free(replay->free_places);
    free(replay->exact);
    free(replay->found);
    free(replay->scratch);
}

void signatures_replay(const struct recording *recording, enum signature_scheme scheme,
                       uint32_t bits, struct signature_counts *counts)
{
    struct replay replay = {
        .recording = recording, .scheme = scheme, .part_bits = bits / PARTS, .counts = counts};
    uint64_t count;
    struct event *events = make_events(recording, &count);
    uint32_t max = max_at_once(events, count);

    if (max > counts->max_at_once)
        counts->max_at_once = max;
    if (max > 0) {
        begin_replay(&replay, max);
        for (uint64_t i = 0; i < count; i++)
            event_play(&replay, &events[i]);
        finish_replay(&replay);
    }
    free(events);
}

/* SPDX-License-Identifier: MIT */
#include "tm/oracle.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"

enum { GROUPS = 64, ITEMS = TM_GROUP_WAVEFRONTS * ISA_MAX_LANES };

/* One word that a lane read or wrote. */
struct oracle_step {
    uint32_t word, mask, value;
    bool is_write;
    uint64_t pc;
};

struct oracle_attempt {
    struct oracle_step *steps;
    uint32_t count, capacity;
    uint64_t began; /* the replay's length then */
    bool is_open;
};

/* A word's value before the replay's entry `index` changed it. */
struct oracle_change {
    uint64_t index;
    uint32_t word, old;
};

struct oracle_group {
    uint32_t words, capacity;
    uint32_t *replay;
    uint64_t *writer; /* program counter of each word's latest store in the replay */
    const uint32_t *memory;
    struct oracle_change *changes; /* since the oldest attempt that is open began, at least */
    uint32_t change_count, change_capacity;
    uint64_t length; /* entries of the replay */
    uint32_t open;   /* attempts */
    struct oracle_attempt attempts[ITEMS];
};

struct oracle {
    bool promises_opacity;
    struct oracle_violation violation;
    struct text text;
    uint64_t before_lanes, before_second;
    uint32_t operands[2][ISA_MAX_LANES];
    struct oracle_group groups[GROUPS];
};

/* ---- life ---- */

struct oracle *oracle_create(bool promises_opacity)
{
    struct oracle *oracle = allocate(1, sizeof *oracle);

    oracle->promises_opacity = promises_opacity;
    return oracle;
}

void oracle_destroy(struct oracle *oracle)
{
    for (unsigned i = 0; oracle != NULL && i < GROUPS; i++) {
        struct oracle_group *group = &oracle->groups[i];

        for (unsigned j = 0; j < ITEMS; j++)
            free(group->attempts[j].steps);
        free(group->replay);
        free(group->writer);
        free(group->changes);
    }
    if (oracle != NULL)
        text_finish(&oracle->text);
    free(oracle);
}

struct oracle_violation oracle_violation(const struct oracle *oracle)
{
    return oracle->violation;
}

void oracle_group_start(struct oracle *oracle, const struct tm_group *tm_group)
{
    struct oracle_group *group = &oracle->groups[tm_group->slot];

    group->words = tm_group->lds_bytes / 4;
    if (group->words > group->capacity) {
        free(group->replay);
        free(group->writer);
        group->replay = allocate(group->words, sizeof *group->replay);
        group->writer = allocate(group->words, sizeof *group->writer);
        group->capacity = group->words;
    }
    for (uint32_t i = 0; i < group->words; i++) {
        group->replay[i] = 0;
        group->writer[i] = 0;
    }
    group->memory = (const uint32_t *)(const void *)tm_group->lds;
    group->change_count = group->open = 0;
    group->length = 0;
    for (unsigned i = 0; i < ITEMS; i++)
        group->attempts[i].is_open = false;
}

/* ---- violations ---- */

static void oracle_violate(struct oracle *oracle, const struct oracle_step *step, uint32_t expected,
                           uint64_t other_pc, const char *what)
{
    if (oracle->violation.text != NULL)
        return;
    text_add(&oracle->text,
             "%s: word %u of local memory is 0x%x here, and 0x%x in the serial replay", what,
             step->word, step->value & step->mask, expected & step->mask);
    oracle->violation = (struct oracle_violation){text_chars(&oracle->text), step->pc, other_pc};
}

/* The store of an open attempt to the word: its program counter, or 0. */
static uint64_t speculative_store(const struct oracle_group *group, uint32_t word)
{
    for (unsigned i = 0; group->open > 0 && i < ITEMS; i++) {
        const struct oracle_attempt *attempt = &group->attempts[i];

        for (uint32_t j = attempt->count; attempt->is_open && j-- > 0;)
            if (attempt->steps[j].is_write && attempt->steps[j].word == word)
                return attempt->steps[j].pc;
    }
    return 0;
}

void oracle_group_end(struct oracle *oracle, const struct tm_group *tm_group)
{
    struct oracle_group *group = &oracle->groups[tm_group->slot];

    for (uint32_t i = 0; i < group->words; i++) {
        struct oracle_step step = {
            .word = i, .mask = UINT32_MAX, .value = group->memory[i], .pc = group->writer[i]};

        if (group->memory[i] == group->replay[i])
            continue;
        oracle_violate(oracle, &step, group->replay[i], 0,
                       "a value was lost, or came from an abort");
        return;
    }
}

/* ---- the replay ---- */

static void note_change(struct oracle_group *group, uint32_t word)
{
    if (group->open == 0)
        return;
    if (group->change_count == group->change_capacity) {
        group->change_capacity = group->change_capacity * 2 + 64;
        group->changes = reallocate(group->changes, group->change_capacity, sizeof *group->changes);
    }
    group->changes[group->change_count++] =
        (struct oracle_change){group->length, word, group->replay[word]};
}

static void replay_store(struct oracle_group *group, const struct oracle_step *step)
{
    note_change(group, step->word);
    group->replay[step->word] =
        (group->replay[step->word] & ~step->mask) | (step->value & step->mask);
    group->writer[step->word] = step->pc;
}

/* ---- attempts ---- */

static struct oracle_attempt *attempt_of(struct oracle_group *group,
                                         const struct tm_wavefront *wavefront, unsigned lane)
{
    return &group->attempts[tm_item(wavefront, lane)];
}

void oracle_begin(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t lanes)
{
    struct oracle_group *group = &oracle->groups[wavefront->group->slot];

    for_each_bit(lane, lanes)
    {
        struct oracle_attempt *attempt = attempt_of(group, wavefront, lane);

        check(!attempt->is_open, "an attempt in an attempt");
        attempt->is_open = true;
        attempt->count = 0;
        attempt->began = group->length;
        group->open++;
    }
}

static void add_step(struct oracle_attempt *attempt, struct oracle_step step)
{
    if (attempt->count == attempt->capacity) {
        attempt->capacity = attempt->capacity * 2 + 16;
        attempt->steps = reallocate(attempt->steps, attempt->capacity, sizeof *attempt->steps);
    }
    attempt->steps[attempt->count++] = step;
}

/* Of a read's bytes those that the lane had not stored before; the others must be what it
 * stored. */
static uint32_t foreign_mask(const struct oracle_attempt *attempt, uint32_t which, uint32_t *own)
{
    const struct oracle_step *read = &attempt->steps[which];
    uint32_t mask = read->mask;

    *own = 0;
    for (uint32_t i = which; i-- > 0 && mask != 0;) {
        const struct oracle_step *step = &attempt->steps[i];

        if (!step->is_write || step->word != read->word)
            continue;
        *own |= step->value & step->mask & mask;
        mask &= ~step->mask;
    }
    return mask;
}

/* Whether the read fits the value that its word has in memory at some point. */
static bool read_fits(const struct oracle_attempt *attempt, uint32_t which, uint32_t word)
{
    uint32_t own, mask = foreign_mask(attempt, which, &own);
    const struct oracle_step *read = &attempt->steps[which];

    return (read->value & read->mask) == (((word & mask) | own) & read->mask);
}

/* Goes back from now to the attempt's begin until all reads fit at once. */
static bool fits_one_point(const struct oracle_group *group, const struct oracle_attempt *attempt)
{
    uint32_t *words = allocate(attempt->count + 1, sizeof *words);
    uint32_t place = group->change_count;
    bool is_found = false;

    for (uint32_t i = 0; i < attempt->count; i++)
        words[i] = group->replay[attempt->steps[i].word];
    for (uint64_t point = group->length; !is_found; point--) {
        is_found = true;
        for (uint32_t i = 0; i < attempt->count && is_found; i++)
            is_found = attempt->steps[i].is_write || read_fits(attempt, i, words[i]);
        if (is_found || point == attempt->began)
            break;
        for (; place > 0 && group->changes[place - 1].index == point - 1; place--)
            for (uint32_t i = 0; i < attempt->count; i++)
                if (attempt->steps[i].word == group->changes[place - 1].word)
                    words[i] = group->changes[place - 1].old;
    }
    free(words);
    return is_found;
}

static void end_attempt(struct oracle *oracle, struct oracle_group *group,
                        struct oracle_attempt *attempt)
{
    if (oracle->promises_opacity && attempt->count > 0 && !fits_one_point(group, attempt)) {
        const struct oracle_step *latest = &attempt->steps[attempt->count - 1];

        oracle_violate(oracle, latest, group->replay[latest->word], attempt->steps[0].pc,
                       "not opaque: what an attempt read was never in memory at one time");
    }
    attempt->is_open = false;
    if (--group->open == 0)
        group->change_count = 0;
}

void oracle_abort(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t lanes)
{
    struct oracle_group *group = &oracle->groups[wavefront->group->slot];

    for_each_bit(lane, lanes)
    {
        struct oracle_attempt *attempt = attempt_of(group, wavefront, lane);

        if (attempt->is_open)
            end_attempt(oracle, group, attempt);
    }
}

static void replay_attempt(struct oracle *oracle, struct oracle_group *group,
                           const struct oracle_attempt *attempt)
{
    for (uint32_t i = 0; i < attempt->count; i++)
        if (!attempt->steps[i].is_write &&
            !read_fits(attempt, i, group->replay[attempt->steps[i].word]))
            oracle_violate(oracle, &attempt->steps[i], group->replay[attempt->steps[i].word],
                           group->writer[attempt->steps[i].word],
                           "not serialisable: a committed transaction read what was not there");
    for (uint32_t i = 0; i < attempt->count; i++)
        if (attempt->steps[i].is_write)
            replay_store(group, &attempt->steps[i]);
    group->length++;
}

void oracle_commit(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t lanes)
{
    struct oracle_group *group = &oracle->groups[wavefront->group->slot];

    for_each_bit(lane, lanes)
    {
        struct oracle_attempt *attempt = attempt_of(group, wavefront, lane);

        replay_attempt(oracle, group, attempt);
        attempt->count = 0; /* the same point serves opacity */
        end_attempt(oracle, group, attempt);
    }
}

/* ---- accesses ---- */

void oracle_before(struct oracle *oracle, const struct tm_wavefront *wavefront,
                   const struct isa_memory_request *request)
{
    oracle->before_lanes = request->lanes;
    oracle->before_second = request->second_delta != 0 ? request->second_lanes : 0;
    if (request->kind == ISA_MEMORY_ATOMIC)
        memcpy(oracle->operands, request->data, sizeof oracle->operands);
}

/* A plain access takes effect at once, and meets no word that an attempt has changed. */
static void plain_step(struct oracle *oracle, struct oracle_group *group,
                       const struct oracle_step *step)
{
    uint32_t expected = group->replay[step->word];
    uint64_t other;

    if (!step->is_write && (step->value & step->mask) != (expected & step->mask)) {
        other = speculative_store(group, step->word);
        oracle_violate(oracle, step, expected, other != 0 ? other : group->writer[step->word],
                       other != 0
                           ? "weak isolation: a plain load meets a store that has not committed"
                           : "a plain load reads what no committed store left");
    }
    if (step->is_write) {
        other = speculative_store(group, step->word);
        if (other != 0)
            oracle_violate(oracle, step, expected, other,
                           "weak isolation: a plain store meets a store that has not committed");
        replay_store(group, step);
        group->length++;
    }
}

static void take_step(struct oracle *oracle, const struct tm_wavefront *wavefront, unsigned lane,
                      struct oracle_step step)
{
    struct oracle_group *group = &oracle->groups[wavefront->group->slot];
    struct oracle_attempt *attempt = attempt_of(group, wavefront, lane);

    if (step.word >= group->words)
        return; /* a fault, which is told elsewhere */
    if (attempt->is_open)
        add_step(attempt, step);
    else
        plain_step(oracle, group, &step);
}

/* What the atomic has stored, from the old words and the operands. */
static void new_words(const struct oracle *oracle, const struct isa_memory_request *request,
                      unsigned lane, uint32_t values[2])
{
    uint64_t old = request->data[0][lane] | (uint64_t)request->data[1][lane] << 32;
    uint64_t operand = oracle->operands[0][lane] | (uint64_t)oracle->operands[1][lane] << 32;
    uint64_t compare = request->compare[0][lane] | (uint64_t)request->compare[1][lane] << 32;
    uint64_t new = request->element_bytes == 8 ? rmw_apply_64(request->rmw, old, operand, compare)
                                               : rmw_apply_32(request->rmw, (uint32_t)old,
                                                              (uint32_t)operand, (uint32_t)compare);

    values[0] = (uint32_t) new;
    values[1] = (uint32_t)(new >> 32);
}

static void take_element(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t pc,
                         const struct isa_memory_request *request, unsigned lane, uint64_t address,
                         unsigned first)
{
    unsigned bytes = request->element_bytes, shift = bytes < 4 ? 8 * (address & 3) : 0;
    struct oracle_step step = {
        .pc = pc, .mask = bytes < 4 ? (uint32_t)low_mask(8 * bytes) << shift : UINT32_MAX};
    uint32_t changed[2];

    if (request->kind == ISA_MEMORY_ATOMIC)
        new_words(oracle, request, lane, changed);
    for (unsigned i = 0; i < (bytes + 3) / 4; i++) {
        step.word = (uint32_t)(address / 4) + i;
        step.value = request->data[first + i][lane] << shift;
        step.is_write = request->kind == ISA_MEMORY_STORE;
        take_step(oracle, wavefront, lane, step);
        if (request->kind != ISA_MEMORY_ATOMIC)
            continue;
        step.value = changed[i];
        step.is_write = true;
        take_step(oracle, wavefront, lane, step);
    }
}

void oracle_after(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t pc,
                  const struct isa_memory_request *request, uint64_t served)
{
    uint64_t lanes = (oracle->before_lanes | oracle->before_second) & served;
    unsigned second = request->element_bytes < 4 ? 1 : request->element_bytes / 4u;

    for_each_bit(lane, lanes)
    {
        uint64_t address = request->address[lane];

        if ((oracle->before_lanes >> lane & 1) != 0)
            take_element(oracle, wavefront, pc, request, lane, address, 0);
        if ((oracle->before_second >> lane & 1) != 0)
            take_element(oracle, wavefront, pc, request, lane,
                         address + (uint64_t)(int64_t)request->second_delta, second);
    }
}

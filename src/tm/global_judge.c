/* SPDX-License-Identifier: MIT */
/* The judge of the oracle on global memory: replays what committed, and places what did not. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "tm/global_oracle_private.h"

/* ---- words ---- */

static uint32_t initial_value(const struct global_oracle *oracle, uint64_t word)
{
    uint32_t low = 0, high = oracle->image_count, value = 0;
    uint64_t address = word * 4;

    while (low < high) {
        uint32_t middle = (low + high) / 2;

        if (oracle->images[middle].address + oracle->images[middle].count <= address)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < oracle->image_count && address >= oracle->images[low].address)
        memcpy(&value, oracle->images[low].bytes + (address - oracle->images[low].address), 4);
    return value;
}

static uint32_t place_of(const struct judge *judge, uint64_t word)
{
    uint32_t place =
        (uint32_t)((word * UINT64_C(0x9e3779b97f4a7c15)) >> 32) & (judge->capacity - 1);

    while (judge->words[place].word != 0 && judge->words[place].word != word + 1)
        place = (place + 1) & (judge->capacity - 1);
    return place;
}

static void judge_grow(struct judge *judge)
{
    struct judged_word *old = judge->words;
    uint32_t old_capacity = judge->capacity;

    judge->capacity *= 2;
    judge->words = allocate(judge->capacity, sizeof *judge->words);
    for (uint32_t i = 0; i < old_capacity; i++)
        if (old[i].word != 0)
            judge->words[place_of(judge, old[i].word - 1)] = old[i];
    free(old);
}

struct judged_word *judge_word(struct judge *judge, uint64_t word)
{
    struct judged_word *found;

    if (2 * judge->count >= judge->capacity)
        judge_grow(judge);
    found = &judge->words[place_of(judge, word)];
    if (found->word != 0)
        return found;
    judge->count++;
    found->word = word + 1;
    found->initial = found->now = initial_value(judge->oracle, word);
    return found;
}

static void change_word(struct judge *judge, const struct own_word *own, uint64_t pc)
{
    struct judged_word *word = judge_word(judge, own->word);

    word->now = (word->now & ~own->mask) | (own->value & own->mask);
    word->writer = pc;
    if (word->count == word->capacity) {
        word->capacity = word->capacity * 2 + 4;
        word->versions = reallocate(word->versions, word->capacity, sizeof *word->versions);
    }
    word->versions[word->count++] = (struct judged_version){judge->length + 1, word->now};
}

/* ---- violations ---- */

void judge_violate(struct judge *judge, const struct global_attempt *attempt,
                   const struct foreign *read, uint32_t expected, uint64_t other_pc,
                   const char *what)
{
    struct global_oracle *oracle = judge->oracle;

    if (oracle->violation.text != NULL)
        return;
    text_finish(&oracle->text);
    oracle->text = (struct text){0};
    text_add(&oracle->text, "%s: the word at 0x%llx is 0x%x here, and 0x%x in the serial replay",
             what, (unsigned long long)read->word * 4, read->value & read->mask,
             expected & read->mask);
    oracle->violation = (struct oracle_violation){text_chars(&oracle->text), read->pc, other_pc};
    if (attempt != NULL)
        oracle->place = attempt->place;
}

/* ---- one attempt, step by step ---- */

static struct own_word *own_of(struct replayed *replayed, uint64_t word)
{
    for (uint32_t i = 0; i < replayed->count; i++)
        if (replayed->own[i].word == word)
            return &replayed->own[i];
    if (replayed->count == replayed->capacity) {
        replayed->capacity = replayed->capacity * 2 + 8;
        replayed->own = reallocate(replayed->own, replayed->capacity, sizeof *replayed->own);
    }
    replayed->own[replayed->count] = (struct own_word){.word = word};
    return &replayed->own[replayed->count++];
}

static void store_own(struct replayed *replayed, uint64_t word, uint32_t mask, uint32_t value,
                      bool is_known)
{
    struct own_word *own = own_of(replayed, word);

    own->value = (own->value & ~mask) | (value & mask);
    own->mask |= mask;
    own->unknown = is_known ? own->unknown & ~mask : own->unknown | mask;
}

/* Of a word that was read, what is not the attempt's own; false: what is its own differs. */
static bool foreign_part(struct replayed *replayed, const struct global_step *step, unsigned i,
                         struct foreign *read)
{
    struct own_word own = {0};
    uint32_t value = (uint32_t)(step->value >> (32 * i));

    for (uint32_t j = 0; j < replayed->count; j++)
        if (replayed->own[j].word == step->word + i)
            own = replayed->own[j];
    *read = (struct foreign){.word = step->word + i,
                             .pc = step->pc,
                             .landed = step->landed,
                             .mask = step->mask & ~own.mask,
                             .value = value};
    return ((value ^ own.value) & step->mask & own.mask & ~own.unknown) == 0;
}

/* In the replay an update whose old value did not come takes what is there. */
static uint64_t old_value(struct judge *judge, struct replayed *replayed,
                          const struct global_step *step)
{
    uint64_t old = 0;

    for (unsigned i = 0; i < (step->is_wide ? 2u : 1u); i++) {
        const struct own_word *own = own_of(replayed, step->word + i);
        uint32_t word = judge_word(judge, step->word + i)->now;

        old |= (uint64_t)((word & ~own->mask) | (own->value & own->mask)) << (32 * i);
    }
    return old;
}

static void apply_update(struct replayed *replayed, const struct global_step *step, uint64_t old,
                         bool is_known)
{
    uint64_t new = step->is_wide ? rmw_apply_64(step->rmw, old, step->operand, step->compare)
                                 : rmw_apply_32(step->rmw, (uint32_t)old, (uint32_t)step->operand,
                                                (uint32_t)step->compare);

    for (unsigned i = 0; i < (step->is_wide ? 2u : 1u); i++)
        store_own(replayed, step->word + i, UINT32_MAX, (uint32_t)(new >> (32 * i)), is_known);
}

bool judge_run(struct judge *judge, const struct global_attempt *attempt, struct replayed *replayed,
               void (*look)(void *context, const struct foreign *read), void *context,
               struct foreign *wrong)
{
    replayed->count = 0;
    for (uint32_t i = 0; i < attempt->count; i++) {
        const struct global_step *step = &attempt->steps[i];
        uint64_t old = step->value;
        bool is_known = step->is_known;

        if (step->action == ACTION_WRITE) {
            store_own(replayed, step->word, step->mask, (uint32_t)step->value, true);
            continue;
        }
        for (unsigned j = 0; is_known && j < (step->is_wide ? 2u : 1u); j++) {
            if (!foreign_part(replayed, step, j, wrong))
                return false;
            if (wrong->mask != 0)
                look(context, wrong);
        }
        if (step->action != ACTION_UPDATE)
            continue;
        if (!is_known && judge != NULL) {
            old = old_value(judge, replayed, step);
            is_known = true;
        }
        apply_update(replayed, step, old, is_known);
    }
    return true;
}

/* ---- what committed ---- */

struct replaying {
    struct judge *judge;
    const struct global_attempt *attempt;
};

static void look_now(void *context, const struct foreign *read)
{
    const struct replaying *replaying = context;
    struct judged_word *word = judge_word(replaying->judge, read->word);

    if (!word->is_mixed && ((word->now ^ read->value) & read->mask) != 0)
        judge_violate(replaying->judge, replaying->attempt, read, word->now, word->writer,
                      "not serialisable: a committed transaction read what was not there");
}

static void attempt_replay(struct judge *judge, const struct global_attempt *attempt,
                           struct replayed *replayed)
{
    struct replaying replaying = {judge, attempt};
    struct foreign wrong;

    if (!judge_run(judge, attempt, replayed, look_now, &replaying, &wrong))
        judge_violate(judge, attempt, &wrong, 0, 0,
                      "a transaction did not read what it had stored");
    for (uint32_t i = 0; i < replayed->count; i++) {
        uint64_t pc = 0;

        for (uint32_t j = 0; j < attempt->count; j++)
            if (attempt->steps[j].action != ACTION_READ &&
                replayed->own[i].word - attempt->steps[j].word <= attempt->steps[j].is_wide)
                pc = attempt->steps[j].pc;
        if (replayed->own[i].mask != 0)
            change_word(judge, &replayed->own[i], pc);
    }
    judge->length++;
}

static int compare_order(const void *left, const void *right)
{
    const struct global_attempt *a = *(const struct global_attempt *const *)left;
    const struct global_attempt *b = *(const struct global_attempt *const *)right;

    if (a->order != b->order)
        return a->order < b->order ? -1 : 1;
    if (a->ended != b->ended)
        return a->ended < b->ended ? -1 : 1;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    return (a->sequence > b->sequence) - (a->sequence < b->sequence);
}

static void find_order(struct judge *judge)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < judge->oracle->unit_count; i++)
        count += judge->oracle->units[i].ended_count;
    judge->order = allocate(count + 1, sizeof(const struct global_attempt *));
    for (uint32_t i = 0; i < judge->oracle->unit_count; i++)
        for (uint32_t j = 0; j < judge->oracle->units[i].ended_count; j++)
            if (judge->oracle->units[i].ended[j].has_committed)
                judge->order[judge->order_count++] = &judge->oracle->units[i].ended[j];
    qsort(judge->order, judge->order_count, sizeof(const struct global_attempt *), compare_order);
}

static void replay_all(struct judge *judge, struct replayed *replayed)
{
    find_order(judge);
    for (uint32_t i = 0; i < judge->order_count; i++) {
        const struct global_attempt *attempt = judge->order[i];
        struct foreign none = {.pc = attempt->count > 0 ? attempt->steps[0].pc : 0};

        if (i > 0 && attempt->order != UINT64_MAX && attempt->order == judge->order[i - 1]->order &&
            none.pc != 0)
            judge_violate(judge, attempt, &none, 0, 0, "two commits claim one place in the order");
        attempt_replay(judge, attempt, replayed);
    }
    judge->oracle->statistics.commits += judge->order_count;
}

/* ---- what is left ---- */

static void mark_mixed(struct judge *judge)
{
    for (uint32_t i = 0; i < judge->oracle->unit_count; i++) {
        const struct global_witness *unit = &judge->oracle->units[i];

        for (uint32_t j = 0; j < unit->plain_count; j++)
            judge_word(judge, unit->plain[j])->is_mixed = true;
        for (uint32_t j = 0; j < unit->ended_count; j++)
            for (uint32_t k = 0; k < unit->ended[j].count; k++)
                judge_word(judge, unit->ended[j].steps[k].word)->toucher =
                    unit->ended[j].steps[k].pc;
    }
}

static void judge_memory(struct judge *judge,
                         void (*read)(void *context, uint64_t address, void *bytes, uint64_t count),
                         void *context)
{
    for (uint32_t i = 0; i < judge->capacity; i++) {
        const struct judged_word *word = &judge->words[i];
        struct foreign left = {.word = word->word - 1, .mask = UINT32_MAX};

        if (word->word == 0 || word->is_mixed)
            continue;
        read(context, left.word * 4, &left.value, 4);
        left.pc = word->writer != 0 ? word->writer : word->toucher;
        if (left.value != word->now)
            judge_violate(judge, NULL, &left, word->now, 0,
                          "a value was lost, or came from an abort");
    }
}

struct oracle_violation global_oracle_judge(struct global_oracle *oracle,
                                            void (*read)(void *context, uint64_t address,
                                                         void *bytes, uint64_t count),
                                            void *context, struct oracle_place *place)
{
    struct judge judge = {.oracle = oracle, .capacity = 1024};
    struct replayed replayed = {0};

    judge.words = allocate(judge.capacity, sizeof *judge.words);
    oracle->violation = (struct oracle_violation){0};
    memset(&oracle->place, 0, sizeof oracle->place);
    mark_mixed(&judge);
    replay_all(&judge, &replayed);
    judge_attempts(&judge, &replayed);
    judge_memory(&judge, read, context);
    for (uint32_t i = 0; i < judge.capacity; i++)
        free(judge.words[i].versions);
    free(judge.words);
    free(judge.order);
    free(replayed.own);
    *place = oracle->place;
    return oracle->violation;
}

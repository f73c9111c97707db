/* SPDX-License-Identifier: MIT */
/* The third part of the oracle on global memory: attempts, committed or not, and the points of the
 * replay that what they read fits. */
#include <stdlib.h>

#include "base/check.h"
#include "tm/global_oracle_private.h"

/* Places of the replay, as intervals [from, to], at which all reads so far were there. */
struct fitting {
    struct judge *judge;
    struct interval {
        uint64_t from, to;
    } * intervals, *next;
    uint32_t count, capacity;
    struct foreign lost;    /* a read of what was never there: mask 0: none */
    struct foreign *landed; /* of a doomed attempt: its reads, to be sorted by when they came */
    uint32_t landed_count, landed_capacity;
};

static void interval_keep(struct fitting *fitting, uint32_t *count, uint64_t from, uint64_t to)
{
    if (*count == fitting->capacity) {
        fitting->capacity = fitting->capacity * 2 + 16;
        fitting->intervals =
            reallocate(fitting->intervals, fitting->capacity, sizeof *fitting->intervals);
        fitting->next = reallocate(fitting->next, fitting->capacity, sizeof *fitting->next);
    }
    fitting->next[(*count)++] = (struct interval){from, to};
}

/* Cuts the intervals with [from, to], which rises from call to call. */
static void intervals_cut(struct fitting *fitting, uint32_t *count, uint64_t from, uint64_t to)
{
    for (uint32_t i = 0; i < fitting->count; i++) {
        struct interval old = fitting->intervals[i];
        uint64_t low = old.from > from ? old.from : from, high = old.to < to ? old.to : to;

        if (low <= high)
            interval_keep(fitting, count, low, high);
    }
}

static void look_anywhere(void *context, const struct foreign *read)
{
    struct fitting *fitting = context;
    const struct judged_word *word = judge_word(fitting->judge, read->word);
    uint64_t from = 0;
    uint32_t value = word->initial, count = 0;
    bool was_ever = false;
    struct interval *old;

    if (word->is_mixed)
        return;
    for (uint32_t i = 0; i <= word->count; i++) {
        uint64_t to = i < word->count ? word->versions[i].from - 1 : fitting->judge->length;

        if (((value ^ read->value) & read->mask) == 0) {
            was_ever = true;
            intervals_cut(fitting, &count, from, to);
        }
        if (i < word->count) {
            from = word->versions[i].from;
            value = word->versions[i].value;
        }
    }
    if (!was_ever)
        fitting->lost = *read;
    old = fitting->intervals;
    fitting->intervals = fitting->next;
    fitting->next = old;
    fitting->count = count;
}

static void fit_all(struct fitting *fitting)
{
    uint32_t none = 0;
    struct interval *old;

    interval_keep(fitting, &none, 0, fitting->judge->length);
    old = fitting->intervals;
    fitting->intervals = fitting->next;
    fitting->next = old;
    fitting->count = 1;
    fitting->lost.mask = 0;
}

/* ---- doomed attempts ---- */

static void foreign_gather(void *context, const struct foreign *read)
{
    struct fitting *fitting = context;

    if (fitting->landed_count == fitting->landed_capacity) {
        fitting->landed_capacity = fitting->landed_capacity * 2 + 16;
        fitting->landed =
            reallocate(fitting->landed, fitting->landed_capacity, sizeof *fitting->landed);
    }
    fitting->landed[fitting->landed_count++] = *read;
}

static int compare_landed(const void *left, const void *right)
{
    const struct foreign *a = left, *b = right;

    return (a->landed > b->landed) - (a->landed < b->landed);
}

/* The read after which no point fits. */
static struct foreign find_doom(const struct global_attempt *attempt, struct fitting *fitting,
                                struct replayed *replayed)
{
    struct foreign wrong;
    uint32_t i = 0;

    fitting->landed_count = 0;
    judge_run(NULL, attempt, replayed, foreign_gather, fitting, &wrong);
    qsort(fitting->landed, fitting->landed_count, sizeof *fitting->landed, compare_landed);
    for (fit_all(fitting); fitting->count > 0; i++) {
        check(i < fitting->landed_count, "an attempt is doomed by none of its reads");
        look_anywhere(fitting, &fitting->landed[i]);
    }
    return fitting->landed[i - 1];
}

static void judge_doomed(struct judge *judge, const struct global_attempt *attempt,
                         struct fitting *fitting, struct replayed *replayed)
{
    struct global_oracle_statistics *counts = &judge->oracle->statistics;
    struct foreign doom = find_doom(attempt, fitting, replayed);
    uint64_t stopped = attempt->stopped != 0 ? attempt->stopped : attempt->ended;
    uint64_t ran = stopped > doom.landed ? stopped - doom.landed : 0;
    uint64_t cycles = attempt->ended - doom.landed;
    char what[128];

    counts->doomed++;
    counts->doomed_cycles += cycles;
    counts->doomed_ran += ran;
    if (cycles > counts->doomed_longest)
        counts->doomed_longest = cycles;
    if (ran > counts->doomed_ran_longest)
        counts->doomed_ran_longest = ran;
    if (judge->oracle->promise == TM_PROMISES_OPACITY)
        judge_violate(judge, attempt, &doom, judge_word(judge, doom.word)->now,
                      attempt->steps[0].pc,
                      "not opaque: what an attempt read was never in memory at one time");
    if (judge->oracle->promise != TM_PROMISES_AN_END || ran <= judge->oracle->doomed_max)
        return;
    snprintf(what, sizeof what, "a doomed attempt ran on for %llu cycles, more than %llu",
             (unsigned long long)ran, (unsigned long long)judge->oracle->doomed_max);
    judge_violate(judge, attempt, &doom, judge_word(judge, doom.word)->now, attempt->steps[0].pc,
                  what);
}

/* ---- all attempts ---- */

static void judge_attempt(struct judge *judge, const struct global_attempt *attempt,
                          struct fitting *fitting, struct replayed *replayed)
{
    struct foreign wrong = {0};

    fit_all(fitting);
    judge->oracle->statistics.attempts++;
    if (!judge_run(NULL, attempt, replayed, look_anywhere, fitting, &wrong))
        judge_violate(judge, attempt, &wrong, 0, 0, "an attempt did not read what it had stored");
    if (fitting->lost.mask != 0)
        judge_violate(judge, attempt, &fitting->lost, judge_word(judge, fitting->lost.word)->now, 0,
                      "an attempt read what was never there");
    if (fitting->count == 0 && attempt->count > 0)
        judge_doomed(judge, attempt, fitting, replayed);
}

void judge_attempts(struct judge *judge, struct replayed *replayed)
{
    struct fitting fitting = {.judge = judge};

    for (uint32_t i = 0; i < judge->oracle->unit_count; i++)
        for (uint32_t j = 0; j < judge->oracle->units[i].ended_count; j++)
            judge_attempt(judge, &judge->oracle->units[i].ended[j], &fitting, replayed);
    free(fitting.intervals);
    free(fitting.next);
    free(fitting.landed);
}

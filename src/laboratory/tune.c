/* SPDX-License-Identifier: MIT */
#include "laboratory/tune.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/pool.h"
#include "laboratory/words.h"

enum { EXIT_CYCLE_LIMIT = 124, FINALISTS_MIN = 2 };
/* How long a run may be expected to be, in runs of the first point. */
static const double SHORTEST = 0.25, LONGEST = 4;

struct tuner {
    const struct plan *plan;
    const struct points *points;
    const struct tune_options *options;
    struct tuning *tuning;
    struct pool pool;
    char *directory;
    uint64_t limit; /* of the runs under way; 0: none */
    struct diagnosis *diagnosis;
};

/* What comes behind the first rung. */
struct rung {
    unsigned count;     /* points that are looked at longer */
    unsigned finalists; /* and of these, points that are run to the end */
    uint64_t prefix;
};

/* ---- Runs ---- */

static bool tuner_start(struct tuner *tuner, unsigned index)
{
    struct words words = {0};
    bool is_good;

    if (tuner->limit > 0) {
        words_add_copy(&words, "--max-cycles");
        words_add(&words, format_string("%llu", (unsigned long long)tuner->limit));
    }
    for (char **word = tuner->points->list[index].words; *word != NULL; word++)
        words_add_copy(&words, *word);
    is_good = pool_start(&tuner->pool, index, tuner->options->executable, words.list,
                         tuner->directory, tuner->diagnosis);
    words_finish(&words);
    return is_good;
}

/* What a run did, from its statistics. */
static void take_result(struct tuner *tuner, const struct ended *ended)
{
    struct candidate *candidate = &tuner->tuning->candidates[ended->point];
    json_error_t error;
    json_t *root = json_load_file(ended->json, 0, &error);
    const json_t *run = json_object_get(root, "run");
    uint64_t cycles = (uint64_t)json_integer_value(json_object_get(run, "cycles"));

    if (run == NULL || (ended->status != 0 && ended->status != EXIT_CYCLE_LIMIT)) {
        candidate->message =
            copy_string(ended->message != NULL ? ended->message : "it has no statistics");
    } else {
        tuner->tuning->total_cycles += cycles;
        candidate->seen_cycles = cycles;
        candidate->instructions =
            (uint64_t)json_integer_value(json_object_get(run, "instructions"));
        if (ended->status == 0)
            candidate->cycles = cycles;
    }
    json_decref(root);
}

/* Runs these to the limit. */
static bool run_all(struct tuner *tuner, const unsigned *indices, unsigned count, uint64_t limit)
{
    unsigned next = 0;

    tuner->limit = limit;
    while (next < count || tuner->pool.busy > 0) {
        struct ended ended;

        while (next < count && tuner->pool.busy < tuner->pool.max)
            if (!tuner_start(tuner, indices[next++]))
                return false;
        if (pool_wait(&tuner->pool, &ended)) {
            take_result(tuner, &ended);
            unlink(ended.json);
            free(ended.json);
            free(ended.message);
        }
        if (tuner->pool.interrupted != 0)
            return diagnose(tuner->diagnosis, "stopped by a signal");
    }
    return true;
}

/* ---- Rungs ---- */

/* What it did a cycle: that of its whole run when it ended early. */
static double pace_of(const struct candidate *candidate)
{
    if (candidate->message != NULL || candidate->seen_cycles == 0)
        return 0;
    return (double)candidate->instructions / (double)candidate->seen_cycles;
}

/* Best first; of equals the first stays first. */
static void sort_by_pace(const struct tuning *tuning, unsigned *indices, unsigned count)
{
    for (unsigned i = 1; i < count; i++) {
        unsigned index = indices[i], j = i;

        for (; j > 0 &&
               pace_of(&tuning->candidates[indices[j - 1]]) < pace_of(&tuning->candidates[index]);
             j--)
            indices[j] = indices[j - 1];
        indices[j] = index;
    }
}

static double behind_of(const struct tuning *tuning, unsigned index, unsigned first)
{
    double best = pace_of(&tuning->candidates[first]);

    return best > 0 ? 1 - pace_of(&tuning->candidates[index]) / best : 0;
}

/* Marks those that are left behind, of which no more is seen. */
static void tuning_leave(struct tuning *tuning, const unsigned *indices, unsigned count,
                         unsigned kept)
{
    for (unsigned i = kept; i < count; i++) {
        struct candidate *candidate = &tuning->candidates[indices[i]];

        candidate->behind = behind_of(tuning, indices[i], indices[0]);
        if (candidate->message == NULL && candidate->behind < tuning->behind_min)
            tuning->behind_min = candidate->behind;
    }
}

static void note_shift(struct tuning *tuning, double shift)
{
    shift = shift < 0 ? -shift : shift;
    if (shift > tuning->largest_shift)
        tuning->largest_shift = shift;
}

/* One rung. How far places move against the rung before tells what a prefix is worth. */
static bool run_rung(struct tuner *tuner, unsigned *indices, unsigned count, uint64_t limit,
                     bool is_first)
{
    struct tuning *tuning = tuner->tuning;
    double *before = allocate(count + 1, sizeof *before);
    bool is_good;

    for (unsigned i = 0; i < count; i++)
        before[i] = behind_of(tuning, indices[i], indices[0]);
    is_good = run_all(tuner, indices, count, limit);
    for (unsigned i = 0; i < count && is_good && !is_first; i++)
        note_shift(tuning, behind_of(tuning, indices[i], indices[0]) - before[i]);
    free(before);
    sort_by_pace(tuning, indices, count);
    return is_good;
}

/* One finalist: until it is slower than the best. */
static bool run_final(struct tuner *tuner, unsigned index)
{
    struct tuning *tuning = tuner->tuning;
    struct candidate *candidate = &tuning->candidates[index];
    uint64_t best = tuning->candidates[tuning->best].cycles;

    if (candidate->message != NULL)
        return true;
    if (candidate->cycles == 0 && !run_all(tuner, &index, 1, best))
        return false;
    if (candidate->cycles > 0 && candidate->cycles < best)
        tuning->best = index;
    candidate->is_slower = candidate->cycles == 0;
    return true;
}

static bool run_finals(struct tuner *tuner, const unsigned *indices, unsigned count)
{
    double *before = allocate(count + 1, sizeof *before);
    bool is_good = true;

    for (unsigned i = 0; i < count; i++)
        before[i] = behind_of(tuner->tuning, indices[i], indices[0]);
    for (unsigned i = 0; i < count && is_good; i++)
        is_good = run_final(tuner, indices[i]);
    for (unsigned i = 0; i < count && is_good; i++)
        note_shift(tuner->tuning, behind_of(tuner->tuning, indices[i], indices[0]) - before[i]);
    free(before);
    return is_good;
}

/* ---- How much of what ---- */

/* Cycles of running all points, in runs of the first: it does `pace` times what they do. Early in a
 * program points differ less than later, so this is rather too little. */
static double whole_of_all(const struct tuning *tuning)
{
    double first = pace_of(&tuning->candidates[0]), sum = 0;

    for (unsigned i = 0; i < tuning->count; i++) {
        double pace = pace_of(&tuning->candidates[i]);
        double runs = pace > 0 ? first / pace : 1;

        sum += runs < SHORTEST ? SHORTEST : runs > LONGEST ? LONGEST : runs;
    }
    return sum;
}

/* What is left of the share goes to finalists, and before them to a longer look at twice as
 * many. */
static void plan_second_rung(const struct tuner *tuner, unsigned count, struct rung *rung)
{
    const struct tuning *tuning = tuner->tuning;
    double whole = (double)tuning->candidates[0].cycles;
    double left =
        tuner->options->share * whole_of_all(tuning) - (double)tuning->total_cycles / whole;

    rung->finalists = left / 2 > FINALISTS_MIN ? (unsigned)(left / 2) : FINALISTS_MIN;
    rung->finalists = rung->finalists > count ? count : rung->finalists;
    rung->count = 2 * rung->finalists + 1 < count ? 2 * rung->finalists + 1 : count;
    rung->prefix =
        left > rung->finalists ? (uint64_t)(whole * (left - rung->finalists) / rung->count) : 0;
    if (rung->prefix > tuning->candidates[0].cycles)
        rung->prefix = tuning->candidates[0].cycles;
}

static void tuner_tell(const struct tuner *tuner, uint64_t prefix, unsigned kept)
{
    if (!tuner->options->is_quiet)
        fprintf(stderr, "wavetank: after the first %llu cycles %u of %u points are left\n",
                (unsigned long long)prefix, kept, tuner->tuning->count - 1);
}

/* The first point is done: it is no candidate any more. */
static void without_first(unsigned *indices, unsigned count)
{
    unsigned kept = 0;

    for (unsigned i = 0; i < count; i++)
        if (indices[i] != 0)
            indices[kept++] = indices[i];
}

static bool run_rungs(struct tuner *tuner, unsigned *indices, struct rung *rung)
{
    struct tuning *tuning = tuner->tuning;
    unsigned count = tuning->count;
    uint64_t first = (uint64_t)((double)tuning->candidates[0].cycles * tuner->options->share / 4);

    for (unsigned i = 0; i < count; i++)
        indices[i] = i;
    if (!run_rung(tuner, indices, count, first + 1, true))
        return false;
    without_first(indices, count--);
    plan_second_rung(tuner, count, rung);
    tuning_leave(tuning, indices, count, rung->count);
    tuner_tell(tuner, first + 1, rung->count);
    if (rung->count == rung->finalists || rung->prefix <= first) {
        tuning_leave(tuning, indices, rung->count, rung->finalists);
        return true;
    }
    if (!run_rung(tuner, indices, rung->count, rung->prefix, false))
        return false;
    tuning_leave(tuning, indices, rung->count, rung->finalists);
    tuner_tell(tuner, rung->prefix, rung->finalists);
    return true;
}

static bool tuner_run(struct tuner *tuner)
{
    struct tuning *tuning = tuner->tuning;
    unsigned *indices = allocate(tuning->count + 1, sizeof *indices);
    struct rung rung = {0};
    bool is_good = run_all(tuner, indices, 1, 0);

    if (is_good && tuning->candidates[0].message != NULL)
        is_good = diagnose(tuner->diagnosis, "the first point: %s", tuning->candidates[0].message);
    is_good = is_good && (tuning->count == 1 || (run_rungs(tuner, indices, &rung) &&
                                                 run_finals(tuner, indices, rung.finalists)));
    free(indices);
    return is_good;
}

bool tune_points(const struct plan *plan, const struct points *points,
                 const struct tune_options *options, struct tuning *tuning,
                 struct diagnosis *diagnosis)
{
    struct tuner tuner = {.plan = plan,
                          .points = points,
                          .options = options,
                          .tuning = tuning,
                          .diagnosis = diagnosis};
    bool is_good;

    memset(tuning, 0, sizeof *tuning);
    tuning->behind_min = 1;
    tuning->count = points->count;
    tuning->candidates = allocate(points->count, sizeof *tuning->candidates);
    tuner.directory = realpath(plan->folder, NULL);
    is_good = pool_init(&tuner.pool, options->jobs, 0, diagnosis) && tuner_run(&tuner);
    pool_finish(&tuner.pool);
    free(tuner.directory);
    return is_good;
}

void tuning_finish(struct tuning *tuning)
{
    for (unsigned i = 0; i < tuning->count; i++)
        free(tuning->candidates[i].message);
    free(tuning->candidates);
    memset(tuning, 0, sizeof *tuning);
}

/* SPDX-License-Identifier: MIT */
#include "laboratory/sweep.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/pool.h"
#include "laboratory/progress.h"
#include "laboratory/results.h"

static const double life_seconds = 10;

struct sweep {
    const struct plan *plan;
    const struct points *points;
    const struct sweep_options *options;
    struct database database;
    struct pool pool;
    struct progress progress;
    unsigned *open; /* indices of points to run, in order */
    unsigned open_count, next;
    unsigned *taken; /* of those that other processes are at */
    unsigned taken_count;
    double alive;
    char *directory;
    struct diagnosis *diagnosis;
};

/* ---- What there is to do ---- */

static bool is_mine(const struct sweep_options *options, const struct point *point)
{
    return options->shards == 0 || (point->number - 1) % options->shards == options->shard - 1;
}

static bool is_repeated(const struct sweep *sweep, unsigned index)
{
    for (unsigned i = 0; i < sweep->open_count; i++)
        if (strcmp(sweep->points->list[sweep->open[i]].key, sweep->points->list[index].key) == 0)
            return true;
    return false;
}

/* Collects what is open, and counts what is known. */
static bool look_around(struct sweep *sweep, struct database *known, unsigned *known_count)
{
    for (unsigned i = 0; i < sweep->points->count; i++) {
        const struct point *point = &sweep->points->list[i];
        enum point_state state, other = POINT_OPEN;

        if (!is_mine(sweep->options, point))
            continue;
        if (!database_state(&sweep->database, point->key, &state, sweep->diagnosis) ||
            (known != NULL && !database_state(known, point->key, &other, sweep->diagnosis)))
            return false;
        if (state == POINT_DONE || other == POINT_DONE)
            (*known_count)++;
        else if (!is_repeated(sweep, i))
            sweep->open[sweep->open_count++] = i;
    }
    return true;
}

static bool find_open(struct sweep *sweep)
{
    const char *path = sweep->options->known;
    struct database known = {0};
    unsigned known_count = 0;
    bool has_known = path != NULL && access(path, F_OK) == 0;
    bool is_good = !has_known || database_open(&known, path, DATABASE_READ, sweep->diagnosis);

    sweep->open = allocate(sweep->points->count + 1, sizeof *sweep->open);
    sweep->taken = allocate(sweep->points->count + 1, sizeof *sweep->taken);
    is_good = is_good && look_around(sweep, has_known ? &known : NULL, &known_count);
    if (has_known)
        database_close(&known);
    progress_begin(&sweep->progress, sweep->open_count + known_count, known_count,
                   sweep->options->is_quiet || sweep->options->without_progress);
    return is_good;
}

/* ---- The loop ---- */

static bool start_point(struct sweep *sweep, unsigned index)
{
    const struct point *point = &sweep->points->list[index];
    enum point_state state;

    if (!database_take(&sweep->database, point->key, &state, sweep->diagnosis))
        return false;
    if (state == POINT_DONE)
        sweep->progress.done++;
    else if (state == POINT_TAKEN)
        sweep->taken[sweep->taken_count++] = index;
    else
        return pool_start(&sweep->pool, index, sweep->options->executable, point->words,
                          sweep->directory, sweep->diagnosis);
    return true;
}

static bool fill_pool(struct sweep *sweep)
{
    while (sweep->pool.busy < sweep->pool.max && sweep->next < sweep->open_count)
        if (!start_point(sweep, sweep->open[sweep->next++]))
            return false;
    sweep->progress.busy = sweep->pool.busy;
    return true;
}

/* What others were at is looked at again: done, or left by a process that has gone. */
static void retry_taken(struct sweep *sweep)
{
    if (sweep->taken_count == 0 || sweep->next < sweep->open_count)
        return;
    memcpy(sweep->open, sweep->taken, sweep->taken_count * sizeof *sweep->open);
    sweep->open_count = sweep->taken_count;
    sweep->taken_count = sweep->next = 0;
}

static void tell_failure(struct sweep *sweep, const struct point *point, const char *message)
{
    char *title = point_title(sweep->plan, point);
    const char *end = strchr(message, '\n');

    progress_hide(&sweep->progress);
    fprintf(stderr, "wavetank: point %u (%s) failed: %.*s\n", point->number, title,
            (int)(end != NULL ? end - message : (long)strlen(message)), message);
    free(title);
}

static bool outcome_store(struct sweep *sweep, const struct ended *ended)
{
    const struct point *point = &sweep->points->list[ended->point];
    const struct outcome outcome = {.status = ended->status,
                                    .message = ended->message,
                                    .seconds = ended->seconds,
                                    .started_ms = ended->started_ms,
                                    .json = access(ended->json, R_OK) == 0 ? ended->json : NULL,
                                    .has_places = sweep->plan->has_places};
    enum point_state state;

    if (!database_store(&sweep->database, point, &outcome, sweep->diagnosis) ||
        !database_state(&sweep->database, point->key, &state, sweep->diagnosis))
        return false;
    if (state == POINT_DONE) {
        sweep->progress.done++;
        return true;
    }
    sweep->progress.failed++;
    tell_failure(sweep, point, ended->message != NULL ? ended->message : "no statistics");
    return true;
}

/* Waits for what comes next. What a signal ended is not stored: it is open again. */
static bool wait_for_news(struct sweep *sweep)
{
    struct ended ended;
    bool is_good = true;

    if (pool_wait(&sweep->pool, &ended)) {
        if (sweep->pool.interrupted == 0)
            is_good = outcome_store(sweep, &ended);
        unlink(ended.json);
        free(ended.message);
        free(ended.json);
    }
    if (is_good && pool_clock() - sweep->alive > life_seconds) {
        sweep->alive = pool_clock();
        is_good = database_sign_of_life(&sweep->database, sweep->diagnosis);
    }
    progress_show(&sweep->progress);
    return is_good;
}

static bool run_points(struct sweep *sweep)
{
    sweep->alive = pool_clock();
    while (sweep->pool.interrupted == 0) {
        if (!fill_pool(sweep))
            return false;
        if (sweep->pool.busy == 0 && sweep->next == sweep->open_count && sweep->taken_count == 0)
            return true;
        if (!wait_for_news(sweep))
            return false;
        if (sweep->pool.busy == 0)
            retry_taken(sweep);
    }
    return true;
}

/* ---- Begin and end ---- */

static void tell_end(struct sweep *sweep)
{
    const struct progress *progress = &sweep->progress;

    progress_hide(&sweep->progress);
    if (sweep->options->is_quiet)
        return;
    fprintf(stderr, "wavetank: %s: %u points done", sweep->options->output, progress->done);
    if (progress->known > 0)
        fprintf(stderr, " (%u were there already)", progress->known);
    if (progress->failed > 0)
        fprintf(stderr, ", %u failed", progress->failed);
    if (progress->total > progress->done + progress->failed)
        fprintf(stderr, ", %u open; the same command goes on",
                progress->total - progress->done - progress->failed);
    fputc('\n', stderr);
}

/* What was measured may be of either content: the next sweep takes these points for others. */
static void tell_changes(const struct sweep *sweep)
{
    struct points now;
    struct diagnosis ignored;
    char *names = NULL;

    if (points_resolve(&now, sweep->plan, sweep->options->context, &ignored))
        names = inputs_names(&now.inputs, &sweep->points->inputs, INPUTS_SHOWN);
    if (names != NULL)
        fprintf(stderr,
                "wavetank: changed while points ran, which the next sweep runs again: %s\n"
                "  hint: name what programs write under `outputs:` in the plan\n",
                names);
    points_finish(&now);
    free(names);
}

static enum sweep_result run_sweep(struct sweep *sweep, int *signal_number)
{
    enum sweep_result result = SWEEP_LOST;

    if (!pool_init(&sweep->pool, sweep->options->jobs, sweep->plan->timeout_seconds,
                   sweep->diagnosis)) {
        pool_finish(&sweep->pool);
        return SWEEP_REFUSED;
    }
    if (database_begin_sweep(&sweep->database, sweep->diagnosis) && run_points(sweep))
        result = sweep->pool.interrupted != 0 ? SWEEP_STOPPED
                 : sweep->progress.failed > 0 ? SWEEP_FAILED_POINTS
                                              : SWEEP_DONE;
    *signal_number = sweep->pool.interrupted;
    progress_hide(&sweep->progress);
    pool_finish(&sweep->pool);
    database_end_sweep(&sweep->database);
    tell_end(sweep);
    if (sweep->open_count > 0)
        tell_changes(sweep);
    return result;
}

enum sweep_result sweep_run(const struct plan *plan, const struct points *points,
                            const struct sweep_options *options, int *signal_number,
                            struct diagnosis *diagnosis)
{
    struct sweep sweep = {
        .plan = plan, .points = points, .options = options, .diagnosis = diagnosis};
    enum sweep_result result = SWEEP_REFUSED;
    int64_t number;

    sweep.directory = realpath(plan->folder, NULL);
    if (database_open(&sweep.database, options->output, DATABASE_CREATE, diagnosis)) {
        if (!database_add_plan(&sweep.database, plan, points, &number, diagnosis))
            result = SWEEP_LOST;
        else if (find_open(&sweep))
            result = run_sweep(&sweep, signal_number);
        if (result < SWEEP_REFUSED && !results_derive(&sweep.database, diagnosis))
            result = SWEEP_LOST;
    }
    database_close(&sweep.database);
    free(sweep.directory);
    free(sweep.open);
    free(sweep.taken);
    return result;
}

/* SPDX-License-Identifier: MIT */
#include "report/limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

/* No busier is a part assumed to be, so that one alone does not decide. */
#define CROWDED_MAX 0.95
/* Below this gain a relief is none. */
#define GAIN_MIN 0.10

enum place {
#define PLACE(NAME, limit) PLACE_##NAME,
#include "report/limit_places.def"
    PLACE_COUNT,
    NO_PLACE = PLACE_COUNT
};

/* Which vector memory instructions: those that wavefronts wait for, the others, all. */
enum kinds { LOADS, STORES, ALL, KINDS_COUNT, NO_KINDS = KINDS_COUNT };

enum { STACKS = 3 };
static const char *const stack_names[STACKS] = {"load", "store", "atomic"};
static const bool stack_is_of[KINDS_COUNT][STACKS] = {
    [LOADS] = {true, false, true}, [STORES] = {false, true, false}, [ALL] = {true, true, true}};

struct stay {
    enum place place;
    const char *time; /* formula */
    enum limit_name limit;
    enum place behind; /* NO_PLACE: `limit` counts */
    bool is_also;
};

struct spent {
    const char *time, *max; /* formulas */
    enum limit_name limit;
    enum kinds kinds; /* NO_KINDS: `limit` counts */
};

const struct limit_description limit_descriptions[LIMIT_COUNT] = {
#define LIMIT(NAME, name, busy, crowd, relieved, what, fact, words, more, more_words, attempt)     \
    [LIMIT_##NAME] = {#name,  what, busy, crowd, relieved, {{fact, words}, {more, more_words}},    \
                      attempt},
#include "report/limit.def"
};

static const uint8_t limit_of_place[PLACE_COUNT] = {
#define PLACE(NAME, limit) [PLACE_##NAME] = LIMIT_##limit,
#include "report/limit_places.def"
};

static const struct stay stays[] = {
#define STAY(PLACE, time, LIMIT) {PLACE_##PLACE, time, LIMIT_##LIMIT, NO_PLACE, false},
#define BEHIND(PLACE, time, OTHER) {PLACE_##PLACE, time, LIMIT_NOTHING, PLACE_##OTHER, false},
#define ALSO(PLACE, time, LIMIT) {PLACE_##PLACE, time, LIMIT_##LIMIT, NO_PLACE, true},
#include "report/limit_places.def"
};

static const struct spent times[] = {
#define SPENT(LIMIT, time, max) {time, max, LIMIT_##LIMIT, NO_KINDS},
#define OF(KINDS, time, max) {time, max, LIMIT_NOTHING, KINDS},
#include "report/limit_times.def"
};

/* ---- Names in the formulas ---- */

struct limit_names {
    struct formula_names names;
    const struct formula_names *kernel;
    enum kinds kinds;      /* of "stack.PART" */
    double behind_latency; /* share of it in what all instructions wait for */
};

static double stack_part(const struct limit_names *names, enum kinds kinds, const char *part)
{
    double sum = 0;

    for (unsigned i = 0; i < STACKS; i++) {
        char *path = format_string("cu.%s_stack.%s", stack_names[i], part);
        double value;

        if (stack_is_of[kinds][i] && names->kernel->value(names->kernel, path, &value))
            sum += value;
        free(path);
    }
    return sum;
}

static bool value_of(const struct formula_names *formula_names, const char *name, double *value)
{
    const struct limit_names *names = container_of(formula_names, struct limit_names, names);

    if (strcmp(name, "behind.latency") == 0)
        *value = names->behind_latency;
    else if (strncmp(name, "stack.", 6) == 0)
        *value = stack_part(names, names->kinds, name + 6);
    else if (strncmp(name, "stacks.", 7) == 0)
        *value = stack_part(names, ALL, name + 7);
    else
        return names->kernel->value(names->kernel, name, value);
    return true;
}

/* 0 for what is not defined (a ratio of nothing) or less than nothing. */
static double limit_evaluate(const struct limit_names *names, const char *formula)
{
    double value;

    return formula_evaluate(formula, &names->names, &value) && value > 0 ? value : 0;
}

/* ---- Places: what time in each waits for, as shares ---- */

struct waits {
    double total;
    double limit[LIMIT_COUNT + 1]; /* the last: nothing's */
};

static void add_shares(struct waits *waits, const struct waits *other, double time)
{
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        waits->limit[i] += time * other->limit[i];
}

/* Time becomes shares of it. */
static void waits_normalise(struct waits *waits, enum limit_name otherwise)
{
    if (waits->total == 0)
        waits->limit[otherwise] = waits->total = 1;
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        waits->limit[i] /= waits->total;
}

static void add_stay(struct waits *places, const struct stay *stay, double time)
{
    struct waits *waits = &places[stay->place];

    if (stay->behind != NO_PLACE)
        add_shares(waits, &places[stay->behind], time);
    else
        waits->limit[stay->limit] += time;
    if (!stay->is_also)
        waits->total += time;
}

/* What vector memory instructions of some kinds wait for. A place is done when one that follows it
 * comes, so that all that is behind has been seen. */
static struct waits waits_follow(struct limit_names *names, enum kinds kinds)
{
    struct waits places[PLACE_COUNT];
    unsigned row = 0;

    memset(places, 0, sizeof places);
    names->kinds = kinds;
    if (stack_part(names, kinds, "instructions") == 0)
        names->kinds = ALL;
    for (enum place place = 0; place < PLACE_COUNT; place++) {
        for (; row < ARRAY_COUNT(stays) && stays[row].place == place; row++)
            add_stay(places, &stays[row], limit_evaluate(names, stays[row].time));
        waits_normalise(&places[place], limit_of_place[place]);
    }
    return places[PLACE_INSTRUCTION];
}

/* ---- Wavefronts' time ---- */

static double the_smaller(double a, double b)
{
    return a < b ? a : b;
}

static void add_times(struct limits *limits, struct limit_names *names)
{
    struct waits waits[KINDS_COUNT];

    for (enum kinds kinds = 0; kinds < KINDS_COUNT; kinds++)
        waits[kinds] = waits_follow(names, kinds);
    names->behind_latency = waits[ALL].limit[LIMIT_LATENCY];
    for (unsigned i = 0; i < ARRAY_COUNT(times); i++) {
        double time =
            the_smaller(limit_evaluate(names, times[i].time), limit_evaluate(names, times[i].max));

        if (times[i].kinds == NO_KINDS)
            limits->share[times[i].limit] += time;
        for (unsigned j = 0; times[i].kinds != NO_KINDS && j < LIMIT_COUNT; j++)
            limits->share[j] += time * waits[times[i].kinds].limit[j];
    }
}

/* Wavefronts at barriers wait for others, which are in other states: they share their causes. */
static double time_of_wavefronts(const struct limit_names *names)
{
    return limit_evaluate(names, "cu.wavefronts.sum - cu.wavefront_time.barrier");
}

/* Cycles that are the dispatcher's: it starts wavefronts, and there is room for more. */
static double dispatch_share(const struct limit_names *names, double busy)
{
    return the_smaller(1, busy) *
           (1 - limit_evaluate(names, "dispatcher.full_cycles / dispatcher.busy_cycles"));
}

static void shares_scale(double *shares, double factor)
{
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        shares[i] *= factor;
}

static double shares_sum(const double *shares)
{
    double sum = 0;

    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        sum += shares[i];
    return sum;
}

/* A crowded part counts for more, the others for less. */
static void limits_weigh(struct limits *limits, const struct limit_names *names)
{
    double before = shares_sum(limits->share), after;

    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limits->share[i] /=
            1 - the_smaller(CROWDED_MAX, limit_evaluate(names, limit_descriptions[i].crowd));
    after = shares_sum(limits->share);
    if (after > 0)
        shares_scale(limits->share, before / after);
}

static double busiest_other(const struct limits *limits, enum limit_name name)
{
    double max = 0;

    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        if (i != name && limits->busy[i] > max)
            max = limits->busy[i];
    return the_smaller(1, max);
}

/* Half of its time goes, but no more than other parts let go. */
static double cycles_relieved(const struct limits *limits, const struct limit_names *names,
                              enum limit_name name)
{
    double part = the_smaller(1, limit_evaluate(names, limit_descriptions[name].relieved));
    double left = 1 - the_smaller(1, limits->share[name] * part) / 2;
    double bound = busiest_other(limits, name);

    return limits->cycles * (left > bound ? left : bound);
}

void limits_estimate(struct limits *limits, const struct formula_names *kernel)
{
    struct limit_names names = {.names = {.value = value_of}, .kernel = kernel};
    double time, dispatch;

    memset(limits, 0, sizeof *limits);
    limits->cycles = limit_evaluate(&names, "kernel.cycles");
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limits->busy[i] = limit_evaluate(&names, limit_descriptions[i].busy);
    add_times(limits, &names);
    time = time_of_wavefronts(&names);
    dispatch = dispatch_share(&names, limits->busy[LIMIT_DISPATCH]);
    if (time > 0)
        shares_scale(limits->share, (1 - dispatch) / time);
    limits->share[LIMIT_DISPATCH] = dispatch;
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limits->time[i] = the_smaller(1, limits->share[i]);
    limits_weigh(limits, &names);
    for (unsigned i = 0; i < LIMIT_COUNT; i++)
        limits->relieved[i] = cycles_relieved(limits, &names, i);
}

void limits_add(struct limits *sum, const struct limits *limits)
{
    double all = sum->cycles + limits->cycles;

    for (unsigned i = 0; i < LIMIT_COUNT && all > 0; i++) {
        sum->share[i] = (sum->share[i] * sum->cycles + limits->share[i] * limits->cycles) / all;
        sum->time[i] = (sum->time[i] * sum->cycles + limits->time[i] * limits->cycles) / all;
        sum->busy[i] = (sum->busy[i] * sum->cycles + limits->busy[i] * limits->cycles) / all;
        sum->relieved[i] += limits->relieved[i];
    }
    sum->cycles = all;
}

double limits_gain(const struct limits *limits, enum limit_name name)
{
    return limits->relieved[name] > 0 ? limits->cycles / limits->relieved[name] - 1 : 0;
}

enum limit_name limits_choose(const struct limits *limits)
{
    enum limit_name best = 0;

    for (enum limit_name name = 1; name < LIMIT_COUNT; name++)
        if (limits_gain(limits, name) > limits_gain(limits, best))
            best = name;
    return limits_gain(limits, best) < GAIN_MIN ? LIMIT_NOTHING : best;
}

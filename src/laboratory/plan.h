/* SPDX-License-Identifier: MIT */
/*
 * A plan: which runs to make, and what to ask of their results. docs/laboratory.md describes the
 * file; plan_file.c reads it.
 *
 *     settings ── of all points: GPU, program, arguments, parameters
 *     axes ────── each value brings settings of its own, which win
 *     filters ─── which of all combinations are points
 *     derived, claims, figures ── formulas (report/formula.h) over the points' axes and statistics
 *
 * A plan is text and what follows from it: no GPU is looked up, no program is searched (point.h).
 */
#ifndef LABORATORY_PLAN_H
#define LABORATORY_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnosis.h"

/* KEY is "gpu", "model", "workload", ... or a parameter's path. */
struct plan_setting {
    char *key, *text;
    int line;
};

struct plan_settings {
    struct plan_setting *list;
    unsigned count;
};

struct plan_value {
    char *label; /* what results call it */
    struct plan_settings settings;
};

struct plan_axis {
    char *name;
    int line;
    struct plan_value *values;
    unsigned count;
};

/* A formula with a name. */
struct plan_formula {
    char *name, *text;
    int line;
};

struct plan_formulas {
    struct plan_formula *list;
    unsigned count;
};

/* A quantity of each point. */
struct plan_derived {
    char *name, *formula, *unit, *help; /* unit and help may be NULL */
    struct plan_settings baseline;      /* axis: label; of the point that base() means */
    int line;
};

struct plan_claim {
    char *name, *sentence, *source, *figure; /* source and figure may be NULL */
    struct plan_formulas values;             /* printed, and names in the two below */
    char *holds, *partly;                    /* partly may be NULL */
    int line;
};

/* All but the name may be NULL; page.h says what they default to. */
struct plan_figure {
    char *name, *title, *kind, *x, *y, *per, *color, *row, *where;
    int line;
};

struct plan {
    char *path;   /* as it was named */
    char *folder; /* where it lies: paths in it are relative to that */
    char *name;   /* "smoke" of experiments/smoke.yaml */
    char *title;
    char *text;
    size_t text_bytes;
    bool has_places;          /* statistics of single places are kept */
    bool has_profile;         /* each run has its profile by source line */
    unsigned timeout_seconds; /* of the host, for a point; 0: none */
    struct plan_settings settings;
    struct plan_axis *axes; /* the last one varies fastest */
    unsigned axis_count;
    struct plan_formula *filters; /* `name` is NULL */
    unsigned filter_count;
    char **files; /* paths whose content decides about results */
    unsigned file_count;
    char **outputs; /* paths that programs write: their content decides nothing */
    unsigned output_count;
    struct plan_derived *derived;
    unsigned derived_count;
    struct plan_claim *claims;
    unsigned claim_count;
    struct plan_figure *figures;
    unsigned figure_count;
};

/* Reads a file. The caller ends it with plan_finish, also after a failure. */
bool plan_read(struct plan *plan, const char *path, struct diagnosis *diagnosis) MUST_USE;
/* The same of a text that was a file once. */
bool plan_parse(struct plan *plan, const char *name, const char *folder, const char *text,
                struct diagnosis *diagnosis) MUST_USE;
void plan_finish(struct plan *plan);

/* The index of the axis of that name; -1: there is none. */
int plan_axis_find(const struct plan *plan, const char *name);
const struct plan_derived *plan_derived_find(const struct plan *plan, const char *name);
/* The text of a key; NULL: it is not set. */
const char *plan_settings_find(const struct plan_settings *settings, const char *key);

/* Sets a key to a copy of the text. */
void plan_set(struct plan_settings *settings, const char *key, const char *text, int line);

/* One combination for each call: `choice` has an index for each axis, all 0 at first. False: there
 * are no more. */
bool plan_next(const struct plan *plan, unsigned *choice);
/* Whether the filters let it be a point. False in `*is_good` and a diagnosis: a filter is wrong. */
bool plan_lets_pass(const struct plan *plan, const unsigned *choice, bool *is_good,
                    struct diagnosis *diagnosis);

/* Whether KEY is a word that a plan may set, apart from parameters. */
bool plan_is_key(const char *key);

#endif

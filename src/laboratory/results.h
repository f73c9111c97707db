/* SPDX-License-Identifier: MIT */
/*
 * The results of a plan as formulas see them. A name is looked up among axes first (text, and a
 * number if it reads as one). Then come values of the claim being judged, derived quantities, and
 * statistics of the run.
 */
#ifndef LABORATORY_RESULTS_H
#define LABORATORY_RESULTS_H

#include "laboratory/database.h"
#include "report/formula.h"

struct results;

struct result_point {
    struct formula_names names;
    struct results *results;
    unsigned number; /* in the plan */
    int64_t run;
    const char *status;                   /* "done", "failed", "waiting"; static */
    char **labels;                        /* for each axis of the plan */
    char *title;                          /* all of them, for people */
    const struct plan_settings *baseline; /* of the quantity being computed; NULL: none */
};

/* A value with a name, of the claim being judged. */
struct named_value {
    const char *name;
    double value;
    bool is_defined;
};

struct results {
    struct formula_names names; /* of the whole: values of the claim, and the points as members */
    struct database *database;
    int64_t plan_number;
    struct plan plan;
    struct result_point *points;
    unsigned point_count;
    struct named_value *values; /* of the claim being judged; borrowed */
    unsigned value_count;
    sqlite3_stmt *find_value;
    struct result_point answer; /* what base() gave last */
};

/* The plans in force: of each name the latest. Numbers that the caller frees. */
bool results_plans(struct database *database, int64_t **numbers, unsigned *count,
                   struct diagnosis *diagnosis) MUST_USE;
/* Loads one. The caller ends it with results_finish, also after a failure. */
bool results_load(struct results *results, struct database *database, int64_t plan_number,
                  struct diagnosis *diagnosis) MUST_USE;
void results_finish(struct results *results);

/* A derived quantity at a point. */
enum formula_outcome results_derived(struct results *results, const struct result_point *point,
                                     const struct plan_derived *derived, double *value,
                                     struct diagnosis *diagnosis);

/* Whether each name with a dot in the formula is an axis or a statistic that some run has. */
bool results_know(struct results *results, const char *formula,
                  struct diagnosis *diagnosis) MUST_USE;

/* Computes the derived quantities of all plans in force into the table `derived`. */
bool results_derive(struct database *database, struct diagnosis *diagnosis) MUST_USE;

#endif

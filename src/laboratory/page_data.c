/* SPDX-License-Identifier: MIT */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "laboratory/judge.h"
#include "laboratory/page.h"
#include "laboratory/page_figures.h"
#include "laboratory/schema.h"

/* All rows of a question as objects, or with one column as values. NULL and a diagnosis. */
static json_t *ask_rows(struct database *database, struct diagnosis *diagnosis, const char *sql)
{
    sqlite3_stmt *row = database_prepare(database, diagnosis, sql);
    json_t *rows = row != NULL ? json_array() : NULL;
    int code = SQLITE_DONE;

    while (row != NULL && (code = sqlite3_step(row)) == SQLITE_ROW) {
        json_t *object = json_object();

        for (int i = 0; i < sqlite3_column_count(row); i++)
            json_object_set_new(object, sqlite3_column_name(row, i), page_column(row, i));
        json_array_append_new(rows, object);
    }
    if (code != SQLITE_DONE) {
        database_fail(database, diagnosis);
        json_decref(rows);
        rows = NULL;
    }
    sqlite3_finalize(row);
    return rows;
}

/* ---- A plan ---- */

static json_t *axes_of(const struct plan *plan)
{
    json_t *axes = json_array();

    for (unsigned i = 0; i < plan->axis_count; i++) {
        json_t *labels = json_array();

        for (unsigned j = 0; j < plan->axes[i].count; j++)
            json_array_append_new(labels, json_string(plan->axes[i].values[j].label));
        json_array_append_new(
            axes, json_pack("{s:s, s:o}", "name", plan->axes[i].name, "values", labels));
    }
    return axes;
}

static json_t *points_of(const struct results *results)
{
    json_t *points = json_array();

    for (unsigned i = 0; i < results->point_count; i++) {
        const struct result_point *point = &results->points[i];
        json_t *labels = json_array();

        for (unsigned j = 0; j < results->plan.axis_count; j++)
            json_array_append_new(labels, json_string(point->labels[j]));
        json_array_append_new(points, json_pack("{s:i, s:I, s:s, s:o}", "number",
                                                (int)point->number, "run", (json_int_t)point->run,
                                                "status", point->status, "labels", labels));
    }
    return points;
}

static json_t *derived_of(struct results *results)
{
    json_t *all = json_array();

    for (unsigned i = 0; i < results->plan.derived_count; i++) {
        const struct plan_derived *derived = &results->plan.derived[i];
        json_t *values = json_array();

        for (unsigned j = 0; j < results->point_count; j++) {
            double value;
            bool is_defined = results_derived(results, &results->points[j], derived, &value,
                                              NULL) == FORMULA_VALUE;

            json_array_append_new(values, is_defined ? json_pack("f", value) : json_pack("n"));
        }
        json_array_append_new(all, json_pack("{s:s, s:s, s:s?, s:s?, s:o}", "name", derived->name,
                                             "formula", derived->formula, "unit", derived->unit,
                                             "help", derived->help, "values", values));
    }
    return all;
}

static json_t *claim_object(const struct plan_claim *claim, const struct judgement *judgement)
{
    json_t *values = json_array();

    for (unsigned i = 0; i < judgement->value_count; i++) {
        const struct named_value *value = &judgement->values[i];

        json_array_append_new(
            values,
            json_pack("{s:s, s:s, s:o}", "name", value->name, "formula", claim->values.list[i].text,
                      "value", value->is_defined ? json_pack("f", value->value) : json_pack("n")));
    }
    return json_pack("{s:s, s:s, s:s?, s:s?, s:s, s:s?, s:s, s:s?, s:o}", "name", claim->name,
                     "sentence", claim->sentence, "source", claim->source, "figure", claim->figure,
                     "holds", claim->holds, "partly", claim->partly, "verdict",
                     verdict_words(judgement->verdict), "reason", judgement->reason, "values",
                     values);
}

static json_t *claims_of(struct results *results, struct diagnosis *diagnosis)
{
    json_t *claims = json_array();

    for (unsigned i = 0; i < results->plan.claim_count; i++) {
        struct judgement judgement;
        bool is_good = claim_judge(results, &results->plan.claims[i], &judgement, diagnosis);

        if (is_good)
            json_array_append_new(claims, claim_object(&results->plan.claims[i], &judgement));
        judgement_finish(&judgement);
        if (!is_good) {
            diagnose_at(diagnosis, results->plan.path, results->plan.claims[i].line);
            json_decref(claims);
            return NULL;
        }
    }
    return claims;
}

/* A plan without figures has one: cycles over the first axis. */
static json_t *figures_of(struct results *results, struct diagnosis *diagnosis)
{
    const struct plan *plan = &results->plan;
    struct plan_figure all = {.name = (char *)"cycles",
                              .title = (char *)"Cycles of all launches",
                              .x = plan->axis_count > 0 ? plan->axes[0].name : NULL,
                              .color = plan->axis_count > 1 ? plan->axes[1].name : NULL,
                              .row = plan->axis_count > 2 ? plan->axes[2].name : NULL};
    json_t *figures = json_array();
    unsigned count = plan->figure_count > 0 ? plan->figure_count : 1;

    for (unsigned i = 0; i < count; i++) {
        json_t *figure =
            page_figure(results, plan->figure_count > 0 ? &plan->figures[i] : &all, diagnosis);

        if (figure == NULL) {
            json_decref(figures);
            return NULL;
        }
        json_array_append_new(figures, figure);
    }
    return figures;
}

static json_t *plan_object(struct results *results, struct diagnosis *diagnosis)
{
    const struct plan *plan = &results->plan;
    bool came_first;
    json_t *claims, *figures;

    if (!claims_came_first(results, &came_first, diagnosis) ||
        (claims = claims_of(results, diagnosis)) == NULL)
        return NULL;
    figures = figures_of(results, diagnosis);
    if (figures == NULL) {
        json_decref(claims);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:o}", "name", plan->name, "title",
                     plan->title != NULL ? plan->title : plan->name, "text", plan->text,
                     "claimsFirst", (int)came_first, "axes", axes_of(plan), "points",
                     points_of(results), "derived", derived_of(results), "claims", claims,
                     "figures", figures);
}

static json_t *plans_array(struct database *database, struct diagnosis *diagnosis)
{
    int64_t *numbers;
    unsigned count;
    json_t *plans = json_array(), *plan = plans;

    if (!results_plans(database, &numbers, &count, diagnosis)) {
        json_decref(plans);
        return NULL;
    }
    for (unsigned i = 0; i < count && plan != NULL; i++) {
        struct results results;

        plan = results_load(&results, database, numbers[i], diagnosis)
                   ? plan_object(&results, diagnosis)
                   : NULL;
        if (plan != NULL)
            json_array_append_new(plans, plan);
        results_finish(&results);
    }
    free(numbers);
    if (plan != NULL)
        return plans;
    json_decref(plans);
    return NULL;
}

/* ---- Statistics ---- */

/* {run: position} as positions by run's number are not dense. */
static json_t *values_by_name(struct database *database, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row = database_prepare(
        database, diagnosis,
        "SELECT n.path, r.position, v.value FROM statistic_values v JOIN names n ON n.name = v.name"
        " JOIN (SELECT run, row_number() OVER (ORDER BY run) - 1 AS position FROM runs) r"
        "  ON r.run = v.run WHERE v.kernel = 0 AND n.kind <> 'place' ORDER BY n.path, r.position");
    json_t *all = json_object(), *values = NULL;
    char *name = copy_string("");
    int code = SQLITE_DONE;

    while (row != NULL && (code = sqlite3_step(row)) == SQLITE_ROW) {
        const char *path = (const char *)sqlite3_column_text(row, 0);
        size_t position = (size_t)sqlite3_column_int64(row, 1);

        if (strcmp(path, name) != 0) {
            free(name);
            name = copy_string(path);
            values = json_array();
            json_object_set_new(all, name, values);
        }
        while (json_array_size(values) < position)
            json_array_append_new(values, json_pack("n"));
        json_array_append_new(values, page_column(row, 2));
    }
    free(name);
    if (row == NULL || code != SQLITE_DONE) {
        if (row != NULL)
            database_fail(database, diagnosis);
        json_decref(all);
        all = NULL;
    }
    sqlite3_finalize(row);
    return all;
}

static bool add_rows(json_t *root, const char *key, struct database *database,
                     struct diagnosis *diagnosis, const char *sql)
{
    json_t *rows = ask_rows(database, diagnosis, sql);

    if (rows == NULL)
        return false;
    json_object_set_new(root, key, rows);
    return true;
}

/* Of each executed line its values, as an object by column. */
static bool add_profiles(json_t *root, struct database *database, struct diagnosis *diagnosis)
{
    if (database->version < SCHEMA_WITH_PROFILES) {
        json_object_set_new(root, "profileColumns", json_array());
        json_object_set_new(root, "profile", json_array());
        return true;
    }
    return add_rows(root, "profileColumns", database, diagnosis,
                    "SELECT path AS name, unit, help FROM profile_columns ORDER BY name") &&
           add_rows(root, "profile", database, diagnosis,
                    "SELECT run, kernel, file, line, source,"
                    " json_group_object(name, value) AS \"values\" FROM profile"
                    " GROUP BY run, entry ORDER BY run, entry");
}

static bool add_tables(json_t *root, struct database *database, struct diagnosis *diagnosis)
{
    json_t *values;

    if (!add_rows(root, "runs", database, diagnosis,
                  "SELECT r.run, status, message, gpu, model, workload, program, arguments,"
                  " wavetank, clang, libclc, h.started, h.seconds, h.host"
                  " FROM runs r LEFT JOIN hosts h ON h.run = r.run ORDER BY r.run") ||
        !add_rows(root, "kernels", database, diagnosis,
                  "SELECT run, kernel, name, launches, cycles, instructions, time_ns FROM kernels"
                  " ORDER BY run, kernel") ||
        !add_rows(root, "names", database, diagnosis,
                  "SELECT path, kind, unit, help FROM names WHERE kind <> 'place' ORDER BY path") ||
        !add_rows(root, "histograms", database, diagnosis,
                  "SELECT v.run, n.path AS name, v.buckets FROM statistic_values v"
                  " JOIN names n ON n.name = v.name WHERE n.kind = 'histogram' AND v.kernel = 0"
                  " AND v.buckets <> '[]'") ||
        !add_rows(root, "samples", database, diagnosis,
                  "SELECT v.run, n.path AS name, json_group_array(i.cycle) AS starts,"
                  " json_group_array(i.cycles) AS lengths, json_group_array(v.value) AS \"values\""
                  " FROM sample_values v JOIN sample_names n ON n.name = v.name"
                  " JOIN sample_intervals i ON i.run = v.run AND i.sample = v.sample"
                  " GROUP BY v.run, v.name ORDER BY v.run, v.name"))
        return false;
    if (!add_profiles(root, database, diagnosis))
        return false;
    values = values_by_name(database, diagnosis);
    if (values == NULL)
        return false;
    json_object_set_new(root, "values", values);
    return true;
}

bool page_data(struct database *database, const char *version, struct text *text,
               struct diagnosis *diagnosis)
{
    json_t *root = json_pack("{s:s, s:s}", "version", version, "database", database->path);
    json_t *plans = plans_array(database, diagnosis);
    bool is_good = plans != NULL && add_tables(root, database, diagnosis);
    char *json;

    if (plans != NULL)
        json_object_set_new(root, "plans", plans);
    json = is_good ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;
    if (json != NULL)
        text_add_bytes(text, json, strlen(json));
    else if (is_good)
        is_good = diagnose(diagnosis, "%s: its texts are not UTF-8", database->path);
    free(json);
    json_decref(root);
    return is_good;
}

/* SPDX-License-Identifier: MIT */
#include "laboratory/results.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

/* ---- What names mean ---- */

static const struct result_point *point_of(const struct formula_names *names)
{
    return container_of(names, struct result_point, names);
}

static const char *label_of(const struct formula_names *names, const char *name)
{
    const struct result_point *point = point_of(names);
    int axis = plan_axis_find(&point->results->plan, name);

    return axis < 0 ? NULL : point->labels[axis];
}

static bool number_of_label(const char *label, double *value)
{
    char *end;

    if (label[0] == '\0' || label[strspn(label, "0123456789.")] != '\0')
        return false;
    *value = strtod(label, &end);
    return *end == '\0';
}

static bool point_statistic(const struct result_point *point, const char *name, double *value)
{
    sqlite3_stmt *find = point->results->find_value;
    bool found;

    sqlite3_bind_text(find, 1, name, -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(find, 2, point->run);
    found = sqlite3_step(find) == SQLITE_ROW && sqlite3_column_type(find, 0) != SQLITE_NULL;
    if (found)
        *value = sqlite3_column_double(find, 0);
    sqlite3_reset(find);
    return found;
}

static const struct named_value *claim_value(const struct results *results, const char *name)
{
    for (unsigned i = 0; i < results->value_count; i++)
        if (strcmp(results->values[i].name, name) == 0)
            return &results->values[i];
    return NULL;
}

static bool value_at_point(const struct formula_names *names, const char *name, double *value)
{
    const struct result_point *point = point_of(names);
    const char *label = label_of(names, name);
    const struct plan_derived *derived = plan_derived_find(&point->results->plan, name);
    const struct named_value *named = claim_value(point->results, name);

    if (label != NULL)
        return number_of_label(label, value);
    if (named != NULL) {
        *value = named->value;
        return named->is_defined;
    }
    if (derived != NULL)
        return results_derived(point->results, point, derived, value, NULL) == FORMULA_VALUE;
    return point_statistic(point, name, value);
}

static const char *place_of(const struct formula_names *names)
{
    return point_of(names)->title;
}

/* Whether `other` is at the baseline's labels, and else where `point` is. */
static bool is_base_of(const struct result_point *point, const struct result_point *other)
{
    const struct plan *plan = &point->results->plan;

    for (unsigned i = 0; i < plan->axis_count; i++) {
        const char *label = plan_settings_find(point->baseline, plan->axes[i].name);

        if (strcmp(other->labels[i], label != NULL ? label : point->labels[i]) != 0)
            return false;
    }
    return true;
}

static const struct formula_names *base_of(const struct formula_names *names,
                                           struct diagnosis *diagnosis)
{
    const struct result_point *point = point_of(names);
    struct results *results = point->results;

    if (point->baseline == NULL || point->baseline->count == 0) {
        diagnose(diagnosis, "there is no baseline");
        return NULL;
    }
    for (unsigned i = 0; i < results->point_count; i++)
        if (is_base_of(point, &results->points[i])) {
            results->answer = results->points[i];
            results->answer.baseline = point->baseline;
            return &results->answer.names;
        }
    diagnose(diagnosis, "no point of the plan is the baseline %s", point->title);
    return NULL;
}

static bool value_of_claim(const struct formula_names *names, const char *name, double *value)
{
    const struct results *results = container_of(names, struct results, names);
    const struct named_value *named = claim_value(results, name);

    if (named != NULL)
        *value = named->value;
    return named != NULL && named->is_defined;
}

static const struct formula_names *point_at(const struct formula_names *names, unsigned index)
{
    const struct results *results = container_of(names, struct results, names);

    return index < results->point_count ? &results->points[index].names : NULL;
}

enum formula_outcome results_derived(struct results *results, const struct result_point *point,
                                     const struct plan_derived *derived, double *value,
                                     struct diagnosis *diagnosis)
{
    struct result_point asked = *point;

    asked.baseline = &derived->baseline;
    return formula_try(derived->formula, &asked.names, value, diagnosis);
}

/* ---- Loading ---- */

bool results_plans(struct database *database, int64_t **numbers, unsigned *count,
                   struct diagnosis *diagnosis)
{
    sqlite3_stmt *row =
        database_prepare(database, diagnosis,
                         "SELECT max(plan) FROM plans p WHERE swept = (SELECT max(swept)"
                         " FROM plans q WHERE q.name = p.name) GROUP BY name ORDER BY 1");
    int code;

    *numbers = NULL;
    *count = 0;
    if (row == NULL)
        return false;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        *numbers = reallocate(*numbers, *count + 1, sizeof **numbers);
        (*numbers)[(*count)++] = sqlite3_column_int64(row, 0);
    }
    sqlite3_finalize(row);
    return code == SQLITE_DONE || database_fail(database, diagnosis);
}

static bool load_plan(struct results *results, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row = database_prepare(results->database, diagnosis,
                                         "SELECT name, folder, text FROM plans WHERE plan = ?");
    bool is_good = false;

    if (row == NULL)
        return false;
    sqlite3_bind_int64(row, 1, results->plan_number);
    if (sqlite3_step(row) == SQLITE_ROW)
        is_good = plan_parse(&results->plan, (const char *)sqlite3_column_text(row, 0),
                             (const char *)sqlite3_column_text(row, 1),
                             (const char *)sqlite3_column_text(row, 2), diagnosis);
    else
        diagnose(diagnosis, "%s has no plan %lld", results->database->path,
                 (long long)results->plan_number);
    sqlite3_finalize(row);
    return is_good;
}

static void add_point(struct results *results, sqlite3_stmt *row)
{
    const char *status = (const char *)sqlite3_column_text(row, 2);
    struct result_point *point;

    if ((results->point_count & (results->point_count + 1)) == 0)
        results->points =
            reallocate(results->points, 2 * (results->point_count + 1), sizeof *results->points);
    point = &results->points[results->point_count++];
    memset(point, 0, sizeof *point);
    point->names = (struct formula_names){
        .value = value_at_point, .text = label_of, .base = base_of, .place = place_of};
    point->results = results;
    point->number = (unsigned)sqlite3_column_int64(row, 0);
    point->run = sqlite3_column_int64(row, 1);
    point->status = status == NULL ? "waiting" : strcmp(status, "done") == 0 ? "done" : "failed";
    point->labels = allocate(results->plan.axis_count + 1, sizeof *point->labels);
}

static bool load_labels(struct results *results, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row =
        database_prepare(results->database, diagnosis,
                         "SELECT number, axis, value FROM axes WHERE plan = ? ORDER BY number");
    unsigned at = 0;

    if (row == NULL)
        return false;
    sqlite3_bind_int64(row, 1, results->plan_number);
    while (sqlite3_step(row) == SQLITE_ROW) {
        unsigned number = (unsigned)sqlite3_column_int64(row, 0);
        int axis = plan_axis_find(&results->plan, (const char *)sqlite3_column_text(row, 1));

        while (at < results->point_count && results->points[at].number < number)
            at++;
        if (at < results->point_count && results->points[at].number == number && axis >= 0) {
            free(results->points[at].labels[axis]);
            results->points[at].labels[axis] =
                copy_string((const char *)sqlite3_column_text(row, 2));
        }
    }
    sqlite3_finalize(row);
    return true;
}

static bool finish_points(struct results *results, struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < results->point_count; i++) {
        struct result_point *point = &results->points[i];
        struct text title = {0};

        text_add(&title, "at %s point", point->status);
        for (unsigned j = 0; j < results->plan.axis_count; j++) {
            if (point->labels[j] == NULL)
                return diagnose(diagnosis, "%s: point %u of plan %s lacks its value of %s",
                                results->database->path, point->number, results->plan.name,
                                results->plan.axes[j].name);
            text_add(&title, "%s %s", j > 0 ? "," : "", point->labels[j]);
        }
        point->title = copy_string(text_chars(&title));
        text_finish(&title);
    }
    return true;
}

static bool load_points(struct results *results, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row = database_prepare(
        results->database, diagnosis,
        "SELECT p.number, p.run, r.status FROM plan_points p LEFT JOIN runs r ON r.run = p.run"
        " WHERE p.plan = ? ORDER BY p.number");
    int code;

    if (row == NULL)
        return false;
    sqlite3_bind_int64(row, 1, results->plan_number);
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        add_point(results, row);
    sqlite3_finalize(row);
    if (code != SQLITE_DONE)
        return database_fail(results->database, diagnosis);
    return load_labels(results, diagnosis) && finish_points(results, diagnosis);
}

bool results_load(struct results *results, struct database *database, int64_t plan_number,
                  struct diagnosis *diagnosis)
{
    memset(results, 0, sizeof *results);
    results->names = (struct formula_names){.value = value_of_claim, .member = point_at};
    results->database = database;
    results->plan_number = plan_number;
    results->find_value =
        database_prepare(database, diagnosis,
                         "SELECT v.value FROM names n JOIN statistic_values v ON v.name = n.name"
                         " WHERE n.path = ? AND v.run = ? AND v.kernel = 0");
    return results->find_value != NULL && load_plan(results, diagnosis) &&
           load_points(results, diagnosis);
}

void results_finish(struct results *results)
{
    for (unsigned i = 0; i < results->point_count; i++) {
        for (unsigned j = 0; j < results->plan.axis_count; j++)
            free(results->points[i].labels[j]);
        free(results->points[i].labels);
        free(results->points[i].title);
    }
    free(results->points);
    plan_finish(&results->plan);
    sqlite3_finalize(results->find_value);
    memset(results, 0, sizeof *results);
}

/* ---- Names that nothing has ---- */

static bool nearest_name(struct results *results, const char *name, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row = database_prepare(results->database, diagnosis, "SELECT path FROM names");
    char *known[2048];
    unsigned count = 0;
    const char *nearest;

    if (row == NULL)
        return false;
    while (count < ARRAY_COUNT(known) && sqlite3_step(row) == SQLITE_ROW)
        known[count++] = copy_string((const char *)sqlite3_column_text(row, 0));
    sqlite3_finalize(row);
    nearest = nearest_word(name, (const char *const *)known, count);
    diagnose(diagnosis, count > 0 ? "no run has a statistic '%s'" : "no point has been run", name);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'?", nearest);
    while (count > 0)
        free(known[--count]);
    return false;
}

static bool know_name(void *context, const char *name, struct diagnosis *diagnosis)
{
    struct results *results = context;
    int64_t value;
    bool is_found;

    if (plan_axis_find(&results->plan, name) >= 0 || claim_value(results, name) != NULL ||
        plan_derived_find(&results->plan, name) != NULL)
        return true;
    if (!database_ask(results->database, diagnosis, &is_found, &value,
                      "SELECT 1 FROM names WHERE path = ?", "t", name))
        return false;
    return is_found || nearest_name(results, name, diagnosis);
}

bool results_know(struct results *results, const char *formula, struct diagnosis *diagnosis)
{
    return formula_visit(formula, know_name, results, diagnosis);
}

/* ---- The table of derived quantities ---- */

static bool derive_point(struct results *results, const struct result_point *point,
                         struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < results->plan.derived_count; i++) {
        const struct plan_derived *derived = &results->plan.derived[i];
        struct diagnosis reason;
        double value;
        bool is_defined =
            results_derived(results, point, derived, &value, &reason) == FORMULA_VALUE;
        static const char sql[] = "INSERT OR REPLACE INTO derived VALUES (?, ?, ?, ?, ?)";

        if (is_defined
                ? !database_run(results->database, diagnosis, sql, "iiitd", results->plan_number,
                                (int64_t)point->number, point->run, derived->name, value)
                : !database_run(results->database, diagnosis, sql, "iiitt", results->plan_number,
                                (int64_t)point->number, point->run, derived->name, NULL))
            return false;
    }
    return true;
}

static bool derive_plan(struct database *database, int64_t number, struct diagnosis *diagnosis)
{
    struct results results;
    bool is_good = results_load(&results, database, number, diagnosis);

    for (unsigned i = 0; is_good && i < results.point_count; i++)
        is_good = derive_point(&results, &results.points[i], diagnosis);
    results_finish(&results);
    return is_good;
}

bool results_derive(struct database *database, struct diagnosis *diagnosis)
{
    int64_t *numbers;
    unsigned count;
    bool is_good;

    if (!database_run(database, diagnosis, "BEGIN IMMEDIATE", ""))
        return false;
    is_good = database_run(database, diagnosis, "DELETE FROM derived", "") &&
              results_plans(database, &numbers, &count, diagnosis);
    if (is_good) {
        for (unsigned i = 0; i < count && is_good; i++)
            is_good = derive_plan(database, numbers[i], diagnosis);
        free(numbers);
    }
    return database_end(database, is_good, diagnosis);
}

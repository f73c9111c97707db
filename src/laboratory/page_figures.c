/* SPDX-License-Identifier: MIT */
#include "laboratory/page_figures.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

json_t *page_column(sqlite3_stmt *row, int column)
{
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_INTEGER:
        return json_integer(sqlite3_column_int64(row, column));
    case SQLITE_FLOAT:
        return json_pack("f", sqlite3_column_double(row, column));
    case SQLITE_TEXT:
        return json_string((const char *)sqlite3_column_text(row, column));
    default:
        return json_pack("n");
    }
}

struct drawing {
    struct results *results;
    const struct plan_figure *figure;
    json_t *rows;
    unsigned missing; /* points without a value */
    struct diagnosis *diagnosis;
};

static bool drawing_wrong(struct drawing *drawing)
{
    return diagnose_at(drawing->diagnosis, drawing->results->plan.path, drawing->figure->line);
}

static bool is_meant(struct drawing *drawing, const struct result_point *point, bool *is_good)
{
    double value = 1;

    *is_good = drawing->figure->where == NULL ||
               formula_try(drawing->figure->where, &point->names, &value, drawing->diagnosis) ==
                   FORMULA_VALUE ||
               drawing_wrong(drawing);
    return *is_good && value != 0;
}

static const char *label_of(const struct result_point *point, const char *axis)
{
    int index = axis != NULL ? plan_axis_find(&point->results->plan, axis) : -1;

    return index < 0 ? NULL : point->labels[index];
}

/* A row with what places it; its value is still missing. A new reference. */
static json_t *row_of(struct drawing *drawing, const struct result_point *point, bool *is_good)
{
    const struct plan_figure *figure = drawing->figure;
    const char *label = label_of(point, figure->x), *color = label_of(point, figure->color),
               *panel = label_of(point, figure->row);
    json_t *row = json_object();
    double x;

    *is_good = true;
    json_object_set_new(row, "point", json_integer(point->number));
    if (label != NULL) {
        json_object_set_new(row, "x", json_string(label));
    } else if (figure->x != NULL) {
        enum formula_outcome outcome =
            formula_try(figure->x, &point->names, &x, drawing->diagnosis);

        *is_good = outcome != FORMULA_WRONG || drawing_wrong(drawing);
        if (outcome == FORMULA_VALUE)
            json_object_set_new(row, "x", json_pack("f", x));
    }
    if (color != NULL)
        json_object_set_new(row, "color", json_string(color));
    if (panel != NULL)
        json_object_set_new(row, "row", json_string(panel));
    return row;
}

/* One value a point. */
static bool draw_value(struct drawing *drawing, const struct result_point *point)
{
    bool is_good;
    json_t *row = row_of(drawing, point, &is_good);
    double value = 0;
    enum formula_outcome outcome = FORMULA_UNDEFINED;

    if (is_good) {
        outcome = formula_try(drawing->figure->y != NULL ? drawing->figure->y : "kernel.cycles",
                              &point->names, &value, drawing->diagnosis);
        is_good = outcome != FORMULA_WRONG || drawing_wrong(drawing);
    }
    if (outcome == FORMULA_VALUE &&
        (json_object_get(row, "x") != NULL || drawing->figure->x == NULL)) {
        json_object_set_new(row, "y", json_pack("f", value));
        json_array_append(drawing->rows, row);
    } else {
        drawing->missing++;
    }
    json_decref(row);
    return is_good;
}

/* Whether the name is among "cu.load_stack.* !*.cycles": one pattern fits, and none behind a
 * "!". */
static bool is_named(const char *patterns, const char *name)
{
    bool is_in = false;

    while (*patterns != '\0') {
        size_t length = strcspn(patterns, " ");
        bool is_out = patterns[0] == '!';
        char *pattern = format_string("%.*s", (int)length - is_out, patterns + is_out);
        bool fits = length > 0 && fnmatch(pattern, name, 0) == 0;

        free(pattern);
        if (fits && is_out)
            return false;
        is_in = is_in || fits;
        patterns += length + strspn(patterns + length, " ");
    }
    return is_in;
}

/* What the values of a stack are divided by; 1 where nothing is said. Undefined: no rows. */
static enum formula_outcome find_divisor(struct drawing *drawing, const struct result_point *point,
                                         double *divisor)
{
    enum formula_outcome outcome;

    *divisor = 1;
    if (drawing->figure->per == NULL)
        return FORMULA_VALUE;
    outcome = formula_try(drawing->figure->per, &point->names, divisor, drawing->diagnosis);
    return outcome == FORMULA_VALUE && *divisor == 0 ? FORMULA_UNDEFINED : outcome;
}

/* Rows of a statement over names, then values (so that it finds them by their key). Each column but
 * the first is a member of the row. */
static bool draw_rows(struct drawing *drawing, const struct result_point *point, const char *sql,
                      const char *const *members)
{
    sqlite3_stmt *found = database_prepare(drawing->results->database, drawing->diagnosis, sql);
    bool is_good = found != NULL, has_row = false;
    double divisor;
    enum formula_outcome outcome;

    if (!is_good)
        return false;
    outcome = find_divisor(drawing, point, &divisor);
    is_good = outcome != FORMULA_WRONG || drawing_wrong(drawing);
    sqlite3_bind_int64(found, 1, point->run);
    while (outcome == FORMULA_VALUE && is_good && sqlite3_step(found) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(found, 0);
        json_t *row;

        if (!is_named(drawing->figure->y, name))
            continue;
        row = row_of(drawing, point, &is_good);
        for (int i = 0; members[i] != NULL; i++)
            json_object_set_new(row, members[i],
                                drawing->figure->per != NULL && strcmp(members[i], "y") == 0
                                    ? json_pack("f", sqlite3_column_double(found, i) / divisor)
                                    : page_column(found, i));
        json_array_append_new(drawing->rows, row);
        has_row = true;
    }
    sqlite3_finalize(found);
    drawing->missing += !has_row;
    return is_good;
}

/* A row an interval: x is the core cycle that it begins at. */
static bool draw_samples(struct drawing *drawing, const struct result_point *point)
{
    static const char *const members[] = {"part", "x", "y", "cycles", "kernel", "launch", NULL};

    return draw_rows(drawing, point,
                     "SELECT n.path, i.cycle, v.value, i.cycles, i.kernel, i.launch"
                     " FROM sample_names n CROSS JOIN sample_values v"
                     " ON v.name = n.name AND v.run = ? JOIN sample_intervals i"
                     " ON i.run = v.run AND i.sample = v.sample WHERE v.value IS NOT NULL"
                     " ORDER BY n.path, v.sample",
                     members);
}

static bool draw_point(struct drawing *drawing, const struct result_point *point)
{
    static const char *const parts[] = {"part", "y", NULL};
    static const char *const buckets[] = {"part", "low", "high", "y", NULL};
    const char *kind = drawing->figure->kind;

    if (kind != NULL && strcmp(kind, "time") == 0)
        return draw_samples(drawing, point);
    if (kind != NULL && drawing->figure->y != NULL) {
        if (strcmp(kind, "stack") == 0)
            return draw_rows(drawing, point,
                             "SELECT n.path, v.value FROM names n CROSS JOIN statistic_values v"
                             " ON v.name = n.name AND v.run = ? AND v.kernel = 0"
                             " WHERE n.kind <> 'place' AND v.value IS NOT NULL",
                             parts);
        if (strcmp(kind, "histogram") == 0)
            return draw_rows(drawing, point,
                             "SELECT n.path, CASE b.key WHEN 0 THEN 0 ELSE 1 << (b.key - 1) END,"
                             " CASE b.key WHEN 0 THEN 0 WHEN 23 THEN NULL"
                             "  ELSE (1 << b.key) - 1 END, b.value"
                             " FROM names n CROSS JOIN statistic_values v"
                             " ON v.name = n.name AND v.run = ? AND v.kernel = 0"
                             " JOIN json_each(v.buckets) b WHERE n.kind = 'histogram'",
                             buckets);
    }
    return draw_value(drawing, point);
}

/* The axis's labels in the plan's order, by which the figure is sorted. */
static json_t *order_of(const struct results *results, const char *axis)
{
    int index = axis != NULL ? plan_axis_find(&results->plan, axis) : -1;
    json_t *labels;

    if (index < 0)
        return json_pack("n");
    labels = json_array();
    for (unsigned i = 0; i < results->plan.axes[index].count; i++)
        json_array_append_new(labels, json_string(results->plan.axes[index].values[i].label));
    return labels;
}

static const char *unit_of(const struct results *results, const char *name)
{
    const struct plan_derived *derived =
        name != NULL ? plan_derived_find(&results->plan, name) : NULL;

    return derived != NULL && derived->unit != NULL ? derived->unit : "";
}

json_t *page_figure(struct results *results, const struct plan_figure *figure,
                    struct diagnosis *diagnosis)
{
    struct drawing drawing = {
        .results = results, .figure = figure, .rows = json_array(), .diagnosis = diagnosis};
    const char *y = figure->y != NULL ? figure->y : "kernel.cycles";
    bool is_good = true;

    for (unsigned i = 0; i < results->point_count && is_good; i++)
        if (is_meant(&drawing, &results->points[i], &is_good))
            is_good = draw_point(&drawing, &results->points[i]);
    if (!is_good) {
        json_decref(drawing.rows);
        return NULL;
    }
    return json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s, s:s?, s:s?, s:s?, s:o, s:o, s:o, s:o, s:i}",
                     "name", figure->name, "title",
                     figure->title != NULL ? figure->title : figure->name, "kind",
                     figure->kind != NULL ? figure->kind : "bars", "x", figure->x, "y", y, "unit",
                     unit_of(results, figure->y), "color", figure->color, "per", figure->per, "row",
                     figure->row, "xOrder", order_of(results, figure->x), "colorOrder",
                     order_of(results, figure->color), "rowOrder", order_of(results, figure->row),
                     "rows", drawing.rows, "missing", (int)drawing.missing);
}

/* SPDX-License-Identifier: MIT */
#include "laboratory/page_figures.h"

#include <fnmatch.h>
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

static bool wrong(struct drawing *drawing)
{
    return diagnose_at(drawing->diagnosis, drawing->results->plan.path, drawing->figure->line);
}

static bool is_meant(struct drawing *drawing, const struct result_point *point, bool *is_good)
{
    double value = 1;

    *is_good = drawing->figure->where == NULL ||
               formula_try(drawing->figure->where, &point->names, &value, drawing->diagnosis) ==
                   FORMULA_VALUE ||
               wrong(drawing);
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

        *is_good = outcome != FORMULA_WRONG || wrong(drawing);
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
        is_good = outcome != FORMULA_WRONG || wrong(drawing);
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

/* Rows of a statement over (run, ...): each column but the first is a member of the row. */
static bool draw_rows(struct drawing *drawing, const struct result_point *point, const char *sql,
                      const char *const *members)
{
    sqlite3_stmt *found = database_prepare(drawing->results->database, drawing->diagnosis, sql);
    bool is_good = found != NULL, has_row = false;

    if (!is_good)
        return false;
    sqlite3_bind_int64(found, 1, point->run);
    while (is_good && sqlite3_step(found) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(found, 0);
        json_t *row;

        if (fnmatch(drawing->figure->y, name, 0) != 0)
            continue;
        row = row_of(drawing, point, &is_good);
        for (int i = 0; members[i] != NULL; i++)
            json_object_set_new(row, members[i], page_column(found, i));
        json_array_append_new(drawing->rows, row);
        has_row = true;
    }
    sqlite3_finalize(found);
    drawing->missing += !has_row;
    return is_good;
}

static bool draw_point(struct drawing *drawing, const struct result_point *point)
{
    static const char *const parts[] = {"part", "y", NULL};
    static const char *const buckets[] = {"part", "low", "high", "y", NULL};
    static const char *const samples[] = {"part", "cycle", "y", NULL};
    const char *kind = drawing->figure->kind;

    if (kind != NULL && drawing->figure->y != NULL) {
        if (strcmp(kind, "stack") == 0)
            return draw_rows(drawing, point,
                             "SELECT name, value FROM statistics WHERE run = ? AND kernel = 0"
                             " AND value IS NOT NULL",
                             parts);
        if (strcmp(kind, "histogram") == 0)
            return draw_rows(drawing, point,
                             "SELECT name, low, high, count FROM histograms WHERE run = ?"
                             " AND kernel = 0",
                             buckets);
        if (strcmp(kind, "series") == 0)
            return draw_rows(drawing, point, "SELECT name, cycle, value FROM series WHERE run = ?",
                             samples);
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
    return json_pack("{s:s, s:s, s:s, s:s?, s:s, s:s, s:s?, s:s?, s:o, s:o, s:o, s:o, s:i}", "name",
                     figure->name, "title", figure->title != NULL ? figure->title : figure->name,
                     "kind", figure->kind != NULL ? figure->kind : "bars", "x", figure->x, "y", y,
                     "unit", unit_of(results, figure->y), "color", figure->color, "row",
                     figure->row, "xOrder", order_of(results, figure->x), "colorOrder",
                     order_of(results, figure->color), "rowOrder", order_of(results, figure->row),
                     "rows", drawing.rows, "missing", (int)drawing.missing);
}

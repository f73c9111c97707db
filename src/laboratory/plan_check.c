/* SPDX-License-Identifier: MIT */
/* Whether the parts of a plan fit together, before anything runs. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "laboratory/plan_file.h"
#include "report/formula.h"

enum { COMBINATIONS_MAX = 1000000 }; /* of the axes' values */

__attribute__((format(printf, 3, 4))) static bool wrong_at(struct plan_reader *reader, int line,
                                                           const char *format, ...)
{
    char words[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    diagnose(reader->diagnosis, "%s", words);
    return diagnose_at(reader->diagnosis, reader->plan->path, line);
}

/* ---- Axes ---- */

static bool is_formula_name(const char *name)
{
    if (isdigit((unsigned char)name[0]) || name[0] == '\0' || name[0] == '.')
        return false;
    for (; *name != '\0'; name++)
        if (!isalnum((unsigned char)*name) && *name != '_' && *name != '.')
            return false;
    return true;
}

static bool settings_name(const struct plan_settings *settings, const char *placeholder)
{
    for (unsigned i = 0; i < settings->count; i++)
        if (strstr(settings->list[i].text, placeholder) != NULL)
            return true;
    return false;
}

/* Whether some text of the plan has {NAME} in it. */
static bool has_placeholder(const struct plan *plan, const char *name)
{
    char *placeholder = format_string("{%s}", name);
    bool found = settings_name(&plan->settings, placeholder);

    for (unsigned i = 0; i < plan->axis_count; i++)
        for (unsigned j = 0; j < plan->axes[i].count; j++)
            found = found || settings_name(&plan->axes[i].values[j].settings, placeholder);
    free(placeholder);
    return found;
}

/* Whether the value sets nothing but the axis's own name. */
static bool sets_itself(const struct plan_axis *axis)
{
    for (unsigned i = 0; i < axis->count; i++)
        if (plan_settings_find(&axis->values[i].settings, axis->name) != NULL)
            return true;
    return false;
}

static bool unknown_axis(struct plan_reader *reader, const struct plan_axis *axis)
{
    static const char *const known[] = {"gpu",       "model",         "workload", "program",
                                        "arguments", "build_options", "seed"};
    const char *nearest = nearest_word(axis->name, known, ARRAY_COUNT(known));

    wrong_at(reader, axis->line,
             "there is no axis '%s': it is no word of plans and no parameter's path, and no "
             "arguments have {%s}",
             axis->name, axis->name);
    if (nearest != NULL)
        return diagnose_hint(reader->diagnosis, "did you mean '%s'?", nearest);
    return diagnose_hint(reader->diagnosis,
                         "`wavetank list parameters` prints paths; an axis of another name says "
                         "what each of its values sets");
}

static bool check_axis(struct plan_reader *reader, const struct plan_axis *axis)
{
    bool is_known = plan_is_key(axis->name) || strchr(axis->name, '.') != NULL;

    if (!is_formula_name(axis->name))
        return wrong_at(reader, axis->line,
                        "axis '%s': a name has letters, digits, '_' and '.', no digit at first",
                        axis->name);
    if (!is_known && sets_itself(axis) && !has_placeholder(reader->plan, axis->name))
        return unknown_axis(reader, axis);
    return true;
}

/* Runs with different seeds must differ: the seed has to go somewhere. */
static bool check_seed(struct plan_reader *reader)
{
    struct plan *plan = reader->plan;
    int axis = plan_axis_find(plan, "seed");

    if (axis < 0 || has_placeholder(plan, "seed") ||
        (plan_settings_find(&plan->settings, "program") == NULL &&
         plan_axis_find(plan, "program") < 0))
        return true;
    wrong_at(reader, plan->axes[axis].line, "the program is not told its seed");
    return diagnose_hint(reader->diagnosis, "write {seed} where it belongs in `arguments:`");
}

/* ---- Formulas ---- */

struct name_check {
    struct plan_reader *reader;
    unsigned derived; /* how many of them may be named */
    const struct plan_claim *claim;
    unsigned values; /* of the claim */
    bool only_axes;
};

static bool check_name(void *context, const char *name, struct diagnosis *diagnosis)
{
    const struct name_check *check = context;
    const struct plan *plan = check->reader->plan;
    const char *known[256];
    const char *nearest;
    unsigned count = 0;

    if (plan_axis_find(plan, name) >= 0 || (!check->only_axes && strchr(name, '.') != NULL))
        return true; /* a statistic: results have its name, or not */
    for (unsigned i = 0; i < check->derived; i++)
        if (strcmp(plan->derived[i].name, name) == 0)
            return true;
    for (unsigned i = 0; check->claim != NULL && i < check->values; i++)
        if (strcmp(check->claim->values.list[i].name, name) == 0)
            return true;
    for (unsigned i = 0; i < plan->axis_count && count < ARRAY_COUNT(known); i++)
        known[count++] = plan->axes[i].name;
    for (unsigned i = 0; i < check->derived && count < ARRAY_COUNT(known); i++)
        known[count++] = plan->derived[i].name;
    nearest = nearest_word(name, known, count);
    diagnose(diagnosis, "%s: the plan has no axis%s of that name", name,
             check->only_axes ? "" : ", quantity or value");
    return nearest != NULL ? diagnose_hint(diagnosis, "did you mean '%s'?", nearest) : false;
}

static bool check_formula(struct plan_reader *reader, struct name_check check, const char *formula,
                          int line)
{
    check.reader = reader;
    return formula == NULL || formula_visit(formula, check_name, &check, reader->diagnosis) ||
           diagnose_at(reader->diagnosis, reader->plan->path, line);
}

static bool check_baseline(struct plan_reader *reader, const struct plan_derived *derived)
{
    for (unsigned i = 0; i < derived->baseline.count; i++) {
        const struct plan_setting *pair = &derived->baseline.list[i];
        int index = plan_axis_find(reader->plan, pair->key);
        bool found = false;

        if (index < 0)
            return wrong_at(reader, pair->line, "baseline: there is no axis '%s'", pair->key);
        for (unsigned j = 0; j < reader->plan->axes[index].count; j++)
            found = found || strcmp(reader->plan->axes[index].values[j].label, pair->text) == 0;
        if (!found)
            return wrong_at(reader, pair->line, "baseline: axis %s has no value '%s'", pair->key,
                            pair->text);
    }
    return true;
}

static bool check_quantity(struct plan_reader *reader, unsigned index)
{
    const struct plan_derived *derived = &reader->plan->derived[index];

    if (!is_formula_name(derived->name) || plan_axis_find(reader->plan, derived->name) >= 0)
        return wrong_at(reader, derived->line, "'%s' is no name for a quantity, or an axis has it",
                        derived->name);
    return check_formula(reader, (struct name_check){.derived = index}, derived->formula,
                         derived->line) &&
           check_baseline(reader, derived);
}

static bool check_claim(struct plan_reader *reader, const struct plan_claim *claim)
{
    struct name_check check = {.derived = reader->plan->derived_count, .claim = claim};
    bool has_figure = claim->figure == NULL;

    for (unsigned i = 0; i < claim->values.count; i++) {
        check.values = i;
        if (!check_formula(reader, check, claim->values.list[i].text, claim->values.list[i].line))
            return false;
    }
    check.values = claim->values.count;
    for (unsigned i = 0; i < reader->plan->figure_count; i++)
        has_figure = has_figure || strcmp(reader->plan->figures[i].name, claim->figure) == 0;
    if (!has_figure)
        return wrong_at(reader, claim->line, "claim %s: there is no figure '%s'", claim->name,
                        claim->figure);
    return check_formula(reader, check, claim->holds, claim->line) &&
           check_formula(reader, check, claim->partly, claim->line);
}

static bool check_figure(struct plan_reader *reader, const struct plan_figure *figure)
{
    static const char *const kinds[] = {"bars", "lines", "scatter", "histogram", "stack", "time"};
    struct name_check all = {.derived = reader->plan->derived_count}, axes = {.only_axes = true};
    bool found = figure->kind == NULL;

    for (unsigned i = 0; i < ARRAY_COUNT(kinds) && !found; i++)
        found = strcmp(kinds[i], figure->kind) == 0;
    if (!found)
        return wrong_at(reader, figure->line,
                        "figure %s: there is no kind '%s': there are bars, lines, scatter, "
                        "histogram, stack, time",
                        figure->name, figure->kind);
    if (figure->kind != NULL && strcmp(figure->kind, "time") == 0 && figure->y == NULL)
        return wrong_at(reader, figure->line, "figure %s lacks its y: a sampled statistic's name",
                        figure->name);
    return check_formula(reader, all, figure->x, figure->line) &&
           check_formula(reader, all, figure->per, figure->line) &&
           check_formula(reader, axes, figure->color, figure->line) &&
           check_formula(reader, axes, figure->row, figure->line) &&
           check_formula(reader, axes, figure->where, figure->line);
}

/* Filters are asked of each combination: what they leave is known only then. */
static bool check_size(struct plan_reader *reader)
{
    const struct plan *plan = reader->plan;
    uint64_t count = 1;

    for (unsigned i = 0; i < plan->axis_count; i++) {
        if (__builtin_mul_overflow(count, plan->axes[i].count, &count))
            count = UINT64_MAX;
        if (count <= COMBINATIONS_MAX)
            continue;
        diagnose(reader->diagnosis,
                 "axis %s: the values of the axes have over %d combinations with it",
                 plan->axes[i].name, COMBINATIONS_MAX);
        diagnose_hint(reader->diagnosis, "vary fewer at a time, or make several plans of it");
        return diagnose_at(reader->diagnosis, plan->path, plan->axes[i].line);
    }
    return true;
}

bool plan_check(struct plan_reader *reader)
{
    struct plan *plan = reader->plan;

    if (!check_size(reader))
        return false;
    for (unsigned i = 0; i < plan->axis_count; i++)
        if (!check_axis(reader, &plan->axes[i]))
            return false;
    for (unsigned i = 0; i < plan->filter_count; i++)
        if (!check_formula(reader, (struct name_check){.only_axes = true}, plan->filters[i].text,
                           plan->filters[i].line))
            return false;
    for (unsigned i = 0; i < plan->derived_count; i++)
        if (!check_quantity(reader, i))
            return false;
    for (unsigned i = 0; i < plan->claim_count; i++)
        if (!check_claim(reader, &plan->claims[i]))
            return false;
    for (unsigned i = 0; i < plan->figure_count; i++)
        if (!check_figure(reader, &plan->figures[i]))
            return false;
    return check_seed(reader);
}

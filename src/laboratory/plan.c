/* SPDX-License-Identifier: MIT */
#include "laboratory/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "report/formula.h"

static const char *const keys[] = {"gpu",        "model",         "workload",      "program",
                                   "arguments",  "build_options", "out_of_bounds", "host_pointers",
                                   "max_cycles", "sample",        "seed"};

bool plan_is_key(const char *key)
{
    for (unsigned i = 0; i < ARRAY_COUNT(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return false;
}

int plan_axis_find(const struct plan *plan, const char *name)
{
    for (unsigned i = 0; i < plan->axis_count; i++)
        if (strcmp(plan->axes[i].name, name) == 0)
            return (int)i;
    return -1;
}

const struct plan_derived *plan_derived_find(const struct plan *plan, const char *name)
{
    for (unsigned i = 0; i < plan->derived_count; i++)
        if (strcmp(plan->derived[i].name, name) == 0)
            return &plan->derived[i];
    return NULL;
}

const char *plan_settings_find(const struct plan_settings *settings, const char *key)
{
    for (unsigned i = 0; i < settings->count; i++)
        if (strcmp(settings->list[i].key, key) == 0)
            return settings->list[i].text;
    return NULL;
}

void plan_set(struct plan_settings *settings, const char *key, const char *text, int line)
{
    struct plan_setting *setting = NULL;

    for (unsigned i = 0; i < settings->count; i++)
        if (strcmp(settings->list[i].key, key) == 0)
            setting = &settings->list[i];
    if (setting == NULL) {
        settings->list = reallocate(settings->list, settings->count + 1, sizeof *settings->list);
        setting = &settings->list[settings->count++];
        setting->key = copy_string(key);
        setting->text = NULL;
    }
    free(setting->text);
    setting->text = copy_string(text);
    setting->line = line;
}

/* ---- Combinations ---- */

bool plan_next(const struct plan *plan, unsigned *choice)
{
    for (unsigned i = plan->axis_count; i-- > 0;) {
        if (++choice[i] < plan->axes[i].count)
            return true;
        choice[i] = 0;
    }
    return false;
}

struct choice_names {
    struct formula_names names;
    const struct plan *plan;
    const unsigned *choice;
};

static const char *label_of(const struct formula_names *names, const char *name)
{
    const struct choice_names *at = container_of(names, struct choice_names, names);
    int axis = plan_axis_find(at->plan, name);

    return axis < 0 ? NULL : at->plan->axes[axis].values[at->choice[axis]].label;
}

static bool number_of_label(const struct formula_names *names, const char *name, double *value)
{
    const char *label = label_of(names, name);
    char *end;

    if (label == NULL || label[0] == '\0' || label[strspn(label, "0123456789.")] != '\0')
        return false;
    *value = strtod(label, &end);
    return *end == '\0';
}

bool plan_lets_pass(const struct plan *plan, const unsigned *choice, bool *is_good,
                    struct diagnosis *diagnosis)
{
    const struct choice_names at = {
        .names = {.value = number_of_label, .text = label_of}, .plan = plan, .choice = choice};

    *is_good = true;
    for (unsigned i = 0; i < plan->filter_count; i++) {
        const struct plan_formula *filter = &plan->filters[i];
        double value;

        if (formula_try(filter->text, &at.names, &value, diagnosis) != FORMULA_VALUE) {
            *is_good = diagnose_at(diagnosis, plan->path, filter->line);
            return false;
        }
        if (value == 0)
            return false;
    }
    return true;
}

/* ---- The end ---- */

static void finish_settings(struct plan_settings *settings)
{
    for (unsigned i = 0; i < settings->count; i++) {
        free(settings->list[i].key);
        free(settings->list[i].text);
    }
    free(settings->list);
}

static void finish_axis(struct plan_axis *axis)
{
    for (unsigned i = 0; i < axis->count; i++) {
        free(axis->values[i].label);
        finish_settings(&axis->values[i].settings);
    }
    free(axis->values);
    free(axis->name);
}

static void finish_formulas(struct plan_formula *list, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        free(list[i].name);
        free(list[i].text);
    }
    free(list);
}

static void finish_derived(struct plan_derived *derived)
{
    free(derived->name);
    free(derived->formula);
    free(derived->unit);
    free(derived->help);
    finish_settings(&derived->baseline);
}

static void finish_claim(struct plan_claim *claim)
{
    free(claim->name);
    free(claim->sentence);
    free(claim->source);
    free(claim->figure);
    free(claim->holds);
    free(claim->partly);
    finish_formulas(claim->values.list, claim->values.count);
}

static void finish_figure(struct plan_figure *figure)
{
    char *const all[] = {figure->name,  figure->title, figure->kind,  figure->x,  figure->y,
                         figure->color, figure->row,   figure->where, figure->per};

    for (unsigned i = 0; i < ARRAY_COUNT(all); i++)
        free(all[i]);
}

void plan_finish(struct plan *plan)
{
    finish_settings(&plan->settings);
    for (unsigned i = 0; i < plan->axis_count; i++)
        finish_axis(&plan->axes[i]);
    for (unsigned i = 0; i < plan->file_count; i++)
        free(plan->files[i]);
    for (unsigned i = 0; i < plan->output_count; i++)
        free(plan->outputs[i]);
    for (unsigned i = 0; i < plan->derived_count; i++)
        finish_derived(&plan->derived[i]);
    for (unsigned i = 0; i < plan->claim_count; i++)
        finish_claim(&plan->claims[i]);
    for (unsigned i = 0; i < plan->figure_count; i++)
        finish_figure(&plan->figures[i]);
    finish_formulas(plan->filters, plan->filter_count);
    free(plan->axes);
    free(plan->files);
    free(plan->outputs);
    free(plan->derived);
    free(plan->claims);
    free(plan->figures);
    free(plan->path);
    free(plan->folder);
    free(plan->name);
    free(plan->title);
    free(plan->text);
    memset(plan, 0, sizeof *plan);
}

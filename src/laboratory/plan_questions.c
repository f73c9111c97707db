/* SPDX-License-Identifier: MIT */
/* What a plan asks of its results: derived quantities, claims, figures. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "laboratory/plan_file.h"

/* A word of an entry, and where its text goes. */
struct field {
    const char *name;
    char **text;
};

/* Gives the field of that name; NULL: there is none. */
static const struct field *field_of(const struct field *fields, unsigned count, const char *name)
{
    for (unsigned i = 0; i < count; i++)
        if (strcmp(fields[i].name, name) == 0)
            return &fields[i];
    return NULL;
}

static bool no_field(struct plan_reader *reader, const yaml_node_t *key, const char *entry,
                     const struct field *fields, unsigned count)
{
    const char *known[16];
    const char *nearest;

    for (unsigned i = 0; i < count; i++)
        known[i] = fields[i].name;
    nearest = nearest_word(tree_scalar(key), known, count);
    plan_wrong(reader, key, "%s has no '%s'", entry, tree_scalar(key));
    if (nearest != NULL)
        diagnose_hint(reader->diagnosis, "did you mean '%s'?", nearest);
    return false;
}

/* A member that is no text. */
typedef bool read_more(struct plan_reader *reader, void *entry, const char *name,
                       const yaml_node_t *value);

/* Reads the members of `entry`; those for which `more` is named are its. */
static bool read_entry(struct plan_reader *reader, const yaml_node_t *node, const char *name,
                       const struct field *fields, unsigned count, const char *more_name,
                       read_more *more, void *entry)
{
    const yaml_node_t *key;

    if (node->type != YAML_MAPPING_NODE)
        return plan_wrong(reader, node, "%s: pairs of name and value were expected here", name);
    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, node, i);
        const struct field *field = field_of(fields, count, tree_scalar(key));

        if (more_name != NULL && strcmp(tree_scalar(key), more_name) == 0) {
            if (!more(reader, entry, name, value))
                return false;
        } else if (field == NULL) {
            return no_field(reader, key, name, fields, count);
        } else if (!plan_text(reader, value, field->text)) {
            return false;
        }
    }
    return true;
}

static bool take_baseline(struct plan_reader *reader, void *entry, const char *name,
                          const yaml_node_t *value)
{
    struct plan_derived *derived = entry;

    return plan_pairs(reader, value, &derived->baseline);
}

static bool read_quantity(struct plan_reader *reader, struct plan_derived *derived,
                          const yaml_node_t *node)
{
    const struct field fields[] = {
        {"formula", &derived->formula}, {"unit", &derived->unit}, {"help", &derived->help}};
    bool has_own;

    if (tree_scalar(node) != NULL)
        derived->formula = copy_string(tree_scalar(node));
    else if (!read_entry(reader, node, derived->name, fields, ARRAY_COUNT(fields), "baseline",
                         take_baseline, derived))
        return false;
    has_own = derived->baseline.count > 0;
    for (unsigned i = 0; !has_own && i < reader->baseline.count; i++)
        plan_set(&derived->baseline, reader->baseline.list[i].key, reader->baseline.list[i].text,
                 reader->baseline.list[i].line);
    return derived->formula != NULL ||
           plan_wrong(reader, node, "%s lacks its formula", derived->name);
}

/* Entries stand in a mapping by their names. */
static bool is_mapping(struct plan_reader *reader, const yaml_node_t *node, const char *what)
{
    return node->type == YAML_MAPPING_NODE ||
           plan_wrong(reader, node, "%s: entries with names were expected here", what);
}

bool plan_read_derived(struct plan_reader *reader, const yaml_node_t *node)
{
    struct plan *plan = reader->plan;
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        plan->derived = reallocate(plan->derived, plan->derived_count + 1, sizeof *plan->derived);
        plan->derived[plan->derived_count] =
            (struct plan_derived){.name = copy_string(tree_scalar(key)), .line = tree_line(key)};
        if (!read_quantity(reader, &plan->derived[plan->derived_count++],
                           tree_value(&reader->tree, node, i)))
            return false;
    }
    return is_mapping(reader, node, "derived");
}

static bool take_values(struct plan_reader *reader, void *entry, const char *name,
                        const yaml_node_t *value)
{
    struct plan_claim *claim = entry;
    struct plan_formulas *values = &claim->values;
    const yaml_node_t *key;

    if (value->type != YAML_MAPPING_NODE)
        return plan_wrong(reader, value, "%s: names with formulas were expected here", name);
    for (unsigned i = 0; (key = tree_key(&reader->tree, value, i)) != NULL; i++) {
        values->list = reallocate(values->list, values->count + 1, sizeof *values->list);
        values->list[values->count++] =
            (struct plan_formula){.name = copy_string(tree_scalar(key)), .line = tree_line(key)};
        if (!plan_text(reader, tree_value(&reader->tree, value, i),
                       &values->list[values->count - 1].text))
            return false;
    }
    return true;
}

bool plan_read_claims(struct plan_reader *reader, const yaml_node_t *node)
{
    struct plan *plan = reader->plan;
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, node, i);
        struct plan_claim *claim;

        plan->claims = reallocate(plan->claims, plan->claim_count + 1, sizeof *plan->claims);
        claim = &plan->claims[plan->claim_count++];
        *claim = (struct plan_claim){.name = copy_string(tree_scalar(key)), .line = tree_line(key)};
        const struct field fields[] = {{"sentence", &claim->sentence},
                                       {"source", &claim->source},
                                       {"figure", &claim->figure},
                                       {"holds", &claim->holds},
                                       {"partly", &claim->partly}};

        if (!read_entry(reader, value, claim->name, fields, ARRAY_COUNT(fields), "values",
                        take_values, claim))
            return false;
        if (claim->sentence == NULL || claim->holds == NULL)
            return plan_wrong(reader, value, "claim %s lacks its '%s'", claim->name,
                              claim->sentence == NULL ? "sentence" : "holds");
    }
    return is_mapping(reader, node, "claims");
}

bool plan_read_figures(struct plan_reader *reader, const yaml_node_t *node)
{
    struct plan *plan = reader->plan;
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        struct plan_figure *figure;

        plan->figures = reallocate(plan->figures, plan->figure_count + 1, sizeof *plan->figures);
        figure = &plan->figures[plan->figure_count++];
        *figure =
            (struct plan_figure){.name = copy_string(tree_scalar(key)), .line = tree_line(key)};
        const struct field fields[] = {{"title", &figure->title}, {"kind", &figure->kind},
                                       {"x", &figure->x},         {"y", &figure->y},
                                       {"color", &figure->color}, {"row", &figure->row},
                                       {"where", &figure->where}, {"per", &figure->per}};

        if (!read_entry(reader, tree_value(&reader->tree, node, i), figure->name, fields,
                        ARRAY_COUNT(fields), NULL, NULL, figure))
            return false;
    }
    return is_mapping(reader, node, "figures");
}

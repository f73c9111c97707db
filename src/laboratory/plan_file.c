/* SPDX-License-Identifier: MIT */
#include "laboratory/plan_file.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

enum { SEEDS_MAX = 10000 };

bool plan_wrong(struct plan_reader *reader, const yaml_node_t *node, const char *format, ...)
{
    char words[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(words, sizeof words, format, arguments);
    va_end(arguments);
    diagnose(reader->diagnosis, "%s", words);
    return tree_fail(&reader->tree, node, reader->diagnosis);
}

bool plan_text(struct plan_reader *reader, const yaml_node_t *node, char **text)
{
    if (tree_scalar(node) == NULL)
        return plan_wrong(reader, node, "a text or a number was expected here");
    free(*text);
    *text = copy_string(tree_scalar(node));
    return true;
}

bool plan_pairs(struct plan_reader *reader, const yaml_node_t *node, struct plan_settings *settings)
{
    const yaml_node_t *key;

    if (node->type != YAML_MAPPING_NODE)
        return plan_wrong(reader, node, "pairs of name and value were expected here");
    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, node, i);

        if (tree_scalar(value) == NULL)
            return plan_wrong(reader, value, "%s: a text or a number was expected here",
                              tree_scalar(key));
        plan_set(settings, tree_scalar(key), tree_scalar(value), tree_line(key));
    }
    return true;
}

/* ---- Settings ---- */

/* `l1.ways: 4`, or `l1: { ways: 4 }`. */
static bool read_parameters(struct plan_reader *reader, const yaml_node_t *node,
                            struct plan_settings *settings)
{
    const yaml_node_t *key;

    if (node->type != YAML_MAPPING_NODE)
        return plan_wrong(reader, node, "parameters and their values were expected here");
    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, node, i), *inner;

        if (tree_scalar(value) != NULL) {
            plan_set(settings, tree_scalar(key), tree_scalar(value), tree_line(key));
            continue;
        }
        for (unsigned j = 0; (inner = tree_key(&reader->tree, value, j)) != NULL; j++) {
            const char *text = tree_scalar(tree_value(&reader->tree, value, j));
            char *path = format_string("%s.%s", tree_scalar(key), tree_scalar(inner));

            if (text != NULL)
                plan_set(settings, path, text, tree_line(inner));
            free(path);
            if (text == NULL)
                return plan_wrong(reader, inner, "a value was expected here");
        }
        if (value->type != YAML_MAPPING_NODE)
            return plan_wrong(reader, value, "a value was expected here");
    }
    return true;
}

/* What a value of an axis sets: words of plans, parameters by their paths, `parameters`. */
static bool read_settings(struct plan_reader *reader, const yaml_node_t *node,
                          struct plan_settings *settings)
{
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, node, i);
        const char *name = tree_scalar(key);

        if (strcmp(name, "parameters") == 0) {
            if (!read_parameters(reader, value, settings))
                return false;
        } else if (!plan_is_key(name) && strchr(name, '.') == NULL) {
            return plan_wrong(reader, key, "'%s' is neither a word of plans nor a parameter's path",
                              name);
        } else if (tree_scalar(value) == NULL) {
            return plan_wrong(reader, value, "%s: a text or a number was expected here", name);
        } else {
            plan_set(settings, name, tree_scalar(value), tree_line(key));
        }
    }
    return true;
}

/* ---- Axes ---- */

static struct plan_value *add_value(struct plan_axis *axis, const char *label)
{
    struct plan_value *value;

    axis->values = reallocate(axis->values, axis->count + 1, sizeof *axis->values);
    value = &axis->values[axis->count++];
    memset(value, 0, sizeof *value);
    value->label = copy_string(label);
    return value;
}

static bool has_label(const struct plan_axis *axis, const char *label)
{
    for (unsigned i = 0; i < axis->count; i++)
        if (strcmp(axis->values[i].label, label) == 0)
            return true;
    return false;
}

static bool read_list(struct plan_reader *reader, const yaml_node_t *node, struct plan_axis *axis)
{
    const yaml_node_t *item;

    for (unsigned i = 0; (item = tree_item(&reader->tree, node, i)) != NULL; i++) {
        const char *text = tree_scalar(item);

        if (text == NULL)
            return plan_wrong(reader, item, "axis %s: a text or a number was expected here",
                              axis->name);
        if (has_label(axis, text))
            return plan_wrong(reader, item, "axis %s: '%s' stands there twice", axis->name, text);
        plan_set(&add_value(axis, text)->settings, axis->name, text, tree_line(item));
    }
    return true;
}

static bool read_named_values(struct plan_reader *reader, const yaml_node_t *node,
                              struct plan_axis *axis)
{
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *inner = tree_value(&reader->tree, node, i);
        struct plan_value *value = add_value(axis, tree_scalar(key));

        if (tree_scalar(inner) != NULL)
            plan_set(&value->settings, axis->name, tree_scalar(inner), tree_line(inner));
        else if (inner->type != YAML_MAPPING_NODE)
            return plan_wrong(reader, inner, "axis %s: what '%s' sets was expected here",
                              axis->name, value->label);
        else if (!read_settings(reader, inner, &value->settings))
            return false;
    }
    return true;
}

static struct plan_axis *add_axis(struct plan *plan, const char *name, int line)
{
    struct plan_axis *axis;

    plan->axes = reallocate(plan->axes, plan->axis_count + 1, sizeof *plan->axes);
    axis = &plan->axes[plan->axis_count++];
    memset(axis, 0, sizeof *axis);
    axis->name = copy_string(name);
    axis->line = line;
    return axis;
}

static bool read_axes(struct plan_reader *reader, const yaml_node_t *node)
{
    const yaml_node_t *key;

    if (node->type != YAML_MAPPING_NODE)
        return plan_wrong(reader, node, "axes: names with lists of values were expected here");
    for (unsigned i = 0; (key = tree_key(&reader->tree, node, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, node, i);
        struct plan_axis *axis = add_axis(reader->plan, tree_scalar(key), tree_line(key));

        if (value->type == YAML_SCALAR_NODE)
            return plan_wrong(reader, value, "axis %s: a list of values was expected here",
                              axis->name);
        if (!(value->type == YAML_SEQUENCE_NODE ? read_list : read_named_values)(reader, value,
                                                                                 axis))
            return false;
        if (axis->count == 0)
            return plan_wrong(reader, value, "axis %s has no value", axis->name);
    }
    return true;
}

/* A list of seeds, or how many: the last axis. */
static bool read_seeds(struct plan_reader *reader, const yaml_node_t *node)
{
    const char *text = tree_scalar(node);
    char *end;
    long count;
    struct plan_axis *axis;

    if (plan_axis_find(reader->plan, "seed") >= 0)
        return plan_wrong(reader, node, "there is an axis 'seed' already");
    axis = add_axis(reader->plan, "seed", tree_line(node));
    if (text == NULL)
        return read_list(reader, node, axis) &&
               (axis->count > 0 || plan_wrong(reader, node, "seeds: a list was expected here"));
    count = strtol(text, &end, 10);
    if (*end != '\0' || count < 1 || count > SEEDS_MAX)
        return plan_wrong(reader, node, "seeds: %s is no number from 1 to %d", text, SEEDS_MAX);
    for (long i = 1; i <= count; i++) {
        char label[32];

        snprintf(label, sizeof label, "%ld", i);
        plan_set(&add_value(axis, label)->settings, "seed", label, tree_line(node));
    }
    return true;
}

/* ---- The rest ---- */

static bool read_filters(struct plan_reader *reader, const yaml_node_t *node)
{
    struct plan *plan = reader->plan;
    const yaml_node_t *item = NULL;

    for (unsigned i = 0; (item = tree_item(&reader->tree, node, i)) != NULL; i++) {
        plan->filters = reallocate(plan->filters, plan->filter_count + 1, sizeof *plan->filters);
        plan->filters[plan->filter_count++] = (struct plan_formula){.line = tree_line(item)};
        if (!plan_text(reader, item, &plan->filters[plan->filter_count - 1].text))
            return false;
    }
    return node->type == YAML_SEQUENCE_NODE ||
           plan_wrong(reader, node, "filters: a list of conditions was expected here");
}

static bool read_paths(struct plan_reader *reader, const yaml_node_t *node, const char *word,
                       char ***paths, unsigned *count)
{
    const yaml_node_t *item;

    for (unsigned i = 0; (item = tree_item(&reader->tree, node, i)) != NULL; i++) {
        *paths = reallocate(*paths, *count + 1, sizeof **paths);
        (*paths)[(*count)++] = NULL;
        if (!plan_text(reader, item, &(*paths)[*count - 1]))
            return false;
    }
    return node->type == YAML_SEQUENCE_NODE ||
           plan_wrong(reader, node, "%s: a list of paths was expected here", word);
}

static bool read_files(struct plan_reader *reader, const yaml_node_t *node)
{
    return read_paths(reader, node, "files", &reader->plan->files, &reader->plan->file_count);
}

static bool read_outputs(struct plan_reader *reader, const yaml_node_t *node)
{
    return read_paths(reader, node, "outputs", &reader->plan->outputs, &reader->plan->output_count);
}

/* The text has what the other plan says already (plan_inherit.c). */
static bool read_inherit(struct plan_reader *reader, const yaml_node_t *node)
{
    return tree_scalar(node) != NULL ||
           plan_wrong(reader, node, "inherit: a file was expected here");
}

static bool read_title(struct plan_reader *reader, const yaml_node_t *node)
{
    return plan_text(reader, node, &reader->plan->title);
}

static bool read_flag(struct plan_reader *reader, const yaml_node_t *node, const char *word,
                      bool *flag)
{
    const char *text = tree_scalar(node);

    if (text == NULL || (strcmp(text, "true") != 0 && strcmp(text, "false") != 0))
        return plan_wrong(reader, node, "%s: it is true or false", word);
    *flag = text[0] == 't';
    return true;
}

static bool read_places(struct plan_reader *reader, const yaml_node_t *node)
{
    return read_flag(reader, node, "places", &reader->plan->has_places);
}

static bool read_profile(struct plan_reader *reader, const yaml_node_t *node)
{
    return read_flag(reader, node, "profile", &reader->plan->has_profile);
}

static bool read_timeout(struct plan_reader *reader, const yaml_node_t *node)
{
    const char *text = tree_scalar(node);

    if (text == NULL || text[0] == '\0' || text[strspn(text, "0123456789")] != '\0' ||
        strlen(text) > 8)
        return plan_wrong(reader, node, "timeout_seconds: a whole number was expected here");
    reader->plan->timeout_seconds = (unsigned)atoi(text);
    return true;
}

static bool read_plan_parameters(struct plan_reader *reader, const yaml_node_t *node)
{
    return read_parameters(reader, node, &reader->plan->settings);
}

static bool read_baseline(struct plan_reader *reader, const yaml_node_t *node)
{
    return plan_pairs(reader, node, &reader->baseline);
}

/* In the order in which they are read: the baseline before what uses it. */
static const struct section {
    const char *name;
    bool (*read)(struct plan_reader *reader, const yaml_node_t *node);
} sections[] = {
    {"inherit", read_inherit},
    {"title", read_title},
    {"parameters", read_plan_parameters},
    {"axes", read_axes},
    {"seeds", read_seeds},
    {"filters", read_filters},
    {"files", read_files},
    {"outputs", read_outputs},
    {"places", read_places},
    {"profile", read_profile},
    {"timeout_seconds", read_timeout},
    {"baseline", read_baseline},
    {"derived", plan_read_derived},
    {"claims", plan_read_claims},
    {"figures", plan_read_figures},
};

static bool is_section(const char *name)
{
    for (unsigned i = 0; i < ARRAY_COUNT(sections); i++)
        if (strcmp(sections[i].name, name) == 0)
            return true;
    return false;
}

static bool unknown_word(struct tree *tree, const yaml_node_t *key, struct diagnosis *diagnosis)
{
    const char *known[ARRAY_COUNT(sections)], *nearest;

    for (unsigned i = 0; i < ARRAY_COUNT(sections); i++)
        known[i] = sections[i].name;
    nearest = nearest_word(tree_scalar(key), known, ARRAY_COUNT(known));
    diagnose(diagnosis, "a plan has no '%s'", tree_scalar(key));
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'?", nearest);
    return tree_fail(tree, key, diagnosis);
}

bool plan_check_words(struct tree *tree, struct diagnosis *diagnosis)
{
    const yaml_node_t *key;

    for (unsigned i = 0; (key = tree_key(tree, tree_root(tree), i)) != NULL; i++)
        if (!is_section(tree_scalar(key)) && !plan_is_key(tree_scalar(key)))
            return unknown_word(tree, key, diagnosis);
    return true;
}

static bool read_words(struct plan_reader *reader, const yaml_node_t *root)
{
    const yaml_node_t *key;

    if (!plan_check_words(&reader->tree, reader->diagnosis))
        return false;
    for (unsigned i = 0; (key = tree_key(&reader->tree, root, i)) != NULL; i++) {
        const yaml_node_t *value = tree_value(&reader->tree, root, i);

        if (is_section(tree_scalar(key)))
            continue;
        if (tree_scalar(value) == NULL) {
            plan_wrong(reader, value, "%s: one value was expected here", tree_scalar(key));
            return diagnose_hint(reader->diagnosis, "lists of values belong under `axes:`");
        }
        plan_set(&reader->plan->settings, tree_scalar(key), tree_scalar(value), tree_line(key));
    }
    return true;
}

static bool read_root(struct plan_reader *reader)
{
    const yaml_node_t *root = tree_root(&reader->tree), *key;

    if (!read_words(reader, root))
        return false;
    for (unsigned i = 0; i < ARRAY_COUNT(sections); i++)
        for (unsigned j = 0; (key = tree_key(&reader->tree, root, j)) != NULL; j++)
            if (strcmp(tree_scalar(key), sections[i].name) == 0 &&
                !sections[i].read(reader, tree_value(&reader->tree, root, j)))
                return false;
    return plan_check(reader);
}

bool plan_parse(struct plan *plan, const char *name, const char *folder, const char *text,
                struct diagnosis *diagnosis)
{
    struct plan_reader reader = {.plan = plan, .diagnosis = diagnosis};
    bool is_good;

    if (plan->path == NULL)
        plan->path = format_string("%s/%s.yaml", folder, name);
    plan->name = copy_string(name);
    plan->folder = copy_string(folder);
    plan->text = copy_string(text);
    plan->text_bytes = strlen(text);
    if (!tree_init(&reader.tree, plan->path, text, plan->text_bytes, diagnosis))
        return false;
    is_good = read_root(&reader);
    tree_finish(&reader.tree);
    for (unsigned i = 0; i < reader.baseline.count; i++) {
        free(reader.baseline.list[i].key);
        free(reader.baseline.list[i].text);
    }
    free(reader.baseline.list);
    return is_good;
}

bool plan_read(struct plan *plan, const char *path, struct diagnosis *diagnosis)
{
    const char *slash = strrchr(path, '/'), *start = slash != NULL ? slash + 1 : path;
    size_t length = strcspn(start, ".");
    char *folder = slash == NULL   ? copy_string(".")
                   : slash == path ? copy_string("/")
                                   : format_string("%.*s", (int)(slash - path), path);
    char *name = format_string("%.*s", (int)length, start);
    struct text text = {0};
    bool is_good;

    plan->path = copy_string(path);
    is_good = plan_text_whole(path, &text, diagnosis) &&
              plan_parse(plan, name, folder, text_chars(&text), diagnosis);
    text_finish(&text);
    free(folder);
    free(name);
    return is_good;
}

/* SPDX-License-Identifier: MIT */
/*
 * Pointers that were made of one another before the loop, as in `p = a + 1`. All values that a
 * local pointer gets in the loops' function count, in whatever order; an exchange of two pointers
 * (t = a; a = b; b = t) leaves them apart. Parameters and global variables are taken to be apart.
 */
#include <string.h>

#include "walk.h"

enum { ALIAS_DEPTH = 8, ALIAS_BASES = 16, ALIAS_VALUES = 16 };

/* What a pointer may point into: a variable, or what a text yields; and how far from its start. */
struct base {
    const struct symbol *symbol;
    const char *text;
    struct form distance;
};

struct alias_search {
    struct walk *walk;
    const struct symbol *pending[ALIAS_DEPTH]; /* whose values are being looked at */
    unsigned depth;
    struct base base[ALIAS_BASES];
    unsigned bases;
};

/* The values that a pointer gets. */
struct values {
    const struct symbol *symbol;
    struct node *node[ALIAS_VALUES];
    unsigned count;
    bool is_changed; /* by ++ and the like, or too often */
    struct node *skipped[2];
};

static void alias_symbol(struct alias_search *search, struct symbol *symbol,
                         const struct form *distance);
static void alias_pointer(struct alias_search *search, struct node *node,
                          const struct form *distance);

static struct form alias_unknown(void)
{
    return (struct form){.is_too_long = true};
}

static void alias_add(struct alias_search *search, const struct symbol *symbol, const char *text,
                      const struct form *distance)
{
    struct base base = {symbol, text, *distance};
    if (search->bases < ALIAS_BASES)
        search->base[search->bases++] = base;
}

/* The variables of `one = other`, a statement or a declaration; false: it is another. */
static bool alias_copy(struct node *node, struct symbol **one, struct symbol **other)
{
    struct node *value = NULL;
    *one = *other = NULL;
    if (node->kind == NODE_BLOCK && node->text && node->children == 1)
        node = node->child[0];
    if (node->kind == NODE_DECLARATION) {
        *one = node->symbol;
        value = tree_bare(node->symbol->initial);
    } else if (node->kind == NODE_ASSIGNMENT && string_is(node->text, "=") &&
               tree_bare(node->child[0])->kind == NODE_REFERENCE) {
        *one = tree_bare(node->child[0])->symbol;
        value = tree_bare(node->child[1]);
    }
    if (value && value->kind == NODE_REFERENCE)
        *other = value->symbol;
    return *one && *other;
}

/* Skips the assignments of exchanges; else notes those to the pointer. */
static bool alias_visit(struct node *node, void *context)
{
    struct values *values = context;
    struct symbol *name[6];
    for (unsigned i = 0; node->kind == NODE_BLOCK && i + 2 < node->children; i++) {
        struct node **three = node->child + i;
        if (alias_copy(three[0], &name[0], &name[1]) && alias_copy(three[1], &name[2], &name[3]) &&
            alias_copy(three[2], &name[4], &name[5]) && name[0] == name[5] && name[1] == name[2] &&
            name[3] == name[4] && (name[2] == values->symbol || name[4] == values->symbol))
            values->skipped[name[4] == values->symbol] = three[name[4] == values->symbol ? 2 : 1];
    }
    if (!tree_is_assignment(node) || tree_target(node->child[0]) != values->symbol ||
        node == values->skipped[0] || node == values->skipped[1])
        return true;
    if (string_is(node->text, "=") && values->count < ALIAS_VALUES)
        values->node[values->count++] = node->child[1];
    else
        values->is_changed = true;
    return true;
}

/* An integer that is the same wherever it is read; else too long. */
static bool alias_is_steady(struct node *node, void *context)
{
    (void)context;
    if (node->kind == NODE_REFERENCE)
        return node->symbol->type->kind == TYPE_INTEGER && !node->symbol->type->is_volatile &&
               !node->symbol->is_register && !node->symbol->is_global && !node->symbol->is_static &&
               !node->symbol->has_address && node->symbol->assignments == 0;
    return node->kind == NODE_INTEGER || node->kind == NODE_PARENTHESES ||
           node->kind == NODE_CAST || (node->kind == NODE_BINARY && strchr("+-*", *node->text));
}

static struct form alias_step(struct alias_search *search, const struct form *distance,
                              struct node *base, struct node *count, long factor)
{
    struct type *element = tree_bare(base)->type->element;
    struct atoms *atoms = &search->walk->kernel->atoms;
    if (!element || element->has_lengths || !element->size ||
        !tree_walk(count, alias_is_steady, NULL))
        return alias_unknown();
    search->walk->quiet++;
    struct form steps = walk_value(search->walk, count).form;
    search->walk->quiet--;
    struct form size = form_number((long)element->size * factor);
    steps = form_multiply(atoms, &steps, &size);
    return form_add(atoms, distance, &steps, 1);
}

/* Of &place, or of an array: where it is. */
static void alias_place(struct alias_search *search, struct node *node, const struct form *distance)
{
    const struct form unknown = alias_unknown();
    node = tree_bare(node);
    if (node->kind == NODE_REFERENCE) {
        alias_symbol(search, node->symbol, distance);
    } else if (node->kind == NODE_SUBSCRIPT) {
        bool is_swapped = tree_is_pointer(tree_bare(node->child[1])->type);
        struct form there =
            alias_step(search, distance, node->child[is_swapped], node->child[!is_swapped], 1);
        alias_pointer(search, node->child[is_swapped], &there);
    } else if (node->kind == NODE_UNARY && string_is(node->text, "*")) {
        alias_pointer(search, node->child[0], distance);
    } else if (node->kind == NODE_MEMBER) {
        if (tree_is_pointer(tree_bare(node->child[0])->type))
            alias_pointer(search, node->child[0], &unknown);
        else
            alias_place(search, node->child[0], &unknown);
    }
}

static void alias_operands(struct alias_search *search, struct node *node, unsigned from)
{
    const struct form unknown = alias_unknown();
    for (unsigned i = from; i < node->children; i++)
        alias_pointer(search, node->child[i], &unknown);
}

/* What a pointer's value points into. */
static void alias_pointer(struct alias_search *search, struct node *node,
                          const struct form *distance)
{
    const struct form unknown = alias_unknown();
    node = tree_bare(node);
    bool is_sum = node->kind == NODE_BINARY && strchr("+-", *node->text) && !node->text[1];
    if (!tree_is_pointer(node->type) && node->kind != NODE_CAST) {
        if (node->kind == NODE_BINARY)
            alias_operands(search, node, 0);
    } else if (node->kind == NODE_CAST) {
        alias_pointer(search, node->child[0], distance);
    } else if (node->kind == NODE_REFERENCE || node->type->kind == TYPE_ARRAY) {
        alias_place(search, node, distance);
    } else if (is_sum) {
        bool is_right = tree_is_pointer(tree_bare(node->child[1])->type);
        struct form there = alias_step(search, distance, node->child[is_right],
                                       node->child[!is_right], *node->text == '-' ? -1 : 1);
        alias_pointer(search, node->child[is_right], &there);
    } else if (node->kind == NODE_UNARY && string_is(node->text, "&")) {
        alias_place(search, node->child[0], distance);
    } else if (node->kind == NODE_ASSIGNMENT && string_is(node->text, "=")) {
        alias_pointer(search, node->child[1], distance);
    } else if (node->kind == NODE_CONDITIONAL || node->kind == NODE_CALL) {
        alias_operands(search, node, 1);
    } else if (node->kind == NODE_MEMBER || node->kind == NODE_SUBSCRIPT ||
               (node->kind == NODE_UNARY && string_is(node->text, "*"))) {
        const struct source *source = search->walk->kernel->tree->source;
        alias_add(search, NULL, source_flat(source, node->begin, node->end), &unknown);
    } else { /* a comma, p++, p += n */
        alias_operands(search, node, 0);
    }
}

static void alias_symbol(struct alias_search *search, struct symbol *symbol,
                         const struct form *distance)
{
    struct values values = {.symbol = symbol};
    const struct form unknown = alias_unknown();
    for (unsigned i = 0; i < search->depth; i++)
        if (search->pending[i] == symbol)
            return;
    bool is_own = symbol->type->kind != TYPE_POINTER || symbol->is_global || symbol->has_address ||
                  search->depth == ALIAS_DEPTH;
    if (!is_own)
        tree_walk(search->walk->kernel->function->body, alias_visit, &values);
    if (symbol->initial && !is_own && values.count < ALIAS_VALUES)
        values.node[values.count++] = symbol->initial;
    bool is_given = is_own || symbol->kind == SYMBOL_PARAMETER || values.is_changed ||
                    values.count == 0 || values.skipped[0] || values.skipped[1];
    bool is_steady = !values.is_changed && values.count + is_given == 1 && !values.skipped[0] &&
                     !values.skipped[1] && search->depth < ALIAS_DEPTH;
    if (is_given)
        alias_add(search, symbol, NULL, is_steady ? distance : &unknown);
    if (is_own)
        return;
    search->pending[search->depth++] = symbol;
    for (unsigned i = 0; i < values.count; i++)
        alias_pointer(search, values.node[i], is_steady ? distance : &unknown);
    search->depth--;
}

/* Notes that two captured pointers point into the same. */
static void alias_note(struct kernel *kernel, unsigned root, const struct alias_search *one,
                       unsigned other_root, const struct alias_search *other)
{
    struct alias alias = {root, other_root, alias_unknown()};
    bool is_found = false, is_sure = one->bases == 1 && other->bases == 1;
    for (unsigned i = 0; i < one->bases; i++) {
        for (unsigned j = 0; j < other->bases; j++) {
            const struct base *left = &one->base[i], *right = &other->base[j];
            if (left->symbol != right->symbol ||
                (!left->symbol && !string_is(left->text, right->text)))
                continue;
            is_found = true;
            if (is_sure)
                alias.distance = form_add(&kernel->atoms, &left->distance, &right->distance, -1);
        }
    }
    if (is_found)
        *(struct alias *)list_add(&kernel->aliases, sizeof(alias)) = alias;
}

void kernel_find_aliases(struct walk *walk)
{
    struct kernel *kernel = walk->kernel;
    size_t count = kernel->captures.count;
    struct alias_search *search = memory_take((count + 1) * sizeof(*search));
    const struct form zero = {0};
    for (size_t i = 0; i < count; i++) {
        struct capture capture = *LIST_AT(&kernel->captures, struct capture, i);
        search[i].walk = walk;
        if (capture.is_array)
            alias_symbol(&search[i], capture.symbol, &zero);
    }
    kernel->captures.count = count;
    for (size_t i = 0; i < count; i++) {
        const struct capture *one = LIST_AT(&kernel->captures, struct capture, i);
        for (size_t j = 0; one->is_array && j < i; j++) {
            const struct capture *other = LIST_AT(&kernel->captures, struct capture, j);
            if (other->is_array)
                alias_note(kernel, one->root, &search[i], other->root, &search[j]);
        }
    }
}

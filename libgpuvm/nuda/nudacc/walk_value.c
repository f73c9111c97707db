/* SPDX-License-Identifier: MIT */
/* Values of expressions. */
#include <string.h>

#include "walk.h"

static unsigned walk_depends(const struct walk *walk, const struct value *value)
{
    return form_depends(&walk->kernel->atoms, &value->form);
}

static bool walk_is_data(const struct walk *walk, const struct value *value)
{
    return form_is_data(&walk->kernel->atoms, &value->form);
}

struct value walk_made(struct walk *walk, const char *what, const struct value *left,
                       const struct value *right)
{
    static const struct value nothing;
    right = right ? right : &nothing;
    const char *key =
        memory_format("%s(%s,%s)", what, form_key(&left->form), form_key(&right->form));
    struct value made = {.roots = left->roots | right->roots,
                         .is_private = left->is_private || right->is_private};
    unsigned depends = walk_depends(walk, left) | walk_depends(walk, right);
    bool is_data = walk_is_data(walk, left) || walk_is_data(walk, right);
    made.form = form_value(&walk->kernel->atoms, key, depends, is_data);
    form_fix(&walk->kernel->atoms, &made.form, &left->form, &right->form, 0);
    return made;
}

struct value walk_fixed(struct walk *walk, const char *key)
{
    struct value value = {.form = form_value(&walk->kernel->atoms, key, 0, false)};
    struct form zero = {0};
    form_fix(&walk->kernel->atoms, &value.form, &zero, &zero, 0);
    return value;
}

struct form walk_stride(struct walk *walk, struct node *base, struct type *element)
{
    unsigned level;
    if (!element->has_lengths)
        return form_number(element->size ? (long)element->size : 1);
    struct symbol *symbol = tree_row(base, &level);
    unsigned inner = symbol ? tree_lengths(symbol->type) - (symbol->type->kind == TYPE_ARRAY) : 0;
    if (!symbol || symbol->lengths.count < inner || inner < level) {
        walk_error(walk, base,
                   "the length of these rows cannot be told: use a pointer with a type of its own");
        return form_value(&walk->kernel->atoms, memory_format("row%zu", base->begin), 0, false);
    }
    struct form stride = form_number((long)tree_scalar(element)->size);
    for (size_t i = symbol->lengths.count - inner + level; i < symbol->lengths.count; i++) {
        walk->quiet++;
        struct value length = walk_value(walk, *LIST_AT(&symbol->lengths, struct node *, i));
        walk->quiet--;
        stride = form_multiply(&walk->kernel->atoms, &stride, &length.form);
        struct form one = form_number(1),
                    fact = form_add(&walk->kernel->atoms, &length.form, &one, -1);
        if (!walk->guard.is_conditional) /* no row has a length of 0 */
            *(struct form *)list_add(&walk->kernel->facts, sizeof(fact)) = fact;
    }
    return stride;
}

struct value walk_narrow(struct walk *walk, const struct value *value, const struct type *type)
{
    struct value narrow = *value;
    long number, most = 1L << (8 * type->size - type->is_signed) % 64;
    if (type->kind != TYPE_INTEGER || type->size >= sizeof(int) ||
        (form_is_number(&value->form, &number) && number < most &&
         number >= (type->is_signed ? -most : 0)))
        return narrow;
    const char *what = memory_format("narrow%zu%d", type->size, type->is_signed);
    narrow.form = walk_made(walk, what, value, NULL).form;
    return narrow;
}

/* A pointer some elements on (factor 1) or back (-1). */
static struct value walk_step(struct walk *walk, struct node *base, const struct value *pointer,
                              const struct value *count, long factor)
{
    struct value moved = *pointer;
    struct atoms *atoms = &walk->kernel->atoms;
    struct form stride = walk_stride(walk, base, tree_bare(base)->type->element);
    struct form distance = form_multiply(atoms, &count->form, &stride);
    moved.form = form_add(atoms, &pointer->form, &distance, factor);
    return moved;
}

static struct value walk_arithmetic(struct walk *walk, struct node *node, const struct value *left,
                                    const struct value *right)
{
    struct value result = {0};
    struct atoms *atoms = &walk->kernel->atoms;
    bool is_left = tree_is_pointer(tree_bare(node->child[0])->type);
    bool is_right = tree_is_pointer(tree_bare(node->child[1])->type);
    char which = *node->text;
    if (node->text[1] == 0 && strchr("+-*", which) && node->type->kind == TYPE_INTEGER &&
        !is_left) {
        if (which == '*')
            result.form = form_multiply(atoms, &left->form, &right->form);
        else
            result.form = form_add(atoms, &left->form, &right->form, which == '+' ? 1 : -1);
        return result;
    }
    if (node->type->kind == TYPE_POINTER && is_left)
        return walk_step(walk, node->child[0], left, right, which == '+' ? 1 : -1);
    if (node->type->kind == TYPE_POINTER && is_right)
        return walk_step(walk, node->child[1], right, left, 1);
    result = walk_made(walk, node->text, left, right);
    result.roots = 0;
    result.is_private = false;
    return result;
}

static struct value walk_binary(struct walk *walk, struct node *node)
{
    struct value left = walk_value(walk, node->child[0]), right;
    bool is_and = string_is(node->text, "&&");
    if (is_and || string_is(node->text, "||")) {
        struct guard saved = walk->guard;
        walk_guard(walk, node->child[0], &left, is_and, true);
        right = walk_value(walk, node->child[1]);
        walk->guard = saved;
    } else {
        right = walk_value(walk, node->child[1]);
    }
    return string_is(node->text, ",") ? right : walk_arithmetic(walk, node, &left, &right);
}

static struct value walk_conditional(struct walk *walk, struct node *node)
{
    struct value condition = walk_value(walk, node->child[0]);
    struct guard saved = walk->guard;
    walk_guard(walk, node->child[0], &condition, true, true);
    struct value first = walk_value(walk, node->child[1]);
    walk->guard = saved;
    walk_guard(walk, node->child[0], &condition, false, true);
    struct value second = walk_value(walk, node->child[2]);
    walk->guard = saved;
    struct value result = walk_made(walk, "?", &first, &second);
    struct value decided = walk_made(walk, ":", &condition, &result);
    result.form = decided.form;
    return result;
}

/* x = e, x += e, ++x, x++ */
static struct value walk_assignment(struct walk *walk, struct node *node)
{
    static const struct value one = {.form = {.parts = 1, .part = {{.factor = 1}}}};
    bool is_plain = node->kind == NODE_ASSIGNMENT && string_is(node->text, "=");
    struct value given = node->kind == NODE_ASSIGNMENT ? walk_value(walk, node->child[1]) : one;
    struct location location = walk_location(walk, node->child[0]);
    if (is_plain) {
        given = walk_narrow(walk, &given, node->child[0]->type);
        walk_store(walk, node, &location, &given, true);
        return given;
    }
    struct value old = walk_load(walk, node->child[0], &location), result;
    bool is_pointer = tree_is_pointer(node->child[0]->type);
    result = is_pointer ? old : walk_made(walk, node->text, &old, &given);
    if (is_pointer)
        result.form = walk_made(walk, node->text, &old, &given).form;
    walk_store(walk, node, &location, &result, true);
    return result;
}

static struct value walk_address(struct walk *walk, struct node *node)
{
    struct location location = walk_location(walk, node->child[0]);
    if (!location.local)
        return location.address;
    if (!kernel_is_local(walk->kernel, location.local, walk->call))
        walk_error(walk, node,
                   "the address of '%s', a variable outside of the loop, is taken: use an array of "
                   "one element, "
                   "from malloc",
                   location.local->name);
    struct value value = {.is_private = true};
    return value;
}

static struct value walk_unary(struct walk *walk, struct node *node)
{
    struct value value;
    struct value zero = {0};
    if (tree_is_assignment(node))
        return walk_assignment(walk, node);
    if (string_is(node->text, "&"))
        return walk_address(walk, node);
    if (string_is(node->text, "*")) {
        struct location location = walk_location(walk, node);
        return node->type->kind == TYPE_ARRAY ? location.address : walk_load(walk, node, &location);
    }
    value = walk_value(walk, node->child[0]);
    if (string_is(node->text, "+"))
        return value;
    if (string_is(node->text, "-") && node->type->kind == TYPE_INTEGER) {
        zero.form = form_add(&walk->kernel->atoms, &zero.form, &value.form, -1);
        return zero;
    }
    value = walk_made(walk, node->text, &value, NULL);
    value.roots = 0;
    value.is_private = false;
    return value;
}

static struct value walk_cast(struct walk *walk, struct node *node)
{
    struct value value = walk_value(walk, node->child[0]);
    enum type_kind from = tree_bare(node->child[0])->type->kind, to = node->type->kind;
    bool is_null = node->child[0]->kind == NODE_INTEGER && node->child[0]->value == 0;
    if (tree_is_pointer(node->type) != tree_is_pointer(tree_bare(node->child[0])->type) &&
        to != TYPE_VOID && !is_null)
        walk_error(walk, node,
                   "a pointer is made from an integer, or an integer from a pointer, in the loop");
    if (to == TYPE_POINTER && node->type->has_lengths)
        walk_error(walk, node,
                   "a cast to rows of variable length: do it before the loop, into a variable");
    if ((from == TYPE_INTEGER && to == TYPE_INTEGER) || tree_is_pointer(node->type))
        return walk_narrow(walk, &value, node->type);
    return walk_made(walk, "cast", &value, NULL);
}

static struct value walk_lvalue(struct walk *walk, struct node *node)
{
    struct value nothing = {0}, inside = {.is_private = true};
    if (node->kind == NODE_REFERENCE && node->symbol->kind == SYMBOL_FUNCTION) {
        walk_error(walk, node,
                   "a function is used as a value: a device has no pointers to functions");
        return nothing;
    }
    struct location location = walk_location(walk, node);
    if (node->type->kind != TYPE_ARRAY)
        return walk_load(walk, node, &location);
    if (!location.local)
        return location.address;
    walk_load(walk, node, &location); /* a part of a struct from outside is that struct */
    return inside;
}

static struct value walk_children(struct walk *walk, struct node *node)
{
    struct value all = {0};
    for (unsigned i = 0; i < node->children; i++) {
        struct value one = walk_value(walk, node->child[i]);
        all = walk_made(walk, "list", &all, &one);
    }
    return all;
}

struct value walk_value(struct walk *walk, struct node *node)
{
    struct value value = {0};
    switch (node->kind) {
    case NODE_INTEGER:
        value.form = form_number((long)node->value);
        return value;
    case NODE_FLOATING:
        return walk_fixed(walk, memory_format("f%s", node->text));
    case NODE_PARENTHESES:
        return walk_value(walk, node->child[0]);
    case NODE_REFERENCE:
    case NODE_MEMBER:
    case NODE_SUBSCRIPT:
        return walk_lvalue(walk, node);
    case NODE_UNARY:
        return walk_unary(walk, node);
    case NODE_BINARY:
        return walk_binary(walk, node);
    case NODE_ASSIGNMENT:
        return walk_assignment(walk, node);
    case NODE_CONDITIONAL:
        return walk_conditional(walk, node);
    case NODE_CAST:
        return walk_cast(walk, node);
    case NODE_CALL:
        return walk_call(walk, node);
    case NODE_BUILTIN:
        return walk_builtin(walk, node);
    case NODE_LIST:
    case NODE_DESIGNATED:
    case NODE_LITERAL:
        return walk_children(walk, node);
    default:
        walk_error(walk, node, "this (%s) cannot go to a device",
                   node->text ? node->text : "a statement");
        return value;
    }
}

/* SPDX-License-Identifier: MIT */
/* Expressions: as they were written, but for names, types, and rows of variable length. */
#include "emit.h"

#include <string.h>

char *emit_symbol(const struct symbol *symbol)
{
    return *symbol->name ? memory_format("%s_", symbol->name)
                         : memory_format("nuda_none_%u", symbol->number);
}

unsigned emit_rows(const struct symbol *symbol)
{
    return tree_lengths(symbol->type) - (symbol->type->kind == TYPE_ARRAY);
}

struct symbol *emit_flat(struct node *node, unsigned *level)
{
    if (!tree_is_pointer(tree_bare(node)->type))
        return NULL;
    struct symbol *symbol = tree_row(node, level);
    bool is_flat = symbol && symbol->kind != SYMBOL_FUNCTION && tree_is_pointer(symbol->type) &&
                   symbol->type->element->has_lengths && *level <= emit_rows(symbol);
    return is_flat ? symbol : NULL;
}

enum space emit_space(struct emit *emit, struct node *node)
{
    unsigned level;
    node = tree_bare(node);
    switch (node->kind) {
    case NODE_REFERENCE:
        if (node->symbol->type->kind == TYPE_POINTER) {
            enum space space = instance_space(emit->instance, node->symbol);
            for (size_t i = 0; i < emit->kernel->captures.count; i++)
                if (LIST_AT(&emit->kernel->captures, struct capture, i)->symbol == node->symbol)
                    space = SPACE_GLOBAL;
            return space;
        }
        for (size_t i = 0; i < emit->kernel->captures.count; i++) {
            const struct capture *capture = LIST_AT(&emit->kernel->captures, struct capture, i);
            if (capture->symbol == node->symbol && capture->is_array)
                return SPACE_GLOBAL;
        }
        return SPACE_PRIVATE;
    case NODE_MEMBER:
    case NODE_CAST:
    case NODE_UNARY:
        return emit_space(emit, node->child[0]);
    case NODE_ASSIGNMENT:
        return emit_space(emit, node->child[0]);
    case NODE_SUBSCRIPT:
    case NODE_BINARY:
        level = tree_is_pointer(tree_bare(node->child[0])->type) ? 0 : 1;
        return emit_space(emit, node->child[string_is(node->text, ",") ? 1 : level]);
    case NODE_CONDITIONAL:
        return emit_space(emit, node->child[1]) | emit_space(emit, node->child[2]);
    case NODE_CALL: {
        const struct instance *target = kernel_target(emit->kernel, emit->instance, node);
        return target ? target->result : SPACE_UNKNOWN;
    }
    case NODE_LITERAL:
        return SPACE_PRIVATE;
    default:
        return SPACE_UNKNOWN;
    }
}

static void emit_integer(struct emit *emit, const struct node *node)
{
    const struct type *type = node->type;
    long long value = (long long)node->value;
    bool is_long = type->size == 8;
    if (type->kind == TYPE_INTEGER && !type->is_signed)
        text_print(&emit->text, is_long ? "%lluUL" : "%lluU",
                   is_long ? node->value : node->value & 0xffffffff);
    else if (value >= 0)
        text_print(&emit->text, is_long ? "%lldL" : "%lld", value);
    else
        text_print(&emit->text, is_long ? "(-%lldL - 1)" : "(-%lld - 1)", -(value + 1));
}

static void emit_floating(struct emit *emit, const struct node *node)
{
    if (node->type->kind != TYPE_FLOAT && node->type->kind != TYPE_DOUBLE)
        kernel_error(emit->kernel, node, NULL, "OpenCL C has no type '%s'", node->type->name);
    emit->has_double |= node->type->kind == TYPE_DOUBLE;
    text_print(&emit->text, "%s", node->text);
}

/* How many elements a step at a level of a pointer to rows is. */
static void emit_row(struct emit *emit, const struct symbol *symbol, unsigned level)
{
    text_print(&emit->text, "nuda_row_%u_%u", symbol->number, level);
}

static void emit_flat_sum(struct emit *emit, struct node *pointer, struct node *count,
                          const char *sign, const struct symbol *symbol, unsigned level)
{
    text_print(&emit->text, "(");
    emit_expression(emit, pointer);
    text_print(&emit->text, " %s (", sign);
    emit_expression(emit, count);
    text_print(&emit->text, ")");
    if (level < emit_rows(symbol)) {
        text_print(&emit->text, " * ");
        emit_row(emit, symbol, level);
    }
    text_print(&emit->text, ")");
}

static void emit_subscript(struct emit *emit, struct node *node)
{
    bool is_swapped = tree_is_pointer(tree_bare(node->child[1])->type);
    struct node *base = node->child[is_swapped], *index = node->child[!is_swapped];
    unsigned level;
    struct symbol *symbol = emit_flat(base, &level);
    if (symbol && node->type->kind == TYPE_ARRAY) {
        emit_flat_sum(emit, base, index, "+", symbol, level);
        return;
    }
    emit_expression(emit, base);
    text_print(&emit->text, "[");
    emit_expression(emit, index);
    text_print(&emit->text, "]");
}

static void emit_unary(struct emit *emit, struct node *node)
{
    unsigned level;
    struct symbol *symbol = emit_flat(node->child[0], &level);
    const char *which = node->text;
    if (symbol && ((string_is(which, "*") && node->type->kind == TYPE_ARRAY) ||
                   (string_is(which, "&") && node->child[0]->type->kind == TYPE_ARRAY))) {
        emit_expression(emit, node->child[0]);
        return;
    }
    if (symbol && tree_is_assignment(node) && level < emit_rows(symbol))
        kernel_error(emit->kernel, node, NULL,
                     "a pointer to rows of variable length is stepped: use an index");
    if (which[0] == 'p') {
        emit_expression(emit, node->child[0]);
        text_print(&emit->text, "%s", which + 1);
    } else {
        bool is_sign = which[1] == 0 && strchr("+-&", which[0]);
        text_print(&emit->text, is_sign ? " %s" : "%s", which);
        emit_expression(emit, node->child[0]);
    }
}

static void emit_binary(struct emit *emit, struct node *node)
{
    unsigned level;
    struct node *left = node->child[0], *right = node->child[1];
    bool is_sum =
        node->kind == NODE_BINARY && (string_is(node->text, "+") || string_is(node->text, "-"));
    struct symbol *symbol = is_sum ? emit_flat(left, &level) : NULL;
    if (symbol && tree_is_pointer(tree_bare(right)->type)) {
        text_print(&emit->text, "((");
        emit_expression(emit, left);
        text_print(&emit->text, " - ");
        emit_expression(emit, right);
        text_print(&emit->text, ")%s", level < emit_rows(symbol) ? " / " : "");
        if (level < emit_rows(symbol))
            emit_row(emit, symbol, level);
        text_print(&emit->text, ")");
        return;
    }
    if (symbol) {
        emit_flat_sum(emit, left, right, node->text, symbol, level);
        return;
    }
    symbol = is_sum ? emit_flat(right, &level) : NULL;
    if (symbol) {
        emit_flat_sum(emit, right, left, "+", symbol, level);
        return;
    }
    if (node->kind == NODE_ASSIGNMENT && !string_is(node->text, "=") && emit_flat(left, &level))
        kernel_error(emit->kernel, node, NULL,
                     "a pointer to rows of variable length is stepped: use an index");
    emit_expression(emit, left);
    text_print(&emit->text, string_is(node->text, ",") ? "%s " : " %s ", node->text);
    if (string_is(node->text, "="))
        emit_converted(emit, left->type, right);
    else
        emit_expression(emit, right);
}

static void emit_list(struct emit *emit, struct node *node)
{
    text_print(&emit->text, "{");
    for (unsigned i = 0; i < node->children; i++) {
        text_print(&emit->text, "%s", i ? ", " : "");
        emit_expression(emit, node->child[i]);
    }
    text_print(&emit->text, "}");
}

/* [2].x = ...: members get their underscores. */
static void emit_designated(struct emit *emit, struct node *node)
{
    for (const char *at = node->text; *at;) {
        size_t word = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
        bool is_member = at > node->text && at[-1] == '.';
        text_print(&emit->text, "%.*s%s", (int)(word ? word : 1), at, word && is_member ? "_" : "");
        at += word ? word : 1;
    }
    emit_expression(emit, node->child[0]);
}

static void emit_cast(struct emit *emit, struct node *node)
{
    enum space space = emit_space(emit, node->child[0]);
    text_print(&emit->text, "(%s)", emit_type(emit, node->type, space, node));
    emit_expression(emit, node->child[0]);
}

void emit_converted(struct emit *emit, const struct type *type, struct node *node)
{
    bool is_row = type->kind == TYPE_POINTER && type->element->kind == TYPE_ARRAY;
    if (is_row)
        text_print(&emit->text, "(%s)(", emit_type(emit, type, emit_space(emit, node), node));
    emit_expression(emit, node);
    text_print(&emit->text, is_row ? ")" : "");
}

void emit_expression(struct emit *emit, struct node *node)
{
    switch (node->kind) {
    case NODE_INTEGER:
        emit_integer(emit, node);
        break;
    case NODE_FLOATING:
        emit_floating(emit, node);
        break;
    case NODE_REFERENCE:
        text_print(&emit->text, "%s", emit_symbol(node->symbol));
        break;
    case NODE_PARENTHESES:
        text_print(&emit->text, "(");
        emit_expression(emit, node->child[0]);
        text_print(&emit->text, ")");
        break;
    case NODE_UNARY:
        emit_unary(emit, node);
        break;
    case NODE_BINARY:
    case NODE_ASSIGNMENT:
        emit_binary(emit, node);
        break;
    case NODE_CONDITIONAL:
        emit_expression(emit, node->child[0]);
        text_print(&emit->text, " ? ");
        emit_expression(emit, node->child[1]);
        text_print(&emit->text, " : ");
        emit_expression(emit, node->child[2]);
        break;
    case NODE_CAST:
        emit_cast(emit, node);
        break;
    case NODE_CALL:
        emit_call(emit, node);
        break;
    case NODE_BUILTIN:
        emit_atomic(emit, node);
        break;
    case NODE_MEMBER:
        emit_expression(emit, node->child[0]);
        text_print(&emit->text, "%s%s_", tree_is_pointer(node->child[0]->type) ? "->" : ".",
                   node->text);
        break;
    case NODE_SUBSCRIPT:
        emit_subscript(emit, node);
        break;
    case NODE_LIST:
        emit_list(emit, node);
        break;
    case NODE_DESIGNATED:
        emit_designated(emit, node);
        break;
    case NODE_LITERAL:
        text_print(&emit->text, "(%s)", emit_type(emit, node->type, SPACE_PRIVATE, node));
        emit_list(emit, node->child[0]);
        break;
    default:
        kernel_error(emit->kernel, node, NULL, "this cannot go to a device");
    }
}

/* SPDX-License-Identifier: MIT */
#include "tree.h"

#include <string.h>

struct node *tree_bare(struct node *node)
{
    while (node && node->kind == NODE_PARENTHESES)
        node = node->child[0];
    return node;
}

struct symbol *tree_target(struct node *node)
{
    node = tree_bare(node);
    if (node->kind == NODE_REFERENCE)
        return node->symbol;
    if (node->kind == NODE_MEMBER && node->child[0]->type->kind != TYPE_POINTER)
        return tree_target(node->child[0]);
    if (node->kind == NODE_SUBSCRIPT && tree_bare(node->child[0])->type->kind == TYPE_ARRAY)
        return tree_target(node->child[0]);
    return NULL;
}

bool tree_is_assignment(const struct node *node)
{
    return node->kind == NODE_ASSIGNMENT ||
           (node->kind == NODE_UNARY && (strstr(node->text, "++") || strstr(node->text, "--")));
}

bool tree_walk(struct node *node, bool (*visit)(struct node *node, void *context), void *context)
{
    if (!node)
        return true;
    if (!visit(node, context))
        return false;
    if (node->kind == NODE_DECLARATION && !tree_walk(node->symbol->initial, visit, context))
        return false;
    for (unsigned i = 0; i < node->children; i++)
        if (!tree_walk(node->child[i], visit, context))
            return false;
    return true;
}

struct search {
    const struct symbol *symbol;
    struct node *found;
};

static bool tree_search(struct node *node, void *context)
{
    struct search *search = context;
    bool is_address = node->kind == NODE_UNARY && string_is(node->text, "&");
    if ((is_address || tree_is_assignment(node)) && tree_target(node->child[0]) == search->symbol)
        search->found = node;
    return !search->found;
}

struct node *tree_assignment(struct node *node, const struct symbol *symbol)
{
    struct search search = {symbol, NULL};
    tree_walk(node, tree_search, &search);
    return search.found;
}

struct symbol *tree_row(struct node *node, unsigned *level)
{
    *level = 0;
    for (node = tree_bare(node); node; node = tree_bare(node)) {
        if (node->kind == NODE_REFERENCE)
            return node->symbol;
        if (node->kind == NODE_BINARY && node->type->kind == TYPE_POINTER)
            node = node->child[tree_is_pointer(node->child[1]->type)];
        else if (node->kind == NODE_SUBSCRIPT)
            node = node->child[tree_is_pointer(node->child[1]->type)], ++*level;
        else if (node->kind == NODE_UNARY && string_is(node->text, "*"))
            node = node->child[0], ++*level;
        else
            return NULL;
    }
    return NULL;
}

unsigned tree_lengths(const struct type *type)
{
    unsigned lengths = 0;
    for (type = type->kind == TYPE_POINTER ? type->element : type; type->kind == TYPE_ARRAY;
         type = type->element)
        lengths++;
    return lengths;
}

bool tree_is_pointer(const struct type *type)
{
    return type->kind == TYPE_POINTER || type->kind == TYPE_ARRAY;
}

struct type *tree_scalar(struct type *type)
{
    if (type->kind == TYPE_POINTER)
        type = type->element;
    while (type->kind == TYPE_ARRAY)
        type = type->element;
    return type;
}

/* SPDX-License-Identifier: MIT */
/* Calls: of functions of the program, of the library's, and atomic operations. */
#include "emit.h"

#include <string.h>

#include "known.h"

/* An argument, made the type that the function takes. */
static void emit_argument(struct emit *emit, struct node *node, char type, bool is_float)
{
    const char *name = type == 'i'   ? "int"
                       : type == 'l' ? "long"
                       : type == 'u' ? "uint"
                       : type == 'U' ? "ulong"
                                     : "";
    const struct type *given = tree_bare(node)->type;
    bool is_real = given->kind == TYPE_FLOAT || given->kind == TYPE_DOUBLE;
    if (type == 'r')
        name = given->kind == (is_float ? TYPE_FLOAT : TYPE_DOUBLE) ? ""
               : is_float                                           ? "float"
                                                                    : "double";
    if (type == 'x' && !is_real)
        name = "double";
    emit->has_double |= string_is(name, "double");
    text_print(&emit->text, *name ? "(%s)(" : "%s", name);
    emit_expression(emit, node);
    text_print(&emit->text, *name ? ")" : "");
}

static void emit_known(struct emit *emit, struct node *node, const struct known_function *known)
{
    emit->has_double |= known->result == 'r' && !known->is_float;
    for (const char *at = known->call; *at; at++) {
        if (*at != '$') {
            text_add(&emit->text, at, 1);
            continue;
        }
        unsigned index = (unsigned)(*++at - '0');
        emit_argument(emit, node->child[index + 1], known->arguments[index], known->is_float);
    }
}

void emit_call(struct emit *emit, struct node *node)
{
    struct known_function known;
    struct symbol *function = tree_bare(node->child[0])->symbol;
    const struct instance *target = kernel_target(emit->kernel, emit->instance, node);
    if (!target) {
        if (function && known_find(function->name, &known))
            emit_known(emit, node, &known);
        return;
    }
    const char *separator = "";
    text_print(&emit->text, "%s_%u(", function->name, target->number);
    for (unsigned i = 1; i < node->children; i++) {
        text_print(&emit->text, "%s", separator);
        emit_converted(emit, (*LIST_AT(&function->parameters, struct symbol *, i - 1))->type,
                       node->child[i]);
        separator = ", ";
    }
    for (size_t i = 0; i < target->captures.count; i++) {
        unsigned index = *LIST_AT(&target->captures, unsigned, i);
        text_print(&emit->text, "%s%s", separator,
                   emit_symbol(LIST_AT(&emit->kernel->captures, struct capture, index)->symbol));
        separator = ", ";
    }
    text_print(&emit->text, ")");
}

void emit_atomic(struct emit *emit, struct node *node)
{
    static const char *const operations[][2] = {{"add", "+"}, {"sub", "-"}, {"and", "&"},
                                                {"or", "|"},  {"xor", "^"}, {"min", ""},
                                                {"max", ""}};
    const struct type *element = tree_bare(node->child[0])->type->element;
    const char *name = "xchg", *prefix = element->size == 8 ? "atom" : "atomic", *again = NULL;
    bool is_load = string_is(node->text, "__atomic_load_n");
    for (size_t i = 0; i < sizeof(operations) / sizeof(*operations); i++) {
        if (strstr(node->text, memory_format("_%s_fetch", operations[i][0])))
            again = operations[i][1];
        if (again == operations[i][1] ||
            strstr(node->text, memory_format("fetch_%s", operations[i][0])))
            name = operations[i][0];
    }
    name = is_load ? "or" : name;
    emit->has_atomics64 |= element->size == 8;
    text_print(&emit->text, again ? "(%s_%s(" : "%s_%s(", prefix, name);
    text_print(&emit->text, "(volatile %s)(",
               emit_type(emit, node->child[0]->type, SPACE_GLOBAL, node));
    emit_expression(emit, node->child[0]);
    text_print(&emit->text, "), (%s)(", emit_type(emit, element, SPACE_PRIVATE, node));
    if (is_load)
        text_print(&emit->text, "0");
    else
        emit_expression(emit, node->child[1]);
    text_print(&emit->text, "))");
    if (again) {
        text_print(&emit->text, " %s (", again);
        emit_expression(emit, node->child[1]);
        text_print(&emit->text, "))");
    }
}

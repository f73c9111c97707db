/* SPDX-License-Identifier: MIT */
/* Statements of a body. */
#include "walk.h"

#include <stdarg.h>
#include <string.h>

void walk_error(struct walk *walk, const struct node *node, const char *format, ...)
{
    va_list arguments;
    if (!walk->is_final || walk->quiet)
        return;
    va_start(arguments, format);
    const char *text = memory_print(format, arguments);
    va_end(arguments);
    kernel_error(walk->kernel, node, walk->call, "%s", text);
}

/* Notes that a difference is 0 from here on, which leaves one iteration of a loop. */
static void walk_pin(struct walk *walk, const struct form *difference)
{
    const struct atoms *atoms = &walk->kernel->atoms;
    for (unsigned d = 0; d < walk->kernel->dimensions; d++) {
        struct form coefficient, zero = {0}, rest;
        uint64_t roots = 0;
        long number;
        if (!form_coefficient(difference, d, &coefficient) ||
            !form_is_number(&coefficient, &number) || !number)
            continue;
        rest = form_put(atoms, difference, d, &zero);
        if (!form_is_fixed(atoms, &rest, &roots))
            continue;
        walk->guard.pinned |= 1u << d;
        walk->guard.pin[d] = *difference;
    }
}

/* Notes what a condition leaves: one iteration of a loop, where it says i == 5. */
static void walk_picks(struct walk *walk, struct node *node, bool holds)
{
    node = tree_bare(node);
    if (node->kind == NODE_UNARY && string_is(node->text, "!")) {
        walk_picks(walk, node->child[0], !holds);
    } else if (node->kind == NODE_BINARY && string_is(node->text, holds ? "&&" : "||")) {
        walk_picks(walk, node->child[0], holds);
        walk_picks(walk, node->child[1], holds);
    } else if (node->kind == NODE_BINARY && string_is(node->text, holds ? "==" : "!=")) {
        struct value left = walk_value(walk, node->child[0]);
        struct value right = walk_value(walk, node->child[1]);
        struct form difference = form_add(&walk->kernel->atoms, &left.form, &right.form, -1);
        walk_pin(walk, &difference);
    }
}

void walk_guard(struct walk *walk, struct node *condition, const struct value *value, bool holds,
                bool is_sure)
{
    const struct atoms *atoms = &walk->kernel->atoms;
    walk->quiet++;
    if (is_sure)
        walk_picks(walk, condition, holds);
    walk->quiet--;
    walk->guard.depends |= form_depends(atoms, &value->form);
    walk->guard.is_data |= form_is_data(atoms, &value->form);
    walk->guard.is_conditional = true;
}

static bool walk_is_no_escape(struct node *node, void *context)
{
    (void)context;
    return node->kind != NODE_BREAK && node->kind != NODE_RETURN && node->kind != NODE_CONTINUE &&
           node->kind != NODE_GOTO;
}

static bool walk_escapes(struct node *node)
{
    return !tree_walk(node, walk_is_no_escape, NULL);
}

/* Whether what follows a statement is reached from elsewhere alone. */
static bool walk_ends(const struct node *node)
{
    if (node->kind == NODE_BLOCK)
        return node->children && walk_ends(node->child[node->children - 1]);
    return node->kind == NODE_BREAK || node->kind == NODE_RETURN || node->kind == NODE_CONTINUE;
}

static void walk_if(struct walk *walk, struct node *node)
{
    struct value condition = walk_value(walk, node->child[0]);
    struct guard saved = walk->guard;
    walk_guard(walk, node->child[0], &condition, true, true);
    walk_statement(walk, node->child[1]);
    walk->guard = saved;
    walk_guard(walk, node->child[0], &condition, false, true);
    if (node->child[2])
        walk_statement(walk, node->child[2]);
    walk->guard = saved;
    if (walk_escapes(node->child[1]))
        walk_guard(walk, node->child[0], &condition, false, walk_ends(node->child[1]));
    if (node->child[2] && walk_escapes(node->child[2]))
        walk_guard(walk, node->child[0], &condition, true, walk_ends(node->child[2]));
}

/* A loop's body, of which later iterations depend on what ended earlier ones. */
static void walk_repeated(struct walk *walk, struct node *body, struct node *condition)
{
    struct guard saved = walk->guard;
    walk->guard.is_conditional = true;
    walk->inner++;
    if (walk_escapes(body) || condition) {
        walk->quiet++;
        walk_statement(walk, body);
        walk->quiet--;
    }
    if (condition) {
        struct value value = walk_value(walk, condition);
        walk_guard(walk, condition, &value, true, false);
    }
    walk_statement(walk, body);
    walk->inner--;
    walk->guard = saved;
}

void walk_span(struct walk *walk, const struct loop *loop, unsigned atom)
{
    struct atoms *atoms = &walk->kernel->atoms;
    struct value limit = {0};
    long step = 0;
    walk->quiet++;
    struct value start = walk_value(walk, loop->start);
    if (loop->limit)
        limit = walk_value(walk, loop->limit);
    walk->quiet--;
    struct form span = form_add(atoms, loop->is_down ? &start.form : &limit.form,
                                loop->is_down ? &limit.form : &start.form, -1);
    struct form last =
        form_number(string_is(loop->relation, "<=") || string_is(loop->relation, ">="));
    struct form one = form_number(1);
    span = form_add(atoms, &span, &last, 1);
    span = form_add(atoms, &span, &one, -1);
    nest_step(loop, &step);
    LIST_AT(&atoms->list, struct atom, atom)->span = span;
    LIST_AT(&atoms->list, struct atom, atom)->step = step == 0 ? 1 : step < 0 ? -step : step;
}

struct form walk_distance(const struct atoms *atoms, const struct loop *loop, unsigned atom)
{
    long step = 1;
    nest_step(loop, &step);
    struct form number = form_atom(atom), steps = form_number(step < 0 ? -step : step);
    return form_multiply(atoms, &number, &steps);
}

/* The counter of an inner loop is start + step * iteration, as long as the loop runs. */
static void walk_count(struct walk *walk, const struct loop *loop)
{
    struct atoms *atoms = &walk->kernel->atoms;
    struct value zero = {0}, start = walk_value(walk, loop->start);
    struct value limit = loop->limit ? walk_value(walk, loop->limit) : zero;
    if (loop->step)
        walk_value(walk, loop->step);
    struct form difference = form_add(atoms, &limit.form, &start.form, -1);
    const char *key =
        memory_format("loop%zu.%u", loop->statement->begin, walk->call ? walk->call->number : 0);
    struct form iteration = form_value(atoms, key, 0, false);
    unsigned atom = iteration.part[0].atom[0];
    LIST_AT(&atoms->list, struct atom, atom)->kind = ATOM_INNER;
    walk_span(walk, loop, atom);
    struct form steps = walk_distance(atoms, loop, atom);
    struct value counter = {.form = form_add(atoms, &start.form, &steps, loop->is_down ? -1 : 1)};
    struct form one = form_number(1);
    if (loop->is_early)
        counter.form = form_add(atoms, &counter.form, &one, -1);
    walk_assign(walk, loop->counter, &counter, true);
    walk->guard.depends |= form_depends(atoms, &difference);
    walk->guard.is_data |= form_is_data(atoms, &difference);
    walk_local(walk, loop->counter)->is_exact = !loop->counter->has_address;
}

static void walk_for(struct walk *walk, struct node *node)
{
    struct loop loop;
    struct nest_fault fault;
    struct guard saved = walk->guard;
    bool is_counted = nest_read(node, &loop, &fault);
    if (is_counted && kernel_is_local(walk->kernel, loop.counter, walk->call)) {
        walk_count(walk, &loop);
        walk_repeated(walk, loop.body, NULL);
        walk_local(walk, loop.counter)->is_exact = false;
    } else {
        if (node->child[0] && node->child[0]->kind == NODE_BLOCK)
            walk_statement(walk, node->child[0]);
        else if (node->child[0])
            walk_value(walk, node->child[0]);
        walk->guard.is_conditional = true;
        if (node->child[1]) {
            struct value condition = walk_value(walk, node->child[1]);
            walk_guard(walk, node->child[1], &condition, true, false);
        }
        walk_repeated(walk, node->child[3], NULL);
        if (node->child[2])
            walk_value(walk, node->child[2]);
    }
    walk->guard = saved;
}

static void walk_while(struct walk *walk, struct node *node)
{
    struct guard saved = walk->guard;
    bool is_do = node->kind == NODE_DO;
    struct node *condition = node->child[is_do], *body = node->child[!is_do];
    if (is_do) {
        walk_repeated(walk, body, condition);
        return;
    }
    struct value value = walk_value(walk, condition);
    walk_guard(walk, condition, &value, true, false);
    walk_repeated(walk, body, NULL);
    walk->guard = saved;
}

static void walk_switch(struct walk *walk, struct node *node)
{
    struct guard saved = walk->guard;
    struct value value = walk_value(walk, node->child[0]);
    const struct atoms *atoms = &walk->kernel->atoms;
    walk->guard.depends |= form_depends(atoms, &value.form);
    walk->guard.is_data |= form_is_data(atoms, &value.form);
    walk->guard.is_conditional = true;
    walk->inner++;
    walk_statement(walk, node->child[1]);
    walk->inner--;
    walk->guard = saved;
}

static void walk_return(struct walk *walk, struct node *node)
{
    if (!walk->call)
        walk_error(walk, node,
                   "return leaves the loop: all iterations run at once, none may end the others");
    if (!node->children)
        return;
    struct value value = walk_value(walk, node->child[0]);
    struct value *result = memory_take(sizeof(*result));
    *result = value;
    if (walk->result || walk->guard.depends || walk->guard.is_data) { /* one of several */
        struct value decides = {0};
        const char *key =
            memory_format("return%zu.%u", node->begin, walk->call ? walk->call->number : 0);
        decides.form =
            form_value(&walk->kernel->atoms, key, walk->guard.depends, walk->guard.is_data);
        *result = walk_made(walk, "return", walk->result ? walk->result : &value, &value);
        result->form = walk_made(walk, "or", result, &decides).form;
    }
    walk->result = result;
}

static void walk_declaration(struct walk *walk, struct node *node)
{
    struct value value = {0};
    struct symbol *symbol = node->symbol;
    if (symbol->is_static)
        walk_error(
            walk, node,
            "'%s' is static, one for all iterations: declare it without static, or before the loop",
            symbol->name);
    if (symbol->type->kind == TYPE_ARRAY && symbol->type->has_lengths)
        walk_error(walk, node, "'%s' is an array of variable length: OpenCL C needs a constant",
                   symbol->name);
    if (symbol->type->is_volatile)
        walk_error(walk, node, "'%s' is volatile or _Atomic, which has no meaning on a device",
                   symbol->name);
    walk_local(walk, symbol)->inner = walk->inner;
    if (symbol->initial) {
        value = walk_value(walk, symbol->initial);
        value = walk_narrow(walk, &value, symbol->type);
        walk_assign(walk, symbol, &value, true);
    }
}

static void walk_leave(struct walk *walk, struct node *node)
{
    bool is_break = node->kind == NODE_BREAK;
    if (is_break && !walk->call && !walk->inner)
        walk_error(walk, node,
                   "break leaves the loop: all iterations run at once, none may end the others");
    if (node->kind == NODE_GOTO)
        walk_error(walk, node, "goto cannot go to a device: use if and loops");
}

void walk_statement(struct walk *walk, struct node *node)
{
    switch (node->kind) {
    case NODE_BLOCK:
        for (unsigned i = 0; i < node->children; i++)
            walk_statement(walk, node->child[i]);
        break;
    case NODE_DECLARATION:
        walk_declaration(walk, node);
        break;
    case NODE_IF:
        walk_if(walk, node);
        break;
    case NODE_FOR:
        walk_for(walk, node);
        break;
    case NODE_WHILE:
    case NODE_DO:
        walk_while(walk, node);
        break;
    case NODE_SWITCH:
        walk_switch(walk, node);
        break;
    case NODE_CASE:
    case NODE_DEFAULT:
    case NODE_LABEL:
        walk->guard.pinned = 0; /* it is reached in other ways too */
        walk_statement(walk, node->child[node->children - 1]);
        break;
    case NODE_RETURN:
        walk_return(walk, node);
        break;
    case NODE_BREAK:
    case NODE_GOTO:
        walk_leave(walk, node);
        break;
    case NODE_CONTINUE:
    case NODE_EMPTY:
    case NODE_TYPES:
        break;
    default:
        walk_value(walk, node);
    }
}

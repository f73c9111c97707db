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

/* The parallel loops of whose iterations a condition may pick single ones: i == 5, x[i] > 0, i % 2;
 * but not i > 5. */
static unsigned walk_picks(struct walk *walk, struct node *node, bool holds)
{
    struct atoms *atoms = &walk->kernel->atoms;
    node = tree_bare(node);
    if (node->kind == NODE_UNARY && string_is(node->text, "!"))
        return walk_picks(walk, node->child[0], !holds);
    if (node->kind == NODE_BINARY && (string_is(node->text, "&&") || string_is(node->text, "||"))) {
        unsigned left = walk_picks(walk, node->child[0], holds);
        unsigned right = walk_picks(walk, node->child[1], holds);
        return (*node->text == '&') == holds ? left | right : left & right;
    }
    bool is_comparison = node->kind == NODE_BINARY && strchr("=!<>", *node->text) &&
                         !strstr(node->text, "<<") && !strstr(node->text, ">>");
    struct value zero = {0},
                 left = walk_value(walk, node->child && is_comparison ? node->child[0] : node);
    struct value right = is_comparison ? walk_value(walk, node->child[1]) : zero;
    struct form difference = form_add(atoms, &left.form, &right.form, -1);
    unsigned depends = form_depends(atoms, &left.form) | form_depends(atoms, &right.form);
    if (form_is_unknown(atoms, &left.form) || form_is_unknown(atoms, &right.form))
        return depends;
    if (!is_comparison)
        return holds ? 0 : depends;
    bool is_equality = string_is(node->text, "=="), is_unequal = string_is(node->text, "!=");
    return (is_equality && holds) || (is_unequal && !holds) ? form_depends(atoms, &difference) : 0;
}

void walk_guard(struct walk *walk, struct node *condition, const struct value *value, bool holds)
{
    const struct atoms *atoms = &walk->kernel->atoms;
    walk->quiet++;
    unsigned picked = walk_picks(walk, condition, holds);
    walk->quiet--;
    walk->guard.picked |= picked;
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

static void walk_if(struct walk *walk, struct node *node)
{
    struct value condition = walk_value(walk, node->child[0]);
    struct guard saved = walk->guard;
    walk_guard(walk, node->child[0], &condition, true);
    walk_statement(walk, node->child[1]);
    walk->guard = saved;
    walk_guard(walk, node->child[0], &condition, false);
    if (node->child[2])
        walk_statement(walk, node->child[2]);
    if (!walk_escapes(node->child[1]) || (node->child[2] && walk_escapes(node->child[2])))
        walk->guard = saved;
    if (node->child[2] && walk_escapes(node->child[2]))
        walk_guard(walk, node->child[0], &condition, true);
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
        walk_guard(walk, condition, &value, true);
    }
    walk->guard.picked = saved.picked;
    walk_statement(walk, body);
    walk->inner--;
    walk->guard = saved;
}

/* The counter of an inner loop is start + step * iteration, as long as the loop runs. */
static void walk_count(struct walk *walk, const struct loop *loop)
{
    struct atoms *atoms = &walk->kernel->atoms;
    struct value zero = {0}, start = walk_value(walk, loop->start);
    struct value limit = loop->limit ? walk_value(walk, loop->limit) : zero;
    struct value given =
        loop->step ? walk_value(walk, loop->step) : (struct value){.form = form_number(1)};
    struct form difference = form_add(atoms, &limit.form, &start.form, -1);
    const char *key =
        memory_format("loop%zu.%u", loop->statement->begin, walk->call ? walk->call->number : 0);
    struct form iteration = form_value(atoms, key, 0, false);
    struct atom *atom = LIST_AT(&atoms->list, struct atom, iteration.part[0].atom[0]);
    long distance, step;
    atom->kind = ATOM_INNER;
    if (form_is_number(&difference, &distance) && nest_step(loop, &step)) {
        distance += string_is(loop->relation, "<=") - string_is(loop->relation, ">=");
        atom->count = distance / step > 0 ? (distance + step - (step > 0 ? 1 : -1)) / step : 1;
    } else if (form_depends(atoms, &difference)) {
        atom->count = 1; /* it may be once */
    }
    struct form steps = form_multiply(atoms, &iteration, &given.form);
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
            walk_guard(walk, node->child[1], &condition, true);
            walk->guard.picked = saved.picked;
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
    walk_guard(walk, condition, &value, true);
    walk->guard.picked = saved.picked;
    walk_repeated(walk, body, NULL);
    walk->guard = saved;
}

static void walk_switch(struct walk *walk, struct node *node)
{
    struct guard saved = walk->guard;
    struct value value = walk_value(walk, node->child[0]);
    const struct atoms *atoms = &walk->kernel->atoms;
    walk->guard.depends |= form_depends(atoms, &value.form);
    walk->guard.picked |= form_depends(atoms, &value.form);
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
    if (symbol->initial)
        value = walk_value(walk, symbol->initial);
    if (symbol->initial)
        walk_assign(walk, symbol, &value, true);
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

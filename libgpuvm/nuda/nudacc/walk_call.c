/* SPDX-License-Identifier: MIT */
/* Calls: functions of the same file are walked with the values that they are called with. */
#include <string.h>

#include "known.h"
#include "walk.h"

static const char walk_advice[] =
    "put its definition into this file, or call it outside of the loop";

/* The call at this place, reached this way: each has locals of its own. */
static struct call *walk_enter(struct walk *walk, struct node *node)
{
    for (size_t i = 0; i < walk->calls.count; i++) {
        struct call *call = *LIST_AT(&walk->calls, struct call *, i);
        if (call->node == node && call->outer == walk->call)
            return call;
    }
    struct call *call = memory_take(sizeof(*call));
    *call =
        (struct call){.outer = walk->call, .node = node, .number = (unsigned)walk->calls.count + 1};
    *(struct call **)list_add(&walk->calls, sizeof(call)) = call;
    return call;
}

static bool walk_is_recursive(const struct walk *walk, const struct symbol *function)
{
    for (const struct call *call = walk->call; call; call = call->outer)
        if (tree_bare(call->node->child[0])->symbol == function)
            return true;
    return false;
}

static enum space walk_space(const struct value *value)
{
    return (value->roots ? SPACE_GLOBAL : 0) | (value->is_private ? SPACE_PRIVATE : 0);
}

/* The instance of a function for these values; made when there is none. */
static struct instance *walk_find_instance(struct walk *walk, struct symbol *function,
                                           const struct value *values, bool *is_new)
{
    struct kernel *kernel = walk->kernel;
    for (size_t i = 0; i < kernel->instances.count; i++) {
        struct instance *instance = *LIST_AT(&kernel->instances, struct instance *, i);
        bool is_same = instance->function == function;
        for (size_t p = 0; is_same && p < function->parameters.count; p++) {
            struct symbol *parameter = *LIST_AT(&function->parameters, struct symbol *, p);
            if (parameter->type->kind == TYPE_POINTER)
                is_same = instance_space(instance, parameter) == walk_space(&values[p]);
        }
        *is_new = false;
        if (is_same)
            return instance;
    }
    struct instance *instance = memory_take(sizeof(*instance));
    instance->function = function;
    *is_new = true;
    return instance;
}

/* Walks a function's body. */
static struct value walk_body(struct walk *walk, struct symbol *function,
                              const struct value *values)
{
    struct value result = {0}, *outer = walk->result;
    walk->result = NULL;
    for (size_t p = 0; p < function->parameters.count; p++) {
        struct symbol *parameter = *LIST_AT(&function->parameters, struct symbol *, p);
        struct value value = walk_narrow(walk, &values[p], parameter->type);
        walk_assign(walk, parameter, &value, true);
    }
    walk_statement(walk, function->body);
    if (walk->result)
        result = walk_narrow(walk, walk->result, function->type);
    walk->result = outer;
    return result;
}

static struct value walk_function(struct walk *walk, struct node *node, struct symbol *function,
                                  const struct value *values)
{
    struct call *outer = walk->call;
    struct kernel *kernel = walk->kernel;
    struct guard guard = walk->guard;
    struct instance *instance = NULL,
                    *from = *LIST_AT(&walk->pending, struct instance *, walk->pending.count - 1);
    bool is_new = false, counts = walk->is_final && !walk->quiet;
    walk->call = walk_enter(walk, node);
    if (counts) {
        instance = walk_find_instance(walk, function, values, &is_new);
        *(struct target *)list_add(&kernel->targets, sizeof(struct target)) =
            (struct target){node, from, instance};
        *(struct instance **)list_add(&walk->pending, sizeof(instance)) = instance;
    }
    struct value result = walk_body(walk, function, values);
    if (counts) {
        walk->pending.count--;
        instance->result |= walk_space(&result);
    }
    if (is_new) {
        *(struct instance **)list_add(&kernel->instances, sizeof(instance)) = instance;
        instance->number = (unsigned)kernel->instances.count;
    }
    walk->call = outer;
    walk->guard = guard;
    return result;
}

static struct value walk_known(struct walk *walk, struct node *node, const char *name,
                               const char *arguments)
{
    struct value all = {0};
    if (node->children - 1 != strlen(arguments)) {
        walk_error(walk, node, "'%s' takes %zu arguments", name, strlen(arguments));
        return all;
    }
    for (unsigned i = 1; i < node->children; i++) {
        struct value one = {0};
        if (arguments[i - 1] != 's')
            one = walk_value(walk, node->child[i]);
        all = walk_made(walk, name, &all, &one);
    }
    return all;
}

struct value walk_call(struct walk *walk, struct node *node)
{
    struct value values[32] = {0}, nothing = {0};
    struct known_function known;
    struct node *callee = tree_bare(node->child[0]);
    struct symbol *function = callee->kind == NODE_REFERENCE ? callee->symbol : NULL;
    if (!function || function->kind != SYMBOL_FUNCTION) {
        walk_error(walk, node, "a call through a pointer: a device needs to know the function");
        return nothing;
    }
    bool is_known = known_find(function->name, &known);
    if (is_known && (!function->body || function->is_system))
        return walk_known(walk, node, function->name, known.arguments);
    if (!function->body) {
        walk_error(walk, node, "'%s' is called, which is not in this file: %s", function->name,
                   walk_advice);
        return nothing;
    }
    if (walk_is_recursive(walk, function)) {
        walk_error(walk, node, "'%s' calls itself, which a device cannot do: make it a loop",
                   function->name);
        return nothing;
    }
    if (node->children - 1 != function->parameters.count || function->parameters.count > 32) {
        walk_error(walk, node, "'%s' takes %zu arguments here, 32 at most", function->name,
                   function->parameters.count);
        return nothing;
    }
    for (unsigned i = 1; i < node->children; i++)
        values[i - 1] = walk_value(walk, node->child[i]);
    return walk_function(walk, node, function, values);
}

static bool walk_is_atomic(const char *name)
{
    static const char *const names[] = {
        "__atomic_fetch_add",  "__atomic_fetch_sub", "__atomic_fetch_and", "__atomic_fetch_or",
        "__atomic_fetch_xor",  "__atomic_fetch_min", "__atomic_fetch_max", "__atomic_add_fetch",
        "__atomic_sub_fetch",  "__atomic_and_fetch", "__atomic_or_fetch",  "__atomic_xor_fetch",
        "__atomic_exchange_n", "__atomic_load_n",    "__atomic_store_n"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (string_is(name, names[i]))
            return true;
    return false;
}

struct value walk_builtin(struct walk *walk, struct node *node)
{
    struct value nothing = {0};
    if (!walk_is_atomic(node->text) || node->children < 2) {
        walk_error(
            walk, node,
            "'%s' has no counterpart on a device: there are __atomic_fetch_add, sub, and, or, xor, "
            "min, max, __atomic_exchange_n, __atomic_load_n and __atomic_store_n",
            node->text);
        return nothing;
    }
    struct value address = walk_value(walk, node->child[0]);
    struct type *element = tree_bare(node->child[0])->type->element;
    for (unsigned i = 1; i < node->children; i++)
        walk_value(walk, node->child[i]);
    if (address.is_private)
        walk_error(walk, node,
                   "an atomic operation on a local variable, which no other iteration sees");
    if (!element || element->kind != TYPE_INTEGER || (element->size != 4 && element->size != 8))
        walk_error(walk, node, "atomic operations are on integers of 4 or 8 bytes");
    else
        walk_touch(walk, node, &address, element->size, true, true);
    struct value value = walk_made(walk, node->text, &address, NULL);
    value.roots = 0;
    const char *key =
        memory_format("atomic%zu.%u", node->begin, walk->call ? walk->call->number : 0);
    value.form = form_value(&walk->kernel->atoms, key, 7, true);
    return value;
}

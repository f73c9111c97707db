/* SPDX-License-Identifier: MIT */
#include "kernel.h"

#include <stdarg.h>
#include <string.h>

#include "walk.h"

enum { KERNEL_PASSES = 20 };

/* Whether a text was told already: one mistake is often seen at several places. */
static bool kernel_has_told(struct kernel *kernel, const char *text)
{
    for (size_t i = 0; i < kernel->told.count; i++)
        if (string_is(*LIST_AT(&kernel->told, const char *, i), text))
            return true;
    *(const char **)list_add(&kernel->told, sizeof(text)) = text;
    return false;
}

void kernel_error(struct kernel *kernel, const struct node *node, const struct call *call,
                  const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const char *text = memory_print(format, arguments);
    va_end(arguments);
    kernel->errors++;
    if (kernel->is_quiet || kernel_has_told(kernel, text))
        return;
    source_error(kernel->tree->source, node->begin, "%s", text);
    for (; call; call = call->outer)
        source_note(kernel->tree->source, call->node->begin,
                    "in a function that the loop calls here");
}

bool kernel_has_pointers(const struct type *type)
{
    while (type->kind == TYPE_ARRAY)
        type = type->element;
    if (type->kind == TYPE_POINTER || type->kind == TYPE_FUNCTION)
        return true;
    for (size_t i = 0; type->record && i < type->record->fields.count; i++)
        if (kernel_has_pointers(LIST_AT(&type->record->fields, struct field, i)->type))
            return true;
    return false;
}

bool kernel_is_local(const struct kernel *kernel, const struct symbol *symbol,
                     const struct call *call)
{
    const struct node *nest = kernel->loop[0].statement;
    for (unsigned d = 0; d < kernel->dimensions; d++)
        if (kernel->loop[d].counter == symbol)
            return true;
    if (symbol->is_global || symbol->is_static)
        return false;
    return call || (symbol->begin >= nest->begin && symbol->begin < nest->end);
}

/* A variable of the loops' function, other than `symbol`, that has its name. */
static struct symbol *kernel_shadow(const struct kernel *kernel, const struct symbol *symbol)
{
    const struct node *body = kernel->function->body;
    for (size_t i = 0; i < kernel->tree->symbols.count; i++) {
        struct symbol *other = *LIST_AT(&kernel->tree->symbols, struct symbol *, i);
        bool is_inside = other->begin >= kernel->function->begin && other->begin < body->end;
        if (other != symbol && is_inside && string_is(other->name, symbol->name))
            return other;
    }
    return NULL;
}

/* Tells why a variable cannot be captured; false: it can. */
static bool kernel_refuses(struct kernel *kernel, struct symbol *symbol, const struct node *node,
                           const struct call *call)
{
    struct type *type = tree_is_pointer(symbol->type) ? symbol->type->element : symbol->type;
    const char *why = NULL;
    if (symbol->kind == SYMBOL_FUNCTION)
        why = "is a function: a device has no pointers to functions";
    else if (type->kind == TYPE_POINTER || type->kind == TYPE_FUNCTION)
        why = "points to pointers, which a device cannot follow: use one array of rows, such as "
              "a[n][m] or a[i * m + j]";
    else if (kernel_has_pointers(type))
        why = "has pointers in its struct, which a device cannot follow: copy the pointer that is "
              "needed into a "
              "variable before the loop";
    else if (symbol->type->is_volatile || type->is_volatile)
        why = "is volatile or _Atomic, which has no meaning on a device: use __atomic_fetch_... on "
              "a plain array";
    else if (symbol->is_register || (symbol->is_static && !symbol->is_global && call))
        why = "has no address that can be taken here: make it an ordinary variable";
    else if (symbol->is_global && call && symbol->begin > kernel->pragma->begin)
        why = "is declared after the loop that uses it through a call: declare it before";
    else if (symbol->is_global && call && kernel_shadow(kernel, symbol))
        why = "is hidden by a variable of the same name in the loop's function: rename one of them";
    if (why)
        kernel_error(kernel, node, call, "'%s' %s", symbol->name, why);
    return why != NULL;
}

struct capture *kernel_capture(struct kernel *kernel, struct symbol *symbol,
                               const struct node *node, const struct call *call)
{
    for (size_t i = 0; i < kernel->captures.count; i++)
        if (LIST_AT(&kernel->captures, struct capture, i)->symbol == symbol)
            return LIST_AT(&kernel->captures, struct capture, i);
    bool is_array = tree_is_pointer(symbol->type);
    if (kernel_refuses(kernel, symbol, node, call))
        return NULL;
    if (is_array && kernel->arrays == KERNEL_ARRAYS) {
        kernel_error(kernel, node, call, "more than %d arrays in one loop: split it",
                     KERNEL_ARRAYS);
        return NULL;
    }
    struct capture *capture = list_add(&kernel->captures, sizeof(*capture));
    *capture = (struct capture){.symbol = symbol, .is_array = is_array};
    if (is_array)
        capture->root = kernel->arrays++;
    return capture;
}

enum space instance_space(const struct instance *instance, const struct symbol *symbol)
{
    for (size_t i = 0; i < instance->spaces.count; i++)
        if (LIST_AT(&instance->spaces, struct located, i)->symbol == symbol)
            return LIST_AT(&instance->spaces, struct located, i)->space;
    return SPACE_UNKNOWN;
}

struct instance *kernel_target(const struct kernel *kernel, const struct instance *from,
                               const struct node *node)
{
    for (size_t i = 0; i < kernel->targets.count; i++) {
        const struct target *target = LIST_AT(&kernel->targets, struct target, i);
        if (target->from == from && target->node == node)
            return target->to;
    }
    return NULL;
}

/* Whether a node has no reference to what is declared in the loops. */
static bool kernel_is_outside(struct node *node, void *context)
{
    const struct kernel *kernel = context;
    return node->kind != NODE_REFERENCE || !kernel_is_local(kernel, node->symbol, NULL);
}

static bool kernel_is_calm(struct node *node, void *context)
{
    (void)context;
    return node->kind != NODE_CALL && node->kind != NODE_BUILTIN && node->kind != NODE_OTHER &&
           !tree_is_assignment(node);
}

/* Whether start, limit and step of a loop can be computed before the outermost begins. */
static bool kernel_is_rectangular(struct kernel *kernel, const struct loop *loop)
{
    struct node *parts[] = {loop->start, loop->limit, loop->step};
    for (int i = 0; i < 3; i++)
        if (!tree_walk(parts[i], kernel_is_outside, kernel) ||
            !tree_walk(parts[i], kernel_is_calm, NULL))
            return false;
    return true;
}

/* Reads loops from the outermost on, `most` at most. Returns how many there are; 0 is told. */
static unsigned kernel_read_nest(struct kernel *kernel, struct node *statement, unsigned most)
{
    struct nest_fault fault;
    unsigned count = 0;
    kernel->dimensions = 0;
    for (; statement && count < most; count++) {
        struct loop *loop = &kernel->loop[count];
        if (!nest_read(statement, loop, &fault) || !kernel_is_rectangular(kernel, loop))
            break;
        kernel->dimensions = count + 1;
        statement = nest_inner(loop);
    }
    if (count > 0)
        return count;
    if (!nest_read(statement, &kernel->loop[0], &fault))
        source_error(kernel->tree->source, fault.where, "%s", fault.why);
    else
        source_error(kernel->tree->source, statement->begin,
                     "the loop's start, limit and step must not call functions nor assign: compute "
                     "them before");
    return 0;
}

/* The counters of the parallel loops: start + step * iteration. */
static void kernel_walk_counters(struct walk *walk)
{
    struct kernel *kernel = walk->kernel;
    struct atoms *atoms = &kernel->atoms;
    kernel->facts.count = 0;
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        const struct loop *loop = &kernel->loop[d];
        struct value counter;
        walk->quiet++;
        struct value start = walk_value(walk, loop->start);
        if (loop->step)
            walk_value(walk, loop->step);
        walk->quiet--;
        struct form one = form_number(1);
        if (!LIST_AT(&atoms->list, struct atom, d)->span.is_too_long)
            *(struct form *)list_add(&kernel->facts, sizeof(struct form)) =
                LIST_AT(&atoms->list, struct atom, d)->span;
        struct form steps = walk_distance(atoms, loop, d);
        counter =
            (struct value){.form = form_add(atoms, &start.form, &steps, loop->is_down ? -1 : 1)};
        if (loop->is_early)
            counter.form = form_add(atoms, &counter.form, &one, -1);
        walk_span(walk, loop, d);
        walk_assign(walk, loop->counter, &counter, true);
        struct local *local = walk_local(walk, loop->counter);
        local->is_exact = true;
        local->depends = 1u << d;
    }
}

/* Arrays that say how often the loops run must not be written by them. */
static void kernel_check_limits(struct walk *walk)
{
    struct kernel *kernel = walk->kernel, saved = *kernel;
    struct instance *main = *LIST_AT(&walk->pending, struct instance *, 0);
    size_t named = main->captures.count;
    saved.captures.items = memory_take((saved.captures.count + 1) * sizeof(struct capture));
    if (saved.captures.count)
        memcpy(saved.captures.items, kernel->captures.items,
               saved.captures.count * sizeof(struct capture));
    saved.captures.room = saved.captures.count;
    for (unsigned i = 0; i < 3 * kernel->dimensions; i++) {
        const struct loop *loop = &kernel->loop[i / 3];
        struct node *part = i % 3 == 0 ? loop->start : i % 3 == 1 ? loop->limit : loop->step;
        bool is_told = false;
        if (part)
            walk_value(walk, part);
        for (size_t a = saved.accesses.count; a < kernel->accesses.count; a++)
            for (size_t w = 0; w < saved.accesses.count && !is_told; w++) {
                const struct access *access = LIST_AT(&kernel->accesses, struct access, w);
                is_told = access->is_write &&
                          access->root == LIST_AT(&kernel->accesses, struct access, a)->root;
                if (is_told)
                    kernel_error(kernel, part, NULL,
                                 "the loop writes an array that its own limits read");
            }
        kernel->accesses.count = saved.accesses.count;
    }
    kernel->captures = saved.captures;
    kernel->arrays = saved.arrays;
    main->captures.count = named;
}

static void kernel_walk(struct kernel *kernel)
{
    struct walk walk = {.kernel = kernel};
    struct instance *main = memory_take(sizeof(*main));
    struct node *body = kernel->loop[kernel->dimensions - 1].body;
    *(struct instance **)list_add(&walk.pending, sizeof(main)) = main;
    for (unsigned d = 0; d < kernel->dimensions; d++)
        form_new_atom(&kernel->atoms,
                      (struct atom){.kind = ATOM_PARALLEL, .loop = d, .depends = 1u << d});
    for (int pass = 0; pass < KERNEL_PASSES && !walk.is_final; pass++) {
        walk.is_final = pass > 0 && (!walk.is_changed || pass == KERNEL_PASSES - 1);
        walk.is_changed = false;
        walk.guard = (struct guard){0};
        kernel_walk_counters(&walk);
        walk_statement(&walk, body);
    }
    walk.guard = (struct guard){0};
    kernel_find_aliases(&walk);
    kernel_check_limits(&walk);
    *(struct instance **)list_add(&kernel->instances, sizeof(main)) = main;
}

/* Analyses with a number of loops; returns whether there were no errors. */
static bool kernel_try(struct kernel *kernel, struct node *statement, unsigned dimensions,
                       unsigned believed, bool is_quiet)
{
    struct kernel fresh = {
        .tree = kernel->tree, .pragma = kernel->pragma, .function = kernel->function};
    *kernel = fresh;
    kernel->is_quiet = is_quiet;
    kernel->believed = believed;
    kernel_read_nest(kernel, statement, dimensions);
    kernel_walk(kernel);
    if (!kernel->errors)
        kernel_check_conflicts(kernel);
    return kernel->errors == 0;
}

bool kernel_analyse(struct kernel *kernel, struct tree *tree, struct pragma *pragma,
                    struct symbol *function, struct node *statement)
{
    *kernel = (struct kernel){.tree = tree, .pragma = pragma, .function = function};
    unsigned most = pragma->blocks ? pragma->blocks : FORM_LOOPS,
             least = pragma->blocks ? pragma->blocks : 1,
             believed = pragma->is_independent ? least : 0;
    unsigned count = kernel_read_nest(kernel, statement, most);
    if (count == 0)
        return false;
    if (count < least) {
        source_error(tree->source, pragma->begin,
                     "block() has %u numbers, but only %u of the loops that follow can "
                     "be taken: each must be all of the outer one's body, with limits that do not "
                     "depend on it",
                     pragma->blocks, count);
        return false;
    }
    for (; count > least; count--)
        if (kernel_try(kernel, statement, count, believed, true))
            break;
    bool is_right = kernel_try(kernel, statement, count, believed, false);
    kernel_find_whole(kernel);
    return is_right;
}

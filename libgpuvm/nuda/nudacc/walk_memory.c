/* SPDX-License-Identifier: MIT */
/* Variables and memory: where values are, what is loaded and stored. */
#include <string.h>

#include "walk.h"

static unsigned walk_number(const struct walk *walk)
{
    return walk->call ? walk->call->number : 0;
}

static struct instance *walk_instance(const struct walk *walk)
{
    return walk->pending.count
               ? *LIST_AT(&walk->pending, struct instance *, walk->pending.count - 1)
               : NULL;
}

struct local *walk_local(struct walk *walk, const struct symbol *symbol)
{
    for (size_t i = 0; i < walk->locals.count; i++) {
        struct local *local = LIST_AT(&walk->locals, struct local, i);
        if (local->symbol == symbol && local->call == walk_number(walk))
            return local;
    }
    struct local *local = list_add(&walk->locals, sizeof(*local));
    *local = (struct local){.symbol = symbol, .call = walk_number(walk)};
    return local;
}

/* Whether the one value that a variable gets is its value wherever it is read. */
static bool walk_is_single(const struct symbol *symbol)
{
    bool is_given = symbol->initial || symbol->kind == SYMBOL_PARAMETER;
    return (symbol->type->kind == TYPE_INTEGER || symbol->type->kind == TYPE_POINTER) &&
           !symbol->has_address && symbol->assignments == !is_given;
}

static void walk_note_space(struct walk *walk, const struct symbol *symbol,
                            const struct value *value)
{
    struct instance *instance = walk_instance(walk);
    enum space space = (value->roots ? SPACE_GLOBAL : 0) | (value->is_private ? SPACE_PRIVATE : 0);
    if (!walk->is_final || walk->quiet || symbol->type->kind != TYPE_POINTER)
        return;
    for (size_t i = 0; i < instance->spaces.count; i++) {
        struct located *located = LIST_AT(&instance->spaces, struct located, i);
        if (located->symbol == symbol) {
            located->space |= space;
            return;
        }
    }
    *(struct located *)list_add(&instance->spaces, sizeof(struct located)) =
        (struct located){symbol, space};
}

void walk_assign(struct walk *walk, struct symbol *symbol, const struct value *value, bool is_whole)
{
    struct local *local = walk_local(walk, symbol);
    const struct atoms *atoms = &walk->kernel->atoms;
    unsigned depends = local->depends | form_depends(atoms, &value->form) | walk->guard.depends;
    bool is_data = local->is_data || form_is_data(atoms, &value->form) || walk->guard.is_data;
    uint64_t roots = local->value.roots | value->roots;
    walk->is_changed |= depends != local->depends || is_data != local->is_data ||
                        roots != local->value.roots ||
                        (value->is_private && !local->value.is_private);
    local->depends = depends;
    local->is_data = is_data;
    local->value.roots = roots;
    local->value.is_private |= value->is_private;
    bool is_at_once = symbol->initial || symbol->kind == SYMBOL_PARAMETER ||
                      local->inner == walk->inner; /* no loop comes between */
    local->is_exact = is_whole && is_at_once && walk_is_single(symbol);
    local->value.form = value->form;
    walk_note_space(walk, symbol, value);
    if (symbol->type->kind == TYPE_POINTER && local->value.roots && local->value.is_private)
        walk_error(walk, symbol->initial ? symbol->initial : walk->kernel->loop[0].statement,
                   "'%s' points to an array here and to a local variable there: use two pointers",
                   symbol->name);
}

/* The value of a local variable as a whole. */
static struct value walk_read_local(struct walk *walk, const struct symbol *symbol)
{
    struct local *local = walk_local(walk, symbol);
    if (local->is_exact)
        return local->value;
    struct value value = {.roots = local->value.roots, .is_private = local->value.is_private};
    unsigned depends = local->depends;
    bool is_data = local->is_data;
    if (symbol->has_address || symbol->type->kind == TYPE_ARRAY) {
        depends |= walk->hidden_depends;
        is_data |= walk->hidden_data;
    }
    const char *key = memory_format("v%u.%u", symbol->number, walk_number(walk));
    value.form = form_value(&walk->kernel->atoms, key, depends, is_data);
    return value;
}

static struct value walk_read_outside(struct walk *walk, struct symbol *symbol,
                                      const struct node *node)
{
    struct value value = {0};
    struct capture *capture = kernel_capture(walk->kernel, symbol, node, walk->call);
    if (capture && capture->is_array) {
        value.roots = (uint64_t)1 << capture->root;
    } else {
        value = walk_fixed(walk, memory_format("c%u", symbol->number));
        if (symbol->type->kind == TYPE_INTEGER && !symbol->type->is_signed)
            LIST_AT(&walk->kernel->atoms.list, struct atom, value.form.part[0].atom[0])
                ->is_natural = true;
    }
    if (!capture || !walk->is_final || walk->quiet)
        return value;
    capture->is_named = true;
    unsigned index = (unsigned)(capture - (struct capture *)walk->kernel->captures.items);
    for (size_t i = 0; i < walk->pending.count; i++) {
        struct list *list = &(*LIST_AT(&walk->pending, struct instance *, i))->captures;
        size_t at = 0;
        while (at < list->count && *LIST_AT(list, unsigned, at) != index)
            at++;
        if (at == list->count)
            *(unsigned *)list_add(list, sizeof(index)) = index;
    }
    return value;
}

static struct location walk_member(struct walk *walk, struct node *node)
{
    struct node *base = node->child[0];
    bool is_arrow = base->type->kind == TYPE_POINTER || base->type->kind == TYPE_ARRAY;
    struct type *type = is_arrow ? tree_bare(base)->type->element : base->type;
    struct location location = {0};
    if (is_arrow)
        location.address = walk_value(walk, base);
    else
        location = walk_location(walk, base);
    for (size_t i = 0; type->record && i < type->record->fields.count; i++) {
        struct field *field = LIST_AT(&type->record->fields, struct field, i);
        struct form offset = form_number((long)field->offset);
        if (string_is(field->name, node->text))
            location.address.form =
                form_add(&walk->kernel->atoms, &location.address.form, &offset, 1);
    }
    return location;
}

static struct location walk_subscript(struct walk *walk, struct node *node)
{
    bool is_swapped = tree_is_pointer(tree_bare(node->child[1])->type);
    struct node *base = node->child[is_swapped], *index = node->child[!is_swapped];
    struct location location = {.local = tree_target(base)};
    bool is_inside = location.local && kernel_is_local(walk->kernel, location.local, walk->call);
    if (tree_bare(base)->type->kind != TYPE_ARRAY ||
        (location.local && !is_inside && tree_is_pointer(location.local->type)))
        location.local = NULL;
    location.address = walk_value(walk, base);
    struct value count = walk_value(walk, index);
    struct form stride = walk_stride(walk, base, tree_bare(base)->type->element);
    struct form distance = form_multiply(&walk->kernel->atoms, &count.form, &stride);
    location.address.form = form_add(&walk->kernel->atoms, &location.address.form, &distance, 1);
    return location;
}

struct location walk_location(struct walk *walk, struct node *node)
{
    struct location location = {0};
    node = tree_bare(node);
    if (node->kind == NODE_REFERENCE && node->symbol->kind != SYMBOL_FUNCTION) {
        bool is_inside = kernel_is_local(walk->kernel, node->symbol, walk->call);
        location.local = node->symbol;
        if (!is_inside && node->type->kind == TYPE_ARRAY) {
            location.local = NULL;
            location.address = walk_read_outside(walk, node->symbol, node);
        }
    } else if (node->kind == NODE_MEMBER) {
        location = walk_member(walk, node);
    } else if (node->kind == NODE_SUBSCRIPT) {
        location = walk_subscript(walk, node);
    } else if (node->kind == NODE_UNARY && string_is(node->text, "*")) {
        location.address = walk_value(walk, node->child[0]);
    } else { /* a value without a name */
        location.address = walk_value(walk, node);
        location.address.is_private = true;
    }
    location.size = node->type->size;
    return location;
}

/* The subscripts of an element of rows, as in a[i][j]: C keeps each within its row. */
static void walk_rows(struct walk *walk, struct node *node, struct access *access)
{
    struct form row[KERNEL_ROWS];
    unsigned rows = 0;
    node = tree_bare(node);
    while (node->kind == NODE_MEMBER && node->child[0]->type->kind == TYPE_RECORD)
        node = tree_bare(node->child[0]);
    for (; node->kind == NODE_SUBSCRIPT && rows < KERNEL_ROWS; node = tree_bare(node->child[0])) {
        if (!tree_is_pointer(tree_bare(node->child[0])->type))
            return;
        walk->quiet++;
        row[rows++] = walk_value(walk, node->child[1]).form;
        walk->quiet--;
    }
    if (rows < 2 || node->kind != NODE_REFERENCE ||
        kernel_is_local(walk->kernel, node->symbol, walk->call))
        return;
    struct form *kept = memory_take(rows * sizeof(*kept));
    memcpy(kept, row, rows * sizeof(*kept));
    access->symbol = node->symbol;
    access->rows = rows;
    access->row = kept;
}

static void walk_keep_pins(struct walk *walk, struct access *access)
{
    if (!walk->guard.pinned)
        return;
    struct form *kept = memory_take(sizeof(walk->guard.pin));
    memcpy(kept, walk->guard.pin, sizeof(walk->guard.pin));
    access->pinned = walk->guard.pinned;
    access->pin = kept;
}

void walk_touch(struct walk *walk, struct node *node, const struct value *address, size_t size,
                bool is_write, bool is_atomic)
{
    struct kernel *kernel = walk->kernel;
    if (!walk->is_final || walk->quiet)
        return;
    bool is_one = (address->roots & (address->roots - 1)) == 0;
    for (size_t i = 0; i < kernel->captures.count; i++) {
        struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
        if (!capture->is_array || !(address->roots >> capture->root & 1))
            continue;
        capture->uses |= is_atomic ? USE_READ | USE_WRITE : is_write ? USE_WRITE : USE_READ;
        struct access access = {.root = capture->root,
                                .place = address->form,
                                .size = size,
                                .is_write = is_write,
                                .is_atomic = is_atomic,
                                .conditions = walk->guard.depends,
                                .node = node,
                                .call = walk->call};
        access.is_certain = is_one && !walk->guard.is_conditional;
        if (!is_one) {
            struct form unknown = {.is_too_long = true};
            unknown.depends = form_depends(&kernel->atoms, &address->form);
            unknown.is_data = form_is_data(&kernel->atoms, &address->form);
            access.place = unknown;
        } else {
            walk_rows(walk, node, &access);
        }
        walk_keep_pins(walk, &access);
        *(struct access *)list_add(&kernel->accesses, sizeof(access)) = access;
    }
}

struct value walk_load(struct walk *walk, struct node *node, const struct location *location)
{
    node = tree_bare(node);
    if (location->local && node->kind == NODE_REFERENCE)
        return kernel_is_local(walk->kernel, location->local, walk->call)
                   ? walk_read_local(walk, location->local)
                   : walk_read_outside(walk, location->local, node);
    struct atoms *atoms = &walk->kernel->atoms;
    struct value value = {0};
    const struct form *form = &location->address.form;
    unsigned depends = form_depends(atoms, form);
    if (location->local) { /* a part of a variable */
        value = kernel_is_local(walk->kernel, location->local, walk->call)
                    ? walk_read_local(walk, location->local)
                    : walk_read_outside(walk, location->local, node);
        const char *key =
            memory_format("p%zu.%s@%s", location->size, form_key(&value.form), form_key(form));
        depends |= form_depends(atoms, &value.form);
        struct form whole = value.form;
        value.form = form_value(atoms, key, depends,
                                form_is_data(atoms, &value.form) || form_is_data(atoms, form));
        form_fix(atoms, &value.form, &whole, form, 0);
        return value;
    }
    walk_touch(walk, node, &location->address, location->size, false, false);
    const char *key = memory_format("m%zu.%llx@%s", location->size,
                                    (unsigned long long)location->address.roots, form_key(form));
    bool is_data = location->address.roots != 0 || walk->hidden_data;
    if (location->address.is_private)
        depends |= walk->hidden_depends;
    value.form = form_value(atoms, key, depends, is_data);
    if (!location->address.is_private)
        form_fix(atoms, &value.form, form, form, location->address.roots);
    return value;
}

void walk_store(struct walk *walk, struct node *node, const struct location *location,
                const struct value *value, bool is_whole)
{
    const struct atoms *atoms = &walk->kernel->atoms;
    if (location->local && kernel_is_local(walk->kernel, location->local, walk->call)) {
        bool is_part = tree_bare(node->child[0])->kind != NODE_REFERENCE;
        struct value stored = is_part ? walk_made(walk, "part", value, &location->address) : *value;
        walk_assign(walk, location->local, &stored, is_whole && !is_part);
    } else if (location->local) {
        walk_error(walk, node,
                   "'%s' is declared outside of the loop, whose iterations all assign it: declare "
                   "it in the loop, "
                   "or keep results in an array",
                   location->local->name);
    } else {
        walk_touch(walk, node->child[0], &location->address, location->size, true, false);
    }
    if (location->address.is_private) {
        unsigned depends = walk->hidden_depends | form_depends(atoms, &value->form) |
                           walk->guard.depends | form_depends(atoms, &location->address.form);
        walk->is_changed |= depends != walk->hidden_depends;
        walk->hidden_depends = depends;
        walk->hidden_data |= form_is_data(atoms, &value->form) || walk->guard.is_data;
    }
}

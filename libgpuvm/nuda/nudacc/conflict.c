/* SPDX-License-Identifier: MIT */
/*
 * Iterations that may use the same element while one writes it. Accesses that are not proven to be
 * apart are refused, unless the pragma says `independent`.
 */
#include "apart.h"

static const char *conflict_name(const struct kernel *kernel, unsigned root)
{
    for (size_t i = 0; i < kernel->captures.count; i++) {
        const struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
        if (capture->is_array && capture->root == root)
            return capture->symbol->name;
    }
    return "?";
}

/* The name of a loop's counter, of the lowest bit. */
static const char *conflict_counter(const struct kernel *kernel, unsigned loops)
{
    for (unsigned d = 0; d < kernel->dimensions; d++)
        if (loops >> d & 1)
            return kernel->loop[d].counter->name;
    return "?";
}

/* How far an array's start is from another's; false: they are taken to be apart. */
static bool conflict_distance(const struct kernel *kernel, unsigned root, unsigned other,
                              struct form *distance)
{
    struct form zero = {0};
    *distance = zero;
    for (size_t i = 0; i < kernel->aliases.count && root != other; i++) {
        const struct alias *alias = LIST_AT(&kernel->aliases, struct alias, i);
        if (alias->root == root && alias->other == other) {
            *distance = alias->distance;
            return true;
        }
        if (alias->root == other && alias->other == root) {
            *distance = form_add(&kernel->atoms, &zero, &alias->distance, -1);
            return true;
        }
    }
    return root == other;
}

/* Of two accesses at places that only data tell: the update of an element that others update too.
 */
static bool conflict_is_update(const struct kernel *kernel, const struct access *write,
                               const struct access *other)
{
    return !other->is_write && form_same(&write->place, &other->place) &&
           form_is_data(&kernel->atoms, &write->place);
}

static void conflict_tell(struct kernel *kernel, const struct access *write,
                          const struct access *other)
{
    const char *name = conflict_name(kernel, write->root);
    const char *format =
        "'%s' is written here, and iterations may read elements that others write: write into "
        "another array or, if they never do, add `independent` to the pragma";
    if (conflict_is_update(kernel, write, other))
        format = "'%s' is updated at an index from data, where iterations may meet: use "
                 "__atomic_fetch_add or, if they never meet, add `independent` to the pragma";
    else if (other->is_write || other->is_atomic)
        format = "iterations may write the same element of '%s' here: each must write its own; if "
                 "each does, add `independent` to the pragma";
    kernel_error(kernel, write->node, write->call, format, name);
    if (!kernel->is_quiet && other->node != write->node)
        source_note(kernel->tree->source, other->node->begin, "the other use of '%s'",
                    conflict_name(kernel, other->root));
}

/* The first access that a write is not apart from, or NULL. */
static const struct access *conflict_find(struct kernel *kernel, struct apart *apart,
                                          const struct access *write)
{
    const struct access *found = NULL;
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *other = LIST_AT(&kernel->accesses, struct access, i);
        struct form distance;
        if ((write->is_atomic && other->is_atomic) || (found && other->is_write) ||
            !conflict_distance(kernel, write->root, other->root, &distance) ||
            apart_is_proven(apart, write, other, &distance))
            continue;
        found = other; /* a read says more than the write itself */
        if (!other->is_write)
            break;
    }
    return found;
}

/* Tells the first conflict of a write; false: there is none. */
static bool conflict_check(struct kernel *kernel, struct apart *apart, const struct access *write)
{
    unsigned all = (1u << kernel->dimensions) - 1, missing = all;
    missing &= ~(form_depends(&kernel->atoms, &write->place) | write->conditions);
    if (missing && !write->is_atomic) {
        const char *counter = conflict_counter(kernel, missing);
        kernel_error(kernel, write->node, write->call,
                     "all iterations of the loop over '%s' write the same element of '%s': index "
                     "it by '%s', or use __atomic_fetch_add",
                     counter, conflict_name(kernel, write->root), counter);
        return true;
    }
    const struct access *other = conflict_find(kernel, apart, write);
    if (other)
        conflict_tell(kernel, write, other);
    return other;
}

/* Arrays that the loops write, by their names or others. */
static uint64_t conflict_written(const struct kernel *kernel)
{
    uint64_t written = 0, more = 0;
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *access = LIST_AT(&kernel->accesses, struct access, i);
        written |= (uint64_t)access->is_write << access->root;
    }
    for (size_t i = 0; i < kernel->aliases.count; i++) {
        const struct alias *alias = LIST_AT(&kernel->aliases, struct alias, i);
        if ((written >> alias->root | written >> alias->other) & 1)
            more |= (uint64_t)1 << alias->root | (uint64_t)1 << alias->other;
    }
    return written | more;
}

void kernel_check_conflicts(struct kernel *kernel)
{
    struct apart *apart = apart_new(kernel, conflict_written(kernel));
    const struct node *told = NULL;
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *access = LIST_AT(&kernel->accesses, struct access, i);
        if (access->is_write && access->node != told && conflict_check(kernel, apart, access))
            told = access->node;
    }
}

void kernel_find_whole(struct kernel *kernel)
{
    struct atoms *atoms = &kernel->atoms;
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *access = LIST_AT(&kernel->accesses, struct access, i);
        struct form row = form_number((long)access->size), place = form_number(0);
        bool is_plain = access->is_write && !access->is_atomic && access->is_certain;
        for (unsigned d = kernel->dimensions; d-- > 0;) {
            struct form iteration = form_atom(d), part = form_multiply(atoms, &row, &iteration);
            long step;
            place = form_add(atoms, &place, &part, 1);
            row = form_multiply(atoms, &row, &kernel->extent[d]);
            is_plain &= nest_step(&kernel->loop[d], &step) && step == 1 &&
                        !string_is(kernel->loop[d].relation, "!=");
        }
        for (size_t c = 0; c < kernel->captures.count; c++) {
            struct capture *capture = LIST_AT(&kernel->captures, struct capture, c);
            if (is_plain && capture->is_array && capture->root == access->root &&
                !(capture->uses & USE_READ) &&
                tree_scalar(capture->symbol->type)->size == access->size &&
                form_same(&place, &access->place))
                capture->uses |= USE_WHOLE;
        }
    }
}

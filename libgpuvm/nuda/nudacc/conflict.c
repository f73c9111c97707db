/* SPDX-License-Identifier: MIT */
/*
 * What the pragma's promise cannot cover: iterations that are seen to use the same element. An
 * access's place is a polynomial; two conflict when iteration numbers can be named for which they
 * meet. What is not known (values of arrays, sizes) is taken to be right. A condition that picks
 * iterations makes a write right.
 */
#include <string.h>

#include "kernel.h"

enum { CONFLICT_INNER = 3, CONFLICT_POINTS = 729 };

/* An access at given iteration numbers. */
struct point {
    long number[FORM_LOOPS];
    struct form place;
};

static const char *conflict_name(const struct kernel *kernel, unsigned root)
{
    for (size_t i = 0; i < kernel->captures.count; i++) {
        const struct capture *capture = LIST_AT(&kernel->captures, struct capture, i);
        if (capture->is_array && capture->root == root)
            return capture->symbol->name;
    }
    return "?";
}

/* Whether two accesses overlap that are this far apart. */
static bool conflict_meets(const struct form *difference, const struct access *one,
                           const struct access *other)
{
    long distance;
    return form_is_number(difference, &distance) && distance < (long)other->size &&
           distance + (long)one->size > 0;
}

static long conflict_range(const struct atom *atom)
{
    return atom->count == 0 ? 2 : atom->count < 3 ? atom->count : 3;
}

/* All points of an access for small iteration numbers. */
static unsigned conflict_points(const struct kernel *kernel, const struct access *access,
                                struct point *points)
{
    unsigned count = 1, inner = 0;
    points[0] = (struct point){.place = access->place};
    for (size_t a = 0; a < kernel->atoms.list.count; a++) {
        const struct atom *atom = LIST_AT(&kernel->atoms.list, struct atom, a);
        struct form coefficient;
        bool is_in =
            !form_coefficient(&access->place, (unsigned)a, &coefficient) || coefficient.parts;
        if (atom->kind == ATOM_VALUE || (atom->kind == ATOM_INNER && !is_in))
            continue;
        long range = conflict_range(atom);
        inner += atom->kind == ATOM_INNER;
        if (inner > CONFLICT_INNER || count * range > CONFLICT_POINTS)
            range = 1;
        for (long number = range - 1; number >= 0; number--) {
            for (unsigned p = 0; p < count; p++) {
                struct point *point = &points[(unsigned)number * count + p];
                *point = points[p];
                if (atom->kind == ATOM_PARALLEL)
                    point->number[atom->loop] = number;
                point->place = form_put(&kernel->atoms, &points[p].place, (unsigned)a, number);
            }
        }
        count *= (unsigned)range;
    }
    return count;
}

/* Whether accesses meet at small iteration numbers that are not the same. */
static bool conflict_is_near(const struct kernel *kernel, const struct access *one,
                             const struct access *other)
{
    static struct point ones[CONFLICT_POINTS], others[CONFLICT_POINTS];
    unsigned count = conflict_points(kernel, one, ones),
             counts = conflict_points(kernel, other, others);
    for (unsigned i = 0; i < count; i++) {
        for (unsigned j = 0; j < counts; j++) {
            struct form difference = form_add(&kernel->atoms, &ones[i].place, &others[j].place, -1);
            if (memcmp(ones[i].number, others[j].number, sizeof(ones[i].number)) != 0 &&
                conflict_meets(&difference, one, other))
                return true;
        }
    }
    return false;
}

/* A number of steps of `coefficient` that may cover `difference`. */
static bool conflict_steps(const struct form *difference, const struct form *coefficient,
                           long *steps)
{
    long distance, step;
    if (form_is_number(coefficient, &step) && step && form_is_number(difference, &distance)) {
        *steps = distance / step;
        return true;
    }
    for (unsigned i = 0; i < difference->parts && coefficient->parts; i++) {
        struct form_part part = difference->part[i];
        long factor = coefficient->part[0].factor;
        *steps = part.factor / factor;
        part.factor = factor;
        if (memcmp(&part, &coefficient->part[0], sizeof(part)) == 0)
            return true;
    }
    return false;
}

/* Whether accesses meet at iterations that differ in one loop alone, however far. */
static bool conflict_is_far(const struct kernel *kernel, const struct access *one,
                            const struct access *other)
{
    struct form difference = form_add(&kernel->atoms, &one->place, &other->place, -1), first,
                second;
    for (unsigned d = 0; d < kernel->dimensions; d++) {
        long steps;
        if (!form_coefficient(&one->place, d, &first) ||
            !form_coefficient(&other->place, d, &second) || !form_same(&first, &second) ||
            !conflict_steps(&difference, &first, &steps))
            continue;
        for (long around = steps - 1; around <= steps + 1; around++) {
            struct form rest = form_add(&kernel->atoms, &difference, &first, -around);
            bool is_reached =
                !kernel->count[d] || (around < kernel->count[d] && -around < kernel->count[d]);
            if (around != 0 && is_reached && conflict_meets(&rest, one, other))
                return true;
        }
    }
    return false;
}

/* The name of a loop's counter, of the lowest bit. */
static const char *conflict_counter(const struct kernel *kernel, unsigned loops)
{
    for (unsigned d = 0; d < kernel->dimensions; d++)
        if (loops >> d & 1)
            return kernel->loop[d].counter->name;
    return "?";
}

/* Of two accesses at places that only data tell: the update of an element that others update too.
 * */
static bool conflict_is_update(const struct kernel *kernel, const struct access *write,
                               const struct access *read)
{
    unsigned all = (1u << kernel->dimensions) - 1;
    return !read->is_write && form_same(&write->place, &read->place) &&
           form_is_data(&kernel->atoms, &write->place) &&
           (form_depends_plainly(&kernel->atoms, &write->place) & all) != all;
}

static void conflict_tell(struct kernel *kernel, const struct access *write,
                          const struct access *other)
{
    const char *name = conflict_name(kernel, write->root);
    kernel_error(
        kernel, write->node, write->call,
        other->is_write
            ? "iterations write the same element of '%s' here: each must write its own"
            : "'%s' is written here, and iterations read elements that others write: write "
              "into another array",
        name);
    if (!kernel->is_quiet && other->node != write->node)
        source_note(kernel->tree->source, other->node->begin, "the other use of '%s'", name);
}

/* Tells the first conflict of a write; false: there is none. */
static bool conflict_check(struct kernel *kernel, const struct access *write)
{
    const struct atoms *atoms = &kernel->atoms;
    unsigned all = (1u << kernel->dimensions) - 1;
    unsigned missing = all & ~form_depends(atoms, &write->place);
    if (missing) {
        kernel_error(kernel, write->node, write->call,
                     "all iterations of the loop over '%s' write the same element of '%s': index "
                     "it by '%s', or use "
                     "__atomic_fetch_add",
                     conflict_counter(kernel, missing), conflict_name(kernel, write->root),
                     conflict_counter(kernel, missing));
        return true;
    }
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *other = LIST_AT(&kernel->accesses, struct access, i);
        if (other->root != write->root || other->is_atomic)
            continue;
        if (conflict_is_update(kernel, write, other)) {
            kernel_error(kernel, write->node, write->call,
                         "'%s' is updated at an index from data, where iterations may meet: use "
                         "__atomic_fetch_add(&%s[...], 1, __ATOMIC_RELAXED)",
                         conflict_name(kernel, write->root), conflict_name(kernel, write->root));
            return true;
        }
        if (form_is_unknown(atoms, &write->place) || form_is_unknown(atoms, &other->place))
            continue;
        if (conflict_is_far(kernel, write, other) || conflict_is_near(kernel, write, other)) {
            conflict_tell(kernel, write, other);
            return true;
        }
    }
    return false;
}

void kernel_check_conflicts(struct kernel *kernel)
{
    const struct node *told = NULL;
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *access = LIST_AT(&kernel->accesses, struct access, i);
        bool is_picked = access->guard && !kernel->is_quiet;
        if (access->is_write && !access->is_atomic && !is_picked && access->node != told &&
            conflict_check(kernel, access))
            told = access->node;
    }
}

bool kernel_is_proven(const struct kernel *kernel)
{
    uint64_t written = 0;
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *access = LIST_AT(&kernel->accesses, struct access, i);
        if (access->is_write && !access->is_atomic)
            written |= (uint64_t)1 << access->root;
    }
    for (size_t i = 0; i < kernel->accesses.count; i++) {
        const struct access *access = LIST_AT(&kernel->accesses, struct access, i);
        if ((written >> access->root & 1) && form_is_unknown(&kernel->atoms, &access->place))
            return false;
    }
    return true;
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

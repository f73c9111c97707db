/* SPDX-License-Identifier: MIT */
#include "apart.h"

#include <limits.h>

enum { APART_NUMBERS = 24, APART_FACTS = 24, APART_GAPS = 24, APART_SPLITS = 3, APART_DEPTH = 2 };
enum { APART_EQUAL, APART_LATER, APART_EARLIER };

/* A number that an iteration has: a natural one, with step * number <= span. */
struct number {
    unsigned atom;
    long step;
    struct form span; /* too long: unknown */
};

/* The atoms that stand for a loop's number in the two iterations. */
struct twins {
    unsigned atom[2];
};

/* What must not be from -below to above; as unit * quotient + rest, in several ways. */
struct gap {
    struct form form;
    long below, above;
    struct split {
        struct form unit;
        unsigned quotient, rest; /* gaps */
    } split[APART_SPLITS];
    unsigned splits;
};

struct apart {
    struct kernel *kernel;
    uint64_t written;
    struct list twins; /* struct twins, of each atom of the kernel */
    bool *is_natural;  /* of each atom: never below 0 */
    struct number number[APART_NUMBERS];
    unsigned numbers;
    struct form fact[APART_FACTS]; /* never below 0 */
    unsigned facts;
    struct gap gap[APART_GAPS]; /* of the places in bytes, then of each subscript, then parts */
    unsigned gaps;
};

struct apart *apart_new(struct kernel *kernel, uint64_t written)
{
    struct apart *apart = memory_take(sizeof(*apart));
    struct atoms *atoms = &kernel->atoms;
    size_t count = atoms->list.count;
    *apart = (struct apart){.kernel = kernel, .written = written};
    for (size_t a = 0; a < count; a++) {
        struct twins twins = {0};
        struct atom twin = {.kind = ATOM_INNER, .is_natural = true};
        if (LIST_AT(&atoms->list, struct atom, a)->kind != ATOM_VALUE)
            twins = (struct twins){{form_new_atom(atoms, twin), form_new_atom(atoms, twin)}};
        *(struct twins *)list_add(&apart->twins, sizeof(twins)) = twins;
    }
    apart->is_natural = memory_take(atoms->list.count * sizeof(bool));
    return apart;
}

static unsigned apart_twin(const struct apart *apart, size_t atom, unsigned which)
{
    return LIST_AT(&apart->twins, struct twins, atom)->atom[which];
}

static bool apart_number(struct apart *apart, unsigned atom, long step, const struct form *span)
{
    if (apart->numbers == APART_NUMBERS)
        return false;
    struct number *number = &apart->number[apart->numbers++];
    *number = (struct number){atom, step, *span};
    if (!form_is_plain(&apart->kernel->atoms, span, apart->written))
        number->span.is_too_long = true;
    return true;
}

static void apart_fact(struct apart *apart, const struct form *fact)
{
    uint64_t roots = 0;
    if (apart->facts < APART_FACTS && form_is_fixed(&apart->kernel->atoms, fact, &roots) &&
        !(roots & apart->written))
        apart->fact[apart->facts++] = *fact;
}

/* The two iterations' numbers in a parallel loop: the lesser, and what the other adds. */
static bool apart_loop(struct apart *apart, unsigned d, unsigned way, struct form given[2])
{
    const struct atoms *atoms = &apart->kernel->atoms;
    const struct atom *loop = LIST_AT(&atoms->list, struct atom, d);
    struct form span = loop->span, step = form_number(loop->step), one = form_number(1),
                more = form_atom(apart_twin(apart, d, 1)), steps;
    long stride = loop->step;
    given[0] = given[1] = form_atom(apart_twin(apart, d, 0));
    if (way != APART_EQUAL) {
        unsigned later = way == APART_EARLIER;
        span = form_add(atoms, &span, &step, -1);
        apart_fact(apart, &span);
        if (!apart_number(apart, apart_twin(apart, d, 1), stride, &span))
            return false;
        steps = form_multiply(atoms, &more, &step);
        span = form_add(atoms, &span, &steps, -1);
        given[later] = form_add(atoms, &given[later], &more, 1);
        given[later] = form_add(atoms, &given[later], &one, 1);
    }
    return apart_number(apart, apart_twin(apart, d, 0), stride, &span);
}

/* Whether a form has an atom. */
static bool apart_has(const struct form *form, size_t atom)
{
    for (unsigned i = 0; i < form->parts; i++)
        for (unsigned f = 0; f < form->part[i].factors; f++)
            if (form->part[i].atom[f] == atom)
                return true;
    return false;
}

/* A form of the kernel as it is in one of the iterations. */
static struct form apart_in(const struct apart *apart, const struct form *form, unsigned which,
                            const struct form given[][2])
{
    const struct atoms *atoms = &apart->kernel->atoms;
    struct form result = *form;
    for (size_t a = 0; a < apart->twins.count; a++) {
        const struct atom *atom = LIST_AT(&atoms->list, struct atom, a);
        struct form own = form_atom(apart_twin(apart, a, which));
        if (!apart_has(form, a))
            continue;
        if (atom->kind == ATOM_PARALLEL)
            result = form_put(atoms, &result, (unsigned)a, &given[atom->loop][which]);
        else if (atom->kind == ATOM_INNER)
            result = form_put(atoms, &result, (unsigned)a, &own);
    }
    return result;
}

/* Whether the place of an access depends on an atom, by itself or by the limits of loops. */
static bool apart_needs(const struct apart *apart, const struct access *access, size_t atom)
{
    bool needs = apart_has(&access->place, atom);
    for (unsigned i = 0; i < access->rows; i++)
        needs |= apart_has(&access->row[i], atom);
    for (size_t a = atom + 1; a < apart->twins.count && !needs; a++) {
        const struct atom *inner = LIST_AT(&apart->kernel->atoms.list, struct atom, a);
        needs = inner->kind == ATOM_INNER && apart_has(&inner->span, atom) &&
                apart_needs(apart, access, a);
    }
    return needs;
}

/* The numbers of loops in the body: those of outer ones come first. */
static bool apart_inner(struct apart *apart, const struct access *access, unsigned which,
                        const struct form given[][2])
{
    const struct atoms *atoms = &apart->kernel->atoms;
    for (size_t a = 0; a < apart->twins.count; a++) {
        const struct atom *atom = LIST_AT(&atoms->list, struct atom, a);
        if (atom->kind != ATOM_INNER || !apart_needs(apart, access, a))
            continue;
        struct form span = apart_in(apart, &atom->span, which, given);
        if (!apart_number(apart, apart_twin(apart, a, which), atom->step, &span))
            return false;
        if (apart_has(&access->place, a))
            apart_fact(apart, &atom->span);
    }
    return true;
}

/* Whether a form is never below 0, part by part. */
static bool apart_is_natural(const struct apart *apart, const struct form *form)
{
    for (unsigned i = 0; i < form->parts; i++) {
        if (form->part[i].factor < 0)
            return false;
        for (unsigned f = 0; f < form->part[i].factors; f++)
            if (!apart->is_natural[form->part[i].atom[f]])
                return false;
    }
    return !form->is_too_long;
}

static void apart_put(struct apart *apart, unsigned atom, const struct form *given)
{
    const struct atoms *atoms = &apart->kernel->atoms;
    for (unsigned i = 0; i < apart->gaps; i++) {
        struct gap *gap = &apart->gap[i];
        gap->form = form_put(atoms, &gap->form, atom, given);
        for (unsigned s = 0; s < gap->splits; s++)
            gap->split[s].unit = form_put(atoms, &gap->split[s].unit, atom, given);
    }
    for (unsigned i = 0; i < apart->numbers; i++)
        apart->number[i].span = form_put(atoms, &apart->number[i].span, atom, given);
    for (unsigned i = 0; i < apart->facts; i++)
        apart->fact[i] = form_put(atoms, &apart->fact[i], atom, given);
}

/* Uses a fact: a value in it becomes its least, or most, and a natural number. */
static bool apart_use(struct apart *apart, const struct form *fact, unsigned part)
{
    const struct atoms *atoms = &apart->kernel->atoms;
    struct form_part own = fact->part[part];
    struct form rest = *fact, bound, none = {0}, given;
    long number;
    if (own.factors != 1 || !form_coefficient(fact, own.atom[0], &given) ||
        !form_is_number(&given, &number) || number != own.factor)
        return false;
    rest = form_put(atoms, fact, own.atom[0], &none);
    bound = form_add(atoms, &none, &rest, number > 0 ? -1 : 1);
    if (number != 1 && number != -1) {
        if (number < 0 || !form_is_number(&rest, &number))
            return false;
        long least = -number;
        bound =
            form_number(least > 0 ? (least + own.factor - 1) / own.factor : -(-least / own.factor));
    }
    if (bound.parts == 0 && apart->is_natural[own.atom[0]])
        return false;
    if (apart->is_natural[own.atom[0]] && (own.factor < 0 || !apart_is_natural(apart, &bound)))
        return false;
    given = form_atom(own.atom[0]);
    given = form_add(atoms, &bound, &given, own.factor > 0 ? 1 : -1);
    apart->is_natural[own.atom[0]] = true;
    apart_put(apart, own.atom[0], &given);
    return true;
}

static void apart_use_facts(struct apart *apart)
{
    const struct atoms *atoms = &apart->kernel->atoms;
    for (size_t a = 0; a < atoms->list.count; a++)
        apart->is_natural[a] = LIST_AT(&atoms->list, struct atom, a)->is_natural;
    for (unsigned i = 0; i < apart->facts; i++) {
        struct form fact = apart->fact[i];
        bool is_used = false;
        for (unsigned part = 0; part < fact.parts && !is_used && !fact.is_too_long; part++)
            is_used = fact.part[part].factor > 0 && apart_use(apart, &fact, part);
        for (unsigned part = 0; part < fact.parts && !is_used && !fact.is_too_long; part++)
            is_used = fact.part[part].factor < 0 && apart_use(apart, &fact, part);
    }
}

/* Whether a form is at least `least`, whatever the numbers are. */
static bool apart_is_above(const struct apart *apart, const struct form *form, long least)
{
    const struct atoms *atoms = &apart->kernel->atoms;
    struct form bound = *form, zero = {0}, coefficient, steps, number = form_number(least);
    for (unsigned i = apart->numbers; i-- > 0;) {
        const struct number *one = &apart->number[i];
        if (!form_coefficient(&bound, one->atom, &coefficient))
            return false;
        struct form down = form_add(atoms, &zero, &coefficient, -1);
        bool is_up = apart_is_natural(apart, &coefficient);
        if (!is_up && (!apart_is_natural(apart, &down) || one->span.is_too_long))
            return false;
        bound = form_put(atoms, &bound, one->atom, &zero);
        if (is_up)
            continue;
        bool is_whole = true;
        for (unsigned p = 0; p < coefficient.parts; p++)
            is_whole &= coefficient.part[p].factor % one->step == 0;
        for (unsigned p = 0; is_whole && p < coefficient.parts; p++)
            coefficient.part[p].factor /= one->step;
        steps = form_multiply(atoms, &coefficient, &one->span);
        bound = form_add(atoms, &bound, &steps, 1);
    }
    bound = form_add(atoms, &bound, &number, -1);
    return apart_is_natural(apart, &bound);
}

/* Whether a form's greatest common divisor keeps it out of the range from -below to above. */
static bool apart_is_missed(const struct form *gap, long below, long above)
{
    unsigned long divisor = 0;
    long constant = 0, rest;
    for (unsigned i = 0; i < gap->parts; i++) {
        long factor = gap->part[i].factor;
        unsigned long other = factor < 0 ? 0 - (unsigned long)factor : (unsigned long)factor;
        if (gap->part[i].factors == 0)
            constant = factor;
        else
            for (unsigned long left; other; divisor = other, other = left)
                left = divisor % other;
    }
    if (divisor == 0 || divisor > LONG_MAX)
        return divisor == 0 && (constant < -below || constant > above);
    rest = constant % (long)divisor;
    rest += rest < 0 ? (long)divisor : 0; /* the least that is not below 0 */
    return rest > above && rest - (long)divisor < -below;
}

/* Whether a gap is not 0, nor near it; by the whole or, where the rest is less than the unit, by
 * quotient or rest: neither can make up for the other. */
static bool apart_is_clear(const struct apart *apart, const struct gap *gap)
{
    const struct atoms *atoms = &apart->kernel->atoms;
    struct form zero = {0}, back = form_add(atoms, &zero, &gap->form, -1);
    if (gap->form.is_too_long)
        return false;
    bool is_clear = apart_is_missed(&gap->form, gap->below, gap->above) ||
                    apart_is_above(apart, &gap->form, gap->above + 1) ||
                    apart_is_above(apart, &back, gap->below + 1);
    for (unsigned i = 0; i < gap->splits && !is_clear; i++) {
        const struct split *split = &gap->split[i];
        const struct gap *rest = &apart->gap[split->rest];
        struct form more = form_add(atoms, &split->unit, &rest->form, 1),
                    less = form_add(atoms, &split->unit, &rest->form, -1);
        is_clear =
            apart_is_above(apart, &more, gap->above + 1) &&
            apart_is_above(apart, &less, gap->below + 1) &&
            (apart_is_clear(apart, &apart->gap[split->quotient]) || apart_is_clear(apart, rest));
    }
    return is_clear;
}

static void apart_gap(struct apart *apart, const struct form *form, long below, long above)
{
    apart->gap[apart->gaps++] = (struct gap){.form = *form, .below = below, .above = above};
}

/* What is left of a part that is a multiple of a unit; false: it is none. */
static bool apart_divide(const struct form_part *part, const struct form_part *unit,
                         struct form_part *quotient)
{
    unsigned u = 0;
    *quotient = (struct form_part){.factor = part->factor / unit->factor};
    for (unsigned f = 0; f < part->factors; f++) {
        if (u < unit->factors && part->atom[f] == unit->atom[u])
            u++;
        else
            quotient->atom[quotient->factors++] = part->atom[f];
    }
    return u == unit->factors && part->factor % unit->factor == 0;
}

/* The fixed values of a part, which may be the length of rows. */
static struct form_part apart_unit(const struct apart *apart, const struct form_part *part)
{
    struct form_part unit = {.factor = part->factor < 0 ? -part->factor : part->factor};
    for (unsigned f = 0; f < part->factors; f++)
        if (LIST_AT(&apart->kernel->atoms.list, struct atom, part->atom[f])->kind == ATOM_VALUE)
            unit.atom[unit.factors++] = part->atom[f];
    return unit;
}

/* Takes a gap apart by each unit that not all of its parts have. */
static void apart_split(struct apart *apart, unsigned index, unsigned depth)
{
    const struct atoms *atoms = &apart->kernel->atoms;
    const struct form form = apart->gap[index].form;
    for (unsigned i = 0; i < form.parts && !form.is_too_long; i++) {
        struct form unit = {.parts = 1, .part = {apart_unit(apart, &form.part[i])}};
        struct form quotient = {0}, rest = {0};
        struct gap *gap = &apart->gap[index];
        bool is_new = gap->splits < APART_SPLITS && apart->gaps + 2 <= APART_GAPS;
        for (unsigned s = 0; s < gap->splits; s++)
            is_new &= !form_same(&gap->split[s].unit, &unit);
        for (unsigned p = 0; p < form.parts && is_new; p++) {
            struct form term = {.parts = 1, .part = {form.part[p]}}, divided = {.parts = 1};
            if (apart_divide(&form.part[p], &unit.part[0], &divided.part[0]))
                quotient = form_add(atoms, &quotient, &divided, 1);
            else
                rest = form_add(atoms, &rest, &term, 1);
        }
        if (!is_new || rest.parts == 0)
            continue;
        gap->split[gap->splits++] = (struct split){unit, apart->gaps, apart->gaps + 1};
        long below = gap->below, above = gap->above;
        apart_gap(apart, &quotient, 0, 0);
        apart_gap(apart, &rest, below, above);
        if (depth > 1) {
            apart_split(apart, apart->gaps - 2, depth - 1);
            apart_split(apart, gap->split[gap->splits - 1].rest, depth - 1);
        }
    }
}

/* The gaps between two accesses, of which one that is clear is enough; returns how many. */
static unsigned apart_compare(struct apart *apart, const struct access *one,
                              const struct access *other, const struct form *distance,
                              const struct form given[][2])
{
    const struct atoms *atoms = &apart->kernel->atoms;
    bool has_rows = one->symbol && one->symbol == other->symbol && one->rows == other->rows;
    unsigned gaps = has_rows ? 1 + one->rows : 1;
    apart->gaps = 0;
    for (unsigned i = 0; i < gaps; i++) {
        const struct form zero = {0}, *left = i ? &one->row[i - 1] : &one->place,
                          *right = i ? &other->row[i - 1] : &other->place,
                          *between = i ? &zero : distance;
        struct form first = apart_in(apart, left, 0, given),
                    second = apart_in(apart, right, 1, given);
        first = form_add(atoms, &first, &second, -1);
        first = form_add(atoms, &first, between, 1);
        if (!form_is_plain(atoms, left, apart->written) ||
            !form_is_plain(atoms, right, apart->written) ||
            !form_is_plain(atoms, between, apart->written))
            first.is_too_long = true;
        apart_gap(apart, &first, i ? 0 : (long)one->size - 1, i ? 0 : (long)other->size - 1);
    }
    for (unsigned i = 0; i < gaps; i++)
        apart_split(apart, i, APART_DEPTH);
    return gaps;
}

/* Whether places are apart in iterations that differ in these ways. */
static bool apart_is_clear_in(struct apart *apart, const struct access *one,
                              const struct access *other, const struct form *distance,
                              const unsigned *way)
{
    struct kernel *kernel = apart->kernel;
    struct form given[FORM_LOOPS][2];
    bool is_clear = false;
    apart->numbers = apart->facts = 0;
    for (size_t i = 0; i < kernel->facts.count; i++)
        apart_fact(apart, LIST_AT(&kernel->facts, struct form, i));
    for (unsigned d = 0; d < kernel->dimensions; d++)
        if (!apart_loop(apart, d, way[d], given[d]))
            return false;
    if (!apart_inner(apart, one, 0, given) || !apart_inner(apart, other, 1, given))
        return false;
    unsigned gaps = apart_compare(apart, one, other, distance, given);
    apart_use_facts(apart);
    for (unsigned i = 0; i < gaps && !is_clear; i++)
        is_clear = apart_is_clear(apart, &apart->gap[i]);
    return is_clear;
}

/* Whether a condition leaves both accesses the same iteration of a loop. */
static bool apart_is_pinned(const struct apart *apart, const struct access *one,
                            const struct access *other, unsigned d)
{
    return (one->pinned & other->pinned) >> d & 1 && form_same(&one->pin[d], &other->pin[d]) &&
           form_is_plain(&apart->kernel->atoms, &one->pin[d], apart->written);
}

bool apart_is_proven(struct apart *apart, const struct access *one, const struct access *other,
                     const struct form *distance)
{
    const struct kernel *kernel = apart->kernel;
    unsigned all = 1;
    for (unsigned d = 0; d < kernel->dimensions; d++)
        all *= 3;
    for (unsigned code = 1; code < all; code++) {
        unsigned way[FORM_LOOPS], left = code;
        bool is_possible = true;
        for (unsigned d = 0; d < kernel->dimensions; d++, left /= 3) {
            way[d] = left % 3;
            is_possible &= way[d] == APART_EQUAL ||
                           (d >= kernel->believed && !apart_is_pinned(apart, one, other, d));
        }
        if (is_possible && !apart_is_clear_in(apart, one, other, distance, way))
            return false;
    }
    return true;
}

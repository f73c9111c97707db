/* SPDX-License-Identifier: MIT */
#include "form.h"

#include <string.h>

struct form form_number(long number)
{
    struct form form = {.parts = number != 0};
    form.part[0].factor = number;
    return form;
}

struct form form_atom(unsigned atom)
{
    struct form form = {.parts = 1};
    form.part[0] = (struct form_part){.factor = 1, .factors = 1, .atom = {atom}};
    return form;
}

static int form_order(const struct form_part *left, const struct form_part *right)
{
    for (unsigned i = 0; i < left->factors && i < right->factors; i++)
        if (left->atom[i] != right->atom[i])
            return left->atom[i] < right->atom[i] ? -1 : 1;
    return (left->factors > right->factors) - (left->factors < right->factors);
}

static struct form form_too_long(const struct atoms *atoms, const struct form *left,
                                 const struct form *right)
{
    struct form form = {.is_too_long = true};
    form.depends = form_depends(atoms, left) | form_depends(atoms, right);
    form.is_data = form_is_data(atoms, left) || form_is_data(atoms, right);
    return form;
}

/* Adds a part in its place; false: there is no room. */
static bool form_insert(struct form *form, const struct form_part *part)
{
    unsigned at = 0;
    while (at < form->parts && form_order(&form->part[at], part) < 0)
        at++;
    if (at < form->parts && form_order(&form->part[at], part) == 0) {
        if (__builtin_add_overflow(form->part[at].factor, part->factor, &form->part[at].factor))
            return false;
        if (form->part[at].factor == 0) {
            form->parts--;
            memmove(form->part + at, form->part + at + 1, (form->parts - at) * sizeof(*part));
        }
        return true;
    }
    if (form->parts == FORM_PARTS)
        return false;
    memmove(form->part + at + 1, form->part + at, (form->parts - at) * sizeof(*part));
    form->part[at] = *part;
    form->parts++;
    return true;
}

struct form form_add(const struct atoms *atoms, const struct form *left, const struct form *right,
                     long factor)
{
    if (left->is_too_long || right->is_too_long)
        return form_too_long(atoms, left, right);
    struct form sum = *left;
    for (unsigned i = 0; i < right->parts; i++) {
        struct form_part part = right->part[i];
        if (__builtin_mul_overflow(part.factor, factor, &part.factor) ||
            (part.factor && !form_insert(&sum, &part)))
            return form_too_long(atoms, left, right);
    }
    return sum;
}

static bool form_product(const struct form_part *left, const struct form_part *right,
                         struct form_part *product)
{
    *product = (struct form_part){.factors = left->factors + right->factors};
    if (product->factors > FORM_FACTORS ||
        __builtin_mul_overflow(left->factor, right->factor, &product->factor))
        return false;
    for (unsigned i = 0, l = 0, r = 0; i < product->factors; i++) {
        bool is_left =
            r == right->factors || (l < left->factors && left->atom[l] <= right->atom[r]);
        product->atom[i] = is_left ? left->atom[l++] : right->atom[r++];
    }
    return true;
}

struct form form_multiply(const struct atoms *atoms, const struct form *left,
                          const struct form *right)
{
    if (left->is_too_long || right->is_too_long)
        return form_too_long(atoms, left, right);
    struct form result = {0};
    for (unsigned l = 0; l < left->parts; l++) {
        for (unsigned r = 0; r < right->parts; r++) {
            struct form_part part;
            if (!form_product(&left->part[l], &right->part[r], &part) ||
                !form_insert(&result, &part))
                return form_too_long(atoms, left, right);
        }
    }
    return result;
}

unsigned form_new_atom(struct atoms *atoms, struct atom atom)
{
    *(struct atom *)list_add(&atoms->list, sizeof(atom)) = atom;
    return (unsigned)atoms->list.count - 1;
}

struct form form_value(struct atoms *atoms, const char *key, unsigned depends, bool is_data)
{
    for (size_t i = 0; i < atoms->list.count; i++) {
        struct atom *atom = LIST_AT(&atoms->list, struct atom, i);
        if (atom->kind != ATOM_PARALLEL && string_is(atom->key, key)) {
            atom->depends |= depends;
            atom->is_data |= is_data;
            return form_atom((unsigned)i);
        }
    }
    struct atom atom = {.kind = ATOM_VALUE, .key = key, .depends = depends, .is_data = is_data};
    return form_atom(form_new_atom(atoms, atom));
}

void form_fix(struct atoms *atoms, const struct form *value, const struct form *left,
              const struct form *right, uint64_t roots)
{
    if (form_is_fixed(atoms, left, &roots) && form_is_fixed(atoms, right, &roots)) {
        struct atom *atom = LIST_AT(&atoms->list, struct atom, value->part[0].atom[0]);
        atom->is_fixed = true;
        atom->roots |= roots;
    }
}

bool form_is_number(const struct form *form, long *number)
{
    if (form->is_too_long || form->parts > 1 || (form->parts == 1 && form->part[0].factors))
        return false;
    *number = form->parts ? form->part[0].factor : 0;
    return true;
}

static const struct atom *form_at(const struct atoms *atoms, const struct form_part *part,
                                  unsigned factor)
{
    return LIST_AT(&atoms->list, struct atom, part->atom[factor]);
}

unsigned form_depends(const struct atoms *atoms, const struct form *form)
{
    unsigned depends = form->depends;
    for (unsigned i = 0; i < form->parts; i++)
        for (unsigned f = 0; f < form->part[i].factors; f++)
            depends |= form_at(atoms, &form->part[i], f)->depends;
    return depends;
}

bool form_is_data(const struct atoms *atoms, const struct form *form)
{
    bool is_data = form->is_data;
    for (unsigned i = 0; i < form->parts; i++)
        for (unsigned f = 0; f < form->part[i].factors; f++)
            is_data |= form_at(atoms, &form->part[i], f)->is_data;
    return is_data;
}

bool form_is_unknown(const struct atoms *atoms, const struct form *form)
{
    for (unsigned i = 0; i < form->parts; i++) {
        for (unsigned f = 0; f < form->part[i].factors; f++) {
            const struct atom *atom = form_at(atoms, &form->part[i], f);
            if (atom->kind == ATOM_VALUE && (atom->depends || atom->is_data))
                return true;
        }
    }
    return form->is_too_long;
}

bool form_is_plain(const struct atoms *atoms, const struct form *form, uint64_t written)
{
    for (unsigned i = 0; i < form->parts; i++) {
        for (unsigned f = 0; f < form->part[i].factors; f++) {
            const struct atom *atom = form_at(atoms, &form->part[i], f);
            if (atom->kind == ATOM_VALUE && (!atom->is_fixed || (atom->roots & written)))
                return false;
        }
    }
    return !form->is_too_long;
}

bool form_is_fixed(const struct atoms *atoms, const struct form *form, uint64_t *roots)
{
    for (unsigned i = 0; i < form->parts; i++) {
        for (unsigned f = 0; f < form->part[i].factors; f++) {
            const struct atom *atom = form_at(atoms, &form->part[i], f);
            if (atom->kind != ATOM_VALUE || !atom->is_fixed)
                return false;
            *roots |= atom->roots;
        }
    }
    return !form->is_too_long;
}

bool form_same(const struct form *left, const struct form *right)
{
    if (left->is_too_long || right->is_too_long || left->parts != right->parts)
        return false;
    for (unsigned i = 0; i < left->parts; i++)
        if (form_order(&left->part[i], &right->part[i]) != 0 ||
            left->part[i].factor != right->part[i].factor)
            return false;
    return true;
}

static unsigned form_times(const struct form_part *part, unsigned atom)
{
    unsigned times = 0;
    for (unsigned f = 0; f < part->factors; f++)
        times += part->atom[f] == atom;
    return times;
}

static struct form_part form_without(const struct form_part *part, unsigned atom)
{
    struct form_part rest = {.factor = part->factor};
    for (unsigned f = 0; f < part->factors; f++)
        if (part->atom[f] != atom)
            rest.atom[rest.factors++] = part->atom[f];
    return rest;
}

bool form_coefficient(const struct form *form, unsigned atom, struct form *coefficient)
{
    *coefficient = (struct form){0};
    for (unsigned i = 0; i < form->parts; i++) {
        unsigned times = form_times(&form->part[i], atom);
        struct form_part rest = form_without(&form->part[i], atom);
        if (times > 1 || (times == 1 && !form_insert(coefficient, &rest)))
            return false;
    }
    return !form->is_too_long;
}

struct form form_put(const struct atoms *atoms, const struct form *form, unsigned atom,
                     const struct form *given)
{
    struct form result = {0};
    if (form->is_too_long)
        return *form;
    for (unsigned i = 0; i < form->parts; i++) {
        struct form term = {.parts = 1, .part = {form_without(&form->part[i], atom)}};
        for (unsigned times = form_times(&form->part[i], atom); times > 0; times--)
            term = form_multiply(atoms, &term, given);
        result = form_add(atoms, &result, &term, 1);
    }
    return result;
}

char *form_key(const struct form *form)
{
    struct text key = {0};
    for (unsigned i = 0; i < form->parts; i++) {
        text_print(&key, "%+ld", form->part[i].factor);
        for (unsigned f = 0; f < form->part[i].factors; f++)
            text_print(&key, "*%u", form->part[i].atom[f]);
    }
    if (form->is_too_long)
        text_print(&key, "?");
    return key.characters ? key.characters : memory_copy("0", 1);
}

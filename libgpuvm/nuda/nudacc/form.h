/* SPDX-License-Identifier: MIT */
/*
 * Integers of a program as polynomials: sums of products of atoms. An atom is an iteration number
 * of a parallel loop, one of a loop within, or a value that is not looked into. Enough to tell that
 * a[i * n + j] and a[i * n + j + 1] are neighbours, whatever n is. Overflow is left out.
 */
#ifndef NUDACC_FORM_H
#define NUDACC_FORM_H

#include <stdint.h>

#include "memory.h"

enum { FORM_LOOPS = 3, FORM_PARTS = 24, FORM_FACTORS = 4 };

enum atom_kind {
    ATOM_PARALLEL, /* the iteration number of parallel loop `loop`, or its counter's distance */
    ATOM_INNER,    /* ... of a loop in the body */
    ATOM_VALUE,    /* anything else: the same key is the same value in one iteration */
};

struct form_part {
    long factor;
    unsigned factors;
    unsigned atom[FORM_FACTORS]; /* ascending */
};

struct form {
    unsigned parts; /* in ascending order of their atoms */
    struct form_part part[FORM_PARTS];
    bool is_too_long; /* it does not fit: nothing is known but what it depends on */
    unsigned depends; /* of those that were too long */
    bool is_data;
};

struct atom {
    enum atom_kind kind;
    unsigned loop;
    const char *key;
    unsigned depends; /* bit d: on the iteration of parallel loop d */
    bool is_data;     /* ... through values of arrays */
    bool is_fixed;    /* a value that is the same in all iterations, unless they write its arrays */
    uint64_t roots;   /* of a fixed value: arrays that it is read from, a bit each */
    bool is_natural;  /* never below 0 */
    long step;        /* of a loop: step * iteration <= span */
    struct form span; /* ... too long: unknown */
};

/* All atoms of one loop. */
struct atoms {
    struct list list; /* struct atom */
};

struct form form_number(long number);
struct form form_atom(unsigned atom);
struct form form_add(const struct atoms *atoms, const struct form *left, const struct form *right,
                     long factor);
struct form form_multiply(const struct atoms *atoms, const struct form *left,
                          const struct form *right);

/* A value that is not looked into: the atom with this key. */
struct form form_value(struct atoms *atoms, const char *key, unsigned depends, bool is_data);

/* Says of a value that it is fixed when all that it is made of is. */
void form_fix(struct atoms *atoms, const struct form *value, const struct form *left,
              const struct form *right, uint64_t roots);

unsigned form_new_atom(struct atoms *atoms, struct atom atom);

/* Whether a form is a number, and which. */
bool form_is_number(const struct form *form, long *number);

/* On which parallel loops a form depends, and whether through values of arrays. */
unsigned form_depends(const struct atoms *atoms, const struct form *form);
bool form_is_data(const struct atoms *atoms, const struct form *form);

/* Whether parts of a form vary with the iteration in a way that is not known. */
bool form_is_unknown(const struct atoms *atoms, const struct form *form);

/* Whether a form is made of iteration numbers and fixed values alone, none of them read from the
 * arrays `written`. */
bool form_is_plain(const struct atoms *atoms, const struct form *form, uint64_t written);

/* Whether a form is a fixed value; adds the arrays that it is read from to `roots`. */
bool form_is_fixed(const struct atoms *atoms, const struct form *form, uint64_t *roots);

bool form_same(const struct form *left, const struct form *right);

/* What is multiplied with an atom in a form; false: the atom is in a square or so. */
bool form_coefficient(const struct form *form, unsigned atom, struct form *coefficient);

/* The form with another form for an atom. */
struct form form_put(const struct atoms *atoms, const struct form *form, unsigned atom,
                     const struct form *given);

/* A text that only the same form has. */
char *form_key(const struct form *form);

#endif

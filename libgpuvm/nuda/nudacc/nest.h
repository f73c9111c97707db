/* SPDX-License-Identifier: MIT */
/*
 * Loops whose iterations can be counted before they run:
 * - `for (i = start; i < limit; i += step)`, with <, <=, >, >= or !=, up or down
 * - `for (i = limit; i-- > start;)`
 */
#ifndef NUDACC_NEST_H
#define NUDACC_NEST_H

#include "tree.h"

struct loop {
    struct node *statement; /* the NODE_FOR */
    struct symbol *counter;
    struct node *start, *limit; /* limit: NULL is 0 */
    const char *relation;       /* of counter and limit: "<", "<=", ">", ">=", "!=" */
    struct node *step;          /* NULL: 1 */
    bool is_down;
    bool is_early;    /* `i-- > limit`: the counter is stepped before the body */
    bool is_declared; /* the counter is declared in the loop */
    struct node *body;
};

/* Why a loop is not one of these, and where. */
struct nest_fault {
    const char *why;
    size_t where;
};

/* Reads a loop; false: it is none of these, `fault` says why. */
bool nest_read(struct node *statement, struct loop *loop, struct nest_fault *fault);

/* The loop that is all of a loop's body, or NULL. */
struct node *nest_inner(const struct loop *loop);

/* The step of a loop if it is a number, signed; false: it is not. */
bool nest_step(const struct loop *loop, long *step);

#endif

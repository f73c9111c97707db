/* SPDX-License-Identifier: MIT */
/* Inside of kernel_analyse: what the files that walk a body share. */
#ifndef NUDACC_WALK_H
#define NUDACC_WALK_H

#include "kernel.h"

/* A value: an integer's form, a pointer's distance in bytes from the start of its array. */
struct value {
    struct form form;
    uint64_t roots;  /* of a pointer: arrays it may point to */
    bool is_private; /* ... and whether it may point to a local variable */
};

/* What is known of a local variable in one call. */
struct local {
    const struct symbol *symbol;
    unsigned call;
    bool is_exact; /* its value is `value`; else it only depends on this and that */
    struct value value;
    unsigned depends;
    bool is_data;
    unsigned inner; /* loops round its declaration */
};

/* What decides whether the present place is reached. */
struct guard {
    unsigned pinned; /* parallel loops of which one iteration is left: a form is 0 there */
    struct form pin[FORM_LOOPS];
    unsigned depends; /* parallel loops on which conditions depend */
    bool is_data;
    bool is_conditional;
};

struct walk {
    struct kernel *kernel;
    struct list locals; /* struct local */
    struct list calls;  /* struct call *: all that were ever made */
    struct guard guard;
    struct call *call;
    struct value *result;    /* of the function that is walked: NULL before its first return */
    struct list pending;     /* struct instance *: being walked */
    bool is_final;           /* accesses, captures and errors count */
    bool is_changed;         /* a local depends on more than in the last pass */
    unsigned hidden_depends; /* of private memory that is reached through pointers */
    bool hidden_data;
    unsigned inner; /* loops round the present place, in this function */
    unsigned quiet; /* nothing counts */
};

/* The value of an expression. */
struct value walk_value(struct walk *walk, struct node *node);

/* A value that is made of others in a way that is not looked into. */
struct value walk_made(struct walk *walk, const char *what, const struct value *left,
                       const struct value *right);

/* A value that no iteration changes. */
struct value walk_fixed(struct walk *walk, const char *key);

/* Walks a statement. */
void walk_statement(struct walk *walk, struct node *node);

/* The value of a call. */
struct value walk_call(struct walk *walk, struct node *node);
struct value walk_builtin(struct walk *walk, struct node *node);

/* Memory: of what an lvalue is. */
struct location {
    struct symbol *local; /* it is this local variable, or in it */
    struct value address; /* else: where */
    size_t size;
};
struct location walk_location(struct walk *walk, struct node *node);
struct value walk_load(struct walk *walk, struct node *node, const struct location *location);
void walk_store(struct walk *walk, struct node *node, const struct location *location,
                const struct value *value, bool is_whole);
void walk_touch(struct walk *walk, struct node *node, const struct value *address, size_t size,
                bool is_write, bool is_atomic);

/* A local variable of the present call. */
struct local *walk_local(struct walk *walk, const struct symbol *symbol);
void walk_assign(struct walk *walk, struct symbol *symbol, const struct value *value,
                 bool is_whole);

/* The value that is left of one when it is stored in an integer of this type. */
struct value walk_narrow(struct walk *walk, const struct value *value, const struct type *type);

/* From here on `condition` holds, or does not; `is_sure`: whatever way led here. */
void walk_guard(struct walk *walk, struct node *condition, const struct value *value, bool holds,
                bool is_sure);

/* How far a loop's counter is from its start: a step times the atom, its iteration's number, or,
 * where the step is no number, the atom itself. */
struct form walk_distance(const struct atoms *atoms, const struct loop *loop, unsigned atom);

/* Tells a loop's atom how far it goes. */
void walk_span(struct walk *walk, const struct loop *loop, unsigned atom);

/* Tells an error, in the last pass alone. */
__attribute__((format(printf, 3, 4))) void walk_error(struct walk *walk, const struct node *node,
                                                      const char *format, ...);

/* How many bytes a step of a pointer to `element` is; `base`: the pointer, for rows of variable
 * length. */
struct form walk_stride(struct walk *walk, struct node *base, struct type *element);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A kernel's source in OpenCL C 1.2. Names of the program get an underscore, so that none is a word
 * of OpenCL's; those that begin with nuda_ are ours. Rows of arrays of variable length are computed
 * from a pointer to their elements.
 */
#ifndef NUDACC_EMIT_H
#define NUDACC_EMIT_H

#include "kernel.h"

/* One parameter of the kernel, and how the host gets it. */
struct parameter {
    const char *name; /* as in the program */
    bool is_array;
    unsigned uses;
    size_t size;       /* bytes of a value, or of an element */
    const char *type;  /* in C, of the copy of a value */
    const char *value; /* an expression in C: the value, or the pointer */
    const char *bytes; /* an expression in C: how large the array is, "0": unknown */
};

struct emit {
    struct kernel *kernel;
    struct text text;       /* functions, then the kernel */
    struct text types;      /* structs */
    struct list parameters; /* struct parameter: arrays first */
    struct list records;    /* struct record *: written already */
    const struct instance *instance;
    unsigned loops; /* round the present place */
    unsigned indent;
    bool has_double, has_atomics64;
};

/* Writes the whole source; tells what OpenCL C cannot say. */
char *emit_kernel(struct emit *emit, struct kernel *kernel);

/* The kernel's name. */
char *emit_name(const struct kernel *kernel);

/* ---- Parts, of which each has a file ---- */

/* A variable's declaration, without a semicolon. `node`: where, for errors. */
char *emit_declaration(struct emit *emit, const struct type *type, enum space space,
                       const char *name, const struct node *node);

/* A type, as in a cast. */
char *emit_type(struct emit *emit, const struct type *type, enum space space,
                const struct node *node);

void emit_expression(struct emit *emit, struct node *node);
/* An expression that goes to a variable of this type: pointers to rows get the form that the
 * variable has. */
void emit_converted(struct emit *emit, const struct type *type, struct node *node);
void emit_statement(struct emit *emit, struct node *node);
void emit_call(struct emit *emit, struct node *node);
void emit_atomic(struct emit *emit, struct node *node);

/* The variable of whose rows a pointer is, if they have a variable length, and how deep; NULL:
 * others. */
struct symbol *emit_flat(struct node *node, unsigned *level);

/* How many subscripts of a pointer to rows of variable length give rows. */
unsigned emit_rows(const struct symbol *symbol);

/* Where memory is to which an expression points. */
enum space emit_space(struct emit *emit, struct node *node);

/* A name in the kernel. */
char *emit_symbol(const struct symbol *symbol);

#endif

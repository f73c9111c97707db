/* SPDX-License-Identifier: MIT */
/*
 * A C program as trees: what libclang says of a preprocessed source, in a form that can be walked
 * in any order. Implicit casts are left out. Each node knows its place in the text. What libclang
 * tells but we have no use for is NODE_OTHER, which later passes refuse where it matters.
 */
#ifndef NUDACC_TREE_H
#define NUDACC_TREE_H

#include "source.h"

enum type_kind {
    TYPE_VOID,
    TYPE_BOOL,
    TYPE_INTEGER, /* enumerations too */
    TYPE_FLOAT,
    TYPE_DOUBLE,
    TYPE_POINTER,
    TYPE_ARRAY,
    TYPE_RECORD,
    TYPE_FUNCTION,
    TYPE_OTHER,
};

struct type {
    enum type_kind kind;
    size_t size;           /* bytes; 0: unknown until run time, or none */
    bool is_signed;        /* of an integer */
    bool is_volatile;      /* or _Atomic */
    bool has_lengths;      /* an array of variable length is in it */
    struct type *element;  /* of a pointer or an array; a function's result */
    size_t count;          /* elements of an array, 0: variable or unknown */
    struct record *record; /* of a struct or union */
    const char *name;      /* in C, without typedefs */
};

struct field {
    const char *name;
    struct type *type;
    size_t offset; /* bytes */
    bool is_bits;
};

struct record {
    const char *name; /* the tag; NULL: it has none */
    unsigned number;  /* from 1, in the order met */
    bool is_union;
    struct list fields; /* struct field */
    size_t size, alignment;
};

enum symbol_kind { SYMBOL_VARIABLE, SYMBOL_PARAMETER, SYMBOL_FUNCTION };

struct symbol {
    enum symbol_kind kind;
    const char *name;
    unsigned number; /* from 0, in the order met */
    struct type *type;
    size_t begin;         /* of its declaration */
    bool is_global;       /* at file scope */
    bool is_static;       /* lives as long as the program */
    bool is_register;     /* ... or thread-local: its address is not to be had */
    unsigned assignments; /* in the program, its initialiser apart */
    bool has_address;     /* & was applied to it */
    struct list lengths;  /* struct node *: of its array type, in the order written */
    struct node *initial;
    struct list parameters; /* of a function: struct symbol * */
    struct node *body;      /* of a function; NULL: it is not in this file */
    bool is_system;         /* it is from a system's header */
};

enum node_kind {
    NODE_INTEGER,   /* a constant: value */
    NODE_FLOATING,  /* text */
    NODE_REFERENCE, /* symbol */
    NODE_PARENTHESES,
    NODE_UNARY,      /* operator: "-", "++" and "--" before, "p++" and "p--" after, "*", "&", ... */
    NODE_BINARY,     /* operator, "," included */
    NODE_ASSIGNMENT, /* operator: "=", "+=" ... */
    NODE_CONDITIONAL,
    NODE_CAST,
    NODE_CALL,    /* children: the function, arguments */
    NODE_BUILTIN, /* text: the name of __atomic_... ; children: arguments as written */
    NODE_MEMBER,  /* text: the field */
    NODE_SUBSCRIPT,
    NODE_LIST,       /* of initial values */
    NODE_DESIGNATED, /* text: the designators with =; children: the value */
    NODE_LITERAL,    /* (type){...} */
    NODE_BLOCK,
    NODE_DECLARATION, /* symbol: one variable */
    NODE_TYPES,       /* a declaration of types alone */
    NODE_IF,          /* condition, then, else or NULL */
    NODE_FOR,         /* start, condition, step, body; the first three may be NULL */
    NODE_WHILE,
    NODE_DO, /* body, condition */
    NODE_SWITCH,
    NODE_CASE, /* value, statement */
    NODE_DEFAULT,
    NODE_RETURN,
    NODE_BREAK,
    NODE_CONTINUE,
    NODE_EMPTY,
    NODE_LABEL, /* text; statement */
    NODE_GOTO,  /* text */
    NODE_OTHER, /* text: what it is */
};

struct node {
    enum node_kind kind;
    struct type *type;
    size_t begin, end; /* in the source's text */
    const char *text;
    unsigned long long value;
    struct symbol *symbol;
    unsigned children;
    struct node **child;
};

struct tree {
    struct source *source;
    struct list functions; /* struct symbol *: those with a body, in order */
    struct list symbols;   /* struct symbol * */
    struct list records;   /* struct record * */
    struct clang *clang;   /* private */
    bool defines_loop;     /* the program declares struct nuda_loop itself (it includes nuda.h) */
};

/*
 * Reads a source with the compiler's `options` (NULL after the last). Returns false when the
 * compiler finds errors in it, which are not told. The tree's memory lives until memory_release.
 */
bool tree_read(struct tree *tree, struct source *source, const char *const *options, int count);

/* Gives back what libclang has. */
void tree_finish(struct tree *tree);

/* The node without parentheses round it. */
struct node *tree_bare(struct node *node);

/* The variable to which an expression's value goes when it is assigned: of x, x.f, x[i] where x is
 * an array, (x). NULL: memory at an address. */
struct symbol *tree_target(struct node *node);

/* Whether a node is an assignment, ++ or -- . */
bool tree_is_assignment(const struct node *node);

/* Calls `visit` for a node and all below it, until it returns false; returns whether it never did.
 * */
bool tree_walk(struct node *node, bool (*visit)(struct node *node, void *context), void *context);

/* Where `symbol` is assigned, or its address taken, below a node: the first such node, or NULL. */
struct node *tree_assignment(struct node *node, const struct symbol *symbol);

/* The variable whose rows a pointer steps through, as in a[i] + 1, and how many subscripts were
 * applied to it; NULL: none can be told. */
struct symbol *tree_row(struct node *node, unsigned *level);

/* Whether a type is a pointer, or an array, which becomes one in expressions. */
bool tree_is_pointer(const struct type *type);

/* How many lengths an array type, or that of a pointer's element, has. */
unsigned tree_lengths(const struct type *type);

/* The type after that of a pointer or array, with its arrays taken off too: what it is made of. */
struct type *tree_scalar(struct type *type);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * One nest of loops that becomes a kernel: what it captures from outside, how it uses arrays, which
 * functions it needs. Made by kernel_analyse, which walks the loops' body with values as
 * polynomials of the iteration numbers. It follows calls, and finds accesses whose iterations
 * may meet.
 */
#ifndef NUDACC_KERNEL_H
#define NUDACC_KERNEL_H

#include <stdint.h>

#include "form.h"
#include "nest.h"

enum { KERNEL_ARRAYS = 30, KERNEL_PARAMETERS = 64, KERNEL_ROWS = 4 };

enum { USE_READ = 1, USE_WRITE = 2, USE_WHOLE = 4 };

/* A variable from outside the loops. */
struct capture {
    struct symbol *symbol;
    bool is_array;
    unsigned root; /* of an array: its number among arrays */
    unsigned uses; /* of an array: USE_... */
    bool is_named; /* the kernel's source needs it */
};

/* Where memory is to which a pointer points. */
enum space { SPACE_UNKNOWN = 0, SPACE_GLOBAL = 1, SPACE_PRIVATE = 2, SPACE_BOTH = 3 };

struct located {
    const struct symbol *symbol;
    enum space space;
};

/* A function, for pointer parameters that point to certain spaces; number 0 is the kernel itself.
 * */
struct instance {
    struct symbol *function;
    unsigned number;
    struct list spaces;   /* struct located: of pointers, parameters included */
    struct list captures; /* unsigned: what is used in it and below */
    enum space result;
};

/* One access to an array. */
struct access {
    unsigned root;
    struct form place; /* bytes from the array's pointer */
    size_t size;
    bool is_write, is_atomic, is_certain;
    unsigned pinned; /* parallel loops of which a condition leaves one iteration: `pin` is 0 */
    const struct form *pin;
    unsigned conditions;   /* parallel loops on which depends whether it happens */
    struct symbol *symbol; /* of an element a[i][j]: the array, and its subscripts, or NULL */
    unsigned rows;
    const struct form *row;
    struct node *node;
    struct call *call; /* in which it is, NULL: in the loop itself */
};

/* A local pointer that was made of another captured one before the loop. */
struct alias {
    unsigned root, other;
    struct form distance; /* bytes from the start of `other` to that of `root`; too long: unknown */
};

/* A call on the way to what is walked now. */
struct call {
    struct call *outer;
    struct node *node;
    struct instance *instance;
    unsigned number;
};

/* Which instance a call goes to. */
struct target {
    const struct node *node;
    const struct instance *from;
    struct instance *to;
};

struct walk;

struct kernel {
    struct tree *tree;
    struct pragma *pragma;
    struct symbol *function; /* in which the loops are */
    unsigned dimensions;
    struct loop loop[FORM_LOOPS];   /* the outermost first */
    unsigned believed;              /* loops whose iterations the pragma says to be independent */
    struct form extent[FORM_LOOPS]; /* iterations, of loops upwards by 1 */
    struct atoms atoms;
    struct list captures;  /* struct capture */
    struct list accesses;  /* struct access */
    struct list facts;     /* struct form: values that are never below 0 where the loops run */
    struct list aliases;   /* struct alias */
    struct list instances; /* struct instance *, each after those that it calls; the kernel last */
    struct list targets;   /* struct target */
    unsigned arrays;
    bool is_quiet;    /* errors are counted, not told */
    struct list told; /* const char *: errors */
    unsigned errors;
};

/* Reads loop nest and body after a pragma; tells errors. Returns false when there were any. */
bool kernel_analyse(struct kernel *kernel, struct tree *tree, struct pragma *pragma,
                    struct symbol *function, struct node *statement);

/* Tells an error at a node, with the calls that led there. */
__attribute__((format(printf, 4, 5))) void kernel_error(struct kernel *kernel,
                                                        const struct node *node,
                                                        const struct call *call, const char *format,
                                                        ...);

/* The capture of a variable, made when there is none; NULL: it cannot be captured, which is told.
 * */
struct capture *kernel_capture(struct kernel *kernel, struct symbol *symbol,
                               const struct node *node, const struct call *call);

/* Whether a variable is declared inside the loops or in a function that they call. */
bool kernel_is_local(const struct kernel *kernel, const struct symbol *symbol,
                     const struct call *call);

/* Whether a type has pointers in it that a device could not follow. */
bool kernel_has_pointers(const struct type *type);

/* Finds accesses of different iterations that are not seen to be apart, and tells. */
void kernel_check_conflicts(struct kernel *kernel);

/* Finds captured pointers that were made of one another in the loops' function. */
void kernel_find_aliases(struct walk *walk);

/* Adds up USE_WHOLE: arrays of which the loops write all elements from the pointer on, without
 * condition. */
void kernel_find_whole(struct kernel *kernel);

/* The space of a pointer variable in an instance. */
enum space instance_space(const struct instance *instance, const struct symbol *symbol);

/* Where a call in an instance goes. */
struct instance *kernel_target(const struct kernel *kernel, const struct instance *from,
                               const struct node *node);

#endif

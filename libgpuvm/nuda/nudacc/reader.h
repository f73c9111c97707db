/* SPDX-License-Identifier: MIT */
/* Inside of tree_read: what its files share. Nothing else knows libclang. */
#ifndef NUDACC_READER_H
#define NUDACC_READER_H

#include <clang-c/Index.h>

#include "tree.h"

struct clang {
    CXIndex index;
    CXTranslationUnit unit;
    struct list known_symbols; /* struct known */
    struct list known_records;
};

/* What was made of a declaration. */
struct known {
    CXCursor cursor;
    void *made;
};

/* A type; records are made once. */
struct type *reader_type(struct tree *tree, CXType type);

/* Makes an array's type the one of a pointer to its first element: libclang leaves arrays as they
 * were written where they are parameters. */
void reader_decay(struct type *type);

/* The symbol of a declaration. */
struct symbol *reader_symbol(struct tree *tree, CXCursor declaration);

/* The tree of a statement or expression. */
struct node *reader_node(struct tree *tree, CXCursor cursor);

/* A copy of a string of libclang's, which is given back. */
char *reader_string(CXString string);

/* Where a cursor begins and ends in the text. */
void reader_extent(CXCursor cursor, size_t *begin, size_t *end);

/* A cursor's children, in the order of the text: struct list of CXCursor. */
struct list reader_children(CXCursor cursor);

/* What `list` knows of a cursor, or NULL. */
void *reader_known(const struct list *list, CXCursor cursor);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A YAML document as plain lookups, with the file and line for what is wrong. A document is one
 * mapping whose keys stand once each; anchors and tags mean nothing.
 */
#ifndef LABORATORY_TREE_H
#define LABORATORY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <yaml.h>

#include "base/diagnosis.h"

struct tree {
    yaml_document_t document;
    const char *path; /* for messages; borrowed */
};

/* Reads the text. The caller ends it with tree_finish. */
bool tree_init(struct tree *tree, const char *path, const char *text, size_t bytes,
               struct diagnosis *diagnosis) MUST_USE;
void tree_finish(struct tree *tree);

const yaml_node_t *tree_root(struct tree *tree);
int tree_line(const yaml_node_t *node);
/* The text of a scalar; NULL: it is none. */
const char *tree_scalar(const yaml_node_t *node);

/* Members of a mapping, items of a sequence; NULL past the last, and for other nodes. */
const yaml_node_t *tree_key(struct tree *tree, const yaml_node_t *mapping, unsigned index);
const yaml_node_t *tree_value(struct tree *tree, const yaml_node_t *mapping, unsigned index);
const yaml_node_t *tree_item(struct tree *tree, const yaml_node_t *sequence, unsigned index);

/* Adds the place to a diagnosis. Gives false. */
bool tree_fail(const struct tree *tree, const yaml_node_t *node, struct diagnosis *diagnosis);

#endif

/* SPDX-License-Identifier: MIT */
#include "laboratory/tree.h"

#include <string.h>

#include "machine/yaml_load.h"

static const yaml_node_t *node_of(struct tree *tree, int index)
{
    return yaml_document_get_node(&tree->document, index);
}

int tree_line(const yaml_node_t *node)
{
    return (int)node->start_mark.line + 1;
}

const char *tree_scalar(const yaml_node_t *node)
{
    return node != NULL && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value
                                                          : NULL;
}

const yaml_node_t *tree_key(struct tree *tree, const yaml_node_t *mapping, unsigned index)
{
    const yaml_node_pair_t *pair;

    if (mapping == NULL || mapping->type != YAML_MAPPING_NODE)
        return NULL;
    pair = mapping->data.mapping.pairs.start + index;
    return pair < mapping->data.mapping.pairs.top ? node_of(tree, pair->key) : NULL;
}

const yaml_node_t *tree_value(struct tree *tree, const yaml_node_t *mapping, unsigned index)
{
    if (tree_key(tree, mapping, index) == NULL)
        return NULL;
    return node_of(tree, mapping->data.mapping.pairs.start[index].value);
}

const yaml_node_t *tree_item(struct tree *tree, const yaml_node_t *sequence, unsigned index)
{
    const yaml_node_item_t *item;

    if (sequence == NULL || sequence->type != YAML_SEQUENCE_NODE)
        return NULL;
    item = sequence->data.sequence.items.start + index;
    return item < sequence->data.sequence.items.top ? node_of(tree, *item) : NULL;
}

bool tree_fail(const struct tree *tree, const yaml_node_t *node, struct diagnosis *diagnosis)
{
    return diagnose_at(diagnosis, tree->path, tree_line(node));
}

const yaml_node_t *tree_root(struct tree *tree)
{
    return yaml_document_get_root_node(&tree->document);
}

/* Keys are plain words, each once in its mapping. */
static bool has_good_keys(struct tree *tree, const yaml_node_t *mapping,
                          struct diagnosis *diagnosis)
{
    const yaml_node_t *key, *other;

    for (unsigned i = 0; (key = tree_key(tree, mapping, i)) != NULL; i++) {
        if (tree_scalar(key) == NULL) {
            diagnose(diagnosis, "a name was expected here");
            return tree_fail(tree, key, diagnosis);
        }
        for (unsigned j = 0; j < i; j++) {
            other = tree_key(tree, mapping, j);
            if (strcmp(tree_scalar(other), tree_scalar(key)) != 0)
                continue;
            diagnose(diagnosis, "'%s' stands here a second time: the first is in line %d",
                     tree_scalar(key), tree_line(other));
            return tree_fail(tree, key, diagnosis);
        }
    }
    return true;
}

static bool is_good(struct tree *tree, struct diagnosis *diagnosis)
{
    const yaml_node_t *node, *root = tree_root(tree);

    if (root == NULL || root->type != YAML_MAPPING_NODE) {
        diagnose(diagnosis, "there is nothing in it that has a name (key: value)");
        return diagnose_at(diagnosis, tree->path, 0);
    }
    for (int i = 1; (node = node_of(tree, i)) != NULL; i++) {
        if (tree_scalar(node) != NULL && strlen(tree_scalar(node)) != node->data.scalar.length) {
            diagnose(diagnosis, "'%s' is followed by a zero character", tree_scalar(node));
            return tree_fail(tree, node, diagnosis);
        }
        if (!has_good_keys(tree, node, diagnosis))
            return false;
    }
    return true;
}

bool tree_init(struct tree *tree, const char *path, const char *text, size_t bytes,
               struct diagnosis *diagnosis)
{
    tree->path = path;
    if (!yaml_load(&tree->document, path, text, bytes, diagnosis))
        return false;
    if (is_good(tree, diagnosis))
        return true;
    yaml_document_delete(&tree->document);
    return false;
}

void tree_finish(struct tree *tree)
{
    yaml_document_delete(&tree->document);
}

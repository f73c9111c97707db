/* SPDX-License-Identifier: MIT */
#include "index.h"

/* Mixes the bits of an address (the finaliser of splitmix64), so that neighbours get unrelated
 * priorities. */
static uint64_t priority_of(uintptr_t address)
{
    uint64_t x = (uint64_t)address + UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Splits `tree` into the nodes that start before `start` and the others. */
static void tree_split(struct index_node *tree, uintptr_t start, struct index_node **before,
                       struct index_node **after)
{
    while (tree) {
        if (tree->start < start) {
            *before = tree;
            before = &tree->right;
            tree = tree->right;
        } else {
            *after = tree;
            after = &tree->left;
            tree = tree->left;
        }
    }
    *before = NULL;
    *after = NULL;
}

void index_insert(struct index *index, struct index_node *node)
{
    node->priority = priority_of(node->start);
    struct index_node **at = &index->root;
    while (*at && (*at)->priority >= node->priority)
        at = node->start < (*at)->start ? &(*at)->left : &(*at)->right;
    tree_split(*at, node->start, &node->left, &node->right);
    *at = node;
}

void index_remove(struct index *index, struct index_node *node)
{
    struct index_node **at = &index->root;
    while (*at != node)
        at = node->start < (*at)->start ? &(*at)->left : &(*at)->right;
    struct index_node *left = node->left, *right = node->right;
    while (left && right) {
        if (left->priority >= right->priority) {
            *at = left;
            at = &left->right;
            left = left->right;
        } else {
            *at = right;
            at = &right->left;
            right = right->left;
        }
    }
    *at = left ? left : right;
}

struct index_node *index_at_or_after(const struct index *index, uintptr_t address)
{
    struct index_node *found = NULL;
    struct index_node *node = index->root;
    while (node) {
        if (node->end > address) {
            found = node;
            node = node->left;
        } else {
            node = node->right;
        }
    }
    return found;
}

struct index_node *index_find(const struct index *index, uintptr_t address)
{
    struct index_node *node = index_at_or_after(index, address);
    return node && node->start <= address ? node : NULL;
}

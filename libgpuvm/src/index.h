/* SPDX-License-Identifier: MIT */
/*
 * Address ranges in order, for lookup by any address inside. A treap whose priorities come from the
 * addresses, so its shape is the same on each run. Insert, remove and find take O(log n) expected
 * steps. Nodes live inside their owners. No locks.
 */
#ifndef GPUVM_INDEX_H
#define GPUVM_INDEX_H

#include <stddef.h>
#include <stdint.h>

struct index_node {
    struct index_node *left, *right;
    uintptr_t start, end; /* [start, end) */
    uint64_t priority;
};

struct index {
    struct index_node *root;
};

/* start and end are set and overlap no range of the index. */
void index_insert(struct index *index, struct index_node *node);
void index_remove(struct index *index, struct index_node *node);

/* The first range that ends after `address` (it may start after it), or NULL. */
struct index_node *index_at_or_after(const struct index *index, uintptr_t address);

/* The range that holds address, or NULL. */
struct index_node *index_find(const struct index *index, uintptr_t address);

#endif

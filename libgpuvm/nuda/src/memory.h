/* SPDX-License-Identifier: MIT */
/*
 * What memory a plain pointer points into: where it begins and ends, and who owns it. Asked once
 * for each array, when a loop meets it first.
 */
#ifndef NUDA_MEMORY_H
#define NUDA_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

enum memory_kind {
    MEMORY_UNKNOWN,
    MEMORY_STACK,     /* of any thread */
    MEMORY_HEAP,      /* malloc and its kin, gpuvm_alloc */
    MEMORY_COLLECTED, /* Boehm's collector, which looks for no pointers in it (GC_MALLOC_ATOMIC) */
    MEMORY_SCANNED,   /* the same, but it does */
    MEMORY_GLOBAL,    /* a variable of the program or of a library */
};

struct memory {
    enum memory_kind kind;
    void *base;
    size_t nbytes;
};

/* The block that holds the byte at pointer. The program's types promise typed_bytes bytes from
 * there on, 0: unknown. It is used only for a variable that no table of symbols lists. */
struct memory memory_find(void *pointer, size_t typed_bytes);

/* symbols.c: the variable of a program or library that holds the byte, by its table of symbols.
 * Sets is_module to whether it lies in one at all, be the variable known or not. */
bool symbols_find(const void *pointer, void **base, size_t *nbytes, bool *is_module);

#endif

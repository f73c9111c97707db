/* SPDX-License-Identifier: MIT */
/*
 * A program of the random tester: requests to a small memory system and how far messages move
 * between them. It is a list, so that it can be made smaller, written down and run again.
 *
 * No two nodes store to the same byte without a SETTLE between, so that each load can be judged.
 */
#ifndef VERIFY_PROGRAM_H
#define VERIFY_PROGRAM_H

#include "base/text.h"
#include "mem/controller.h"

enum {
    PROGRAM_COUNTERS = 2 /* words that all nodes add to: the last ones of the first lines */
};

#define PROGRAM_OPERATIONS(X)                                                                      \
    X(LOAD, "load")                                                                                \
    X(STORE, "store")                                                                              \
    X(SWAP, "swap") /* a store of a word, by an atomic */                                          \
    X(ADD, "add")   /* 1 to a counter */                                                           \
    X(ACQUIRE, "acquire")                                                                          \
    X(RELEASE, "release")                                                                          \
    X(SETTLE, "settle")     /* all is delivered; all nodes release, then acquire */                \
    X(COUNTERS, "counters") /* node 0 stores the counters as they are; all is delivered */         \
    X(KERNEL, "kernel")     /* all is delivered; every upper cache is invalidated */               \
    X(CLEAN, "clean")       /* all is delivered; everything dirty goes to memory */                \
    X(HOST, "host") /* all is delivered; the host reads all and writes bytes from offset on */

enum operation_kind {
#define OPERATION_ENUM(name, text) OPERATION_##name,
    PROGRAM_OPERATIONS(OPERATION_ENUM)
#undef OPERATION_ENUM
        OPERATION_KINDS
};

struct operation {
    uint8_t kind, node;
    bool glc, slc, returns;
    uint8_t scope, order;
    uint8_t steps;   /* of the machine after it */
    uint32_t offset; /* of the line; HOST: of the first byte */
    uint32_t count;  /* HOST: bytes written */
    uint64_t mask;
};

struct program {
    struct controller_shape l1, l2;
    uint32_t nodes;   /* L1s, then scalar caches */
    uint32_t scalars; /* of them; the last so many are instruction caches */
    uint32_t instructions;
    uint32_t slices, words;
    uint64_t schedule; /* seed of the order in which messages move */
    struct operation *operations;
    uint32_t count, capacity;
};

void program_finish(struct program *program);
void program_add(struct program *program, const struct operation *operation);
void program_copy(struct program *to, const struct program *from);

/* As text, and from it (false and a diagnosis: file and line are wrong). Policies of replacement,
 * sets and admission are the first of their lists. */
void program_print(const struct program *program, const char *protocol, struct text *text);
bool program_read(struct program *program, const char *path, char protocol[32],
                  struct diagnosis *diagnosis) MUST_USE;

#endif

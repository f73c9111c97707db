/* SPDX-License-Identifier: MIT */
/*
 * Sequences that compilers make of division and square root for Southern Islands (LLVM 22), run as
 * a whole. Their result must be the correctly rounded one, whatever the operands.
 */
#ifndef TESTS_ISA_REFERENCE_SEQUENCES_H
#define TESTS_ISA_REFERENCE_SEQUENCES_H

#include "reference_cases.h"

#define SEQUENCE_LINES 32

struct sequence {
    const char *name;
    char type;         /* f or d */
    unsigned operands; /* v[2:3] and v[4:5] (binary32: v2, v3); the result is in v[20:21] */
    uint64_t (*expected)(uint64_t left, uint64_t right);
    const char *lines[SEQUENCE_LINES];
};

const struct sequence *sequences(size_t *count);

/* Runs a sequence `rounds` times on 64 lanes with every variant; the number of wrong lanes. False
 * in *assembled if the assembler is missing. */
size_t sequence_run(struct harness *harness, const struct sequence *sequence, unsigned rounds,
                    bool *assembled);

#endif

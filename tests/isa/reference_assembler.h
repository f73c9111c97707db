/* SPDX-License-Identifier: MIT */
/*
 * Encodings from LLVM's assembler, for tests: one run of the tool for a whole list of instructions.
 */
#ifndef TESTS_ISA_REFERENCE_ASSEMBLER_H
#define TESTS_ISA_REFERENCE_ASSEMBLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFERENCE_ASSEMBLER "llvm-mc-22"

struct reference_encoding {
    uint8_t bytes[12];
    unsigned count;
};

/* Assembles `count` lines (an instruction each) for Southern Islands. False, with a message on
 * stderr, if the tool is missing or does not take a line. */
bool reference_assemble(const char *const *lines, size_t count,
                        struct reference_encoding *encodings);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What CL_PROGRAM_BINARIES gives and clCreateProgramWithBinary takes.
 *
 * A compiled object or a library is LLVM bitcode behind a header (all little-endian):
 *
 *     0           8        12    16     20     24          28    32        40     56    72
 *     "WAVETKBC"  version  kind  level  flags  LLVM major  zero  bytes of  stamp  hash  bitcode
 *                                                                bitcode
 *
 * An executable is the code object, an ELF file that any tool can read. Behind it are 48 bytes that
 * no ELF reader looks at: "WAVETKC2", the stamp, the bytes before, the hash of both. A code object
 * without them is accepted too (it comes from elsewhere), with what program_load can see. The stamp
 * is a struct program_stamp (program.h).
 *
 * Invariant: what binary_open has accepted is, byte for byte, what binary_wrap or binary_seal
 * wrote.
 */
#ifndef PROGRAM_BINARY_H
#define PROGRAM_BINARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "program/program.h"

/* How bitcode wants to be compiled, from the options that it was made with. */
struct binary_settings {
    unsigned level; /* of optimisation, 0 to 3 */
    bool keeps_lines, is_silent;
    bool is_narrow; /* for wavefronts of fewer than 64 lanes: barriers stay */
    struct program_stamp stamp;
};

enum { BINARY_HEADER_BYTES = 72, BINARY_SEAL_BYTES = 48 };

/* Header and bitcode in one piece of memory, which the caller frees. */
unsigned char *binary_wrap(enum program_binary kind, const struct binary_settings *settings,
                           const void *bitcode, size_t bitcode_bytes, size_t *file_bytes);

/* Whether the file begins as ours does. */
bool binary_is_wrapped(const void *file, size_t file_bytes);

/* The bitcode starts at file + BINARY_HEADER_BYTES and goes to the end. False: damaged, or of
 * another version of LLVM; the diagnosis is filled. */
bool binary_open(const void *file, size_t file_bytes, enum program_binary *kind,
                 struct binary_settings *settings, struct diagnosis *diagnosis) MUST_USE;

/* Puts the 48 bytes behind a code object: *file is reallocated. */
void binary_seal(unsigned char **file, size_t *file_bytes, const struct program_stamp *stamp);

/* How many of them are the code object itself: without the 48 bytes, where they are. */
size_t binary_code_bytes(const void *file, size_t file_bytes);

/* False: the 48 bytes are there, and say otherwise than what is before them. */
bool binary_check_seal(const void *file, size_t file_bytes, struct diagnosis *diagnosis) MUST_USE;

#endif

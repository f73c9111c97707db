/* SPDX-License-Identifier: MIT */
/*
 * The NT_AMDGPU_METADATA note: a MessagePack map that lists a code object's kernels, their
 * arguments (hidden ones included) and what they use.
 *
 * Invariants of what is read: each argument lies inside the kernel argument segment, visible
 * arguments come before hidden ones, and a kernel's name occurs once. Keys that are not in
 * program.h are passed over. Source: LLVM, "User Guide for AMDGPU Backend", Code Object V3 to V5
 * Metadata.
 */
#ifndef PROGRAM_METADATA_H
#define PROGRAM_METADATA_H

#include <stddef.h>

#include "base/diagnosis.h"
#include "program/program.h"

/* Fills program->kernels but for their descriptors and entries. `symbols` becomes, per kernel, the
 * name of its descriptor's symbol; the caller frees the strings and the array (also after a
 * failure). */
bool metadata_read(struct program *program, const void *note, size_t note_bytes, char ***symbols,
                   struct diagnosis *diagnosis) MUST_USE;

#endif

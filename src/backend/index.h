/* SPDX-License-Identifier: MIT */
/*
 * An index of a large library: its functions in many small bitcode files ("parts") by the hash of
 * their names. Each part has all that its functions call, so that a program reads the few parts
 * that it needs. Reading libclc whole, bodies apart, takes longer than compiling a small kernel.
 *
 *     0   "WAVETKIX"             24  the library's change time, s
 *     8   version                32  its change time, ns
 *     12  number of parts        40  { start, bytes } of each part
 *     16  bytes of the library       the parts
 *
 * It is made at build time and holds for the library file whose size and time of change it names.
 *
 * Invariant: what is linked from parts is what would be linked from the library; only the order of
 * tables in the object file may differ.
 */
#ifndef BACKEND_INDEX_H
#define BACKEND_INDEX_H

#include "backend/backend.h"

/* Makes the index of a library: `wavetank-backend --index LIBRARY -o OUTPUT`. */
bool index_make(LLVMContextRef context, const char *library, const char *output);

/* An index in memory; `bytes` is NULL if there is none for the library. */
struct library_index {
    const unsigned char *bytes;
    size_t count;
};
struct library_index index_open(const char *path, const char *library);

/* Links what the module needs of the library. */
bool index_link(const struct library_index *index, LLVMModuleRef module);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Files of Wavetank's own that the compiler needs: the built-in library, the backend. They lie
 * beside whatever this code is linked into, in the build folder or installed.
 */
#ifndef PROGRAM_OWN_FILE_H
#define PROGRAM_OWN_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diagnosis.h"

struct own_file {
    const char *variable;  /* of the environment: the path to take instead */
    const char *built;     /* below the build folder, e.g. "src/builtin/builtins.bc" */
    const char *installed; /* below the folder of installed libraries */
    const char *what;      /* for the message that it is missing */
};

/* Writes the path. False: it is not there, and the diagnosis says where it should be. */
bool own_file_find(const struct own_file *file, char *path, size_t path_bytes,
                   struct diagnosis *diagnosis) MUST_USE;

/* The same for a file without which all goes on, but slower: an empty path if it is not there. */
void own_file_look_for(const struct own_file *file, char *path, size_t path_bytes);

#endif

/* SPDX-License-Identifier: MIT */
/* Running the backend (src/backend) and lld on bitcode files of a compilation's folder. */
#ifndef PROGRAM_BACK_END_H
#define PROGRAM_BACK_END_H

#include "program/compilation.h"

/* Bitcode files, by name in the folder, to a sealed code object, which the caller frees. */
bool back_end_build(struct compilation *job, const struct word_list *names,
                    const struct binary_settings *settings, unsigned char **file,
                    size_t *file_bytes) MUST_USE;

/* Bitcode files to one, without libraries. */
bool back_end_join(struct compilation *job, const struct word_list *names, unsigned char **file,
                   size_t *file_bytes) MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Running the backend (src/backend) and lld on bitcode files of a compilation's folder.
 *
 *     clang ─► bitcode file ─► backend ─► pipe ─► lld ─► code object
 *
 * Both start before there is bitcode and wait for it. For a small kernel most of their time is that
 * of loading their libraries. So it passes while clang does the same.
 */
#ifndef PROGRAM_BACK_END_H
#define PROGRAM_BACK_END_H

#include "program/child_process.h"
#include "program/compilation.h"

/* The two, waiting. */
struct back_end {
    struct child_process backend, lld;
    struct program_stamp stamp; /* that the code object will carry */
};

/* Starts them for bitcode files that will be in the folder under these names. False: the
 * diagnosis is filled, and nothing runs. */
bool back_end_start(struct back_end *back, struct compilation *job, const struct word_list *names,
                    const struct binary_settings *settings) MUST_USE;

/* Lets them work, and gives a sealed code object, which the caller frees. */
bool back_end_finish(struct back_end *back, struct compilation *job, unsigned char **file,
                     size_t *file_bytes) MUST_USE;

/* There will be no bitcode: ends them. */
void back_end_cancel(struct back_end *back);

/* Bitcode files to one, without libraries. */
bool back_end_join(struct compilation *job, const struct word_list *names, unsigned char **file,
                   size_t *file_bytes) MUST_USE;

#endif

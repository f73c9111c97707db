/* SPDX-License-Identifier: MIT */
/*
 * Inside program_compile and program_link: one run of the compiler, from its parts' point of view.
 * Files lie in one folder and are named without it.
 */
#ifndef PROGRAM_COMPILATION_H
#define PROGRAM_COMPILATION_H

#include "base/diagnosis.h"
#include "base/text.h"
#include "program/binary.h"
#include "program/build_options.h"
#include "program/program.h"
#include "program/word_list.h"
#include "program/work_folder.h"

struct compilation {
    struct program_compiler compiler;
    struct work_folder folder;
    struct text messages; /* that the user sees */
    struct diagnosis *diagnosis;
};

/* Appends before, value and after as one word. */
void compilation_add_word(struct word_list *list, const char *before, const char *value,
                          const char *after);

/* Runs the words; what they print goes to `raw`. False: they failed, and `status` says how (-1: it
 * is not known), or could not be run, and then the diagnosis is filled. */
bool compilation_run(struct compilation *job, const struct word_list *list, struct text *raw,
                     int *status);

/* Shows what a tool has said, and judges by its status. False: it failed, and the diagnosis is
 * filled. */
bool compilation_judge(struct compilation *job, const char *said, int status) MUST_USE;

/* Runs the words, and does that with what they print. */
bool compilation_run_visibly(struct compilation *job, const struct word_list *list) MUST_USE;

/* Reads a file of the folder; the caller frees. */
bool compilation_read(const struct compilation *job, const char *name, unsigned char **bytes,
                      size_t *count);

/* Appends what the result depends on beside sources and options: the identity of each tool and
 * library. */
void compilation_add_identity(struct text *key, const struct program_compiler *compiler);

/* Appends the bytes so that no other sequence of pieces gives the same key. */
void compilation_add_sized(struct text *key, const void *bytes, size_t count);

/* Looks a result up and keeps one, with the messages that came with it. */
bool compilation_recall(const uint64_t key[2], struct text *log, unsigned char **file,
                        size_t *file_bytes);
void compilation_remember(const uint64_t key[2], const struct text *messages,
                          const unsigned char *file, size_t file_bytes);

/* Ends a run: what was said goes to the log, with the diagnosis unless it stands there already. */
void compilation_finish(struct compilation *job, bool is_done, struct text *log);

#endif

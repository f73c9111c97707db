/* SPDX-License-Identifier: MIT */
/*
 * The files whose content decides about a plan's points: programs, what their arguments name, and
 * what scripts import or name (source.h). Each is read once for all points.
 */
#ifndef LABORATORY_INPUTS_H
#define LABORATORY_INPUTS_H

#include "base/diagnosis.h"

enum {
    KEY_BYTES = 33,  /* 32 hexadecimal digits and the end */
    INPUTS_SHOWN = 8 /* in a message */
};

struct input {
    char *path; /* without links */
    char hash[KEY_BYTES];
    bool is_own;            /* the user's: no workload of Wavetank */
    unsigned *closure;      /* it, and what it names, with what that names; indices of inputs */
    unsigned closure_count; /* 0: not looked for yet */
};

struct inputs {
    char *folder; /* where points run, without links; owned */
    struct input *list;
    unsigned count;
};

/* The path of a name as points mean it, if a file is there that can be read. The caller frees. */
char *inputs_path(const struct inputs *inputs, const char *name);
/* Gives the index of a file. False and a diagnosis: it cannot be read. */
bool inputs_add(struct inputs *inputs, const char *path, unsigned *index,
                struct diagnosis *diagnosis) MUST_USE;
/* The same, and fills in its closure. */
bool inputs_add_source(struct inputs *inputs, const char *path, unsigned *index,
                       struct diagnosis *diagnosis) MUST_USE;
/* The names of the user's files, apart at commas, so many at most; of those that `before` has not,
 * or with other content (NULL: all). The caller frees; NULL: there are none. */
char *inputs_names(const struct inputs *inputs, const struct inputs *before, unsigned max);
void inputs_finish(struct inputs *inputs);

/* A hash of files' contents, in hexadecimal. False and a diagnosis: one cannot be read. */
bool files_hash(const char *const *paths, unsigned count, char hash[KEY_BYTES],
                struct diagnosis *diagnosis) MUST_USE;

#endif

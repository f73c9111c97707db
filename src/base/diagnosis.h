/* SPDX-License-Identifier: MIT */
/*
 * The user's mistakes: a value that must be looked at. A function that can fail by the user's doing
 * returns bool (true: done) and fills the diagnosis that the caller gave. It says what went wrong,
 * where (file and line, if a file is at fault) and what to do about it.
 */
#ifndef BASE_DIAGNOSIS_H
#define BASE_DIAGNOSIS_H

#include <stdbool.h>
#include <stdio.h>

#define MUST_USE __attribute__((warn_unused_result))

struct diagnosis {
    char file[256]; /* empty: no file is at fault */
    int line;       /* 1-based; 0: the whole file */
    char message[768];
    char hint[384]; /* empty: none */
};

/* Fills `message` and clears the rest. Returns false always, so that a failing function can say
 * `return diagnose(d, ...)`. A NULL diagnosis is allowed and stays unfilled. */
bool diagnose(struct diagnosis *diagnosis, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Add the place or the advice to a diagnosis already filled. Both return false. */
bool diagnose_at(struct diagnosis *diagnosis, const char *file, int line);
bool diagnose_hint(struct diagnosis *diagnosis, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* "wavetank: FILE:LINE: MESSAGE\n  hint: HINT\n" */
void diagnosis_print(const struct diagnosis *diagnosis, FILE *stream);

/* Of `count` known words the one nearest to `word` by edit distance, or NULL where none is near
 * enough to be a likely slip. Used for "did you mean". */
const char *nearest_word(const char *word, const char *const *known, unsigned count);

#endif

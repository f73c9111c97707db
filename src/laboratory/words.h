/* SPDX-License-Identifier: MIT */
/* Lists of words, as a command has them. */
#ifndef LABORATORY_WORDS_H
#define LABORATORY_WORDS_H

#include <stdbool.h>

#include "base/diagnosis.h"

struct words {
    char **list; /* NULL-terminated once something was added; owned */
    unsigned count;
};

/* Takes the string. */
void words_add(struct words *words, char *word);
void words_add_copy(struct words *words, const char *word);
/* Adds the words of a line, apart at spaces; 'a b', "a b" and a\ b are one word, as in a shell. */
bool words_split(struct words *words, const char *line, struct diagnosis *diagnosis) MUST_USE;
void words_finish(struct words *words);

#endif

/* SPDX-License-Identifier: MIT */
/* A growing list of words for a command line, NULL-terminated as posix_spawn wants it. */
#ifndef PROGRAM_WORD_LIST_H
#define PROGRAM_WORD_LIST_H

struct word_list {
    char **words; /* owned; NULL while empty */
    unsigned count;
};

/* Appends a copy. A zeroed list is an empty one. */
void word_list_add(struct word_list *list, const char *word);
void word_list_finish(struct word_list *list);

#endif

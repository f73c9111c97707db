/* SPDX-License-Identifier: MIT */
#include "program/word_list.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void word_list_add(struct word_list *list, const char *word)
{
    list->words = reallocate(list->words, list->count + 2, sizeof *list->words);
    list->words[list->count++] = copy_string(word);
    list->words[list->count] = NULL;
}

void word_list_finish(struct word_list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        free(list->words[i]);
    free(list->words);
    memset(list, 0, sizeof *list);
}

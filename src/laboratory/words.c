/* SPDX-License-Identifier: MIT */
#include "laboratory/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void words_add(struct words *words, char *word)
{
    words->list = reallocate(words->list, words->count + 2, sizeof *words->list);
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
}

void words_add_copy(struct words *words, const char *word)
{
    words_add(words, copy_string(word));
}

void words_finish(struct words *words)
{
    for (unsigned i = 0; i < words->count; i++)
        free(words->list[i]);
    free(words->list);
    memset(words, 0, sizeof *words);
}

/* Adds one word to `word`, and gives where it ends; NULL: a quotation mark is missing. */
static const char *take_one(const char *at, struct text *word)
{
    char quote = '\0';

    for (; *at != '\0' && (quote != '\0' || !isspace((unsigned char)*at)); at++) {
        if (quote == '\0' && (*at == '\'' || *at == '"'))
            quote = *at;
        else if (*at == quote)
            quote = '\0';
        else if (*at == '\\' && quote != '\'' && at[1] != '\0')
            text_add_bytes(word, ++at, 1);
        else
            text_add_bytes(word, at, 1);
    }
    return quote == '\0' ? at : NULL;
}

bool words_split(struct words *words, const char *line, struct diagnosis *diagnosis)
{
    const char *at = line;

    while (true) {
        struct text word = {0};

        while (isspace((unsigned char)*at))
            at++;
        if (*at == '\0')
            return true;
        at = take_one(at, &word);
        if (at != NULL)
            words_add_copy(words, text_chars(&word));
        text_finish(&word);
        if (at == NULL)
            return diagnose(diagnosis, "%s: a quotation mark is missing", line);
    }
}

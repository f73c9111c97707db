/* SPDX-License-Identifier: MIT */
#include "sim/declare.h"

#include <stdio.h>
#include <string.h>

#include "base/diagnosis.h"
#include "base/text.h"

enum { WORDS_MAX = 64 };

unsigned parameter_word_index(parameter_words *words, const char *name)
{
    const char *word, *help;

    for (unsigned i = 0; (word = words(i, &help)) != NULL; i++)
        if (strcmp(word, name) == 0)
            return i;
    return PARAMETER_NO_WORD;
}

void parameter_words_print(const struct parameter *parameter, struct text *text)
{
    const char *word, *help;

    for (unsigned i = 0; (word = parameter->words(i, &help)) != NULL; i++)
        text_add(text, "%s%s", i > 0 ? ", " : "", word);
}

static bool refuse(const char *path, const struct parameter *parameter, const char *value,
                   struct diagnosis *diagnosis)
{
    const char *known[WORDS_MAX], *help, *nearest;
    struct text list = {0};
    unsigned count = 0;

    while (count < WORDS_MAX && (known[count] = parameter->words(count, &help)) != NULL)
        count++;
    parameter_words_print(parameter, &list);
    nearest = nearest_word(value, known, count);
    diagnose(diagnosis, "%s: there is no '%s'", path, value);
    if (nearest != NULL)
        diagnose_hint(diagnosis, "did you mean '%s'? known are: %s", nearest, text_chars(&list));
    else
        diagnose_hint(diagnosis, "known are: %s", text_chars(&list));
    text_finish(&list);
    return false;
}

bool parameter_word_check(const char *path, const struct parameter *parameter, const char *value,
                          struct diagnosis *diagnosis)
{
    if (parameter->kind != PARAMETER_WORD)
        return true;
    for (;;) {
        char word[PARAMETER_TEXT_BYTES];
        size_t length = parameter->max > 1 ? strcspn(value, ",") : strlen(value);

        snprintf(word, sizeof word, "%.*s", (int)length, value);
        if (parameter_word_index(parameter->words, word) == PARAMETER_NO_WORD)
            return refuse(path, parameter, word, diagnosis);
        if (value[length] == '\0')
            return true;
        value += length + 1;
    }
}

void parameters_set_initial(const struct parameter *rows, uint32_t count, void *values)
{
    for (uint32_t i = 0; i < count; i++) {
        char *field = (char *)values + rows[i].offset;

        if (rows[i].kind == PARAMETER_NUMBER)
            memcpy(field, &rows[i].initial, sizeof rows[i].initial);
        else
            snprintf(field, PARAMETER_TEXT_BYTES, "%s", rows[i].initial_text);
    }
}

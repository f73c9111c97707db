/* SPDX-License-Identifier: MIT */
#include "machine/selection.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"

/* A number from 1 on; advances. */
static bool take_number(const char **text, uint64_t *number)
{
    char *end;

    if (!isdigit((unsigned char)**text))
        return false;
    errno = 0;
    *number = strtoull(*text, &end, 10);
    *text = end;
    return errno == 0 && *number > 0;
}

static bool parse_numbers(struct launch_choice *choice, const char *text)
{
    if (!take_number(&text, &choice->first))
        return false;
    choice->last = choice->first;
    if (*text == '\0')
        return true;
    if (*text++ != '-')
        return false;
    choice->last = UINT64_MAX;
    return *text == '\0' ||
           (take_number(&text, &choice->last) && *text == '\0' && choice->last >= choice->first);
}

static bool parse_choice(struct launch_choice *choice, const char *word)
{
    const char *colon = strchr(word, ':');
    size_t length = colon != NULL ? (size_t)(colon - word) : strlen(word);

    *choice = (struct launch_choice){.first = 1, .last = UINT64_MAX};
    if (isdigit((unsigned char)word[0]))
        return parse_numbers(choice, word);
    if (length == 0)
        return false;
    choice->kernel = format_string("%.*s", (int)length, word);
    return colon == NULL || parse_numbers(choice, colon + 1);
}

bool launch_selection_parse(struct launch_selection *selection, const char *text,
                            struct diagnosis *diagnosis)
{
    char *words = copy_string(text), *rest = words, *word;
    bool is_good = true;

    *selection = (struct launch_selection){0};
    while (is_good && (word = strsep(&rest, ",")) != NULL) {
        selection->choices =
            reallocate(selection->choices, selection->count + 1, sizeof *selection->choices);
        is_good = parse_choice(&selection->choices[selection->count++], word);
        if (!is_good)
            diagnose(diagnosis, "timed kernels '%s': '%s' is no choice of launches", text, word);
    }
    free(words);
    if (is_good)
        return true;
    launch_selection_finish(selection);
    return diagnose_hint(diagnosis,
                         "name kernels and launches (from 1), e.g. scan,reduce:2-4,7 or 10-");
}

void launch_selection_finish(struct launch_selection *selection)
{
    for (uint32_t i = 0; i < selection->count; i++)
        free(selection->choices[i].kernel);
    free(selection->choices);
    *selection = (struct launch_selection){0};
}

bool launch_selection_next(struct launch_selection *selection, const char *kernel)
{
    bool is_chosen = false;

    selection->seen++;
    for (uint32_t i = 0; i < selection->count; i++) {
        struct launch_choice *choice = &selection->choices[i];
        uint64_t number = selection->seen;

        if (choice->kernel != NULL) {
            if (strcmp(choice->kernel, kernel) != 0)
                continue;
            number = ++choice->seen;
        }
        is_chosen = is_chosen || (choice->first <= number && number <= choice->last);
    }
    return is_chosen;
}

/* SPDX-License-Identifier: MIT */
#include "sim/debug.h"

#include <string.h>

#include "base/check.h"

static const char *const names[] = {
#define DEBUG_NAME(name, text, help) text,
    DEBUG_BREAKS(DEBUG_NAME)
#undef DEBUG_NAME
};

static const char *const helps[] = {
#define DEBUG_HELP(name, text, help) help,
    DEBUG_BREAKS(DEBUG_HELP)
#undef DEBUG_HELP
};

static bool parse_one(const char *word, size_t length, uint64_t *set, struct diagnosis *diagnosis)
{
    char name[64];

    snprintf(name, sizeof name, "%.*s", (int)length, word);
    for (unsigned i = 0; i < DEBUG_BREAK_COUNT; i++) {
        if (strcmp(name, names[i]) != 0)
            continue;
        *set |= UINT64_C(1) << i;
        return true;
    }
    diagnose(diagnosis, "debug.break: there is no fault named '%s'", name);
    if (nearest_word(name, names, DEBUG_BREAK_COUNT) != NULL)
        return diagnose_hint(diagnosis, "did you mean '%s'?",
                             nearest_word(name, names, DEBUG_BREAK_COUNT));
    return diagnose_hint(diagnosis, "`wavetank explain debug.break` lists them");
}

bool debug_parse(const char *words, uint64_t *set, struct diagnosis *diagnosis)
{
    *set = 0;
    while (*words != '\0') {
        size_t length = strcspn(words, ",");

        if (length > 0 && !parse_one(words, length, set, diagnosis))
            return false;
        words += length + (words[length] == ',');
    }
    return true;
}

const char *debug_name(enum debug_break which)
{
    check(which < DEBUG_BREAK_COUNT, "no fault has number %d", (int)which);
    return names[which];
}

const char *debug_help(enum debug_break which)
{
    check(which < DEBUG_BREAK_COUNT, "no fault has number %d", (int)which);
    return helps[which];
}

/* SPDX-License-Identifier: MIT */
#include "program/build_options.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/program.h"

enum { LEVEL_USUAL = 2 };

enum option_use {
    USE_PASS,   /* clang knows it by the same name */
    USE_IGNORE, /* allowed, and nothing to do */
    USE_ERRORS, /* -Werror */
    USE_VALUE,  /* takes a value, in the same word or the next: -D, -I, -U */
    USE_PREFIX, /* any word that begins so: -W... */
    USE_LEVEL,  /* -O0 to -O3 */
    USE_LINES,  /* -g */
    USE_SILENT, /* -w */
    USE_2_0,    /* OpenCL C 2.0: 3.0 with what the device has of it */
    USE_NARROW,
    USE_ADDED
};

static const struct option_rule {
    const char *name;
    enum option_use use;
} option_rules[] = {
    {"-D", USE_VALUE},
    {"-I", USE_VALUE},
    {"-U", USE_VALUE},
    {"-w", USE_SILENT},
    {"-Werror", USE_ERRORS},
    {"-g", USE_LINES},
    {"-O0", USE_LEVEL},
    {"-O1", USE_LEVEL},
    {"-O2", USE_LEVEL},
    {"-O3", USE_LEVEL},
    {"-cl-single-precision-constant", USE_PASS},
    {"-cl-denorms-are-zero", USE_PASS},
    {"-cl-fp32-correctly-rounded-divide-sqrt", USE_PASS},
    {"-cl-opt-disable", USE_PASS},
    {"-cl-mad-enable", USE_PASS},
    {"-cl-no-signed-zeros", USE_PASS},
    {"-cl-unsafe-math-optimizations", USE_PASS},
    {"-cl-finite-math-only", USE_PASS},
    {"-cl-fast-relaxed-math", USE_PASS},
    {"-cl-uniform-work-group-size", USE_PASS},
    {"-cl-kernel-arg-info", USE_IGNORE}, /* always on */
    {"-cl-strict-aliasing", USE_IGNORE}, /* deprecated since 1.1 */
    {"-cl-no-subgroup-ifp", USE_IGNORE}, /* they need not, but do */
    {"-cl-std=CL1.0", USE_PASS},
    {"-cl-std=CL1.1", USE_PASS},
    {"-cl-std=CL1.2", USE_PASS},
    {"-cl-std=CL2.0", USE_2_0},
    {"-cl-std=CL3.0", USE_PASS},
    {PROGRAM_NARROW_WAVEFRONTS, USE_NARROW},
    {PROGRAM_ADDED, USE_ADDED},
    {"-W", USE_PREFIX},
};

static const struct option_rule *find_rule(const char *word)
{
    if (strncmp(word, "-W", 2) == 0 && strchr(word, ',') != NULL)
        return NULL; /* -Wl,... and its kin speak to other programs than the compiler */
    for (unsigned i = 0; i < ARRAY_COUNT(option_rules); i++) {
        const struct option_rule *rule = &option_rules[i];
        bool is_open = rule->use == USE_VALUE || rule->use == USE_PREFIX || rule->use == USE_ADDED;

        if (is_open ? strncmp(word, rule->name, strlen(rule->name)) == 0
                    : strcmp(word, rule->name) == 0)
            return rule;
    }
    return NULL;
}

/* One character of a word, or a quoted run of them. Returns what follows, NULL if a quote stays
 * open. */
static const char *take_piece(const char *at, struct text *word)
{
    char quote = *at == '"' || *at == '\'' ? *at : '\0';

    if (quote != '\0')
        at++;
    do {
        if (*at == quote && quote != '\0')
            return at + 1;
        if (*at == '\0')
            return NULL;
        if (*at == '\\' && quote != '\'' && at[1] != '\0')
            at++;
        text_add_bytes(word, at++, 1);
    } while (quote != '\0');
    return at;
}

/* The next word of `*rest`, which moves on. NULL: no more words, or (*rest NULL) an open quote. */
static char *take_word(const char **rest)
{
    const char *at = *rest;
    struct text word = {0};
    char *copy;

    while (isspace((unsigned char)*at))
        at++;
    *rest = at;
    if (*at == '\0')
        return NULL;
    while (at != NULL && *at != '\0' && !isspace((unsigned char)*at))
        at = take_piece(at, &word);
    *rest = at;
    copy = at != NULL ? copy_string(text_chars(&word)) : NULL;
    text_finish(&word);
    return copy;
}

static bool refuse_option(const char *word, struct diagnosis *diagnosis)
{
    const char *names[ARRAY_COUNT(option_rules)];
    const char *near;

    if (strncmp(word, "-cl-std=", 8) == 0) {
        diagnose(diagnosis,
                 "build option %s: this device compiles OpenCL C 1.0, 1.1, 1.2, 2.0 and 3.0", word);
        return diagnose_hint(diagnosis, "use -cl-std=CL3.0; 2.0 is 3.0 without what 3.0 made "
                                        "optional and this device lacks");
    }
    for (unsigned i = 0; i < ARRAY_COUNT(option_rules); i++)
        names[i] = option_rules[i].name;
    near = nearest_word(word, names, ARRAY_COUNT(option_rules));
    diagnose(diagnosis, "unknown build option '%s'", word);
    return near != NULL ? diagnose_hint(diagnosis, "did you mean %s?", near) : false;
}

/* Handles one word; `rest` is where its value may come from. */
static bool use_word(struct build_options *options, const char *word, const char **rest,
                     struct diagnosis *diagnosis)
{
    const struct option_rule *rule = find_rule(word);
    char *value;

    if (rule == NULL)
        return refuse_option(word, diagnosis);
    if (rule->use == USE_LEVEL)
        options->settings.level = (unsigned)(word[2] - '0');
    options->settings.keeps_lines |= rule->use == USE_LINES;
    options->settings.is_silent |= rule->use == USE_SILENT;
    options->settings.is_narrow |= rule->use == USE_NARROW;
    if (rule->use == USE_ADDED)
        options->settings.stamp.added = strtoull(word + strlen(rule->name), NULL, 16);
    if (rule->use == USE_ERRORS)
        options->warnings_are_errors = true;
    else if (rule->use == USE_2_0)
        word_list_add(&options->words, "-cl-std=CL3.0");
    else if (rule->use != USE_IGNORE && rule->use != USE_NARROW && rule->use != USE_ADDED)
        word_list_add(&options->words, word);
    if (rule->use != USE_VALUE || word[2] != '\0')
        return true;
    value = take_word(rest);
    if (value == NULL)
        return diagnose(diagnosis, "build option %s needs a value", rule->name);
    word_list_add(&options->words, value);
    free(value);
    return true;
}

bool build_options_parse(const char *options, struct build_options *parsed,
                         struct diagnosis *diagnosis)
{
    const char *rest = options != NULL ? options : "";
    bool is_good = true;
    char *word;

    memset(parsed, 0, sizeof *parsed);
    parsed->settings.level = LEVEL_USUAL;
    while (is_good && (word = take_word(&rest)) != NULL) {
        is_good = use_word(parsed, word, &rest, diagnosis);
        free(word);
    }
    if (is_good && rest == NULL)
        is_good = diagnose(diagnosis, "build options: a quote is not closed in: %s", options);
    if (!is_good)
        build_options_finish(parsed);
    return is_good;
}

void build_options_finish(struct build_options *options)
{
    word_list_finish(&options->words);
}

bool program_check_options(const char *options, struct diagnosis *diagnosis)
{
    struct build_options parsed;

    if (!build_options_parse(options, &parsed, diagnosis))
        return false;
    build_options_finish(&parsed);
    return true;
}

/* ---- clLinkProgram ---- */

static bool use_link_word(struct link_options *options, const char *word, bool *is_enabling,
                          struct diagnosis *diagnosis)
{
    static const char *const names[] = {"-create-library", "-enable-link-options"};
    const struct option_rule *rule = find_rule(word);
    const char *near;

    if (strcmp(word, names[0]) == 0)
        options->makes_library = true;
    else if (strcmp(word, names[1]) == 0)
        *is_enabling = true;
    else if (rule == NULL || rule->use == USE_VALUE) {
        near = nearest_word(word, names, ARRAY_COUNT(names));
        diagnose(diagnosis, "'%s' is no option of clLinkProgram", word);
        return near != NULL ? diagnose_hint(diagnosis, "did you mean %s?", near) : false;
    }
    return true;
}

bool link_options_parse(const char *options, struct link_options *parsed,
                        struct diagnosis *diagnosis)
{
    const char *rest = options != NULL ? options : "";
    bool is_good = true, is_enabling = false;
    char *word;

    memset(parsed, 0, sizeof *parsed);
    while (is_good && (word = take_word(&rest)) != NULL) {
        is_good = use_link_word(parsed, word, &is_enabling, diagnosis);
        free(word);
    }
    if (is_good && rest == NULL)
        return diagnose(diagnosis, "link options: a quote is not closed in: %s", options);
    if (is_good && is_enabling && !parsed->makes_library)
        return diagnose(diagnosis, "-enable-link-options needs -create-library beside it");
    return is_good;
}

bool program_check_link_options(const char *options, struct diagnosis *diagnosis)
{
    struct link_options parsed;

    return link_options_parse(options, &parsed, diagnosis);
}

/* SPDX-License-Identifier: MIT */
#include "laboratory/source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"

struct scan {
    enum source_language language;
    const char *at;
    source_visit *visit;
    void *context;
    /* Of the Python statement under way: */
    bool is_import;
    char *from;     /* `from` this; NULL: not said */
    unsigned depth; /* of brackets, in which a line's end ends nothing */
};

enum source_language source_language_of(const char *path, const char *text)
{
    static const char *const suffixes[] = {".cl", ".clh", ".h", ".hpp", ".c", ".inc"};
    const char *suffix = strrchr(path, '.');
    char *line = format_string("%.*s", (int)strcspn(text, "\n"), text);
    bool is_python = (suffix != NULL && strcmp(suffix, ".py") == 0) ||
                     (strncmp(line, "#!", 2) == 0 && strstr(line, "python") != NULL);

    free(line);
    if (is_python)
        return SOURCE_PYTHON;
    for (unsigned i = 0; suffix != NULL && i < ARRAY_COUNT(suffixes); i++)
        if (strcmp(suffix, suffixes[i]) == 0)
            return SOURCE_C;
    return SOURCE_NONE;
}

/* A string of several lines may be a kernel, with strings of its own. */
static void tell_string(struct scan *scan, const char *start, bool is_long)
{
    char *string = format_string("%.*s", (int)(scan->at - start), start);

    if (is_long)
        source_scan(SOURCE_C, string, scan->visit, scan->context);
    else
        scan->visit(scan->context, SOURCE_STRING, string);
    free(string);
}

/* In C a string ends with its line: an apostrophe in a comment must not hide what follows. */
static void take_string(struct scan *scan)
{
    const char quote = *scan->at;
    const char triple[] = {quote, quote, quote, '\0'};
    bool is_long = scan->language == SOURCE_PYTHON && strncmp(scan->at, triple, 3) == 0;
    const char *start = scan->at += is_long ? 3 : 1;

    while (*scan->at != '\0' && (is_long || *scan->at != '\n') &&
           (is_long ? strncmp(scan->at, triple, 3) != 0 : *scan->at != quote))
        scan->at += scan->at[0] == '\\' && scan->at[1] != '\0' ? 2 : 1;
    tell_string(scan, start, is_long);
    if (*scan->at == quote)
        scan->at += is_long ? 3 : 1;
}

static void end_statement(struct scan *scan)
{
    free(scan->from);
    scan->from = NULL;
    scan->is_import = false;
}

static void take_module(struct scan *scan, const char *name)
{
    /* A module's name, or that of something in it. */
    char *inner = scan->from != NULL && scan->is_import
                      ? format_string("%s%s%s", scan->from,
                                      scan->from[strlen(scan->from) - 1] == '.' ? "" : ".", name)
                      : NULL;

    if (inner == NULL && !scan->is_import)
        scan->from = copy_string(name);
    scan->visit(scan->context, SOURCE_MODULE, inner != NULL ? inner : name);
    free(inner);
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || (c & 0x80) != 0;
}

/* `import a.b as c, d`, `from a.b import c`, `from ..a import (b, c)`. That `as` and what it gives
 * are taken for modules does no harm. */
static void take_name(struct scan *scan, bool *is_from)
{
    const char *start = scan->at;
    char *name;

    while (is_name(*scan->at))
        scan->at++;
    name = format_string("%.*s", (int)(scan->at - start), start);
    if (strcmp(name, "import") == 0)
        scan->is_import = true;
    else if (strcmp(name, "from") == 0)
        end_statement(scan);
    else if (scan->is_import || (*is_from && scan->from == NULL))
        take_module(scan, name);
    *is_from = strcmp(name, "from") == 0;
    free(name);
}

static void scan_python(struct scan *scan)
{
    bool is_from = false;

    while (*scan->at != '\0') {
        const char c = *scan->at;

        if (c == '#') {
            scan->at += strcspn(scan->at, "\n");
        } else if (c == '"' || c == '\'') {
            take_string(scan);
        } else if (is_name(c)) {
            take_name(scan, &is_from);
        } else {
            scan->depth += c == '(' || c == '[' || c == '{';
            scan->depth -= scan->depth > 0 && (c == ')' || c == ']' || c == '}');
            if (c == '\\' && scan->at[1] == '\n')
                scan->at++;
            else if (c == ';' || (c == '\n' && scan->depth == 0))
                end_statement(scan);
            scan->at++;
        }
    }
    end_statement(scan);
}

void source_scan(enum source_language language, const char *text, source_visit *visit,
                 void *context)
{
    struct scan scan = {.language = language, .at = text, .visit = visit, .context = context};

    if (language == SOURCE_PYTHON)
        scan_python(&scan);
    while (language == SOURCE_C && *scan.at != '\0')
        if (*scan.at == '"')
            take_string(&scan);
        else
            scan.at++;
}

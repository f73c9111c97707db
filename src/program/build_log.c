/* SPDX-License-Identifier: MIT */
#include "program/build_log.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

void build_log_strip(struct text *to, const char *from, const char *folder)
{
    size_t length = folder != NULL ? strlen(folder) : 0;
    const char *found;

    while (length > 0 && (found = strstr(from, folder)) != NULL) {
        text_add_bytes(to, from, (size_t)(found - from));
        from = found + length;
        from += *from == '/';
    }
    text_add_bytes(to, from, strlen(from));
}

/* What follows `label` in `line`, or NULL if the line has it not. */
static char *text_after(char *line, const char *label)
{
    char *found = strstr(line, label);

    return found != NULL ? found + strlen(label) : NULL;
}

/* The symbol that the linker misses, or NULL. */
static char *missing_symbol(char *line)
{
    static const char *const labels[] = {
        "ld.lld: error: undefined symbol: ", "ld.lld: error: undefined hidden symbol: ",
        "ld.lld: error: undefined protected symbol: "};
    char *symbol = NULL;

    for (unsigned i = 0; i < ARRAY_COUNT(labels) && symbol == NULL; i++)
        symbol = text_after(line, labels[i]);
    return symbol;
}

/* ">>> referenced by FILE:LINE" (built with -g) and ">>> ... OBJECT:(FUNCTION)": the line, or else
 * the function. */
static char *missing_symbol_user(char *line)
{
    char *place = text_after(line, ">>> referenced by ");
    char *function = text_after(line, ":(");

    if (function == NULL && place != NULL) {
        place[strcspn(place, " ")] = '\0';
        return strchr(place, ':') != NULL ? place : NULL;
    }
    if (function == NULL)
        return NULL;
    function[strcspn(function, ")")] = '\0';
    return strncmp(function, "__clang_ocl_kern_imp_", 21) == 0 ? function + 21 : function;
}

/* `last_user` is what the line before named, so that two calls in a function are told once. */
static void add_line(struct text *log, char *line, char **last_user)
{
    static const char *const noise[] = {"linker command failed", "ld.lld command failed"};
    char *symbol = missing_symbol(line);

    if (symbol != NULL) {
        text_add(log, "error: %s is used and defined nowhere\n", symbol);
        *last_user = NULL;
        return;
    }
    if (strncmp(line, ">>>", 3) == 0) {
        char *user = missing_symbol_user(line);

        if (user != NULL && (*last_user == NULL || strcmp(*last_user, user) != 0))
            text_add(log, "  in %s\n", user);
        *last_user = user != NULL ? user : *last_user;
        return;
    }
    for (unsigned i = 0; i < ARRAY_COUNT(noise); i++)
        if (strstr(line, noise[i]) != NULL)
            return;
    if (line[0] < '0' || line[0] > '9' || strstr(line, " generated.") == NULL)
        text_add(log, "%s\n", line);
}

void build_log_add(struct text *log, const char *raw, const char *folder)
{
    struct text stripped = {0};
    char *last_user = NULL;

    build_log_strip(&stripped, raw, folder);
    for (char *line = stripped.chars; line != NULL && *line != '\0';) {
        char *end = strchr(line, '\n');

        if (end != NULL)
            *end = '\0';
        if (*line != '\0')
            add_line(log, line, &last_user);
        line = end != NULL ? end + 1 : NULL;
    }
    text_finish(&stripped);
}

#define GENERIC_HINT                                                                               \
    "it needs OpenCL 2.0's generic address space, which this device has not: write global, local " \
    "or private before the type that is pointed to"
#define QUEUE_HINT "this device has no queues of its own (OpenCL 2.0's enqueue_kernel)"

static const struct {
    const char *mark, *hint;
} hints[] = {
    {"changes address space", GENERIC_HINT},
    {"'generic' type qualifier", GENERIC_HINT},
    {"'pipe' type qualifier", "this device has no pipes of OpenCL 2.0"},
    {"'queue_t'", QUEUE_HINT},
    {"'enqueue_kernel'", QUEUE_HINT},
    {"sub_group_", "sub-groups are there where wavefronts have 64 lanes (gpu.wavefront_lanes)"},
    {"is used and defined nowhere", "neither the program, nor what is linked with it, nor OpenCL C "
                                    "as this device has it defines it"},
    {"recursion: ", "OpenCL C has no recursion: a work-item has no stack that could grow"},
    {"Cannot select", "clang has no Southern Islands instructions for this: most often a pointer "
                      "without an address space, or an atomic operation on a narrow type"},
    {"ld.lld", "is lld of clang's version installed (Debian: lld-22)?"},
    {"file not found", "relative include paths start at the program's working directory"},
};

static void add_hint(const char *message, struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < ARRAY_COUNT(hints); i++) {
        if (strstr(message, hints[i].mark) != NULL) {
            diagnose_hint(diagnosis, "%s", hints[i].hint);
            return;
        }
    }
}

/* "FILE:LINE:COLUMN: " in front of an error; nothing else in front is a place. */
static void add_place(const char *line, size_t length, struct diagnosis *diagnosis)
{
    char *place = format_string("%.*s", (int)length, line);
    char *colon = strrchr(place, ':');
    int number = 0;

    for (int field = 0; field < 2 && colon != NULL; field++) {
        number = atoi(colon + 1);
        *colon = '\0';
        if (field == 0)
            colon = strrchr(place, ':');
    }
    if (number > 0)
        diagnose_at(diagnosis, place, number);
    free(place);
}

/* A compiler that said nothing of a mistake: it was ended, or it crashed, which is no fault of
 * the source. */
static bool diagnose_failure(const char *log, int status, struct diagnosis *diagnosis)
{
    diagnose(diagnosis, "the compiler failed (status %d) and said: %.500s", status,
             log[0] != '\0' ? log : "nothing");
    if (status == 128 + SIGSEGV || status == 128 + SIGABRT)
        diagnose_hint(diagnosis,
                      "clang or LLVM has crashed on this program; other options may help: "
                      "wavetank run --build-options -O0");
    return false;
}

bool build_log_diagnose(const char *log, int status, struct diagnosis *diagnosis)
{
    const char *error = strstr(log, "error: ");
    const char *line = error;
    const char *message;

    if (error == NULL)
        return diagnose_failure(log, status, diagnosis);
    while (line > log && line[-1] != '\n')
        line--;
    message = error + strlen("error: ");
    diagnose(diagnosis, "%.*s", (int)strcspn(message, "\n"), message);
    if (diagnosis != NULL)
        add_hint(diagnosis->message, diagnosis);
    if (error - line > 2)
        add_place(line, (size_t)(error - line) - 2, diagnosis);
    return false;
}

/* SPDX-License-Identifier: MIT */
#include "base/diagnosis.h"

#include <stdarg.h>
#include <string.h>

bool diagnose(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list arguments;

    if (diagnosis == NULL)
        return false;
    memset(diagnosis, 0, sizeof *diagnosis);
    va_start(arguments, format);
    vsnprintf(diagnosis->message, sizeof diagnosis->message, format, arguments);
    va_end(arguments);
    return false;
}

bool diagnose_at(struct diagnosis *diagnosis, const char *file, int line)
{
    if (diagnosis == NULL)
        return false;
    snprintf(diagnosis->file, sizeof diagnosis->file, "%s", file);
    diagnosis->line = line;
    return false;
}

bool diagnose_hint(struct diagnosis *diagnosis, const char *format, ...)
{
    va_list arguments;

    if (diagnosis == NULL)
        return false;
    va_start(arguments, format);
    vsnprintf(diagnosis->hint, sizeof diagnosis->hint, format, arguments);
    va_end(arguments);
    return false;
}

void diagnosis_print(const struct diagnosis *diagnosis, FILE *stream)
{
    fputs("wavetank: ", stream);
    if (diagnosis->file[0] != '\0' && diagnosis->line > 0)
        fprintf(stream, "%s:%d: ", diagnosis->file, diagnosis->line);
    else if (diagnosis->file[0] != '\0')
        fprintf(stream, "%s: ", diagnosis->file);
    fprintf(stream, "%s\n", diagnosis->message);
    if (diagnosis->hint[0] != '\0')
        fprintf(stream, "  hint: %s\n", diagnosis->hint);
}

static unsigned min_of(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static unsigned edit_distance(const char *a, const char *b)
{
    unsigned row[64];
    size_t width = strlen(b);

    if (width >= 64 || strlen(a) >= 64)
        return 64;
    for (size_t j = 0; j <= width; j++)
        row[j] = (unsigned)j;
    for (size_t i = 0; a[i] != '\0'; i++) {
        unsigned diagonal = row[0];

        row[0] = (unsigned)i + 1;
        for (size_t j = 0; j < width; j++) {
            unsigned change = diagonal + (a[i] != b[j]);

            diagonal = row[j + 1];
            row[j + 1] = min_of(change, min_of(row[j], row[j + 1]) + 1);
        }
    }
    return row[width];
}

const char *nearest_word(const char *word, const char *const *known, unsigned count)
{
    const char *best = NULL;
    unsigned best_distance = (unsigned)strlen(word) / 3 + 2;

    for (unsigned i = 0; i < count; i++) {
        unsigned distance = edit_distance(word, known[i]);

        if (distance < best_distance) {
            best = known[i];
            best_distance = distance;
        }
    }
    return best;
}

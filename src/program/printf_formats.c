/* SPDX-License-Identifier: MIT */
#include "program/printf_formats.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

enum { ARGUMENTS_MAX = 65536, ARGUMENT_BYTES_MAX = 4096 };

/* A number and the colon behind it. */
static bool take_number(const char **at, const char *end, uint32_t *number)
{
    uint64_t value = 0;
    const char *start = *at;

    while (*at < end && **at >= '0' && **at <= '9' && value <= UINT32_MAX)
        value = value * 10 + (uint64_t)(*(*at)++ - '0');
    if (*at == start || *at == end || **at != ':' || value > UINT32_MAX)
        return false;
    (*at)++;
    *number = (uint32_t)value;
    return true;
}

static bool read_arguments(const char **at, const char *end, struct program_format *format)
{
    uint32_t count;

    if (!take_number(at, end, &count) || count > ARGUMENTS_MAX)
        return false;
    format->argument_bytes = allocate(count, sizeof *format->argument_bytes);
    for (uint32_t *bytes = format->argument_bytes; format->argument_count < count; bytes++) {
        if (!take_number(at, end, bytes) || *bytes > ARGUMENT_BYTES_MAX)
            return false;
        format->argument_count++;
    }
    return true;
}

bool printf_format_read(const char *line, size_t count, struct program_format *format)
{
    const char *at = line, *end = line + count;

    memset(format, 0, sizeof *format);
    if (take_number(&at, end, &format->number) && read_arguments(&at, end, format) && at < end) {
        if (*at == 'f') {
            format->text = format_string("%.*s", (int)(end - at - 1), at + 1);
            return true;
        }
        if (*at == 'a' && end == at + 1 && format->argument_count > 0)
            return true;
    }
    printf_format_finish(format);
    return false;
}

void printf_format_finish(struct program_format *format)
{
    free(format->argument_bytes);
    free(format->text);
    memset(format, 0, sizeof *format);
}

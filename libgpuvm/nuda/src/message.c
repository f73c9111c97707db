/* SPDX-License-Identifier: MIT */
#include "message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LINE_BYTES 4096

int message_level(void)
{
    static int known = -1;
    int level = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (level < 0) {
        const char *text = getenv("NUDA_TRACE");
        level = text ? atoi(text) : 0;
        level = level < 0 ? 0 : level;
        __atomic_store_n(&known, level, __ATOMIC_RELAXED);
    }
    return level;
}

/* Lines that are too long are cut. */
MESSAGE_FORMAT(2, 0)
static void write_line(const struct nuda_loop *loop, const char *text, va_list list)
{
    char line[LINE_BYTES];
    int used = loop ? snprintf(line, sizeof(line) - 1, "%s:%d: nuda: %s: ", loop->file, loop->line,
                               loop->function)
                    : snprintf(line, sizeof(line) - 1, "nuda: ");
    size_t at = used < 0 ? 0 : (size_t)used;
    if (at > sizeof(line) / 2)
        at = sizeof(line) / 2;
    used = vsnprintf(line + at, sizeof(line) - 1 - at, text, list);
    at += used < 0 ? 0 : (size_t)used;
    if (at > sizeof(line) - 2)
        at = sizeof(line) - 2;
    line[at++] = '\n';
    if (write(STDERR_FILENO, line, at) < 0)
        return;
}

void message(const struct nuda_loop *loop, const char *text, ...)
{
    va_list list;
    va_start(list, text);
    write_line(loop, text, list);
    va_end(list);
}

_Noreturn void message_fatal(const struct nuda_loop *loop, const char *text, ...)
{
    va_list list;
    va_start(list, text);
    write_line(loop, text, list);
    va_end(list);
    exit(1);
}

/* SPDX-License-Identifier: MIT */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int level;

void log_init(void)
{
    const char *text = getenv("GPUVM_LOG");
    level = text ? atoi(text) : 0;
}

/* No stdio: the thread may serve a fault of one that holds stdio's lock. */
static void log_print(const char *format, va_list arguments)
{
    char line[1024] = "gpuvm: ";
    int count = vsnprintf(line + 7, sizeof(line) - 8, format, arguments);
    if (count < 0)
        return;
    size_t bytes = 7 + (count < (int)sizeof(line) - 8 ? (size_t)count : sizeof(line) - 9);
    line[bytes++] = '\n';
    /* By the system call: write would be where a thread is cancelled, with locks. */
    if (syscall(SYS_write, STDERR_FILENO, line, bytes) < 0)
        return;
}

void log_line(int wanted, const char *format, ...)
{
    if (wanted > level)
        return;
    va_list arguments;
    va_start(arguments, format);
    log_print(format, arguments);
    va_end(arguments);
}

void log_always(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    log_print(format, arguments);
    va_end(arguments);
}

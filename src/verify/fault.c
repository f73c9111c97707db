/* SPDX-License-Identifier: MIT */
#include <stdarg.h>
#include <stdio.h>

#include "verify/traffic.h"

static const struct {
    const char *name, *help;
} checks[VERIFY_CHECKS] = {
    [VERIFY_NOTHING] = {"none", "nothing is wrong"},
    [VERIFY_READ] = {"read", "each load and atomic returns a value that the memory model allows"},
    [VERIFY_DIRTY] = {"dirty", "at rest the newest bytes are in memory or dirty above it"},
    [VERIFY_EXCLUSIVE] = {"exclusive", "a single writer or several readers"},
    [VERIFY_ANSWER] = {"answer", "each request is answered once"},
    [VERIFY_TRANSITION] = {"transition", "no transition but those of the tables"},
    [VERIFY_DEADLOCK] = {"deadlock", "what waits can go on"},
    [VERIFY_LIVELOCK] = {"livelock", "from each state deliveries alone lead to rest"},
};

const char *verify_check_name(enum verify_check check)
{
    return checks[check].name;
}

const char *verify_check_help(enum verify_check check)
{
    return checks[check].help;
}

void fault_note(struct fault *fault, enum verify_check check, const char *format, ...)
{
    va_list arguments;

    if (fault->check != VERIFY_NOTHING)
        return;
    fault->check = check;
    va_start(arguments, format);
    vsnprintf(fault->text, sizeof fault->text, format, arguments);
    va_end(arguments);
}

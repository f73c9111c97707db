/* SPDX-License-Identifier: MIT */
#include "base/check.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static _Thread_local void (*catch_hook)(void *context, const char *message);
static _Thread_local void *catch_context;

void check_set_catch(void (*caught)(void *context, const char *message), void *context)
{
    catch_hook = caught;
    catch_context = context;
}

void check_failed(const char *file, int line, const char *condition, const char *format, ...)
{
    va_list arguments;

    if (catch_hook != NULL) {
        char message[1024];

        va_start(arguments, format);
        vsnprintf(message, sizeof message, format, arguments);
        va_end(arguments);
        catch_hook(catch_context, message);
    }
    fprintf(stderr, "wavetank: %s:%d: this should not happen: %s\nwavetank: ", file, line,
            condition);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    fflush(NULL);
    abort();
}

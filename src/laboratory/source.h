/* SPDX-License-Identifier: MIT */
/* What a program's source names: modules that it imports, files that it includes or mentions. The
 * text is looked through and never run, so a name that is put together is not seen. */
#ifndef LABORATORY_SOURCE_H
#define LABORATORY_SOURCE_H

#include <stdbool.h>

enum source_language {
    SOURCE_NONE, /* data, or a language that is not known */
    SOURCE_C,    /* OpenCL too */
    SOURCE_PYTHON
};

enum source_name {
    SOURCE_STRING, /* a string, as it stands */
    SOURCE_MODULE  /* "a.b", or "..a.b" from the module's own package */
};

/* Called with each name, in order. */
typedef void source_visit(void *context, enum source_name kind, const char *name);

/* By its suffix, or the interpreter of its first line. */
enum source_language source_language_of(const char *path, const char *text);
void source_scan(enum source_language language, const char *text, source_visit *visit,
                 void *context);

#endif

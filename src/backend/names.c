/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

/* The C++ runtime's, which LLVM brings along ("Itanium C++ ABI", chapter 3.4). */
extern char *__cxa_demangle(const char *mangled, char *buffer, size_t *length, int *status);

static const char body_prefix[] = "__clang_ocl_kern_imp_";

char *backend_plain_name(LLVMValueRef value)
{
    const char *name = LLVMGetValueName(value);
    char *demangled = NULL;
    char *copy;
    int status;

    if (strncmp(name, body_prefix, sizeof body_prefix - 1) == 0)
        name += sizeof body_prefix - 1;
    if (strncmp(name, "_Z", 2) == 0)
        demangled = __cxa_demangle(name, NULL, NULL, &status);
    copy = copy_string(demangled != NULL ? demangled : name);
    free(demangled);
    return copy;
}

bool backend_add_place(struct text *text, LLVMValueRef instruction)
{
    unsigned length = 0;
    const char *file = LLVMGetDebugLocFilename(instruction, &length);
    unsigned line = LLVMGetDebugLocLine(instruction);

    if (file == NULL || length == 0 || line == 0)
        return false;
    text_add(text, "%.*s:%u:%u", (int)length, file, line, LLVMGetDebugLocColumn(instruction));
    return true;
}

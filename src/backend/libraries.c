/* SPDX-License-Identifier: MIT */
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/index.h"
#include "base/bits.h"

/* What a library function takes over from the program's functions: it is compiled for the same
 * processor and the same floating point. */
static const char *const shared_strings[] = {
    "target-cpu",           "target-features",     "no-trapping-math", "denormal-fp-math",
    "denormal-fp-math-f32", "no-infs-fp-math",     "no-nans-fp-math",  "no-signed-zeros-fp-math",
    "unsafe-fp-math",       "approx-func-fp-math",
};
static const char *const shared_flags[] = {"convergent", "nounwind"};

static LLVMValueRef first_definition(LLVMModuleRef module)
{
    LLVMValueRef function = LLVMGetFirstFunction(module);

    while (function != NULL && LLVMIsDeclaration(function))
        function = LLVMGetNextFunction(function);
    return function;
}

static void copy_attributes(LLVMValueRef function, LLVMValueRef model)
{
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));

    for (unsigned i = 0; i < ARRAY_COUNT(shared_strings); i++) {
        LLVMAttributeRef attribute =
            LLVMGetStringAttributeAtIndex(model, LLVMAttributeFunctionIndex, shared_strings[i],
                                          (unsigned)strlen(shared_strings[i]));

        if (attribute != NULL)
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute);
    }
    for (unsigned i = 0; i < ARRAY_COUNT(shared_flags); i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(shared_flags[i], strlen(shared_flags[i]));

        LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                                LLVMCreateEnumAttribute(context, kind, 0));
    }
}

static bool is_own(LLVMValueRef value)
{
    return LLVMGetLinkage(value) == LLVMInternalLinkage ||
           LLVMGetLinkage(value) == LLVMPrivateLinkage;
}

/* LLVM's linker takes a "link once" definition only if something refers to it, and once. What
 * the library has for itself gets a name that no program has: parts of the library share it. */
static void make_value_optional(LLVMValueRef value)
{
    if (LLVMIsDeclaration(value) ||
        (!is_own(value) && LLVMGetLinkage(value) != LLVMExternalLinkage))
        return;
    if (is_own(value)) {
        char *name = format_string("%s.library", LLVMGetValueName(value));

        LLVMSetValueName2(value, name, strlen(name));
        free(name);
    }
    LLVMSetLinkage(value, LLVMLinkOnceODRLinkage);
}

void backend_make_optional(LLVMModuleRef library)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f != NULL; f = LLVMGetNextFunction(f))
        make_value_optional(f);
    for (LLVMValueRef v = LLVMGetFirstGlobal(library); v != NULL; v = LLVMGetNextGlobal(v))
        make_value_optional(v);
}

void backend_set_aside(LLVMValueRef function)
{
    char *name = format_string("own.%s", LLVMGetValueName(function));

    LLVMSetValueName2(function, name, strlen(name));
    free(name);
}

/* What came from a library: internal from now on. The last library's functions keep their names,
 * by which LLVM knows what they do. */
static void library_value_settle(LLVMModuleRef module, LLVMValueRef model, bool is_last)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMLinkOnceODRLinkage)
            continue;
        if (!is_last && strncmp(LLVMGetValueName(f), "_Z", 2) == 0)
            backend_set_aside(f);
        LLVMSetVisibility(f, LLVMDefaultVisibility);
        LLVMSetLinkage(f, LLVMInternalLinkage);
        if (model != NULL)
            copy_attributes(f, model);
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(module); v != NULL; v = LLVMGetNextGlobal(v)) {
        if (LLVMIsDeclaration(v) || LLVMGetLinkage(v) != LLVMLinkOnceODRLinkage)
            continue;
        LLVMSetVisibility(v, LLVMDefaultVisibility);
        LLVMSetLinkage(v, LLVMInternalLinkage);
    }
}

LLVMModuleRef backend_open_library(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef library = NULL;
    char *message = NULL;

    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        backend_fail("cannot read the library %s: %s", path, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    /* Functions are read when they are linked. */
    if (LLVMGetBitcodeModuleInContext2(context, buffer, &library))
        backend_fail("the library %s is no bitcode", path);
    return library;
}

static bool link_whole(LLVMModuleRef module, const char *path)
{
    LLVMModuleRef library = backend_open_library(LLVMGetModuleContext(module), path);

    if (library == NULL)
        return false;
    backend_make_optional(library);
    return !LLVMLinkModules2(module, library);
}

/* ---- A function of a library under the name of a function of the one before ---- */

static const char cover[] = "libclc_";
enum { COVER_LENGTH = sizeof cover - 1 };

/* Whether the symbol is a C++ name of libclc_NAME; then writes that of NAME. */
static bool uncovered_name(const char *symbol, char *name, size_t room)
{
    unsigned length;
    int digits = 0;

    if (sscanf(symbol, "_Z%u%n", &length, &digits) != 1 || digits == 0 || length <= COVER_LENGTH ||
        strncmp(symbol + digits, cover, COVER_LENGTH) != 0)
        return false;
    return (size_t)snprintf(name, room, "_Z%u%s", length - COVER_LENGTH,
                            symbol + digits + COVER_LENGTH) < room;
}

/* Our functions that mend one of libclc call it libclc_NAME (builtin/mended.cl). */
static void names_uncover(LLVMModuleRef module)
{
    enum { NAME_ROOM = 256 };

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        char name[NAME_ROOM];

        if (LLVMIsDeclaration(f) && uncovered_name(LLVMGetValueName(f), name, sizeof name))
            LLVMSetValueName2(f, name, strlen(name));
    }
}

bool backend_link_libraries(LLVMModuleRef module, const struct backend_request *request)
{
    LLVMValueRef model = first_definition(module);

    for (unsigned i = 0; i < request->library_count; i++) {
        const struct backend_library *library = &request->libraries[i];
        struct library_index index = {0};

        if (library->index != NULL)
            index = index_open(library->index, library->path);
        if (index.bytes != NULL ? !index_link(&index, module) : !link_whole(module, library->path))
            return false;
        library_value_settle(module, model, i + 1 == request->library_count);
        names_uncover(module);
    }
    return true;
}

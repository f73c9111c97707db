/* SPDX-License-Identifier: MIT */
#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <string.h>

#include "backend/backend.h"
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

/* LLVM's linker takes a "link once" definition only if something refers to it. */
static void make_optional(LLVMModuleRef library)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f != NULL; f = LLVMGetNextFunction(f))
        if (!LLVMIsDeclaration(f) && LLVMGetLinkage(f) == LLVMExternalLinkage)
            LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    for (LLVMValueRef v = LLVMGetFirstGlobal(library); v != NULL; v = LLVMGetNextGlobal(v))
        if (!LLVMIsDeclaration(v) && LLVMGetLinkage(v) == LLVMExternalLinkage)
            LLVMSetLinkage(v, LLVMLinkOnceODRLinkage);
}

/* What came from a library: internal from now on. */
static void settle(LLVMModuleRef module, LLVMValueRef model)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMLinkOnceODRLinkage)
            continue;
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

static LLVMModuleRef open_library(LLVMContextRef context, const char *path)
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

bool backend_link_libraries(LLVMModuleRef module, const struct backend_request *request)
{
    LLVMValueRef model = first_definition(module);

    for (unsigned i = 0; i < request->library_count; i++) {
        LLVMModuleRef library = open_library(LLVMGetModuleContext(module), request->libraries[i]);

        if (library == NULL)
            return false;
        make_optional(library);
        if (LLVMLinkModules2(module, library))
            return false;
        settle(module, model);
    }
    return true;
}

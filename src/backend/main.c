/* SPDX-License-Identifier: MIT */
#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/ErrorHandling.h>
#include <llvm-c/Linker.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backend/backend.h"
#include "base/bits.h"

bool backend_fail(const char *format, ...)
{
    va_list arguments;

    fputs("error: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

/* What LLVM cannot go on after, e.g. an operation without an instruction. */
static void stop_on_fatal_error(const char *reason)
{
    backend_fail("%s", reason);
    fflush(stderr);
    _exit(1);
}

/* What LLVM's remarks are told with. */
struct teller {
    const struct backend_request *request;
    struct place_list places;
};

static void print_remark(LLVMDiagnosticInfoRef information, void *context)
{
    const struct teller *teller = context;
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(information);
    char *description = LLVMGetDiagInfoDescription(information);

    if (severity == LLVMDSError)
        places_tell(&teller->places, "error", description);
    else if (severity == LLVMDSWarning && !teller->request->is_silent)
        places_tell(&teller->places, "warning", description);
    LLVMDisposeMessage(description);
    if (severity == LLVMDSError) {
        fflush(stderr);
        _exit(1);
    }
}

/* ---- Inputs ---- */

static LLVMModuleRef read_module(LLVMContextRef context, const char *path)
{
    LLVMMemoryBufferRef buffer;
    LLVMModuleRef module = NULL;
    char *message = NULL;

    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message)) {
        backend_fail("cannot read %s: %s", path, message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    if (LLVMParseBitcodeInContext2(context, buffer, &module)) {
        backend_fail("%s is no bitcode", path);
        return NULL;
    }
    return module;
}

/* The first function or variable that both define and neither keeps to itself, or NULL. */
static LLVMValueRef find_clash(LLVMModuleRef module, LLVMModuleRef other)
{
    for (LLVMValueRef f = LLVMGetFirstFunction(other); f != NULL; f = LLVMGetNextFunction(f)) {
        LLVMValueRef same = LLVMGetNamedFunction(module, LLVMGetValueName(f));

        if (same != NULL && !LLVMIsDeclaration(f) && !LLVMIsDeclaration(same) &&
            LLVMGetLinkage(f) == LLVMExternalLinkage && LLVMGetLinkage(same) == LLVMExternalLinkage)
            return f;
    }
    for (LLVMValueRef v = LLVMGetFirstGlobal(other); v != NULL; v = LLVMGetNextGlobal(v)) {
        LLVMValueRef same = LLVMGetNamedGlobal(module, LLVMGetValueName(v));

        if (same != NULL && !LLVMIsDeclaration(v) && !LLVMIsDeclaration(same) &&
            LLVMGetLinkage(v) == LLVMExternalLinkage && LLVMGetLinkage(same) == LLVMExternalLinkage)
            return v;
    }
    return NULL;
}

static bool join(LLVMModuleRef module, LLVMModuleRef other)
{
    LLVMValueRef clash = find_clash(module, other);
    char *name;

    if (clash == NULL)
        return !LLVMLinkModules2(module, other);
    name = backend_plain_name(clash);
    backend_fail("%s is defined in more than one of the linked programs", name);
    free(name);
    return false;
}

LLVMModuleRef backend_link_inputs(LLVMContextRef context, const struct backend_request *request)
{
    LLVMModuleRef module = NULL;

    for (unsigned i = 0; i < request->input_count; i++) {
        LLVMModuleRef next = read_module(context, request->inputs[i]);

        if (next == NULL || (module != NULL && !join(module, next)))
            return NULL;
        module = module != NULL ? module : next;
    }
    return module;
}

/* ---- The command line ---- */

static int explain_version(void)
{
    unsigned major, minor, patch;

    LLVMGetVersion(&major, &minor, &patch);
    printf("wavetank-backend, with LLVM %u.%u.%u\n", major, minor, patch);
    return 0;
}

static int explain_usage(void)
{
    fputs("usage: wavetank-backend [-O0|-O1|-O2|-O3] [-g] [-w] [--bitcode] [--library FILE]...\n"
          "                        -o OUTPUT INPUT.bc...\n"
          "Links bitcode of OpenCL C programs and makes an object file for Southern Islands.\n",
          stderr);
    return 2;
}

/* Options that stand alone. */
static bool take_flag(struct backend_request *request, const char *word)
{
    if (strncmp(word, "-O", 2) == 0 && word[2] >= '0' && word[2] <= '3' && word[3] == '\0')
        request->level = (unsigned)(word[2] - '0');
    else if (strcmp(word, "-g") == 0)
        request->keeps_lines = true;
    else if (strcmp(word, "-w") == 0)
        request->is_silent = true;
    else if (strcmp(word, "--bitcode") == 0)
        request->is_bitcode = true;
    else
        return false;
    return true;
}

/* `inputs` and `libraries` have room for all words. */
static bool parse_words(struct backend_request *request, int count, char **words,
                        const char **inputs, const char **libraries)
{
    for (int i = 1; i < count; i++) {
        bool takes_value = strcmp(words[i], "-o") == 0 || strcmp(words[i], "--library") == 0;

        if (takes_value && i + 1 == count)
            return false;
        if (strcmp(words[i], "-o") == 0)
            request->output = words[++i];
        else if (takes_value)
            libraries[request->library_count++] = words[++i];
        else if (words[i][0] != '-')
            inputs[request->input_count++] = words[i];
        else if (!take_flag(request, words[i]))
            return false;
    }
    request->inputs = inputs;
    request->libraries = libraries;
    return request->output != NULL && request->input_count > 0;
}

static bool compile(LLVMModuleRef module, const struct backend_request *request)
{
    struct missing_list missing = {0};
    bool is_done = backend_check_calls(module);

    if (is_done) {
        backend_lower_printf(module);
        is_done = backend_link_libraries(module, request) && backend_check_recursion(module);
        backend_widen_conversions(module);
    }
    if (is_done) {
        missing_note(&missing, module);
        is_done = backend_emit(module, &missing, request);
    }
    missing_finish(&missing);
    return is_done;
}

static bool work(const struct backend_request *request)
{
    LLVMContextRef context = LLVMContextCreate();
    struct teller teller = {.request = request};
    LLVMModuleRef module;

    LLVMContextSetDiagnosticHandler(context, print_remark, &teller);
    module = backend_link_inputs(context, request);
    if (module == NULL)
        return false;
    if (!request->is_bitcode) {
        bool is_done;

        places_note(&teller.places, module);
        is_done = compile(module, request);
        places_finish(&teller.places);
        return is_done;
    }
    return LLVMWriteBitcodeToFile(module, request->output) == 0 ||
           backend_fail("cannot write %s", request->output);
}

int main(int count, char **words)
{
    struct backend_request request = {.level = 2};
    const char **inputs = allocate((size_t)count, sizeof *inputs);
    const char **libraries = allocate((size_t)count, sizeof *libraries);

    if (count == 2 && strcmp(words[1], "--version") == 0)
        return explain_version();
    if (!parse_words(&request, count, words, inputs, libraries))
        return explain_usage();
    LLVMInstallFatalErrorHandler(stop_on_fatal_error);
    /* LLVM's own cleaning up takes longer than the kernel's. */
    _exit(work(&request) ? 0 : 1);
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
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
#include "backend/index.h"
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

static bool modules_join(LLVMModuleRef module, LLVMModuleRef other)
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

        if (next == NULL || (module != NULL && !modules_join(module, next)))
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
    fputs("usage: wavetank-backend [-O0|-O1|-O2|-O3] [-g] [-w] [--narrow-wavefronts] [--wait] "
          "[--bitcode] [--library FILE "
          "[--library-index FILE]]...\n"
          "                        -o OUTPUT INPUT.bc...\n"
          "       wavetank-backend --index LIBRARY -o OUTPUT\n"
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
    else if (strcmp(word, "--narrow-wavefronts") == 0)
        request->is_narrow = true;
    else if (strcmp(word, "--bitcode") == 0)
        request->is_bitcode = true;
    else if (strcmp(word, "--wait") == 0)
        request->waits = true;
    else
        return false;
    return true;
}

/* Options with a value. */
static bool take_value(struct backend_request *request, const char *word, const char *value,
                       struct backend_library *libraries)
{
    if (strcmp(word, "-o") == 0)
        request->output = value;
    else if (strcmp(word, "--index") == 0)
        request->indexed = value;
    else if (strcmp(word, "--library") == 0)
        libraries[request->library_count++].path = value;
    else if (strcmp(word, "--library-index") == 0 && request->library_count > 0)
        libraries[request->library_count - 1].index = value;
    else
        return false;
    return true;
}

/* `inputs` and `libraries` have room for all words. */
static bool parse_words(struct backend_request *request, int count, char **words,
                        const char **inputs, struct backend_library *libraries)
{
    for (int i = 1; i < count; i++) {
        if (words[i][0] != '-')
            inputs[request->input_count++] = words[i];
        else if (take_flag(request, words[i]))
            continue;
        else if (i + 1 == count || !take_value(request, words[i], words[i + 1], libraries))
            return false;
        else
            i++;
    }
    request->inputs = inputs;
    request->libraries = libraries;
    return request->output != NULL && (request->input_count > 0) == (request->indexed == NULL);
}

static bool module_compile(LLVMModuleRef module, const struct backend_request *request)
{
    struct missing_list missing = {0};
    bool is_done = backend_check_calls(module);

    if (is_done) {
        backend_lower_printf(module);
        is_done = backend_link_libraries(module, request) && backend_check_recursion(module);
        backend_widen_conversions(module);
        backend_mend_rounding(module);
    }
    if (is_done) {
        missing_note(&missing, module);
        is_done = backend_emit(module, &missing, request);
    }
    missing_finish(&missing);
    return is_done;
}

/* What takes time and needs no input is done before. */
static bool wait_for_inputs(void)
{
    char byte = 'q';

    backend_start_target();
    while (read(STDIN_FILENO, &byte, 1) < 0 && errno == EINTR)
        ;
    return byte == 'g';
}

static bool request_perform(const struct backend_request *request)
{
    LLVMContextRef context = LLVMContextCreate();
    struct teller teller = {.request = request};
    LLVMModuleRef module;

    LLVMContextSetDiagnosticHandler(context, print_remark, &teller);
    if (request->indexed != NULL)
        return index_make(context, request->indexed, request->output);
    module = backend_link_inputs(context, request);
    if (module == NULL)
        return false;
    if (!request->is_bitcode) {
        bool is_done;

        places_note(&teller.places, module);
        is_done = module_compile(module, request);
        places_finish(&teller.places);
        return is_done;
    }
    return LLVMWriteBitcodeToFile(module, request->output) == 0 ||
           backend_fail("cannot write %s", request->output);
}

int main(int count, char **words)
{
    struct backend_request request = {.level = 2};
    struct backend_library *libraries;
    const char **inputs;

    if (count == 2 && strcmp(words[1], "--version") == 0)
        return explain_version();
    inputs = allocate((size_t)count, sizeof *inputs);
    libraries = allocate((size_t)count, sizeof *libraries);
    if (!parse_words(&request, count, words, inputs, libraries)) {
        free(inputs);
        free(libraries);
        return explain_usage();
    }
    LLVMInstallFatalErrorHandler(stop_on_fatal_error);
    if (request.waits && !wait_for_inputs())
        _exit(1);
    /* LLVM's own cleaning up takes longer than the kernel's. */
    _exit(request_perform(&request) ? 0 : 1);
}

/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Error.h>
#include <llvm-c/Support.h>
#include <llvm-c/Target.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <string.h>

#include "backend/backend.h"
#include "backend/literals.h"
#include "base/bits.h"

static const char target_triple[] = "amdgcn-amd-amdhsa";
static const char processor[] = "gfx600";

/* By level of optimisation, as clang chooses. */
static const char *const pipelines[] = {"default<O0>", "default<O1>", "default<O2>", "default<O3>"};
static const LLVMCodeGenOptLevel code_levels[] = {LLVMCodeGenLevelNone, LLVMCodeGenLevelLess,
                                                  LLVMCodeGenLevelDefault,
                                                  LLVMCodeGenLevelAggressive};

void backend_start_target(void)
{
    /* clang emits each kernel's body twice; this drops the copy that is not called. */
    static const char *const words[] = {"wavetank-backend", "-amdgpu-internalize-symbols"};

    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    LLVMParseCommandLineOptions(ARRAY_COUNT(words), words, NULL);
}

static LLVMTargetMachineRef make_machine(unsigned level)
{
    LLVMTargetRef target;
    char *message = NULL;

    if (LLVMGetTargetFromTriple(target_triple, &target, &message)) {
        backend_fail("%s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return LLVMCreateTargetMachine(target, target_triple, processor, "", code_levels[level],
                                   LLVMRelocPIC, LLVMCodeModelDefault);
}

static bool run_passes(LLVMModuleRef module, LLVMTargetMachineRef machine, unsigned level)
{
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error;
    char *message;

    LLVMPassBuilderOptionsSetLoopVectorization(options, level >= 2);
    LLVMPassBuilderOptionsSetSLPVectorization(options, level >= 2);
    LLVMPassBuilderOptionsSetLoopInterleaving(options, level >= 2);
    error = LLVMRunPasses(module, pipelines[level], machine, options);
    LLVMDisposePassBuilderOptions(options);
    if (error == NULL)
        return true;
    message = LLVMGetErrorMessage(error);
    backend_fail("%s", message);
    LLVMDisposeErrorMessage(message);
    return false;
}

static bool write_object(LLVMMemoryBufferRef object, const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    bool is_written =
        file != NULL && fwrite(LLVMGetBufferStart(object), LLVMGetBufferSize(object), 1, file) == 1;

    if (file != NULL)
        is_written = fclose(file) == 0 && is_written;
    return is_written || backend_fail("cannot write the object file: %s", strerror(errno));
}

LLVMMemoryBufferRef backend_generate(LLVMTargetMachineRef machine, LLVMModuleRef module,
                                     LLVMCodeGenFileType type)
{
    LLVMMemoryBufferRef output;
    char *message = NULL;

    if (!LLVMTargetMachineEmitToMemoryBuffer(machine, module, type, &message, &output))
        return output;
    backend_fail("%s", message);
    LLVMDisposeMessage(message);
    return NULL;
}

bool backend_emit(LLVMModuleRef module, const struct missing_list *missing,
                  const struct backend_request *request)
{
    LLVMMemoryBufferRef object;
    LLVMTargetMachineRef machine;
    LLVMModuleRef spare;

    if (!request->keeps_lines)
        LLVMStripModuleDebugInfo(module);
    if (!request->waits)
        backend_start_target();
    backend_heed_transactions(module);
    if (request->is_narrow)
        backend_keep_barriers(module);
    machine = make_machine(request->level);
    if (machine == NULL || !run_passes(module, machine, request->level) ||
        !missing_check(missing, module))
        return false;
    backend_note_barriers(module, request->level);
    spare = LLVMCloneModule(module);
    object = backend_generate(machine, module, LLVMObjectFile);
    if (object != NULL)
        object = literals_mend(machine, spare, object);
    return object != NULL && write_object(object, request->output);
}

/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdlib.h>

#include "backend/backend.h"
#include "backend/literals.h"

static LLVMDiagnosticHandler first_handler;

static void skip_warnings(LLVMDiagnosticInfoRef information, void *context)
{
    if (LLVMGetDiagInfoSeverity(information) == LLVMDSError)
        first_handler(information, context);
}

/* From here on only errors are told: what follows has been warned of. */
static void silence_warnings(LLVMContextRef context)
{
    first_handler = LLVMContextGetDiagnosticHandler(context);
    LLVMContextSetDiagnosticHandler(context, skip_warnings,
                                    LLVMContextGetDiagnosticContext(context));
}

static void refuse_lost(LLVMModuleRef module, const struct lost_literal *lost)
{
    char *label = format_string("%.*s", (int)lost->label_length, lost->label);
    LLVMValueRef function = LLVMGetNamedFunction(module, label);
    char *name = function != NULL ? backend_plain_name(function) : copy_string(label);

    backend_fail("the compiler makes wrong code of %s: s_mov_b64 has no room for the constant "
                 "0x%" PRIx64 "; change the code around it, or build with -cl-opt-disable",
                 name, lost->bits);
    free(label);
    free(name);
}

LLVMMemoryBufferRef literals_mend(LLVMTargetMachineRef machine, LLVMModuleRef spare,
                                  LLVMMemoryBufferRef object)
{
    const char *start = LLVMGetBufferStart(object);
    LLVMMemoryBufferRef assembly;
    struct lost_literal lost;

    if (!literals_may_be_in(start, LLVMGetBufferSize(object)))
        return object;
    silence_warnings(LLVMGetModuleContext(spare));
    assembly = backend_generate(machine, LLVMCloneModule(spare), LLVMAssemblyFile);
    if (assembly == NULL)
        return NULL;
    if (!literals_find_lost(LLVMGetBufferStart(assembly), &lost) &&
        literals_are_all_in(LLVMGetBufferStart(assembly), start, LLVMGetBufferSize(object)))
        return object;
    literals_split(spare);
    assembly = backend_generate(machine, LLVMCloneModule(spare), LLVMAssemblyFile);
    if (assembly == NULL)
        return NULL;
    if (!literals_find_lost(LLVMGetBufferStart(assembly), &lost))
        return backend_generate(machine, LLVMCloneModule(spare),
                                LLVMObjectFile); /* of a like copy */
    refuse_lost(spare, &lost);
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * Barriers that code generation removes: where a work-group has no more work-items than a wavefront
 * of the processor has lanes, LLVM's AMDGPU target emits none. That is wrong on a simulated GPU
 * with narrower wavefronts. For such a one (--narrow-wavefronts) they are kept: the target is told
 * of a work-item more. Else the kernels' names are left in a section of their own, which is not
 * loaded (program/barriers.h), so that a narrow GPU can refuse them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"

enum { KERNEL_CONVENTION = 91 /* llvm::CallingConv::AMDGPU_KERNEL */, WAVEFRONT_LANES = 64 };

/* Calls form no circle (recursion.c). */
static bool reaches_barrier(LLVMValueRef function)
{
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
             i = LLVMGetNextInstruction(i)) {
            LLVMValueRef called = LLVMIsACallInst(i) != NULL ? LLVMGetCalledValue(i) : NULL;
            size_t length;

            if (called == NULL || LLVMIsAFunction(called) == NULL)
                continue;
            if (strcmp(LLVMGetValueName2(called, &length), "llvm.amdgcn.s.barrier") == 0 ||
                reaches_barrier(called))
                return true;
        }
    return false;
}

static const char range_name[] = "amdgpu-flat-work-group-size";

/* "1,256" or "64,64": least and most work-items of a work-group. */
static unsigned long work_items_max(LLVMValueRef kernel)
{
    LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(
        kernel, LLVMAttributeFunctionIndex, range_name, (unsigned)strlen(range_name));
    const char *value, *comma;
    unsigned length;

    if (attribute == NULL)
        return WAVEFRONT_LANES + 1;
    value = LLVMGetStringAttributeValue(attribute, &length);
    comma = memchr(value, ',', length);
    return comma != NULL ? strtoul(comma + 1, NULL, 10) : WAVEFRONT_LANES + 1;
}

void backend_keep_barriers(LLVMModuleRef module)
{
    char range[32];

    snprintf(range, sizeof range, "1,%u", WAVEFRONT_LANES + 1);
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function))
        if (work_items_max(function) <= WAVEFRONT_LANES && reaches_barrier(function))
            LLVMAddTargetDependentFunctionAttr(function, range_name, range);
}

void backend_note_barriers(LLVMModuleRef module, unsigned level)
{
    struct text assembly = {0};

    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL && level > 0;
         function = LLVMGetNextFunction(function)) {
        size_t length;

        if (LLVMGetFunctionCallConv(function) != KERNEL_CONVENTION ||
            work_items_max(function) > WAVEFRONT_LANES || !reaches_barrier(function))
            continue;
        text_add(&assembly, "%s\t.asciz \"%s\"\n",
                 assembly.length == 0 ? ".pushsection .wavetank.lost_barriers,\"\",@progbits\n"
                                      : "",
                 LLVMGetValueName2(function, &length));
    }
    if (assembly.length > 0) {
        text_add(&assembly, ".popsection\n");
        LLVMAppendModuleInlineAsm(module, text_chars(&assembly), assembly.length);
    }
    text_finish(&assembly);
}

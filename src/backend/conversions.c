/* SPDX-License-Identifier: MIT */
#include "backend/backend.h"
#include "base/bits.h"

enum { SURE_BITS = 32 };

/* The integer type of 32 bits with as many elements. */
static LLVMTypeRef type_widened(LLVMTypeRef type)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(type));

    return LLVMGetTypeKind(type) == LLVMVectorTypeKind
               ? LLVMVectorType(word, LLVMGetVectorSize(type))
               : word;
}

static bool is_narrow_conversion(LLVMValueRef instruction)
{
    LLVMOpcode opcode = LLVMGetInstructionOpcode(instruction);
    LLVMTypeRef type = LLVMTypeOf(instruction);

    if (opcode != LLVMFPToUI && opcode != LLVMFPToSI)
        return false;
    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
        type = LLVMGetElementType(type);
    return LLVMGetIntTypeWidth(type) < SURE_BITS && LLVMGetIntTypeWidth(type) > 1;
}

static void conversion_widen(LLVMBuilderRef builder, LLVMValueRef instruction)
{
    LLVMTypeRef type = LLVMTypeOf(instruction);
    LLVMValueRef wide, narrow;

    LLVMPositionBuilderBefore(builder, instruction); /* with its place in the source */
    wide = LLVMBuildFPToSI(builder, LLVMGetOperand(instruction, 0), type_widened(type), "");
    narrow = LLVMBuildTrunc(builder, wide, type, "");
    LLVMReplaceAllUsesWith(instruction, narrow);
    LLVMInstructionEraseFromParent(instruction);
}

void backend_widen_conversions(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next;

            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = next) {
                next = LLVMGetNextInstruction(i);
                if (is_narrow_conversion(i))
                    conversion_widen(builder, i);
            }
        }
    }
    LLVMDisposeBuilder(builder);
}

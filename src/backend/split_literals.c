/* SPDX-License-Identifier: MIT */
#include <llvm-c/Analysis.h>
#include <stdlib.h>
#include <string.h>

#include "backend/literals.h"
#include "base/check.h"
#include "base/text.h"

/* False: the constant has not got 64 bits, or they are undefined or known to the linker only. */
static bool read_bits(LLVMValueRef constant, uint64_t *bits)
{
    LLVMTypeRef type = LLVMTypeOf(constant);

    if (LLVMGetTypeKind(type) == LLVMDoubleTypeKind)
        constant = LLVMConstBitCast(constant, LLVMInt64TypeInContext(LLVMGetTypeContext(type)));
    else if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind || LLVMGetIntTypeWidth(type) != 64)
        return false;
    if (LLVMIsAConstantInt(constant) == NULL)
        return false;
    *bits = LLVMConstIntGetZExtValue(constant);
    return true;
}

/* A constant in a scalar register that no pass sees through. */
static LLVMValueRef build_opaque(LLVMBuilderRef builder, LLVMTypeRef word, uint32_t value)
{
    LLVMTypeRef type = LLVMFunctionType(word, NULL, 0, false);
    char *text = format_string("s_mov_b32 $0, 0x%x", (unsigned)value);
    static const char constraint[] = "=s";
    LLVMValueRef move =
        LLVMGetInlineAsm(type, text, strlen(text), constraint, sizeof constraint - 1, false, false,
                         LLVMInlineAsmDialectATT, false);

    free(text);
    return LLVMBuildCall2(builder, type, move, NULL, 0, "");
}

static LLVMValueRef split_scalar(LLVMBuilderRef builder, LLVMValueRef constant)
{
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(constant)));
    LLVMValueRef words = LLVMGetPoison(LLVMVectorType(word, 2));
    uint64_t bits;

    if (!read_bits(constant, &bits) || !literals_are_too_wide(bits))
        return constant;
    for (unsigned i = 0; i < 2; i++) {
        LLVMValueRef half = build_opaque(builder, word, (uint32_t)(bits >> 32 * i));

        words = LLVMBuildInsertElement(builder, words, half, LLVMConstInt(word, i, false), "");
    }
    return LLVMBuildBitCast(builder, words, LLVMTypeOf(constant), "");
}

/* The constant itself, where nothing of it is too wide. */
static LLVMValueRef split_constant(LLVMBuilderRef builder, LLVMValueRef constant)
{
    LLVMTypeRef type = LLVMTypeOf(constant);
    LLVMTypeRef index = LLVMInt32TypeInContext(LLVMGetTypeContext(type));
    LLVMValueRef split = constant;

    if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
        return split_scalar(builder, constant);
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        LLVMValueRef element = LLVMGetAggregateElement(constant, i);
        LLVMValueRef part = element != NULL ? split_scalar(builder, element) : NULL;

        if (part != element)
            split = LLVMBuildInsertElement(builder, split, part, LLVMConstInt(index, i, false), "");
    }
    return split;
}

/* What the phi takes from the block already; it must be the same each time. NULL: nothing yet. */
static LLVMValueRef earlier_from(LLVMValueRef phi, unsigned end, LLVMBasicBlockRef block)
{
    for (unsigned i = 0; i < end; i++) {
        if (LLVMGetIncomingBlock(phi, i) == block)
            return LLVMGetIncomingValue(phi, i);
    }
    return NULL;
}

static void split_into_phi(LLVMBuilderRef builder, LLVMValueRef phi)
{
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMValueRef split = earlier_from(phi, i, block);

        if (!LLVMIsConstant(value))
            continue;
        if (split == NULL) {
            LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(block));
            split = split_constant(builder, value);
        }
        LLVMSetOperand(phi, i, split);
    }
}

void literals_split(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL && LLVMIsAPHINode(i);
                 i = LLVMGetNextInstruction(i))
                split_into_phi(builder, i);
        }
    }
    LLVMDisposeBuilder(builder);
    check(!LLVMVerifyModule(module, LLVMReturnStatusAction, NULL),
          "split constants spoil the module");
}

/* SPDX-License-Identifier: MIT */
/*
 * Rounding of double precision to whole numbers, for which Southern Islands has no instructions.
 * LLVM 22 makes floor of v_fract_f64, which is below 1: a tiny negative number becomes
 * -0.99999999999999988898, not -1. Its ceil and rint lose the sign of a zero.
 *
 *     floor(x) = t > x ? t - 1 : t      ceil(x) = t < x ? t + 1 : t      with t = trunc(x)
 *     rint(x)  = copysign(rint(x), x)
 *
 * LLVM takes a call of a function named floor for its own floor, whatever the body: a library's
 * function that is mended gets another name.
 */
#include <string.h>

#include "backend/backend.h"
#include "base/bits.h"

enum rounding { ROUND_DOWN, ROUND_UP, ROUND_NEAR };

static const struct {
    const char *name;
    enum rounding rounding;
} intrinsics[] = {
    {"llvm.floor", ROUND_DOWN},     {"llvm.ceil", ROUND_UP},        {"llvm.rint", ROUND_NEAR},
    {"llvm.nearbyint", ROUND_NEAR}, {"llvm.roundeven", ROUND_NEAR},
};

static LLVMTypeRef element_of(LLVMTypeRef type)
{
    return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type;
}

static LLVMValueRef intrinsic_call(LLVMBuilderRef builder, LLVMModuleRef module, const char *name,
                                   LLVMTypeRef type, LLVMValueRef *arguments, unsigned count)
{
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(module, id, &type, 1);

    return LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, count,
                          "");
}

/* The whole number beside t = trunc(x) that is not on zero's side, where x has a fraction. */
static LLVMValueRef step_away(LLVMBuilderRef builder, LLVMModuleRef module, LLVMValueRef x,
                              bool is_down)
{
    LLVMTypeRef type = LLVMTypeOf(x);
    LLVMValueRef whole = intrinsic_call(builder, module, "llvm.trunc", type, &x, 1);
    LLVMValueRef step = LLVMConstReal(element_of(type), is_down ? -1.0 : 1.0);
    LLVMValueRef steps[16], is_off, next;

    if (LLVMGetTypeKind(type) == LLVMVectorTypeKind) {
        for (unsigned i = 0; i < LLVMGetVectorSize(type); i++)
            steps[i] = step;
        step = LLVMConstVector(steps, LLVMGetVectorSize(type));
    }
    is_off = LLVMBuildFCmp(builder, is_down ? LLVMRealOGT : LLVMRealOLT, whole, x, "");
    next = LLVMBuildFAdd(builder, whole, step, "");
    return LLVMBuildSelect(builder, is_off, next, whole, "");
}

static void call_mend(LLVMBuilderRef builder, LLVMModuleRef module, LLVMValueRef instruction,
                      enum rounding rounding)
{
    LLVMValueRef x = LLVMGetOperand(instruction, 0), result;

    if (rounding != ROUND_NEAR) {
        LLVMPositionBuilderBefore(builder, instruction); /* with its place in the source */
        result = step_away(builder, module, x, rounding == ROUND_DOWN);
        LLVMReplaceAllUsesWith(instruction, result);
        LLVMInstructionEraseFromParent(instruction);
        return;
    }
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(instruction));
    result = intrinsic_call(builder, module, "llvm.copysign", LLVMTypeOf(x),
                            (LLVMValueRef[]){LLVMGetUndef(LLVMTypeOf(x)), x}, 2);
    LLVMReplaceAllUsesWith(instruction, result);
    LLVMSetOperand(result, 0, instruction);
}

/* The rounding of a call of an intrinsic, if it is one of doubles. */
static bool rounds_doubles(LLVMValueRef instruction, enum rounding *rounding)
{
    const char *name;
    size_t length;

    if (LLVMGetInstructionOpcode(instruction) != LLVMCall ||
        LLVMIsAFunction(LLVMGetCalledValue(instruction)) == NULL ||
        LLVMGetTypeKind(element_of(LLVMTypeOf(instruction))) != LLVMDoubleTypeKind)
        return false;
    name = LLVMGetValueName2(LLVMGetCalledValue(instruction), &length);
    for (unsigned i = 0; i < ARRAY_COUNT(intrinsics); i++) {
        size_t known = strlen(intrinsics[i].name);

        if (strncmp(name, intrinsics[i].name, known) == 0 && name[known] == '.') {
            *rounding = intrinsics[i].rounding;
            return true;
        }
    }
    return false;
}

void backend_mend_rounding(LLVMModuleRef module)
{
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        bool is_mended = false;

        for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b != NULL;
             b = LLVMGetNextBasicBlock(b)) {
            LLVMValueRef next;

            for (LLVMValueRef i = LLVMGetFirstInstruction(b); i != NULL; i = next) {
                enum rounding rounding;

                next = LLVMGetNextInstruction(i);
                if (rounds_doubles(i, &rounding)) {
                    call_mend(builder, module, i, rounding);
                    is_mended = true;
                }
            }
        }
        if (is_mended && LLVMGetLinkage(f) == LLVMInternalLinkage)
            backend_set_aside(f);
    }
    LLVMDisposeBuilder(builder);
}

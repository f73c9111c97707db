/* SPDX-License-Identifier: MIT */
/*
 * Programs with transactions are compiled without AMDGPU's atomic optimiser. It lets one lane do an
 * atomic operation for all active lanes, and reads which those are before the operation's place.
 * Inside a transaction lanes may abort in between, and the one that acts for them with them.
 */
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Support.h>

#include "backend/backend.h"
#include "base/bits.h"

enum { HINT_BEGIN = 0x5a40 };

/* "s_nop 0x5a40", or "s_nop $0" with that operand. */
static bool begins_transaction(LLVMValueRef call, LLVMValueRef assembly)
{
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &length);
    const char *nop = text != NULL ? strstr(text, "s_nop") : NULL;

    for (; nop != NULL; nop = strstr(nop + 1, "s_nop"))
        if (strtoul(nop + strlen("s_nop"), NULL, 0) == HINT_BEGIN)
            return true;
    if (text == NULL || strstr(text, "s_nop $") == NULL)
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef operand = LLVMGetOperand(call, i);

        if (LLVMIsAConstantInt(operand) != NULL && LLVMConstIntGetZExtValue(operand) == HINT_BEGIN)
            return true;
    }
    return false;
}

static bool block_begins(LLVMBasicBlockRef block)
{
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
         i = LLVMGetNextInstruction(i)) {
        LLVMValueRef called = LLVMIsACallInst(i) != NULL ? LLVMGetCalledValue(i) : NULL;

        if (called != NULL && LLVMIsAInlineAsm(called) != NULL && begins_transaction(i, called))
            return true;
    }
    return false;
}

static bool has_transactions(LLVMModuleRef module)
{
    for (LLVMValueRef function = LLVMGetFirstFunction(module); function != NULL;
         function = LLVMGetNextFunction(function))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
             block = LLVMGetNextBasicBlock(block))
            if (block_begins(block))
                return true;
    return false;
}

void backend_heed_transactions(LLVMModuleRef module)
{
    static const char *const words[] = {"wavetank-backend",
                                        "-amdgpu-atomic-optimizer-strategy=None"};

    if (has_transactions(module))
        LLVMParseCommandLineOptions(ARRAY_COUNT(words), words, NULL);
}

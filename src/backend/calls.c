/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "backend/backend.h"

/* LLVM gives such a call no meaning: its passes drop what follows it. */
static bool check_call(LLVMValueRef call)
{
    LLVMValueRef callee = LLVMGetCalledValue(call);
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInstructionParent(call));
    struct text place = {0};
    char *names[2];

    if (LLVMIsAFunction(callee) == NULL || LLVMIsDeclaration(callee) ||
        LLVMGetCalledFunctionType(call) == LLVMGlobalGetValueType(callee))
        return true;
    names[0] = backend_plain_name(callee);
    names[1] = backend_plain_name(caller);
    if (backend_add_place(&place, call))
        text_add(&place, ": ");
    fprintf(stderr, "%serror: %s calls %s as it was declared, and it is defined otherwise\n",
            text_chars(&place), names[1], names[0]);
    free(names[0]);
    free(names[1]);
    text_finish(&place);
    return false;
}

static bool check_function(LLVMValueRef function)
{
    bool is_good = true;

    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block != NULL;
         block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef i = LLVMGetFirstInstruction(block); i != NULL;
             i = LLVMGetNextInstruction(i))
            if (LLVMIsACallInst(i) != NULL)
                is_good = check_call(i) && is_good;
    return is_good;
}

bool backend_check_calls(LLVMModuleRef module)
{
    bool is_good = true;

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        is_good = check_function(f) && is_good;
    return is_good;
}

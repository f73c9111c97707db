/* SPDX-License-Identifier: MIT */
/*
 * printf: each call becomes stores of the format's number and the arguments, to where
 * __printf_alloc (builtin/printf.cl) says. The host makes the text (opencl/print_format.h), from
 * formats that the code object's metadata lists (program/printf_formats.h).
 *
 * LLVM has a pass for the same. It is not used, since it has four faults. It stores a literal
 * string whose length is a multiple of four without its end, but counts it. It rounds constants of
 * %f to float, loses backslashes, and prints ??? for a string that is not a literal.
 */
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>
#include <stdlib.h>
#include <string.h>

#include "backend/backend.h"
#include "base/bits.h"

static const char formats_name[] = "llvm.printf.fmts"; /* which becomes amdhsa.printf */
enum { GLOBAL_SPACE = 1, WORD_BYTES = 4 };

struct lowering {
    LLVMModuleRef module;
    LLVMContextRef context;
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef word, byte, pointer, allocator_type;
    LLVMValueRef allocator;
    unsigned count; /* of formats */
};

static void lowering_start(struct lowering *lowering, LLVMModuleRef module)
{
    LLVMContextRef context = LLVMGetModuleContext(module);

    *lowering = (struct lowering){.module = module,
                                  .context = context,
                                  .builder = LLVMCreateBuilderInContext(context),
                                  .layout = LLVMGetModuleDataLayout(module),
                                  .word = LLVMInt32TypeInContext(context),
                                  .byte = LLVMInt8TypeInContext(context),
                                  .pointer = LLVMPointerTypeInContext(context, GLOBAL_SPACE)};
    lowering->allocator_type = LLVMFunctionType(lowering->pointer, &lowering->word, 1, false);
    lowering->allocator = LLVMGetNamedFunction(module, printf_allocator);
    if (lowering->allocator == NULL)
        lowering->allocator = LLVMAddFunction(module, printf_allocator, lowering->allocator_type);
}

static unsigned stored_bytes(const struct lowering *lowering, LLVMTypeRef type)
{
    return (unsigned)align_up(LLVMABISizeOfType(lowering->layout, type), WORD_BYTES);
}

/* The characters of a literal; NULL: the value is none. */
static const char *literal_of(LLVMValueRef value, size_t *length)
{
    LLVMValueRef characters;
    const char *text;

    if (LLVMIsAGlobalVariable(value) == NULL || !LLVMIsGlobalConstant(value))
        return NULL;
    characters = LLVMGetInitializer(value);
    *length = 0;
    if (characters != NULL && LLVMIsNull(characters))
        return "";
    if (characters == NULL || LLVMIsAConstantDataSequential(characters) == NULL ||
        !LLVMIsConstantString(characters))
        return NULL;
    text = LLVMGetAsString(characters, length);
    *length = strnlen(text, *length);
    return text;
}

/* A function that stores one call's arguments; it vanishes into its caller. */
static LLVMValueRef make_function(const struct lowering *lowering, LLVMTypeRef *types,
                                  unsigned count, LLVMTypeRef *type)
{
    unsigned kind = LLVMGetEnumAttributeKindForName("alwaysinline", strlen("alwaysinline"));
    LLVMValueRef function;

    *type = LLVMFunctionType(lowering->word, types, count, false);
    function = LLVMAddFunction(lowering->module, "wavetank.printf", *type);
    LLVMSetLinkage(function, LLVMLinkOnceODRLinkage); /* as what comes from a library */
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(lowering->context, kind, 0));
    return function;
}

static void store_at(const struct lowering *lowering, LLVMValueRef record, unsigned place,
                     LLVMValueRef value)
{
    LLVMValueRef offset = LLVMConstInt(lowering->word, place, false);
    LLVMValueRef target =
        LLVMBuildInBoundsGEP2(lowering->builder, lowering->byte, record, &offset, 1, "");

    LLVMSetAlignment(LLVMBuildStore(lowering->builder, value, target), WORD_BYTES);
}

/* if ((record = allocate(bytes)) == NULL) return -1; store all; return 0 */
static void fill_function(const struct lowering *lowering, LLVMValueRef function,
                          const LLVMTypeRef *types, unsigned count)
{
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(lowering->context, function, "");
    LLVMBasicBlockRef full = LLVMAppendBasicBlockInContext(lowering->context, function, "");
    LLVMBasicBlockRef stores = LLVMAppendBasicBlockInContext(lowering->context, function, "");
    unsigned place = WORD_BYTES;
    LLVMValueRef bytes, record;

    for (unsigned i = 0; i < count; i++)
        place += stored_bytes(lowering, types[i]);
    bytes = LLVMConstInt(lowering->word, place, false);
    LLVMPositionBuilderAtEnd(lowering->builder, entry);
    record = LLVMBuildCall2(lowering->builder, lowering->allocator_type, lowering->allocator,
                            &bytes, 1, "");
    LLVMBuildCondBr(lowering->builder, LLVMBuildIsNull(lowering->builder, record, ""), full,
                    stores);
    LLVMPositionBuilderAtEnd(lowering->builder, full);
    LLVMBuildRet(lowering->builder, LLVMConstAllOnes(lowering->word));
    LLVMPositionBuilderAtEnd(lowering->builder, stores);
    store_at(lowering, record, 0, LLVMConstInt(lowering->word, lowering->count, false));
    place = WORD_BYTES;
    for (unsigned i = 0; i < count; i++) {
        store_at(lowering, record, place, LLVMGetParam(function, i));
        place += stored_bytes(lowering, types[i]);
    }
    LLVMBuildRet(lowering->builder, LLVMConstNull(lowering->word));
}

/* The line of metadata; `literal` is NULL for a format that is the first argument. */
static void note_format(const struct lowering *lowering, const LLVMTypeRef *types, unsigned count,
                        const char *literal, size_t length)
{
    struct text line = {0};
    LLVMMetadataRef node;

    text_add(&line, "%u:%u:", lowering->count, count);
    for (unsigned i = 0; i < count; i++)
        text_add(&line, "%llu:", LLVMABISizeOfType(lowering->layout, types[i]));
    text_add(&line, literal != NULL ? "f" : "a");
    if (literal != NULL)
        text_add_bytes(&line, literal, length);
    node = LLVMMDStringInContext2(lowering->context, text_chars(&line), line.length);
    node = LLVMMDNodeInContext2(lowering->context, &node, 1);
    LLVMAddNamedMetadataOperand(lowering->module, formats_name,
                                LLVMMetadataAsValue(lowering->context, node));
    text_finish(&line);
}

static void lower_call(struct lowering *lowering, LLVMValueRef call)
{
    size_t length;
    const char *literal = literal_of(LLVMGetOperand(call, 0), &length);
    unsigned first = literal != NULL ? 1 : 0, count = LLVMGetNumArgOperands(call) - first;
    LLVMValueRef *values = allocate(count, sizeof *values);
    LLVMTypeRef *types = allocate(count, sizeof *types), type;
    LLVMMetadataRef place = LLVMInstructionGetDebugLoc(call);
    LLVMValueRef function, replacement;

    lowering->count++;
    for (unsigned i = 0; i < count; i++) {
        values[i] = LLVMGetOperand(call, first + i);
        types[i] = LLVMTypeOf(values[i]);
    }
    note_format(lowering, types, count, literal, literal != NULL ? length : 0);
    function = make_function(lowering, types, count, &type);
    fill_function(lowering, function, types, count);
    LLVMPositionBuilderBefore(lowering->builder, call);
    replacement = LLVMBuildCall2(lowering->builder, type, function, values, count, "");
    if (place != NULL)
        LLVMInstructionSetDebugLoc(replacement, place);
    LLVMReplaceAllUsesWith(call, replacement);
    LLVMInstructionEraseFromParent(call);
    free(types);
    free(values);
}

static LLVMValueRef next_call(LLVMValueRef function)
{
    LLVMUseRef use = LLVMGetFirstUse(function);

    for (; use != NULL; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);

        if (LLVMIsACallInst(user) != NULL && LLVMGetCalledValue(user) == function)
            return user;
    }
    return NULL;
}

void backend_lower_printf(LLVMModuleRef module)
{
    LLVMValueRef callee = LLVMGetNamedFunction(module, "printf"), call;
    struct lowering lowering;

    if (callee == NULL || !LLVMIsDeclaration(callee))
        return;
    lowering_start(&lowering, module);
    while ((call = next_call(callee)) != NULL)
        lower_call(&lowering, call);
    if (LLVMGetFirstUse(callee) == NULL)
        LLVMDeleteFunction(callee);
    LLVMDisposeBuilder(lowering.builder);
}

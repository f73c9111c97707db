/* SPDX-License-Identifier: MIT */
#include "gpu/fault.h"

#include <stdlib.h>

#include "isa/isa.h"

static const char *access_name(uint8_t access)
{
    static const char *const names[] = {
        [ISA_MEMORY_LOAD] = "loads",        [ISA_MEMORY_STORE] = "stores",
        [ISA_MEMORY_ATOMIC] = "updates",    [ISA_MEMORY_INVALIDATE] = "invalidates",
        [ISA_MEMORY_SCALAR_LOAD] = "loads",
    };

    return names[access];
}

/* "kernel NAME, work-group x:y:z, wavefront n: " */
static void add_place(const struct fault *fault, struct text *text)
{
    text_add(text, "kernel %s, work-group %u:%u:%u, wavefront %u: ", fault->launch->kernel,
             fault->group[0], fault->group[1], fault->group[2], fault->wavefront);
}

static void add_instruction(const struct fault *fault, const struct isa *isa, struct text *text)
{
    const struct isa_code *code = fault->launch->isa->kernel->code;
    const struct isa_instruction *instruction = isa_code_at(code, fault->pc);

    text_add(text, "'");
    if (instruction != NULL && instruction->bytes != 0)
        isa->disassemble(code, instruction, text);
    text_add(text, "' at offset 0x%llx", (unsigned long long)(fault->pc - code->address));
}

static void add_access(const struct fault *fault, const struct backing *backing, struct text *text)
{
    if (fault->access == ISA_MEMORY_SCALAR_LOAD)
        text_add(text, " %s ", access_name(fault->access));
    else
        text_add(text, ", lane %u, %s ", fault->lane, access_name(fault->access));
    if (fault->kind == FAULT_LOCAL)
        text_add(text, "%u bytes at offset %llu of the %u bytes of local memory", fault->bytes,
                 (unsigned long long)fault->address, fault->launch->isa->lds_bytes);
    else if (backing != NULL)
        backing_explain(backing, fault->address, fault->bytes, text);
    else
        text_add(text, "%u bytes at 0x%llx, which is not mapped", fault->bytes,
                 (unsigned long long)fault->address);
}

static void add_refusal(const struct fault *fault, const struct isa *isa, struct text *text)
{
    const struct isa_instruction *instruction =
        isa_code_at(fault->launch->isa->kernel->code, fault->pc);

    text_add(text, " is refused: ");
    isa->refusal(instruction, text);
}

static void add_source(const struct fault *fault, fault_source_line *source_line, void *context,
                       struct diagnosis *diagnosis)
{
    char place[320];
    char *colon = NULL;

    if (source_line == NULL || !source_line(context, fault->pc, place, sizeof place)) {
        diagnose_hint(diagnosis, "build the program with -g to see the source line");
        return;
    }
    for (char *c = place; *c != '\0'; c++)
        if (*c == ':')
            colon = c;
    if (colon == NULL)
        return;
    *colon = '\0';
    diagnose_at(diagnosis, place, atoi(colon + 1));
}

bool fault_diagnose(const struct fault *fault, const struct isa *isa, const struct backing *backing,
                    fault_source_line *source_line, void *context, struct diagnosis *diagnosis)
{
    struct text text = {0};

    add_place(fault, &text);
    if (fault->kind == FAULT_NO_CODE)
        text_add(&text, "the program counter 0x%llx points at no instruction",
                 (unsigned long long)fault->pc);
    else
        add_instruction(fault, isa, &text);
    if (fault->kind == FAULT_REFUSED)
        add_refusal(fault, isa, &text);
    else if (fault->kind == FAULT_UNMAPPED || fault->kind == FAULT_LOCAL)
        add_access(fault, backing, &text);
    diagnose(diagnosis, "%s", text_chars(&text));
    text_finish(&text);
    add_source(fault, source_line, context, diagnosis);
    return false;
}

/* SPDX-License-Identifier: MIT */
#include "gpu/fault.h"

#include <stdlib.h>

#include "isa/isa.h"

static const char *access_name(uint8_t access)
{
    static const char *const names[] = {
        [ISA_MEMORY_LOAD] = "loads",     [ISA_MEMORY_STORE] = "stores",
        [ISA_MEMORY_ATOMIC] = "updates", [ISA_MEMORY_INVALIDATE] = "invalidates",
        [ISA_MEMORY_FLUSH] = "flushes",  [ISA_MEMORY_SCALAR_LOAD] = "loads",
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

/* The global id of the fault's lane; of an access of the whole wavefront that of its first lane.
 * The last work-group of a dimension may be cut: its work-items are numbered without gaps. */
static void add_work_item(const struct fault *fault, struct text *text)
{
    const struct isa_launch *launch = fault->launch->isa;
    uint64_t local = (uint64_t)fault->wavefront * fault->launch->wave_lanes + fault->lane;

    for (unsigned axis = 0; axis < 3; axis++) {
        uint64_t first = (uint64_t)fault->group[axis] * launch->group_size[axis];
        uint64_t left = launch->global_size[axis] > first ? launch->global_size[axis] - first : 1;
        uint64_t extent = left < launch->group_size[axis] ? left : launch->group_size[axis];

        text_add(text, "%s%llu", axis == 0 ? "" : ":",
                 (unsigned long long)(launch->global_offset[axis] + first + local % extent));
        local /= extent;
    }
}

static void add_lane(const struct fault *fault, struct text *text)
{
    bool is_scalar = fault->access == ISA_MEMORY_SCALAR_LOAD;

    if (is_scalar)
        text_add(text, " for the wavefront (work-items from ");
    else
        text_add(text, ", lane %u (work-item ", fault->lane);
    add_work_item(fault, text);
    text_add(text, is_scalar ? " on) %s " : "), %s ", access_name(fault->access));
}

static void add_access(const struct fault *fault, const struct backing *backing, struct text *text)
{
    add_lane(fault, text);
    if (fault->kind == FAULT_LOCAL)
        text_add(text, "%u bytes at offset %llu of the %u bytes of local memory", fault->bytes,
                 (unsigned long long)fault->address, fault->launch->isa->lds_bytes);
    else if (backing != NULL)
        backing_explain(backing, fault->address, fault->bytes, text);
    else
        text_add(text, "%u bytes at 0x%llx, which is not mapped", fault->bytes,
                 (unsigned long long)fault->address);
}

/* Where it was stored: by its source line, or else its place in the code. */
static void add_store(const struct fault *fault, fault_source_line *source_line, void *context,
                      struct text *text)
{
    uint64_t offset = fault->stored_pc - fault->launch->isa->kernel->code->address;
    char place[320];

    add_lane(fault, text);
    text_add(text, "an old byte at 0x%llx: compute unit %u stored another %llu cycles before, at ",
             (unsigned long long)fault->address, fault->stored_unit,
             (unsigned long long)fault->stored_cycles);
    if (source_line != NULL && source_line(context, fault->stored_pc, place, sizeof place))
        text_add(text, "%s", place);
    else
        text_add(text, "offset 0x%llx", (unsigned long long)offset);
}

static void add_refusal(const struct fault *fault, const struct isa *isa, struct text *text)
{
    const struct isa_instruction *instruction =
        isa_code_at(fault->launch->isa->kernel->code, fault->pc);

    text_add(text, " is refused: ");
    if (fault->reason != NULL)
        text_add(text, "%s", fault->reason);
    else
        isa->refusal(instruction, text);
}

void fault_of_no_instruction(const struct isa_wave *wave, struct fault *fault)
{
    bool is_refused = wave->pc == ISA_REFUSED_PC && wave->refusal != NULL;

    fault->kind = is_refused ? FAULT_REFUSED : FAULT_NO_CODE;
    fault->pc = is_refused ? wave->refused_pc : wave->pc;
    fault->reason = is_refused ? wave->refusal : NULL;
}

static void add_source(const struct fault *fault, fault_source_line *source_line, void *context,
                       struct diagnosis *diagnosis)
{
    char place[320];
    char *colon = NULL;

    if (source_line == NULL || !source_line(context, fault->pc, place, sizeof place)) {
        diagnose_hint(diagnosis, "`wavetank run --build-options -g` names the source line%s",
                      fault->kind == FAULT_UNMAPPED
                          ? ", and with `--out-of-bounds zero` the kernel goes on"
                          : "");
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

/* The access that a transaction met: its instruction, and its line where that is known. */
static void add_other(const struct fault *fault, const struct isa *isa,
                      fault_source_line *source_line, void *context, struct text *text)
{
    struct fault other = *fault;
    char place[320];

    other.pc = fault->other_pc;
    text_add(text, "; the other access is ");
    add_instruction(&other, isa, text);
    if (source_line != NULL && source_line(context, other.pc, place, sizeof place))
        text_add(text, " (%s)", place);
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
    else if (fault->kind == FAULT_OLD_BYTE)
        add_store(fault, source_line, context, &text);
    else if (fault->kind == FAULT_TRANSACTION)
        text_add(&text, ": %s", fault->reason);
    else if (fault->kind != FAULT_NO_CODE)
        add_access(fault, backing, &text);
    if (fault->kind == FAULT_MISALIGNED)
        text_add(&text, ": an atomic of %u bytes needs an address that is a multiple of %u",
                 fault->bytes, fault->bytes);
    if (fault->kind == FAULT_TRANSACTION && fault->other_pc != 0)
        add_other(fault, isa, source_line, context, &text);
    diagnose(diagnosis, "%s", text_chars(&text));
    text_finish(&text);
    add_source(fault, source_line, context, diagnosis);
    return false;
}

/* SPDX-License-Identifier: MIT */
/* Programs in device memory. */
#include <stdlib.h>

#include "base/check.h"
#include "machine/machine_private.h"

static uint8_t rights_of(const struct program *program)
{
    return program->has_variables ? BACKING_MAY_LOAD | BACKING_MAY_STORE : BACKING_MAY_LOAD;
}

struct machine_code *machine_load(struct machine *machine, struct program *program,
                                  struct diagnosis *diagnosis)
{
    uint64_t addr = backing_allocate(&machine->backing, program->image_bytes, BACKING_PAGE_BYTES,
                                     "code of a program");
    struct machine_code *code;
    unsigned char *image;

    if (addr == 0) {
        diagnose(diagnosis, "no room in device memory for a program of %zu bytes",
                 program->image_bytes);
        return NULL;
    }
    backing_hide(&machine->backing, addr, rights_of(program));
    image = allocate(program->image_bytes, 1);
    program_place(program, addr, image);
    memory_write(machine, addr, image, program->image_bytes);
    code = allocate(1, sizeof *code);
    code->program = program;
    code->isa = machine->isa;
    code->addr = addr;
    code->bytes = program->image_bytes;
    code->decoded = machine->isa->decode(
        image + program->code_offset, (uint32_t)program->code_bytes, addr + program->code_offset);
    machine->model->operations->prepare_code(machine->model, code->decoded);
    free(image);
    return code;
}

void machine_unload(struct machine *machine, struct machine_code *code)
{
    if (code == NULL)
        return;
    machine_profile_forget(machine, code);
    code->isa->code_destroy(code->decoded);
    memory_release(machine, code->addr);
    free(code);
}

/* Whether a transaction begins between the kernel's entry and the next one's, or the code's end. */
static bool has_transactions(const struct machine_code *code, uint64_t entry)
{
    uint64_t end = code->decoded->address + code->decoded->bytes;

    for (uint32_t i = 0; i < code->program->kernel_count; i++) {
        uint64_t other = code->addr + code->program->kernels[i].entry_offset;

        if (other > entry && other < end)
            end = other;
    }
    for (uint64_t pc = entry; pc < end; pc += 4) {
        const struct isa_instruction *instruction = isa_code_at(code->decoded, pc);

        if (instruction != NULL && instruction->bytes != 0 &&
            instruction->control == ISA_CONTROL_HINT && instruction->hint == TM_HINT_BEGIN)
            return true;
    }
    return false;
}

bool machine_kernel(const struct machine_code *code, const char *name, struct isa_kernel *kernel,
                    struct diagnosis *diagnosis)
{
    const struct program_kernel *found = program_find_kernel(code->program, name);

    if (found == NULL)
        return diagnose(diagnosis, "the program has no kernel '%s'", name);
    if (!code->isa->kernel_init(kernel, code->decoded, found->descriptor,
                                code->addr + found->entry_offset, diagnosis))
        return false;
    kernel->has_transactions = has_transactions(code, kernel->entry);
    return true;
}

bool code_source_line(void *context, uint64_t pc, char *place, size_t place_bytes)
{
    const struct machine_code *code = context;

    return program_source_line(code->program, pc - code->addr, place, place_bytes);
}

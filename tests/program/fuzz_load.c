/* SPDX-License-Identifier: MIT */
/* Reads any bytes as a program binary, and uses a code object as a launch would. The entry point is
 * libFuzzer's: clang -fsanitize=fuzzer,address with this file and the program library makes an
 * open-ended fuzzer. */
#include "fuzz_load.h"

#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "program/program.h"

static void use(struct program *program)
{
    unsigned char *placed = allocate(program->image_bytes, 1);
    char place[64];

    program_place(program, UINT64_C(0x550000000000), placed);
    check(program->code_offset + program->code_bytes <= program->image_bytes, "code outside");
    for (uint32_t i = 0; i < program->kernel_count; i++) {
        const struct program_kernel *kernel = &program->kernels[i];

        check(kernel->entry_offset + 4 <= program->code_offset + program->code_bytes,
              "entry outside");
        check(program_find_kernel(program, kernel->name) == kernel, "kernel not found");
        for (uint32_t j = 0; j < kernel->argument_count; j++)
            check(kernel->arguments[j].offset + kernel->arguments[j].bytes <= kernel->kernarg_bytes,
                  "argument outside");
        program_source_line(program, kernel->entry_offset, place, sizeof place);
    }
    for (uint32_t i = 0; i < program->global_count; i++)
        check(program->globals[i].offset + program->globals[i].bytes <= program->image_bytes,
              "variable outside");
    free(placed);
}

/* What is no code object, or damaged: told once, and program_load says no too. */
static void use_binary(const uint8_t *bytes, size_t count, bool is_loaded)
{
    struct diagnosis diagnosis = {0};
    enum program_binary kind = PROGRAM_BINARY_LIBRARY;
    bool is_good = program_check_binary(bytes, count, &kind, &diagnosis);

    check(is_good || diagnosis.message[0] != '\0', "a refusal without a reason");
    check(is_loaded == (is_good && kind == PROGRAM_BINARY_EXECUTABLE), "two answers");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct diagnosis diagnosis = {0};
    struct program *program = program_load(bytes, count, &diagnosis);

    use_binary(bytes, count, program != NULL);

    if (program != NULL)
        use(program);
    else
        check(diagnosis.message[0] != '\0', "a refusal without a reason");
    program_destroy(program);
    return 0;
}

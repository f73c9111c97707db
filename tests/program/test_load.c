/* SPDX-License-Identifier: MIT */
/* What is read out of a code object that clang made. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/binary.h"
#include "support.h"

static const char kernels_source[] =
    "typedef struct { int a; float b; } pair;\n"
    "__constant int table[4] = {3, 1, 4, 1};\n"
    "__constant int other[4] = {2, 7, 1, 8};\n"
    "__constant int *__constant pointers[2] = {table, other};\n"
    "__attribute__((noinline)) int helper(int x, __global int *p) { return x * p[x] + 7; }\n"
    "__kernel __attribute__((reqd_work_group_size(64, 2, 1)))\n"
    "void first(__global int *restrict out, const __global float *in, uchar n,\n"
    "           __local int *scratch, pair p, float4 v, volatile __global int *w,\n"
    "           __constant float *c) {\n"
    "  __local int fixed[100];\n"
    "  int i = get_global_id(0);\n"
    "  fixed[i % 100] = i; scratch[get_local_id(0)] = i; barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  out[i] = pointers[n & 1][i & 3] + fixed[(i + 5) % 100] + scratch[5] +\n"
    "           helper(i, out) + p.a + (int)in[i] + (int)v.x + w[0] + (int)c[n];\n"
    "}\n"
    "__kernel __attribute__((work_group_size_hint(8, 4, 1)))\n"
    "void second(__global int *a, ulong d) {\n"
    "  a[get_global_id(0)] = d + get_num_groups(1) + get_local_size(0) + get_work_dim();\n"
    "}\n"
    "__kernel void empty(void) {}\n";

static struct program *example;

static int build_example(void **state)
{
    if (make_sandbox(state) != 0)
        return -1;
    example = must_build(kernels_source, "");
    return 0;
}

static int drop_example(void **state)
{
    program_destroy(example);
    return remove_sandbox(state);
}

static void lists_kernels(void **state)
{
    (void)state;
    assert_int_equal(example->kernel_count, 3);
    assert_non_null(program_find_kernel(example, "first"));
    assert_non_null(program_find_kernel(example, "second"));
    assert_non_null(program_find_kernel(example, "empty"));
    assert_null(program_find_kernel(example, "third"));
    assert_int_equal(program_find_kernel(example, "empty")->visible_argument_count, 0);
}

static void check_argument(const struct program_argument *argument, enum argument_kind kind,
                           uint32_t offset, uint32_t bytes, const char *name, const char *type)
{
    assert_int_equal(argument->kind, kind);
    assert_int_equal(argument->offset, offset);
    assert_int_equal(argument->bytes, bytes);
    assert_string_equal(argument->name, name);
    assert_string_equal(argument->type_name, type);
}

static void arguments_have_offsets_and_names(void **state)
{
    const struct program_kernel *kernel = program_find_kernel(example, "first");
    const struct program_argument *arguments = kernel->arguments;

    (void)state;
    /* Offsets by the OpenCL rule that each argument is aligned to its own size. They are 8, 8, 1,
     * 4 (an LDS offset), 8 (struct of 4-byte members, aligned to 4), 16, 8, 8. */
    assert_int_equal(kernel->visible_argument_count, 8);
    check_argument(&arguments[0], ARGUMENT_GLOBAL_BUFFER, 0, 8, "out", "int*");
    check_argument(&arguments[1], ARGUMENT_GLOBAL_BUFFER, 8, 8, "in", "float*");
    check_argument(&arguments[2], ARGUMENT_BY_VALUE, 16, 1, "n", "uchar");
    check_argument(&arguments[3], ARGUMENT_DYNAMIC_SHARED_POINTER, 20, 4, "scratch", "int*");
    check_argument(&arguments[4], ARGUMENT_BY_VALUE, 24, 8, "p", "pair");
    check_argument(&arguments[5], ARGUMENT_BY_VALUE, 32, 16, "v", "float4");
    check_argument(&arguments[6], ARGUMENT_GLOBAL_BUFFER, 48, 8, "w", "int*");
    check_argument(&arguments[7], ARGUMENT_GLOBAL_BUFFER, 56, 8, "c", "float*");
    assert_int_equal(arguments[3].align, 4);
    assert_true(kernel->kernarg_align >= 16);
}

static void arguments_have_qualifiers_and_spaces(void **state)
{
    const struct program_argument *arguments = program_find_kernel(example, "first")->arguments;

    (void)state;
    assert_true(arguments[0].is_restrict && !arguments[0].is_const && !arguments[0].is_volatile);
    assert_true(arguments[1].is_const && !arguments[1].is_restrict);
    assert_true(arguments[6].is_volatile);
    assert_int_equal(arguments[0].address_space, ADDRESS_SPACE_GLOBAL);
    assert_int_equal(arguments[3].address_space, ADDRESS_SPACE_LOCAL);
    assert_int_equal(arguments[7].address_space, ADDRESS_SPACE_CONSTANT);
}

static const struct program_argument *find_kind(const struct program_kernel *kernel,
                                                enum argument_kind kind)
{
    for (uint32_t i = 0; i < kernel->argument_count; i++)
        if (kernel->arguments[i].kind == kind)
            return &kernel->arguments[i];
    return NULL;
}

static void hidden_arguments_follow(void **state)
{
    /* LLVM, "Code Object V5 Metadata": the hidden block begins 8-aligned after the visible
     * arguments; offsets inside it are fixed. `second` has 16 visible bytes. */
    static const struct {
        enum argument_kind kind;
        uint32_t offset, bytes;
    } expected[] = {
        {ARGUMENT_HIDDEN_BLOCK_COUNT_X, 0, 4},    {ARGUMENT_HIDDEN_BLOCK_COUNT_Y, 4, 4},
        {ARGUMENT_HIDDEN_BLOCK_COUNT_Z, 8, 4},    {ARGUMENT_HIDDEN_GROUP_SIZE_X, 12, 2},
        {ARGUMENT_HIDDEN_GROUP_SIZE_Y, 14, 2},    {ARGUMENT_HIDDEN_GROUP_SIZE_Z, 16, 2},
        {ARGUMENT_HIDDEN_REMAINDER_X, 18, 2},     {ARGUMENT_HIDDEN_REMAINDER_Y, 20, 2},
        {ARGUMENT_HIDDEN_REMAINDER_Z, 22, 2},     {ARGUMENT_HIDDEN_GLOBAL_OFFSET_X, 40, 8},
        {ARGUMENT_HIDDEN_GLOBAL_OFFSET_Y, 48, 8}, {ARGUMENT_HIDDEN_GLOBAL_OFFSET_Z, 56, 8},
        {ARGUMENT_HIDDEN_GRID_DIMS, 64, 2},       {ARGUMENT_HIDDEN_PRIVATE_BASE, 192, 4},
        {ARGUMENT_HIDDEN_SHARED_BASE, 196, 4},
    };
    const struct program_kernel *kernel = program_find_kernel(example, "second");

    (void)state;
    assert_int_equal(kernel->visible_argument_count, 2);
    for (unsigned i = 0; i < ARRAY_COUNT(expected); i++) {
        const struct program_argument *argument = find_kind(kernel, expected[i].kind);

        assert_non_null(argument);
        assert_int_equal(argument->offset, 16 + expected[i].offset);
        assert_int_equal(argument->bytes, expected[i].bytes);
    }
    assert_int_equal(kernel->kernarg_bytes, 16 + 256);
    assert_non_null(
        find_kind(program_find_kernel(example, "first"), ARGUMENT_HIDDEN_DYNAMIC_LDS_SIZE));
}

static void kernels_say_what_they_need(void **state)
{
    const struct program_kernel *first = program_find_kernel(example, "first");
    const struct program_kernel *second = program_find_kernel(example, "second");

    (void)state;
    assert_int_equal(first->lds_bytes, 400); /* fixed[100]; scratch comes at launch */
    assert_int_equal(second->lds_bytes, 0);
    assert_int_equal(first->required_group_size[0], 64);
    assert_int_equal(first->required_group_size[1], 2);
    assert_int_equal(first->required_group_size[2], 1);
    assert_int_equal(first->max_group_size, 128);
    assert_int_equal(second->required_group_size[0], 0);
    assert_int_equal(second->hint_group_size[0], 8);
    assert_int_equal(second->hint_group_size[1], 4);
    assert_int_equal(second->max_group_size, 256);
    assert_true(first->vgpr_count > 0 && first->vgpr_count <= 256);
    assert_true(first->sgpr_count > 0 && first->sgpr_count <= 104);
}

static void private_arrays_need_scratch(void **state)
{
    struct program *program = must_build("__kernel void k(__global int *a) { int x[64]; int i;\n"
                                         "  for (i = 0; i < 64; i++) x[a[i] & 63] = i;\n"
                                         "  a[0] = x[a[1] & 63]; }\n",
                                         "");

    (void)state;
    assert_in_range(program->kernels[0].scratch_bytes, 256, 512);
    program_destroy(program);
}

static void descriptors_lead_to_code(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < example->kernel_count; i++) {
        const struct program_kernel *kernel = &example->kernels[i];
        int64_t distance;

        assert_memory_equal(kernel->descriptor, example->image + kernel->descriptor_offset, 64);
        memcpy(&distance, kernel->descriptor + 16, sizeof distance);
        assert_int_equal(kernel->entry_offset, kernel->descriptor_offset + (uint64_t)distance);
        assert_in_range(kernel->entry_offset, example->code_offset,
                        example->code_offset + example->code_bytes - 4);
    }
}

static const struct program_global *find_global(const struct program *program, const char *name)
{
    for (uint32_t i = 0; i < program->global_count; i++)
        if (strcmp(program->globals[i].name, name) == 0)
            return &program->globals[i];
    fail_msg("no variable %s", name);
    return NULL;
}

static void pointers_are_relocated(void **state)
{
    static const int digits[2][4] = {{3, 1, 4, 1}, {2, 7, 1, 8}};
    const char *const names[] = {"table", "other"};
    const struct program_global *pointers = find_global(example, "pointers");
    uint64_t address = UINT64_C(0x550000010000);
    unsigned char *placed = allocate(example->image_bytes, 1);

    (void)state;
    assert_int_equal(example->relocation_count, 2);
    assert_int_equal(pointers->bytes, 16);
    program_place(example, address, placed);
    for (unsigned i = 0; i < 2; i++) {
        const struct program_global *target = find_global(example, names[i]);
        uint64_t pointer;

        memcpy(&pointer, placed + pointers->offset + 8 * i, sizeof pointer);
        assert_int_equal(pointer, address + target->offset);
        assert_memory_equal(placed + (pointer - address), digits[i], sizeof digits[i]);
    }
    free(placed);
}

static uint32_t code_word(const struct program *program, uint64_t offset)
{
    uint32_t word;

    memcpy(&word, program->image + offset, sizeof word);
    return word;
}

/* clang reaches a constant array by s_getpc_b64, then s_add_u32 of a literal distance. */
static void constants_are_reached_from_the_program_counter(void **state)
{
    struct program *program =
        must_build("__constant int numbers[5] = {10, 20, 30, 40, 50};\n"
                   "__kernel void k(__global int *a, int n) { a[0] = numbers[n]; }\n",
                   "");
    const struct program_global *numbers = find_global(program, "numbers");
    uint64_t end = program->code_offset + program->code_bytes;
    unsigned found = 0;

    (void)state;
    assert_int_equal(program->relocation_count, 0);
    for (uint64_t at = program->code_offset; at + 12 <= end; at += 4) {
        if ((code_word(program, at) & 0xff80ffffu) != 0xbe801f00u) /* SOP1 s_getpc_b64 */
            continue;
        assert_int_equal(code_word(program, at + 4) & 0xff80ff00u,
                         0x8000ff00u); /* s_add_u32 literal */
        assert_int_equal((uint32_t)(at + 4 + code_word(program, at + 8)), numbers->offset);
        found++;
    }
    assert_int_equal(found, 1);
    assert_int_equal(code_word(program, numbers->offset + 16), 50);
    program_destroy(program);
}

static void global_variables_are_zeroed_or_initialised(void **state)
{
    struct program *program =
        must_build("__global int zeros[100]; __global int counter = 5;\n"
                   "__kernel void k(__global int *a) { counter += zeros[a[0]]++; }\n",
                   "-cl-std=CL3.0");
    const struct program_global *zeros = find_global(program, "zeros");

    (void)state;
    assert_int_equal(zeros->bytes, 400);
    for (unsigned i = 0; i < 400; i++)
        assert_int_equal(program->image[zeros->offset + i], 0);
    assert_int_equal(code_word(program, find_global(program, "counter")->offset), 5);
    program_destroy(program);
}

/* s_swappc_b64 goes to the function by a distance from s_getpc_b64, as above. */
static void calls_lead_to_functions(void **state)
{
    uint64_t end = example->code_offset + example->code_bytes;
    unsigned calls = 0, returns = 0;

    (void)state;
    for (uint64_t at = example->code_offset; at < end; at += 4) {
        uint32_t word = code_word(example, at);

        calls += (word & 0xff80ff00u) == 0xbe802100u;   /* s_swappc_b64 */
        returns += (word & 0xffffff00u) == 0xbe802000u; /* s_setpc_b64 */
    }
    assert_int_equal(calls, 1);
    assert_true(returns >= 1);
}

static void instructions_know_their_line(void **state)
{
    struct program *program = must_build("__kernel void k(__global int *a,\n"
                                         "                __global int *b)\n"
                                         "{\n"
                                         "  int i = get_global_id(0);\n"
                                         "  int x = b[i];\n"
                                         "\n"
                                         "  a[i] = x * 3;\n"
                                         "}\n",
                                         "-g");
    unsigned loads = 0, stores = 0, ends = 0;
    char place[256];

    (void)state;
    for (uint64_t i = 0; i < program->code_bytes; i += 4) {
        uint32_t word = code_word(program, program->code_offset + i);
        uint32_t kind = word & 0xfdfc0000u;
        const char *line = kind == 0xe0300000u ? ":5" : kind == 0xe0700000u ? ":7" : NULL;

        if (word == 0xbf810000u) /* s_endpgm */
            line = ":8";
        if (line == NULL || ends > 0)
            continue;
        assert_true(program_source_line(program, program->code_offset + i, place, sizeof place));
        assert_string_equal(strrchr(place, ':'), line);
        assert_memory_equal(place, "program-", 8);
        loads += line[1] == '5';
        stores += line[1] == '7';
        ends += line[1] == '8';
    }
    assert_true(loads == 1 && stores == 1 && ends == 1);
    assert_false(program_source_line(program, 0, place, sizeof place));
    program_destroy(program);
}

static void no_lines_without_debug_information(void **state)
{
    char place[256];

    (void)state;
    assert_false(
        program_source_line(example, example->kernels[0].entry_offset, place, sizeof place));
}

static void file_and_hash_are_kept(void **state)
{
    uint64_t hash[2];
    struct program *again = program_load(example->file, example->file_bytes, NULL);

    (void)state;
    content_hash(example->file, binary_code_bytes(example->file, example->file_bytes), 0, hash);
    assert_memory_equal(hash, example->hash, sizeof hash);
    assert_non_null(again);
    assert_memory_equal(again->image, example->image, example->image_bytes);
    program_destroy(again);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"load/lists_kernels", lists_kernels, NULL, NULL, NULL},
        {"load/arguments_have_offsets_and_names", arguments_have_offsets_and_names, NULL, NULL,
         NULL},
        {"load/arguments_have_qualifiers_and_spaces", arguments_have_qualifiers_and_spaces, NULL,
         NULL, NULL},
        {"load/hidden_arguments_follow", hidden_arguments_follow, NULL, NULL, NULL},
        {"load/kernels_say_what_they_need", kernels_say_what_they_need, NULL, NULL, NULL},
        {"load/private_arrays_need_scratch", private_arrays_need_scratch, NULL, NULL, NULL},
        {"load/descriptors_lead_to_code", descriptors_lead_to_code, NULL, NULL, NULL},
        {"load/pointers_are_relocated", pointers_are_relocated, NULL, NULL, NULL},
        {"load/constants_are_reached_from_the_program_counter",
         constants_are_reached_from_the_program_counter, NULL, NULL, NULL},
        {"load/global_variables_are_zeroed_or_initialised",
         global_variables_are_zeroed_or_initialised, NULL, NULL, NULL},
        {"load/calls_lead_to_functions", calls_lead_to_functions, NULL, NULL, NULL},
        {"load/instructions_know_their_line", instructions_know_their_line, NULL, NULL, NULL},
        {"load/no_lines_without_debug_information", no_lines_without_debug_information, NULL, NULL,
         NULL},
        {"load/file_and_hash_are_kept", file_and_hash_are_kept, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/load", tests, build_example, drop_example);
}

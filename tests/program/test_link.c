/* SPDX-License-Identifier: MIT */
/* From compiled objects and libraries to a code object; what their binaries survive. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/random.h"
#include "base/text.h"
#include "fuzz_load.h"
#include "program/binary.h"
#include "support.h"

static const char user_source[] = "int helper(int x);\n"
                                  "__kernel void k(__global int *a) {\n"
                                  "  a[0] = helper(a[1]);\n"
                                  "}\n";
static const char helper_source[] = "int deeper(int x);\n"
                                    "int helper(int x) { return deeper(x) + 1; }\n";
static const char deeper_source[] = "extern constant int table[2];\n"
                                    "int deeper(int x) { return table[x & 1]; }\n"
                                    "__kernel void other(__global int *a) { a[0] = deeper(1); }\n";
static const char table_source[] = "constant int table[2] = {3, 4};\n";

static struct program_input must_compile_object(const char *source, const char *options)
{
    struct text log = {0};
    struct diagnosis diagnosis;
    unsigned char *file = NULL;
    size_t file_bytes = 0;

    if (!program_compile_object(source, strlen(source), options, NULL, &file, &file_bytes, &log,
                                &diagnosis))
        fail_msg("%s", text_chars(&log));
    text_finish(&log);
    return (struct program_input){file, file_bytes};
}

static struct program_input must_link(const struct program_input *inputs, unsigned count,
                                      const char *options)
{
    struct text log = {0};
    struct diagnosis diagnosis;
    unsigned char *file = NULL;
    size_t file_bytes = 0;

    if (!program_link(inputs, count, options, &file, &file_bytes, &log, &diagnosis))
        fail_msg("%s", text_chars(&log));
    text_finish(&log);
    return (struct program_input){file, file_bytes};
}

static void must_not_link(const struct program_input *inputs, unsigned count, const char *options,
                          struct text *log, struct diagnosis *diagnosis)
{
    unsigned char *file = NULL;
    size_t file_bytes = 0;

    assert_false(program_link(inputs, count, options, &file, &file_bytes, log, diagnosis));
    assert_null(file);
}

static void drop(struct program_input *inputs, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        free((void *)(uintptr_t)inputs[i].file);
}

static enum program_binary kind_of(struct program_input input)
{
    struct diagnosis diagnosis;
    enum program_binary kind = PROGRAM_BINARY_EXECUTABLE;

    if (!program_check_binary(input.file, input.file_bytes, &kind, &diagnosis))
        fail_msg("%s", diagnosis.message);
    return kind;
}

static void several_programs_become_one(void **state)
{
    struct program_input inputs[5] = {
        must_compile_object(user_source, ""), must_compile_object(helper_source, "-O0"),
        must_compile_object(deeper_source, "-cl-std=CL3.0"), must_compile_object(table_source, "")};
    struct program *program;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        assert_int_equal(kind_of(inputs[i]), PROGRAM_BINARY_OBJECT);
    inputs[4] = must_link(inputs, 4, NULL);
    assert_int_equal(kind_of(inputs[4]), PROGRAM_BINARY_EXECUTABLE);
    program = program_load(inputs[4].file, inputs[4].file_bytes, NULL);
    assert_non_null(program);
    assert_int_equal(program->kernel_count, 2);
    assert_non_null(program_find_kernel(program, "k"));
    assert_non_null(program_find_kernel(program, "other"));
    assert_int_equal(program->global_count, 1);
    program_destroy(program);
    drop(inputs, 5);
}

/* A driver tells by it that options of its run are not, or others are, in a linked program. */
static void options_that_were_added_are_told_of_a_linked_program(void **state)
{
    const char *added[][2] = {{"", ""}, {"2a", ""}, {"", "2a"}, {"2a", "2a"}, {"2a", "2b"}};
    uint64_t expected[] = {0, 0x2a, 0x2a, 0x2a};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(added); i++) {
        struct program_input inputs[3];
        uint64_t linked;

        for (unsigned j = 0; j < 2; j++) {
            char *options =
                format_string("%s%s", added[i][j][0] != '\0' ? PROGRAM_ADDED : "", added[i][j]);

            inputs[j] =
                must_compile_object(j == 0 ? "kernel void a() {}" : "kernel void b() {}", options);
            free(options);
        }
        inputs[2] = must_link(inputs, 2, NULL);
        linked = program_read_stamp(inputs[2].file, inputs[2].file_bytes).added;
        if (i < ARRAY_COUNT(expected))
            assert_int_equal(linked, expected[i]);
        else
            assert_true(linked != 0 && linked != 0x2a && linked != 0x2b);
        drop(inputs, 3);
    }
}

static void libraries_are_linked_again(void **state)
{
    struct program_input inputs[] = {must_compile_object(helper_source, ""),
                                     must_compile_object(deeper_source, ""),
                                     must_compile_object(table_source, "")};
    struct program_input libraries[3];
    struct program_input result;

    (void)state;
    libraries[0] = must_compile_object(user_source, "-g");
    libraries[1] = must_link(inputs, 2, "-create-library");
    libraries[2] = must_link(&inputs[2], 1, "-create-library -enable-link-options");
    assert_int_equal(kind_of(libraries[1]), PROGRAM_BINARY_LIBRARY);
    result = must_link(libraries, 3, "-cl-fast-relaxed-math");
    assert_int_equal(kind_of(result), PROGRAM_BINARY_EXECUTABLE);
    drop(inputs, 3);
    drop(libraries, 3);
    drop(&result, 1);
}

/* One program's -g is enough for lines. */
static void lines_come_along(void **state)
{
    struct program_input inputs[] = {must_compile_object(user_source, ""),
                                     must_compile_object("int helper(int x) { return x; }", "")};
    struct program_input with_lines = must_compile_object(user_source, "-g");
    struct program_input results[2];
    char place[64];

    (void)state;
    results[0] = must_link(inputs, 2, "");
    drop(inputs, 1);
    inputs[0] = with_lines;
    results[1] = must_link(inputs, 2, "");
    for (unsigned i = 0; i < 2; i++) {
        struct program *program = program_load(results[i].file, results[i].file_bytes, NULL);

        assert_non_null(program);
        assert_int_equal(
            program_source_line(program, program->kernels[0].entry_offset, place, sizeof place),
            i == 1);
        program_destroy(program);
    }
    assert_non_null(strstr(place, ".cl:"));
    drop(inputs, 2);
    drop(results, 2);
}

static void what_is_missing_is_named_with_its_users(void **state)
{
    struct program_input inputs[] = {must_compile_object(user_source, ""),
                                     must_compile_object(helper_source, ""),
                                     must_compile_object(deeper_source, "")};
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_link(inputs, 1, "", &log, &diagnosis);
    assert_non_null(
        strstr(text_chars(&log), "error: helper is used and defined nowhere\n  in k (program-"));
    assert_non_null(strstr(text_chars(&log), ".cl:3:10)\n"));
    assert_non_null(strstr(diagnosis.message, "helper"));
    assert_non_null(strstr(diagnosis.hint, "linked"));
    text_finish(&log);
    must_not_link(inputs, 2, "", &log, &diagnosis);
    assert_non_null(strstr(text_chars(&log),
                           "error: deeper is used and defined nowhere\n  in helper (program-"));
    text_finish(&log);
    must_not_link(inputs, 3, "", &log, &diagnosis);
    assert_non_null(strstr(text_chars(&log),
                           "error: table is used and defined nowhere\n  in deeper (program-"));
    text_finish(&log);
    drop(inputs, 3);
}

static void two_definitions_are_named(void **state)
{
    struct program_input inputs[] = {
        must_compile_object(simple_source, ""), must_compile_object(simple_source, "-DOTHER"),
        must_compile_object(table_source, ""), must_compile_object(table_source, "-DOTHER")};
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_link(inputs, 2, "", &log, &diagnosis);
    assert_non_null(strstr(text_chars(&log), "error: k is defined in more than one of"));
    text_finish(&log);
    must_not_link(inputs + 2, 2, "-create-library", &log, &diagnosis);
    assert_non_null(strstr(text_chars(&log), "error: table is defined in more than one of"));
    text_finish(&log);
    drop(inputs, 4);
}

static void a_declaration_that_lies_is_an_error(void **state)
{
    struct program_input inputs[] = {
        must_compile_object(user_source, ""),
        must_compile_object("int helper(float x) { return x > 1.0f; }", "")};
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_link(inputs, 2, "", &log, &diagnosis);
    assert_string_equal(diagnosis.message,
                        "k calls helper as it was declared, and it is defined otherwise");
    assert_int_equal(diagnosis.line, 3);
    text_finish(&log);
    drop(inputs, 2);
}

/* What each program keeps to itself may have the same name in all. */
static void private_names_do_not_clash(void **state)
{
    static const char sources[2][120] = {"static int f(int x) { return x * 3; }\n__kernel void "
                                         "a(__global int *x) { x[0] = f(x[1]); }\n",
                                         "static int f(int x) { return x * 5; }\n__kernel void "
                                         "b(__global int *x) { x[0] = f(x[1]); }\n"};
    struct program_input inputs[] = {must_compile_object(sources[0], ""),
                                     must_compile_object(sources[1], "")};
    struct program_input result = must_link(inputs, 2, "");

    (void)state;
    drop(inputs, 2);
    drop(&result, 1);
}

static void link_options_are_checked(void **state)
{
    static const struct {
        const char *options, *part;
    } cases[] = {{"-create-librarie", "-create-librarie"},
                 {"-DX=1", "-DX=1"},
                 {"-enable-link-options", "needs -create-library"},
                 {"'-create-library", "quote"}};
    struct program_input input = must_compile_object(simple_source, "");
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        assert_false(program_check_link_options(cases[i].options, &diagnosis));
        assert_non_null(strstr(diagnosis.message, cases[i].part));
        must_not_link(&input, 1, cases[i].options, &log, &diagnosis);
        text_finish(&log);
    }
    assert_true(program_check_link_options(NULL, NULL));
    assert_true(program_check_link_options("-cl-denorms-are-zero -w -cl-std=CL1.2", NULL));
    drop(&input, 1);
}

static void an_executable_cannot_be_linked(void **state)
{
    size_t file_bytes;
    unsigned char *file = must_compile(simple_source, "", &file_bytes);
    struct program_input input = {file, file_bytes};
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_link(&input, 1, "", &log, &diagnosis);
    assert_non_null(strstr(diagnosis.message, "only compiled programs and libraries"));
    text_finish(&log);
    free(file);
}

/* Each bit of header and seal, a bit in each stretch of what they guard, and each cut. */
static void check_damage(const unsigned char *file, size_t file_bytes)
{
    unsigned char *copy = allocate(file_bytes + 1, 1);
    enum program_binary kind;

    for (size_t at = 0; at < file_bytes; at += at < 64 || file_bytes - at < 64 ? 1 : 13) {
        struct diagnosis diagnosis = {0};

        memcpy(copy, file, file_bytes);
        copy[at] ^= (unsigned char)(1u << (at % 8));
        if (at >= file_bytes - BINARY_SEAL_BYTES && at < file_bytes - BINARY_SEAL_BYTES + 8 &&
            memcmp(file, "\177ELF", 4) == 0)
            continue; /* no seal any more, and no damage before it */
        if (program_check_binary(copy, file_bytes, &kind, &diagnosis))
            fail_msg("a changed bit of byte %zu of %zu was not seen", at, file_bytes);
        assert_true(diagnosis.message[0] != '\0');
    }
    memcpy(copy, file, file_bytes);
    for (size_t count = 0; count < file_bytes - BINARY_SEAL_BYTES; count += 7)
        assert_false(program_check_binary(copy, count, &kind, NULL));
    copy[file_bytes] = 0;
    if (memcmp(file, "\177ELF", 4) != 0)
        assert_false(program_check_binary(copy, file_bytes + 1, &kind, NULL));
    free(copy);
}

static void damaged_binaries_are_refused(void **state)
{
    struct program_input object = must_compile_object(user_source, "");
    size_t file_bytes;
    unsigned char *file = must_compile(simple_source, "", &file_bytes);

    (void)state;
    check_damage(object.file, object.file_bytes);
    check_damage(file, file_bytes);
    drop(&object, 1);
    free(file);
}

/* Bitcode that was never any, behind a header that says that it is whole: the link fails, and no
 * more. */
static void false_bitcode_is_a_failed_link(void **state)
{
    static const struct binary_settings settings = {.level = 2};
    struct program_input object = must_compile_object(user_source, "");
    unsigned char *bitcode = allocate(object.file_bytes, 1);
    size_t bitcode_bytes = object.file_bytes - BINARY_HEADER_BYTES;
    struct diagnosis diagnosis;

    (void)state;
    for (unsigned i = 0; i < 8; i++) {
        struct program_input input;
        struct text log = {0};

        memcpy(bitcode, object.file + BINARY_HEADER_BYTES, bitcode_bytes);
        memset(bitcode + i * bitcode_bytes / 8, 0x55 + (int)i, bitcode_bytes / 16);
        input.file = binary_wrap(PROGRAM_BINARY_OBJECT, &settings, bitcode, bitcode_bytes,
                                 &input.file_bytes);
        must_not_link(&input, 1, "", &log, &diagnosis);
        assert_true(diagnosis.message[0] != '\0');
        text_finish(&log);
        drop(&input, 1);
    }
    free(bitcode);
    drop(&object, 1);
}

static void binaries_are_fuzzed(void **state)
{
    struct program_input object = must_compile_object(user_source, "");
    struct random random = {20261122};
    unsigned char *copy = allocate(object.file_bytes, 1);

    (void)state;
    printf("seed %llu\n", (unsigned long long)random.state);
    for (unsigned i = 0; i < 4000; i++) {
        size_t count = i % 4 == 0 ? random_below(&random, object.file_bytes) : object.file_bytes;

        memcpy(copy, object.file, object.file_bytes);
        for (unsigned change = 0; change < 3; change++)
            copy[random_below(&random, i % 2 == 0 ? BINARY_HEADER_BYTES : object.file_bytes)] =
                (unsigned char)random_next(&random);
        LLVMFuzzerTestOneInput(copy, count);
    }
    LLVMFuzzerTestOneInput(object.file, object.file_bytes);
    free(copy);
    drop(&object, 1);
}

static void linking_is_cached(void **state)
{
    struct program_input inputs[] = {must_compile_object(user_source, ""),
                                     must_compile_object("int helper(int x) { return x; }", "")};
    struct program_input changed = must_compile_object("int helper(int x) { return -x; }", "");
    struct program_input results[3];
    struct program *programs[3];

    (void)state;
    results[0] = must_link(inputs, 2, "");
    results[1] = must_link(inputs, 2, "");
    drop(inputs + 1, 1);
    inputs[1] = changed;
    results[2] = must_link(inputs, 2, "");
    for (unsigned i = 0; i < 3; i++)
        programs[i] = program_load(results[i].file, results[i].file_bytes, NULL);
    assert_memory_equal(programs[0]->hash, programs[1]->hash, sizeof programs[0]->hash);
    assert_memory_not_equal(programs[0]->hash, programs[2]->hash, sizeof programs[0]->hash);
    for (unsigned i = 0; i < 3; i++)
        program_destroy(programs[i]);
    drop(inputs, 2);
    drop(results, 3);
}

static void nothing_temporary_is_left(void **state)
{
    (void)state;
    assert_int_equal(count_entries(getenv("TMPDIR")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_programs_become_one),
        cmocka_unit_test(options_that_were_added_are_told_of_a_linked_program),
        cmocka_unit_test(libraries_are_linked_again),
        cmocka_unit_test(lines_come_along),
        cmocka_unit_test(what_is_missing_is_named_with_its_users),
        cmocka_unit_test(two_definitions_are_named),
        cmocka_unit_test(a_declaration_that_lies_is_an_error),
        cmocka_unit_test(private_names_do_not_clash),
        cmocka_unit_test(link_options_are_checked),
        cmocka_unit_test(an_executable_cannot_be_linked),
        cmocka_unit_test(damaged_binaries_are_refused),
        cmocka_unit_test(false_bitcode_is_a_failed_link),
        cmocka_unit_test(binaries_are_fuzzed),
        cmocka_unit_test(linking_is_cached),
        cmocka_unit_test(nothing_temporary_is_left),
    };

    return cmocka_run_group_tests_name("program/link", tests, make_sandbox, remove_sandbox);
}

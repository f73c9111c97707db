/* SPDX-License-Identifier: MIT */
/* The compiler's parts: what happens to one when another ends early, and libraries in parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/binary.h"
#include "program/child_process.h"
#include "program/object_cache.h"
#include "support.h"

static const char library_source[] =
    "__kernel void k(__global float *a, __global int *b, __local float *c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  event_t e = async_work_group_copy(c, a, 64, 0);\n"
    "  wait_group_events(1, &e);\n"
    "  a[i] = sin(a[i]) + log(a[i]) * exp(c[i & 63]) + log2(a[i + 1]);\n"
    "  b[i] = popcount(b[i]) + convert_int_sat(a[i]) + atomic_add(b, 1);\n"
    "}\n";

static bool nothing_runs(void)
{
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD;
}

static void no_part_outlives_a_failure(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_compile("not a program", "", &log, &diagnosis);
    assert_int_equal(diagnosis.line, 1);
    assert_true(nothing_runs());
    must_not_compile("int f(void); __kernel void k(__global int *a) { a[0] = f(); }", "", &log,
                     &diagnosis);
    assert_string_equal(diagnosis.message, "f is used and defined nowhere");
    assert_null(strstr(text_chars(&log), "stdin"));
    assert_true(nothing_runs());
    text_finish(&log);
}

/* A tool that does not do its work: killed, or gone before it reads, or with less than it was to write. */
static void a_tool_that_fails_is_told(void **state)
{
    static const char *const variables[] = {"WAVETANK_CLANG", "WAVETANK_BACKEND"};
    static const char *const scripts[] = {"kill -9 $$", "exit 3", "exit 0", "kill -SEGV $$"};
    char *path = format_string("%s/tool", (const char *)*state);
    struct program_compiler compiler;

    assert_true(program_find_compiler(&compiler, NULL));
    for (unsigned i = 0; i < 2 * ARRAY_COUNT(scripts); i++) {
        bool is_crash = i / 2 == 3;
        char *script =
            format_string("#!/bin/sh\ncase \"$*\" in *--version*) exec %s --version; esac\n%s\n",
                          compiler.clang, scripts[i / 2]);
        char *option = format_string("-DTOOL=%u", i);
        struct diagnosis diagnosis = {0};
        struct text log = {0};

        write_file(*state, "tool", script);
        assert_int_equal(chmod(path, 0700), 0);
        setenv(variables[i % 2], path, 1);
        must_not_compile(simple_source, option, &log, &diagnosis);
        assert_true(diagnosis.message[0] != '\0');
        assert_true(log.length > 0);
        assert_int_equal(strstr(diagnosis.hint, "--build-options -O0") != NULL, is_crash);
        unsetenv(variables[i % 2]);
        assert_true(nothing_runs());
        assert_int_equal(count_entries(getenv("TMPDIR")), 0);
        text_finish(&log);
        free(option);
        free(script);
    }
    program_destroy(must_build(simple_source, "-DTOOL=0"));
    free(path);
}

/* clang's own driver, all at once, as a reference. The caller frees. */
static unsigned char *run_clang_alone(const char *folder, const char *source, size_t *count)
{
    struct program_compiler compiler;
    char *input = format_string("%s/alone.cl", folder);
    char *output = format_string("%s/alone.co", folder);
    struct text said = {0};
    unsigned char *bytes;
    int status;

    assert_true(program_find_compiler(&compiler, NULL));
    write_file(folder, "alone.cl", source);
    {
        char *words[] = {compiler.clang,
                         "--no-default-config",
                         "-target",
                         "amdgcn-amd-amdhsa",
                         "-mcpu=tahiti",
                         "-x",
                         "cl",
                         "-cl-std=CL1.2",
                         "-O2",
                         "-nogpulib",
                         "-cl-kernel-arg-info",
                         "-mllvm",
                         "-amdgpu-internalize-symbols",
                         "-Xclang",
                         "-mlink-builtin-bitcode",
                         "-Xclang",
                         compiler.builtins,
                         "-Xclang",
                         "-mlink-builtin-bitcode",
                         "-Xclang",
                         compiler.libclc,
                         "-o",
                         output,
                         input,
                         NULL};

        assert_true(child_process_run(words, folder, &said, &status, NULL));
    }
    if (status != 0)
        fail_msg("%s", text_chars(&said));
    assert_true(read_whole_file(output, &bytes, count));
    text_finish(&said);
    free(input);
    free(output);
    return bytes;
}

/* Compiles by clang's driver and in parts; the machine code must be equal. The caller destroys. */
static struct program *must_make_what_clang_makes(const char *folder, const char *source)
{
    size_t count;
    unsigned char *file = run_clang_alone(folder, source, &count);
    struct program *alone = program_load(file, count, NULL);
    struct program *parts = must_build(source, "");

    assert_non_null(alone);
    assert_int_equal(parts->code_bytes, alone->code_bytes);
    assert_memory_equal(parts->image + parts->code_offset, alone->image + alone->code_offset,
                        alone->code_bytes);
    program_destroy(alone);
    free(file);
    return parts;
}

/* The parts are as good as the whole: the same instructions, for the same floating point. */
static void parts_make_what_clang_makes(void **state)
{
    static const char source[] =
        "__kernel void k(__global float *a, __global double *b, __global int *c) {\n"
        "  size_t i = get_global_id(0);\n"
        "  a[i] = sin(a[i]) / a[i + 1] + exp2(a[i]) + fmod(a[i], 3.0f);\n"
        "  b[i] = sqrt(b[i]) + tanh(b[i]);\n"
        "  c[i] = convert_int_sat(a[i]) + atomic_add(c, get_local_size(0));\n"
        "}\n";

    program_destroy(must_make_what_clang_makes(*state, source));
}

/* Of s_mov_b64 with a literal, with any destination. */
static unsigned count_wide_moves(const struct program *program)
{
    unsigned count = 0;

    for (size_t at = 0; at + sizeof(uint32_t) <= program->code_bytes; at += sizeof(uint32_t)) {
        uint32_t word;

        memcpy(&word, program->image + program->code_offset + at, sizeof word);
        count += (word & 0xff80ffff) == 0xbe8004ff;
    }
    return count;
}

static void a_wide_move_whose_literal_fits_is_left_alone(void **state)
{
    static const char source[] =
        "__kernel void k(__global int *a, __global const long *b, long c, long d) {\n"
        "  size_t i = get_global_id(0);\n"
        "  double own = b[i], common = 2;\n"
        "  if (c > 5) { own = common = 0.1; a[1] = 7; }\n"
        "  a[i] = convert_int_sat(c) + (int)own + (int)common;\n"
        "  a[i + 1] = convert_int_sat(b[i] * d);\n"
        "}\n";
    struct program *parts = must_make_what_clang_makes(*state, source);

    assert_true(count_wide_moves(parts) > 0);
    program_destroy(parts);
}

/* No way around it is known for assembly in a kernel: better no program than a wrong one. */
static void a_literal_that_stays_too_wide_is_refused(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_compile("__kernel void fits(__global long *a) { long x;\n"
                     "  __asm__(\"s_mov_b64 %0, 0x80000000\" : \"=s\"(x)); a[0] = x; }\n"
                     "__kernel void wide(__global long *a) { long x;\n"
                     "  __asm__(\"s_mov_b64 %0, 0xffffffff80000000\" : \"=s\"(x)); a[0] = x; }\n",
                     "", &log, &diagnosis);
    assert_non_null(strstr(diagnosis.message, "wrong code of wide: s_mov_b64"));
    assert_non_null(strstr(diagnosis.message, "0xffffffff80000000"));
    text_finish(&log);
}

/* Bytes of the object file that the backend makes, with an index of libclc or without (NULL). */
static unsigned char *run_backend(const char *folder, const char *index, const char *libclc,
                                  size_t *count)
{
    struct program_compiler compiler;
    char *input = format_string("%s/input.bc", folder);
    char *output = format_string("%s/output.o", folder);
    struct text said = {0};
    unsigned char *bytes;
    int status;

    assert_true(program_find_compiler(&compiler, NULL));
    {
        char *words[] = {compiler.backend,
                         "--library",
                         compiler.builtins,
                         "--library",
                         libclc != NULL ? (char *)(uintptr_t)libclc : compiler.libclc,
                         "-o",
                         output,
                         input,
                         index != NULL ? "--library-index" : NULL,
                         (char *)(uintptr_t)index,
                         NULL};

        assert_true(child_process_run(words, folder, &said, &status, NULL));
    }
    if (status != 0)
        fail_msg("%s", text_chars(&said));
    assert_true(read_whole_file(output, &bytes, count));
    text_finish(&said);
    free(input);
    free(output);
    return bytes;
}

static void write_input(const char *folder, const char *source)
{
    struct text log = {0};
    unsigned char *object;
    size_t bytes;
    char *path = format_string("%s/input.bc", folder);
    FILE *file = fopen(path, "wb");

    assert_true(
        program_compile_object(source, strlen(source), "", NULL, &object, &bytes, &log, NULL));
    assert_int_equal(fwrite(object + BINARY_HEADER_BYTES, bytes - BINARY_HEADER_BYTES, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    free(object);
    free(path);
    text_finish(&log);
}

static void parts_give_what_the_library_gives(void **state)
{
    struct program_compiler compiler;
    unsigned char *whole, *parts;
    size_t counts[2];

    assert_true(program_find_compiler(&compiler, NULL));
    if (compiler.libclc_index[0] == '\0')
        skip();
    write_input(*state, "__kernel void k(__global float *a) { size_t i = get_global_id(0);\n"
                        "  a[i] = sin(a[i]) + exp(a[i + 1]) + get_group_id(1); }\n");
    whole = run_backend(*state, NULL, NULL, &counts[0]);
    parts = run_backend(*state, compiler.libclc_index, NULL, &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    assert_memory_equal(whole, parts, counts[0]);
    free(whole);
    free(parts);
    write_input(*state, library_source); /* tables, which may lie in another order */
    whole = run_backend(*state, NULL, NULL, &counts[0]);
    parts = run_backend(*state, compiler.libclc_index, NULL, &counts[1]);
    assert_int_equal(counts[0], counts[1]);
    free(whole);
    free(parts);
}

/* An index tells for which library it was made, by size and time of change. */
static void an_index_of_another_library_is_not_used(void **state)
{
    struct program_compiler compiler;
    char *copy = format_string("%s/libclc.bc", (const char *)*state);
    char *broken = format_string("%s/broken.index", (const char *)*state);
    unsigned char *bytes;
    size_t count;
    FILE *file;

    assert_true(program_find_compiler(&compiler, NULL));
    if (compiler.libclc_index[0] == '\0')
        skip();
    write_input(*state, library_source);
    /* The library's copy is younger; the index, whose parts are garbage, would end the backend. */
    assert_true(read_whole_file(compiler.libclc, &bytes, &count));
    file = fopen(copy, "wb");
    assert_int_equal(fwrite(bytes, count, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    assert_true(read_whole_file(compiler.libclc_index, &bytes, &count));
    memset(bytes + 4096, 0x5a, count - 4096);
    file = fopen(broken, "wb");
    assert_int_equal(fwrite(bytes, count, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    free(bytes);
    free(run_backend(*state, broken, copy, &count));
    free(run_backend(*state, "/no/such/index", copy, &count));
    free(copy);
    free(broken);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_part_outlives_a_failure),
        cmocka_unit_test(a_tool_that_fails_is_told),
        cmocka_unit_test(parts_make_what_clang_makes),
        cmocka_unit_test(a_wide_move_whose_literal_fits_is_left_alone),
        cmocka_unit_test(a_literal_that_stays_too_wide_is_refused),
        cmocka_unit_test(parts_give_what_the_library_gives),
        cmocka_unit_test(an_index_of_another_library_is_not_used),
    };

    return cmocka_run_group_tests_name("program/parts", tests, make_sandbox, remove_sandbox);
}

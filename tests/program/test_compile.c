/* SPDX-License-Identifier: MIT */
/* From source and options to a code object or to a build log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bits.h"
#include "base/text.h"
#include "support.h"

/* A kernel whose required group size shows what a macro was. */
static const char macro_source[] = "__kernel __attribute__((reqd_work_group_size(NUMBER, 1, 1)))\n"
                                   "void k(__global int *a) { a[0] = 1; }\n";

static uint32_t built_number(const char *options)
{
    struct program *program = must_build(macro_source, options);
    uint32_t number = program->kernels[0].required_group_size[0];

    program_destroy(program);
    return number;
}

static void options_define_macros(void **state)
{
    (void)state;
    assert_int_equal(built_number("-DNUMBER=42"), 42);
    assert_int_equal(built_number("  -D   NUMBER=43\t-w "), 43);
    assert_int_equal(built_number("-D \"NUMBER=(40 + 4)\""), 44);
    assert_int_equal(built_number("-D 'NUMBER=(40 + 5)' -cl-fast-relaxed-math"), 45);
    assert_int_equal(built_number("-DNUMBER=(40\\ +\\ 6)"), 46);
    assert_int_equal(built_number("-DNUMBER=47 -cl-std=CL3.0 -O0"), 47);
    assert_int_equal(built_number("-DNUMBER=sizeof(\\\"1234567\\\")"), 8);
}

static void all_standard_options_compile(void **state)
{
    static const char *const options[] = {"-cl-single-precision-constant",
                                          "-cl-denorms-are-zero",
                                          "-cl-fp32-correctly-rounded-divide-sqrt",
                                          "-cl-opt-disable",
                                          "-cl-strict-aliasing",
                                          "-cl-uniform-work-group-size",
                                          "-cl-no-subgroup-ifp",
                                          "-cl-mad-enable",
                                          "-cl-no-signed-zeros",
                                          "-cl-unsafe-math-optimizations",
                                          "-cl-finite-math-only",
                                          "-cl-fast-relaxed-math",
                                          "-w",
                                          "-Werror",
                                          "-g",
                                          "-cl-kernel-arg-info",
                                          "-cl-std=CL1.0",
                                          "-cl-std=CL1.1",
                                          "-cl-std=CL1.2",
                                          "-cl-std=CL3.0",
                                          "-Wall -Wno-unused-variable",
                                          "-I . -Iunknown",
                                          "-U NOTHING",
                                          "",
                                          NULL};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(options); i++)
        program_destroy(must_build(simple_source, options[i]));
}

static void bad_options_are_refused(void **state)
{
    static const struct {
        const char *option, *part, *hint;
    } cases[] = {
        {"-cl-fast-relaxed-maths", "unknown build option '-cl-fast-relaxed-maths'",
         "-cl-fast-relaxed-math?"},
        {"-cl-std=CLC++", "-cl-std=CLC++", "-cl-std=CL3.0"},
        {"-D", "-D needs a value", ""},
        {"-D 'X=1", "", ""},
        {"nonsense", "'nonsense'", ""},
        {"-Wl,-oX", "'-Wl,-oX'", ""},
        {"-o x", "'-o'", ""},
        {"\"-w", "quote", ""},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        struct diagnosis diagnosis = {0};
        struct text log = {0};

        assert_false(program_check_options(cases[i].option, &diagnosis));
        assert_non_null(strstr(diagnosis.message, cases[i].part));
        assert_non_null(strstr(diagnosis.hint, cases[i].hint));
        must_not_compile(simple_source, cases[i].option, &log, &diagnosis);
        assert_non_null(strstr(text_chars(&log), cases[i].part));
        text_finish(&log);
    }
    assert_true(program_check_options(NULL, NULL));
    assert_true(program_check_options("-w -DX", NULL));
}

static void errors_have_lines(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_compile("__kernel void k(__global int *a)\n{\n  a[0] = undeclared;\n}\n", "", &log,
                     &diagnosis);
    assert_non_null(strstr(text_chars(&log), ".cl:3:10: error: use of undeclared identifier"));
    assert_non_null(strstr(text_chars(&log), "a[0] = undeclared;"));
    assert_null(strstr(text_chars(&log), "/tmp/"));
    assert_int_equal(diagnosis.line, 3);
    assert_memory_equal(diagnosis.file, "program-", 8);
    assert_non_null(strstr(diagnosis.message, "undeclared"));
    text_finish(&log);
}

static void formats_of_printf_are_listed(void **state)
{
    struct program *program =
        must_build("__kernel void k(__global int *a) { printf(\"a:\\n%d\\\\n\", a[0]);\n"
                   "  printf(\"%s %v3hlf\", \"x\", (float3)(1)); printf(\"\"); }\n",
                   "");
    const struct program_format *formats = program->formats;
    unsigned place = 0;

    (void)state;
    assert_int_equal(program->format_count, 3);
    while (place < 2 && formats[place].argument_count != 1)
        place++;
    assert_string_equal(formats[place].text, "a:\n%d\\n");
    assert_int_equal(formats[place].argument_bytes[0], 4);
    for (place = 0; place < 2 && formats[place].argument_count != 2;)
        place++;
    assert_string_equal(formats[place].text, "%s %v3hlf");
    assert_int_equal(formats[place].argument_bytes[0], 8);
    assert_int_equal(formats[place].argument_bytes[1], 16);
    assert_int_equal(formats[0].number + formats[1].number + formats[2].number, 1 + 2 + 3);
    program_destroy(program);
}

static void warnings_are_logged_also_from_the_cache(void **state)
{
    static const char source[] = "__kernel void k(__global int *a) { a[0] = 1; 3; }\n";
    struct text first = {0}, second = {0};
    unsigned char *file;
    size_t file_bytes;

    (void)state;
    assert_true(
        program_compile(source, strlen(source), "", NULL, &file, &file_bytes, &first, NULL));
    free(file);
    assert_non_null(strstr(text_chars(&first), "warning: expression result unused"));
    assert_true(
        program_compile(source, strlen(source), "", NULL, &file, &file_bytes, &second, NULL));
    free(file);
    assert_string_equal(text_chars(&first), text_chars(&second));
    text_finish(&first);
    text_finish(&second);
}

static void warnings_can_be_errors(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_compile("__kernel void k(__global int *a) { a[0] = 1; 3; }\n", "-Werror", &log,
                     &diagnosis);
    assert_non_null(strstr(text_chars(&log), "error: expression result unused"));
    text_finish(&log);
    /* Local memory and a call: what clang's code generator remarks on is not a warning of the
     * program. */
    program_destroy(must_build("__attribute__((noinline)) int f(int x) { return x * x; }\n"
                               "__kernel void k(__global int *a) { __local int b[64];\n"
                               "  b[get_local_id(0)] = a[0]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                               "  a[get_global_id(0)] = f(b[a[1] & 63]); }\n",
                               "-Werror"));
}

static void working_directory_is_searched(void **state)
{
    char *folder = format_string("%s/host", (const char *)*state);
    char *include = format_string("%s/include", folder);
    char *before = getcwd(NULL, 0);
    static const char *const sources[] = {"\"include/number.h\"", "<include/number.h>"};

    mkdir(folder, 0700);
    mkdir(include, 0700);
    assert_int_equal(chdir(folder), 0);
    for (unsigned i = 0; i < 2; i++) {
        char *source = format_string("#include %s\n%s", sources[i], macro_source);
        struct program *program;

        /* The file changes, and the cache must notice. */
        for (unsigned number = 10; number < 12; number++) {
            char *definition = format_string("#define NUMBER %u\n", number);

            write_file(include, "number.h", definition);
            program = must_build(source, "");
            assert_int_equal(program->kernels[0].required_group_size[0], number);
            program_destroy(program);
            free(definition);
        }
        free(source);
    }
    write_file(include, "number.h", "#define NUMBER 9\n");
    program_destroy(must_build("#include \"number.h\"\n__kernel void k(void) {}\n", "-I include"));
    assert_int_equal(chdir(before), 0);
    free(before);
    free(include);
    free(folder);
}

static void embedded_headers_are_found(void **state)
{
    const char *const names[] = {"a.h", "deep/b.h"};
    const char *contents[] = {"#include \"deep/b.h\"\n", "#define NUMBER 21\n"};
    const char *const bad_names[] = {"../a.h", "deep/b.h"};
    struct program_headers headers = {2, names, contents};
    char *source = format_string("#include <a.h>\n%s", macro_source);
    struct diagnosis diagnosis;
    struct text log = {0};
    unsigned char *file;
    size_t file_bytes;

    (void)state;
    for (unsigned number = 21; number < 23; number++) {
        struct program *program;

        contents[1] = number == 21 ? "#define NUMBER 21\n" : "#define NUMBER 22\n";
        assert_true(
            program_compile(source, strlen(source), "", &headers, &file, &file_bytes, &log, NULL));
        program = program_load(file, file_bytes, NULL);
        assert_non_null(program);
        assert_int_equal(program->kernels[0].required_group_size[0], number);
        program_destroy(program);
        free(file);
    }
    headers.names = bad_names;
    assert_false(program_compile(source, strlen(source), "", &headers, &file, &file_bytes, &log,
                                 &diagnosis));
    assert_non_null(strstr(diagnosis.message, "../a.h"));
    text_finish(&log);
    free(source);
}

static void nothing_temporary_is_left(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    program_destroy(must_build(simple_source, "-DTEMPORARY"));
    must_not_compile("not a program", "", &log, &diagnosis);
    must_not_compile("#include \"not_there.h\"\n", "", &log, &diagnosis);
    text_finish(&log);
    assert_int_equal(count_entries(getenv("TMPDIR")), 0);
}

/* The code object of a program is the same wherever it is built. */
static void place_does_not_show(void **state)
{
    static const char *const caches[] = {"one", "two"};
    unsigned char *files[2];
    size_t bytes[2];
    char *before = getcwd(NULL, 0);
    char *cache = copy_string(getenv("WAVETANK_CACHE"));

    for (unsigned i = 0; i < 2; i++) {
        char *folder = format_string("%s/%s", (const char *)*state, caches[i]);

        mkdir(folder, 0700);
        assert_int_equal(chdir(folder), 0);
        setenv("WAVETANK_CACHE", folder, 1);
        files[i] = must_compile(simple_source, "-g", &bytes[i]);
        free(folder);
    }
    assert_int_equal(bytes[0], bytes[1]);
    assert_memory_equal(files[0], files[1], bytes[0]);
    setenv("WAVETANK_CACHE", cache, 1);
    assert_int_equal(chdir(before), 0);
    free(files[0]);
    free(files[1]);
    free(before);
    free(cache);
}

static void host_may_ignore_its_children(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    signal(SIGCHLD, SIG_IGN);
    program_destroy(must_build(simple_source, "-DIGNORED"));
    must_not_compile("int x = ;", "", &log, &diagnosis);
    signal(SIGCHLD, SIG_DFL);
    assert_int_equal(diagnosis.line, 1);
    text_finish(&log);
}

static void missing_compiler_is_explained(void **state)
{
    struct program_compiler compiler;
    struct diagnosis diagnosis;

    (void)state;
    setenv("WAVETANK_CLANG", "/no/such/clang", 1);
    assert_false(program_find_compiler(&compiler, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "/no/such/clang"));
    assert_non_null(strstr(diagnosis.hint, "clang-22"));
    setenv("WAVETANK_CLANG", "/bin/true", 1);
    assert_false(program_find_compiler(&compiler, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "/bin/true, which is no clang"));
    unsetenv("WAVETANK_CLANG");
    setenv("WAVETANK_LIBCLC", "/bin/true", 1);
    assert_false(program_find_compiler(&compiler, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "/bin/true, which is no libclc"));
    unsetenv("WAVETANK_LIBCLC");
    assert_true(program_find_compiler(&compiler, &diagnosis));
    assert_non_null(strstr(compiler.clang_version, "clang version "));
    assert_int_equal(atoi(strstr(compiler.clang_version, "version ") + 8),
                     atoi(compiler.libclc_version));
}

/* A clang of another version than the library's is refused by name, not found out by garbage. */
static void versions_must_fit(void **state)
{
    const char *folder = *state;
    char *path = format_string("%s/old-clang", folder);
    struct program_compiler compiler;
    struct diagnosis diagnosis;

    write_file(folder, "old-clang", "#!/bin/sh\necho 'Debian clang version 14.0.6'\n");
    assert_int_equal(chmod(path, 0700), 0);
    setenv("WAVETANK_CLANG", path, 1);
    assert_false(program_find_compiler(&compiler, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "clang version 14.0.6"));
    assert_non_null(strstr(diagnosis.hint, "clang-22"));
    unsetenv("WAVETANK_CLANG");
    free(path);
    path = format_string("%s/old.bc", folder);
    write_file(folder, "old.bc", "BC\xc0\xde clang version 14.0.6");
    setenv("WAVETANK_LIBCLC", path, 1);
    assert_false(program_find_compiler(&compiler, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "libclc 14.0.6"));
    unsetenv("WAVETANK_LIBCLC");
    free(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"compile/options_define_macros", options_define_macros, NULL, NULL, NULL},
        {"compile/all_standard_options_compile", all_standard_options_compile, NULL, NULL, NULL},
        {"compile/bad_options_are_refused", bad_options_are_refused, NULL, NULL, NULL},
        {"compile/errors_have_lines", errors_have_lines, NULL, NULL, NULL},
        {"compile/formats_of_printf_are_listed", formats_of_printf_are_listed, NULL, NULL, NULL},
        {"compile/warnings_are_logged_also_from_the_cache", warnings_are_logged_also_from_the_cache,
         NULL, NULL, NULL},
        {"compile/warnings_can_be_errors", warnings_can_be_errors, NULL, NULL, NULL},
        {"compile/working_directory_is_searched", working_directory_is_searched, NULL, NULL, NULL},
        {"compile/embedded_headers_are_found", embedded_headers_are_found, NULL, NULL, NULL},
        {"compile/nothing_temporary_is_left", nothing_temporary_is_left, NULL, NULL, NULL},
        {"compile/place_does_not_show", place_does_not_show, NULL, NULL, NULL},
        {"compile/host_may_ignore_its_children", host_may_ignore_its_children, NULL, NULL, NULL},
        {"compile/missing_compiler_is_explained", missing_compiler_is_explained, NULL, NULL, NULL},
        {"compile/versions_must_fit", versions_must_fit, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/compile", tests, make_sandbox, remove_sandbox);
}

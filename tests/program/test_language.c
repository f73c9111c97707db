/* SPDX-License-Identifier: MIT */
/* What is OpenCL C on this device, and what is said of what is not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "support.h"

static void missing_functions_are_named(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_compile(
        "int missing(int);\n__kernel void k(__global int *a) { a[0] = missing(a[1]); }\n", "", &log,
        &diagnosis);
    assert_non_null(
        strstr(text_chars(&log), "error: missing is used and defined nowhere\n  in k (program-"));
    assert_non_null(strstr(text_chars(&log), ".cl:2:"));
    assert_non_null(strstr(diagnosis.message, "missing"));
    text_finish(&log);
    must_not_compile(
        "int missing(int);\n\n__kernel void k(__global int *a) {\n  a[0] = missing(a[1]);\n}\n",
        "-g", &log, &diagnosis);
    assert_non_null(strstr(text_chars(&log), ".cl:4:"));
    assert_null(strstr(text_chars(&log), ">>>"));
    text_finish(&log);
}

/* What compilers took with a warning when such programs were written. */
static void old_programs_compile_with_warnings(void **state)
{
    static const struct {
        const char *source, *warning;
    } cases[] = {
        {"__kernel void k(__global int *a) { __global float *b = a; b[0] = 1.0f; }\n",
         "warning: incompatible pointer types"},
        {"void f(int4 *v) { v->x = 1; }\n"
         "__kernel void k(__global int *a) { uint4 v = (uint4)(2); f(&v); a[0] = v.x; }\n",
         "warning: incompatible pointer types"},
        {"__kernel void k(__global int *a) { uint x = a; a[0] = x; }\n",
         "warning: incompatible pointer to integer conversion"},
        {"__kernel void k(__global int *a, ulong n) { __global int *b = n; b[0] = 1; }\n",
         "warning: incompatible integer to pointer conversion"},
        {"static f(int x) { return x + 1; }\n"
         "__kernel void k(__global int *a) { const i = 3; a[0] = f(i); }\n",
         "warning: type specifier missing, defaults to 'int'"},
        {"int f(int x) { if (x > 1) return; return 1; }\n"
         "__kernel void k(__global int *a) { a[0] = f(a[1]); }\n",
         "warning: non-void function 'f' should return a value"},
        {"void f(__global int *a) { a[0] = 1; return 1; }\n"
         "__kernel void k(__global int *a) { f(a); }\n",
         "warning: void function 'f' should not return a value"},
        {"int f(int x) { if (x > 1) return 2; }\n"
         "__kernel void k(__global int *a) { a[0] = f(a[1]); }\n",
         "warning: non-void function does not return a value in all control paths"},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        struct diagnosis diagnosis;
        struct text log = {0};
        unsigned char *file = NULL;
        size_t file_bytes;

        if (!program_compile(cases[i].source, strlen(cases[i].source), "", NULL, &file, &file_bytes,
                             &log, &diagnosis))
            fail_msg("%s", text_chars(&log));
        if (strstr(text_chars(&log), cases[i].warning) == NULL)
            fail_msg("no '%s' in: %s", cases[i].warning, text_chars(&log));
        free(file);
        text_finish(&log);
        must_not_compile(cases[i].source, "-Werror", &log, &diagnosis);
        text_finish(&log);
    }
}

static void too_much_local_memory_is_refused(void **state)
{
    struct diagnosis diagnosis;
    struct text log = {0};

    (void)state;
    must_not_compile("__kernel void k(__global int *a) { __local int b[10000];\n"
                     "  b[get_local_id(0)] = a[0]; barrier(CLK_LOCAL_MEM_FENCE);\n"
                     "  a[0] = b[a[1]]; }\n",
                     "", &log, &diagnosis);
    assert_non_null(strstr(text_chars(&log), "error: local memory (40000) exceeds limit (32768)"));
    assert_int_equal(diagnosis.line, 1);
    text_finish(&log);
}

static const char *const recursive_sources[] = {
    "int f(int x)\n{\n  return x < 2 ? 1 : x * f(x - 1);\n}\n"
    "__kernel void k(__global int *a) { a[0] = f(a[1]); }\n",
    "int h(int x);\nint g(int x) {\n  return x < 2 ? 1 : h(x - 1) + h(x - 2); }\n"
    "int h(int x) { return g(x); }\n__kernel void k(__global int *a) { a[0] = g(a[1]); }\n",
    "__kernel void k(__global int *a) {\n  if (a[0]-- > 0)\n    k(a);\n}\n",
};

/* Also where the passes could make a loop of it: OpenCL C has no recursion at any level. */
static void recursion_is_refused_with_its_place(void **state)
{
    static const struct {
        const char *message;
        int line;
    } expected[] = {{"recursion: function f calls itself", 3},
                    {"recursion: function g calls itself by way of h", 4},
                    {"recursion: function k calls itself", 3}};
    struct diagnosis diagnosis;

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(expected); i++) {
        struct text log = {0};

        must_not_compile(recursive_sources[i], i == 1 ? "-O0" : "", &log, &diagnosis);
        assert_string_equal(diagnosis.message, expected[i].message);
        assert_int_equal(diagnosis.line, expected[i].line);
        assert_non_null(strstr(diagnosis.hint, "OpenCL C"));
        text_finish(&log);
    }
}

/* A circle that no kernel reaches does no harm; nor do functions that are called twice, or an array. */
static void what_is_no_recursion_is_built(void **state)
{
    struct program *program;

    (void)state;
    program_destroy(must_build("int f(int x) { return x < 2 ? 1 : x * f(x - 1) + f(x - 2); }\n"
                               "__kernel void k(__global int *a) { a[0] = 1; }\n",
                               ""));
    program =
        must_build("__attribute__((noinline)) int g(int x) { int b[20]; b[x & 15] = x;\n"
                   "  b[(x * 3) & 15] = 2; return b[x & 7]; }\n"
                   "__attribute__((noinline)) int f(int x) { return g(x) + g(x + 1); }\n"
                   "__kernel void k(__global int *a) { a[0] = f(a[1]) + g(a[2]) + f(a[3]); }\n",
                   "");
    assert_true(program->kernels[0].scratch_bytes >= 80);
    program_destroy(program);
}

static void device_says_what_it_lacks(void **state)
{
    (void)state;
    program_destroy(
        must_build("#if !defined(__IMAGE_SUPPORT__) || defined(cl_khr_mipmap_image) || "
                   "defined(cl_amd_media_ops)\n#error lies\n#endif\n"
                   "#if !defined(cl_khr_fp16) || !defined(cl_khr_fp64) || __OPENCL_VERSION__ != "
                   "300 || __OPENCL_C_VERSION__ "
                   "!= 120\n#error missing\n#endif\n"
                   "__kernel void k(__global int *a) { a[0] = 1; }\n",
                   NULL));
    program_destroy(
        must_build("#if !defined(__opencl_c_images) || defined(__opencl_c_generic_address_space)\n"
                   "#error lies\n#endif\n"
                   "__kernel void k(__global int *a) { a[0] = 1; }\n",
                   "-cl-std=CL3.0"));
}

static void programs_of_2_0_compile_as_3_0(void **state)
{
    (void)state;
    program_destroy(
        must_build("#if __OPENCL_C_VERSION__ != 300\n#error language\n#endif\n"
                   "global int sum;\n"
                   "kernel void k(global atomic_int *a) { atomic_fetch_add(a, sum);\n"
                   "  sum = work_group_reduce_add(1); work_group_barrier(CLK_LOCAL_MEM_FENCE); }\n",
                   "-cl-std=CL2.0"));
    program_destroy(must_build("#if __OPENCL_C_VERSION__ != 120\n#error language\n#endif\n"
                               "kernel void k(global int *a) { a[0] = 1; }\n",
                               "-cl-std=CL2.0 -cl-std=CL1.2")); /* the last one counts */
}

static void what_2_0_has_and_the_device_lacks_is_named_with_its_line(void **state)
{
    static const struct {
        const char *source, *hint;
    } cases[] = {
        {"kernel void k(global int *a) {\n int *p = a; *p = 1; }", "generic address space"},
        {"kernel void k(global int *a) {\n generic int *p; }", "generic address space"},
        {"kernel void k(\n read_only pipe int p) { }", "pipes"},
        {"kernel void k(global int *a) {\n queue_t q; }", "queues of its own"},
        {"kernel void k(global int *a) {\n enqueue_kernel(a); }", "queues of its own"},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        struct diagnosis diagnosis = {0};
        struct text log = {0};

        must_not_compile(cases[i].source, "-cl-std=CL2.0", &log, &diagnosis);
        assert_int_equal(diagnosis.line, 2);
        assert_non_null(strstr(diagnosis.hint, cases[i].hint));
        text_finish(&log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"language/programs_of_2_0_compile_as_3_0", programs_of_2_0_compile_as_3_0, NULL, NULL,
         NULL},
        {"language/what_2_0_has_and_the_device_lacks_is_named_with_its_line",
         what_2_0_has_and_the_device_lacks_is_named_with_its_line, NULL, NULL, NULL},
        {"language/missing_functions_are_named", missing_functions_are_named, NULL, NULL, NULL},
        {"language/old_programs_compile_with_warnings", old_programs_compile_with_warnings, NULL,
         NULL, NULL},
        {"language/too_much_local_memory_is_refused", too_much_local_memory_is_refused, NULL, NULL,
         NULL},
        {"language/recursion_is_refused_with_its_place", recursion_is_refused_with_its_place, NULL,
         NULL, NULL},
        {"language/what_is_no_recursion_is_built", what_is_no_recursion_is_built, NULL, NULL, NULL},
        {"language/device_says_what_it_lacks", device_says_what_it_lacks, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/language", tests, make_sandbox, remove_sandbox);
}

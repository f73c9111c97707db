/* SPDX-License-Identifier: MIT */
/* Machines with wavefronts of 32 lanes, and barriers that a compiler for 64 takes out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text.h"
#include "machine/machine.h"

/* Each stores where another reads: without its barrier the first wavefront of two reads zeros. */
#define TURN(name, attribute, barrier)                                                             \
    "__kernel " attribute " void " name "(__global uint *out) {\n"                                 \
    "    __local uint words[128]; uint id = get_local_id(0), size = get_local_size(0);\n"          \
    "    words[id] = id + 1; " barrier "\n"                                                        \
    "    out[get_global_id(0)] = words[size - 1 - id];\n"                                          \
    "}\n"
#define SMALL "__attribute__((reqd_work_group_size(64, 1, 1)))"
#define BARRIER "barrier(CLK_LOCAL_MEM_FENCE);"
static const char source[] = TURN("small", SMALL, BARRIER) TURN("without", SMALL, "")
    TURN("large", "__attribute__((reqd_work_group_size(128, 1, 1)))", BARRIER)
        TURN("any", "", BARRIER);

static void need(bool is_good, const struct diagnosis *diagnosis)
{
    if (!is_good)
        fail_msg("%s", diagnosis->message);
}

static struct program *build(const char *options)
{
    struct diagnosis diagnosis = {0};
    struct text log = {0};
    struct program *program;
    unsigned char *file = NULL;
    size_t bytes = 0;

    need(program_compile(source, sizeof source - 1, options, NULL, &file, &bytes, &log, &diagnosis),
         &diagnosis);
    program = program_load(file, bytes, &diagnosis);
    need(program != NULL, &diagnosis);
    free(file);
    text_finish(&log);
    return program;
}

/* Runs one work-group of the kernel. False: refused. */
static bool run(const struct program *program, const char *name, enum machine_model model,
                const char *lanes, uint32_t words[128], struct diagnosis *diagnosis)
{
    const struct program_kernel *kernel = program_find_kernel(program, name);
    struct configuration *configuration = configuration_load("hd7970", &lanes, 1, diagnosis);
    struct machine_options options = {.model = model, .configuration = configuration};
    uint32_t items = kernel->required_group_size[0] != 0 ? kernel->required_group_size[0] : 64;
    unsigned char *arguments = calloc(1, kernel->kernarg_bytes);
    struct machine_launch launch = {.kernel = kernel,
                                    .dimensions = 1,
                                    .global_size = {items},
                                    .group_size = {items},
                                    .arguments = arguments};
    struct machine_launch_result result;
    struct machine *machine;
    uint64_t out;
    bool ran;

    need(configuration != NULL, diagnosis);
    machine = machine_create(&options, diagnosis);
    need(machine != NULL, diagnosis);
    launch.code = machine_load(machine, (struct program *)(uintptr_t)program, diagnosis);
    out = machine_allocate(machine, 512, 256, "out");
    memcpy(arguments + kernel->arguments[0].offset, &out, sizeof out);
    ran = machine_run(machine, &launch, &result, diagnosis);
    machine_read(machine, out, words, 512, TRANSFER_UNTIMED);
    machine_unload(machine, launch.code);
    machine_destroy(machine);
    configuration_destroy(configuration);
    free(arguments);
    return ran;
}

static void expect_right(const struct program *program, const char *name, const char *lanes,
                         uint32_t items)
{
    for (unsigned model = 0; model < 2; model++) {
        uint32_t words[128];
        struct diagnosis diagnosis = {0};

        need(run(program, name, model == 0 ? MACHINE_TIMED : MACHINE_FUNCTIONAL, lanes, words,
                 &diagnosis),
             &diagnosis);
        for (uint32_t i = 0; i < items; i++)
            assert_int_equal(words[i], items - i);
    }
}

static void a_kernel_without_its_barriers_is_refused(void **state)
{
    struct program *program = build("");
    uint32_t words[128];
    struct diagnosis diagnosis = {0};

    assert_true(program_find_kernel(program, "small")->lost_barriers);
    assert_false(program_find_kernel(program, "without")->lost_barriers);
    assert_false(program_find_kernel(program, "large")->lost_barriers);
    assert_false(program_find_kernel(program, "any")->lost_barriers);
    for (unsigned model = 0; model < 2; model++) {
        assert_false(run(program, "small", model == 0 ? MACHINE_TIMED : MACHINE_FUNCTIONAL,
                         "gpu.wavefront_lanes=32", words, &diagnosis));
        assert_non_null(strstr(diagnosis.message, "small: its barriers are not in the code"));
        assert_non_null(strstr(diagnosis.message, "gpu.wavefront_lanes"));
    }
    assert_true(run(program, "without", MACHINE_TIMED, "gpu.wavefront_lanes=32", words, &diagnosis));
    expect_right(program, "small", "gpu.wavefront_lanes=64", 64);
    expect_right(program, "large", "gpu.wavefront_lanes=32", 128);
    expect_right(program, "any", "gpu.wavefront_lanes=32", 64);
    program_destroy(program);
}

static void a_program_for_narrow_wavefronts_keeps_them(void **state)
{
    struct program *program = build(PROGRAM_NARROW_WAVEFRONTS);

    assert_false(program_find_kernel(program, "small")->lost_barriers);
    assert_int_equal(program_find_kernel(program, "small")->max_group_size, 64);
    expect_right(program, "small", "gpu.wavefront_lanes=32", 64);
    expect_right(program, "small", "gpu.wavefront_lanes=64", 64);
    program_destroy(program);
}

static void other_widths_are_refused(void **state)
{
    static const char *const widths[] = {"gpu.wavefront_lanes=48", "gpu.wavefront_lanes=33"};

    for (unsigned i = 0; i < 2; i++) {
        struct diagnosis diagnosis = {0};

        assert_null(configuration_load("hd7970", &widths[i], 1, &diagnosis));
        assert_non_null(strstr(diagnosis.message, "gpu.wavefront_lanes"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_its_barriers_is_refused),
        cmocka_unit_test(a_program_for_narrow_wavefronts_keeps_them),
        cmocka_unit_test(other_widths_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

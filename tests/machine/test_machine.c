/* SPDX-License-Identifier: MIT */
/* Questions about whole machines: do the caches hold the data, and can two machines share a
 * process? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/compute_unit.h"
#include "machine/machine.h"

enum { WORDS = 4096, GROUP = 64 };

static const char source[] = "__kernel void add(__global const uint *in, __global uint *out)\n"
                             "{\n"
                             "    uint i = get_global_id(0);\n"
                             "    out[i] = in[i] + 1;\n"
                             "}\n";

struct bench {
    struct configuration *configuration;
    struct machine *machine;
    struct machine_code *code;
    uint64_t in, out;
};

static struct program *program;

static void need(bool is_good, const struct diagnosis *diagnosis)
{
    if (!is_good)
        diagnosis_print(diagnosis, stderr);
    assert_true(is_good);
}

static int compile(void **state)
{
    struct diagnosis diagnosis = {0};
    struct text log = {0};
    unsigned char *file = NULL;
    size_t bytes = 0;

    if (!program_compile(source, sizeof source - 1, "", NULL, &file, &bytes, &log, &diagnosis)) {
        diagnosis_print(&diagnosis, stderr);
        return 1;
    }
    program = program_load(file, bytes, &diagnosis);
    free(file);
    text_finish(&log);
    return program == NULL;
}

static int drop_program(void **state)
{
    program_destroy(program);
    return 0;
}

static void bench_init_with(struct bench *bench, struct machine_options *options)
{
    struct diagnosis diagnosis = {0};
    uint32_t words[WORDS];

    bench->configuration = configuration_load("hd7970", NULL, 0, &diagnosis);
    need(bench->configuration != NULL, &diagnosis);
    options->configuration = bench->configuration;
    bench->machine = machine_create(options, &diagnosis);
    need(bench->machine != NULL, &diagnosis);
    bench->code = machine_load(bench->machine, program, &diagnosis);
    need(bench->code != NULL, &diagnosis);
    bench->in = machine_allocate(bench->machine, sizeof words, 256, "in");
    bench->out = machine_allocate(bench->machine, sizeof words, 256, "out");
    for (uint32_t i = 0; i < WORDS; i++)
        words[i] = i * 3;
    machine_write(bench->machine, bench->in, words, sizeof words, TRANSFER_PAGEABLE);
}

static void bench_init(struct bench *bench, enum machine_model model)
{
    struct machine_options options = {.model = model};

    bench_init_with(bench, &options);
}

static void bench_finish(struct bench *bench)
{
    machine_unload(bench->machine, bench->code);
    machine_destroy(bench->machine);
    configuration_destroy(bench->configuration);
}

static bool try_run(struct bench *bench, uint64_t from, uint64_t to,
                    struct machine_launch_result *result, struct diagnosis *diagnosis)
{
    const struct program_kernel *kernel = program_find_kernel(program, "add");
    unsigned char *arguments = calloc(1, kernel->kernarg_bytes);
    struct machine_launch launch = {.code = bench->code,
                                    .kernel = kernel,
                                    .dimensions = 1,
                                    .global_size = {WORDS},
                                    .group_size = {GROUP},
                                    .arguments = arguments};
    bool ran;

    memcpy(arguments + kernel->arguments[0].offset, &from, sizeof from);
    memcpy(arguments + kernel->arguments[1].offset, &to, sizeof to);
    ran = machine_run(bench->machine, &launch, result, diagnosis);
    free(arguments);
    return ran;
}

static struct machine_launch_result run(struct bench *bench, uint64_t from, uint64_t to)
{
    struct machine_launch_result result;
    struct diagnosis diagnosis = {0};

    need(try_run(bench, from, to, &result, &diagnosis), &diagnosis);
    assert_int_equal(result.outcome, LAUNCH_DONE);
    return result;
}

static uint32_t word_at(struct bench *bench, uint64_t addr, uint32_t index)
{
    uint32_t word;

    machine_read(bench->machine, addr + 4 * index, &word, sizeof word, TRANSFER_UNTIMED);
    return word;
}

struct kept {
    const struct registry *registry;
    uint64_t occupied_cycles; /* of compute unit 0, in the latest launch */
    unsigned launches;
};

static void keep(void *context, const struct machine_kernel_record *record)
{
    struct kept *kept = context;
    uint32_t first = 0, count = 0;

    for (uint32_t i = 0; strcmp(kept->registry->groups[i].path, "cu0") != 0; i++)
        first += kept->registry->groups[i].bytes / 8;
    first += offsetof(struct compute_unit_statistics, wavefronts) / 8 +
             offsetof(struct histogram, count) / 8;
    for (uint32_t i = 0; i < record->changes->count; i++)
        if (record->changes->list[i].word == first) {
            kept->occupied_cycles = record->changes->list[i].value;
            count++;
        }
    assert_int_equal(count, 1);
    assert_string_equal(record->name, "add");
    kept->launches++;
}

/* What passes between launches is no launch's. */
static void a_launch_is_charged_for_itself_alone(void **state)
{
    struct bench bench;
    struct kept kept = {0};
    struct machine_options options = {.record = keep, .record_context = &kept};
    struct machine_launch_result result;

    bench_init_with(&bench, &options);
    kept.registry = machine_registry(bench.machine);
    for (unsigned i = 0; i < 3; i++) {
        result = run(&bench, bench.in, bench.out);
        assert_in_range(kept.occupied_cycles, 1, 2 * result.cycles);
        machine_charge_transfer(bench.machine, 64 << 20, TRANSFER_PAGEABLE); /* 8 ms */
    }
    assert_int_equal(kept.launches, 3);
    bench_finish(&bench);
}

/* What lies in memory behind a line that L2 holds is not what a kernel, or the host, reads. */
static void memory_behind_a_warm_line_is_not_read(void **state)
{
    struct bench bench;
    unsigned char *behind_in, *behind_out;

    bench_init(&bench, MACHINE_TIMED);
    run(&bench, bench.in, bench.out); /* `in` is now in L2, clean; `out` is there, dirty */
    behind_in = backing_host(machine_backing(bench.machine), bench.in);
    behind_out = backing_host(machine_backing(bench.machine), bench.out);
    memset(behind_in, 0xee, WORDS * 4);
    memset(behind_out, 0xee, WORDS * 4);
    assert_int_equal(word_at(&bench, bench.out, 7), 7 * 3 + 1);
    run(&bench, bench.in, bench.out);
    for (uint32_t i = 0; i < WORDS; i += 17)
        assert_int_equal(word_at(&bench, bench.out, i), i * 3 + 1);
    bench_finish(&bench);
}

/* The functional model has no caches: there the same change is seen. */
static void functional_model_reads_memory(void **state)
{
    struct bench bench;

    bench_init(&bench, MACHINE_FUNCTIONAL);
    run(&bench, bench.in, bench.out);
    memset(backing_host(machine_backing(bench.machine), bench.in), 0, WORDS * 4);
    run(&bench, bench.in, bench.out);
    assert_int_equal(word_at(&bench, bench.out, 100), 1);
    bench_finish(&bench);
}

/* A host write between two kernels reaches the second one, although L2 held the old line. */
static void host_writes_are_seen_by_the_next_kernel(void **state)
{
    struct bench bench;
    uint32_t word = 1000;

    bench_init(&bench, MACHINE_TIMED);
    run(&bench, bench.in, bench.out);
    machine_write(bench.machine, bench.in + 4 * 5, &word, sizeof word, TRANSFER_PAGEABLE);
    run(&bench, bench.in, bench.out);
    assert_int_equal(word_at(&bench, bench.out, 5), 1001);
    assert_int_equal(word_at(&bench, bench.out, 6), 6 * 3 + 1);
    bench_finish(&bench);
}

static uint64_t digest(struct bench *bench)
{
    struct snapshot snapshot;
    uint64_t value;

    machine_snapshot(bench->machine, &snapshot);
    value = snapshot_digest(&snapshot, machine_registry(bench->machine));
    snapshot_finish(&snapshot);
    return value;
}

/* Two machines in one process, their commands interleaved: each is as it would be alone. (They
 * stand at different host addresses: only one can have device address = host address.) */
static void assert_same_result(const struct machine_launch_result *result,
                               const struct machine_launch_result *expected)
{
    assert_int_equal(result->outcome, expected->outcome);
    assert_int_equal(result->start_ns, expected->start_ns);
    assert_int_equal(result->end_ns, expected->end_ns);
    assert_int_equal(result->cycles, expected->cycles);
    assert_int_equal(result->instructions, expected->instructions);
    assert_int_equal(result->groups_done, expected->groups_done);
    assert_int_equal(result->groups_total, expected->groups_total);
}

static void two_machines_do_not_know_of_each_other(void **state)
{
    struct bench alone, first, second;
    struct machine_launch_result expected, result;

    bench_init(&alone, MACHINE_TIMED);
    run(&alone, alone.in, alone.out);
    expected = run(&alone, alone.out, alone.in);
    bench_init(&first, MACHINE_TIMED);
    bench_init(&second, MACHINE_TIMED);
    run(&first, first.in, first.out);
    run(&second, second.in, second.out);
    result = run(&first, first.out, first.in);
    assert_same_result(&result, &expected);
    result = run(&second, second.out, second.in);
    assert_same_result(&result, &expected);
    assert_int_equal(digest(&first), digest(&alone));
    assert_int_equal(digest(&second), digest(&alone));
    assert_int_equal(word_at(&first, first.in, 9), 9 * 3 + 2);
    bench_finish(&alone);
    bench_finish(&second);
    bench_finish(&first);
}

/* A program that takes all device memory before its first launch: the launch needs some too. */
static void a_launch_without_room_for_its_arguments_is_refused(void **state)
{
    for (unsigned model = MACHINE_TIMED; model <= MACHINE_FUNCTIONAL; model++) {
        struct bench bench;
        struct machine_launch_result result;
        struct diagnosis diagnosis = {0};
        uint64_t last = 0, addr;

        bench_init(&bench, (enum machine_model)model);
        for (uint64_t bytes = UINT64_C(1) << 31; bytes >= 4096; bytes /= 2)
            while ((addr = machine_allocate(bench.machine, bytes, 256, "rest")) != 0)
                last = addr;
        assert_false(try_run(&bench, bench.in, bench.out, &result, &diagnosis));
        assert_non_null(strstr(diagnosis.message, "device memory is full"));
        assert_non_null(strstr(diagnosis.hint, "gpu.memory_mb"));
        machine_free(bench.machine, last);
        assert_false(try_run(&bench, bench.in, bench.out, &result, &diagnosis)); /* one of two */
        machine_free(bench.machine, bench.out);
        bench.out = machine_allocate(bench.machine, 4 * WORDS, 256, "out");
        bench_finish(&bench);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_launch_is_charged_for_itself_alone),
        cmocka_unit_test(memory_behind_a_warm_line_is_not_read),
        cmocka_unit_test(functional_model_reads_memory),
        cmocka_unit_test(host_writes_are_seen_by_the_next_kernel),
        cmocka_unit_test(two_machines_do_not_know_of_each_other),
        cmocka_unit_test(a_launch_without_room_for_its_arguments_is_refused),
    };

    return cmocka_run_group_tests_name("machine", tests, compile, drop_program);
}

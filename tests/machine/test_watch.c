/* SPDX-License-Identifier: MIT */
/* Questions about the watch: what is progress, and when is it told that there is none? Is a digest
 * one of what a program would read, wherever the bytes are? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "machine/timed_gpu.h"
#include "machine/watch.h"

/* ---- When it is told ---- */

enum { PATIENCE_MS = 40 };

struct script {
    struct watch watch;
    uint64_t groups_done, digest;
    uint64_t groups_step, digest_step; /* added at each look */
    unsigned digests;                  /* how often one was taken */
};

static uint64_t take_digest(const void *context)
{
    struct script *script = (struct script *)(uintptr_t)context;

    script->digests++;
    script->digest += script->digest_step;
    return script->digest;
}

static double processor_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* Looks until it is told, or for so much processor time; the milliseconds that were told, or 0. */
static double told_within(struct script *script, double ms_max)
{
    double start = processor_ms(), seconds;

    while (processor_ms() - start < ms_max) {
        script->groups_done += script->groups_step;
        if (watch_look(&script->watch, script->groups_done, take_digest, script, &seconds))
            return seconds * 1e3;
    }
    return 0;
}

static void a_standstill_is_told_again_after_twice_the_time(void **state)
{
    struct script script = {0};
    double first, second, third;

    watch_start(&script.watch, PATIENCE_MS * 1e-3);
    first = told_within(&script, 1000);
    second = told_within(&script, 1000);
    third = told_within(&script, 1000);
    assert_true(first >= PATIENCE_MS);
    assert_true(second >= 2 * PATIENCE_MS && second >= first);
    assert_true(third >= 4 * PATIENCE_MS);
}

static void another_digest_is_progress(void **state)
{
    struct script script = {.digest_step = 1};

    watch_start(&script.watch, PATIENCE_MS * 1e-3);
    assert_true(told_within(&script, 6 * PATIENCE_MS) == 0);
    assert_true(script.digests > 6);
    script.digest_step = 0;
    assert_true(told_within(&script, 1000) >= PATIENCE_MS);
}

static void an_ended_group_is_progress_and_costs_no_digest(void **state)
{
    struct script script = {.groups_step = 1};

    watch_start(&script.watch, PATIENCE_MS * 1e-3);
    assert_true(told_within(&script, 6 * PATIENCE_MS) == 0);
    assert_int_equal(script.digests, 0);
}

static void after_progress_patience_begins_again(void **state)
{
    struct script script = {0};
    double told;

    watch_start(&script.watch, PATIENCE_MS * 1e-3);
    assert_true(told_within(&script, 1000) > 0);
    assert_true(told_within(&script, 1000) > 0);
    script.groups_done++;
    told = told_within(&script, 1000);
    assert_true(told >= PATIENCE_MS && told < 4 * PATIENCE_MS); /* not four times as before */
}

static void without_patience_nothing_is_asked(void **state)
{
    struct script script = {0};

    watch_start(&script.watch, 0);
    assert_true(told_within(&script, 2 * PATIENCE_MS) == 0);
    assert_int_equal(script.digests, 0);
}

/* ---- The digest ---- */

struct bench {
    struct configuration *configuration;
    struct machine *machine;
    uint64_t buffer, hidden;
};

static void bench_init(struct bench *bench, enum machine_model model)
{
    struct machine_options options = {.model = model};
    struct diagnosis diagnosis;

    bench->configuration = configuration_load("hd7970", NULL, 0, &diagnosis);
    assert_non_null(bench->configuration);
    options.configuration = bench->configuration;
    bench->machine = machine_create(&options, &diagnosis);
    assert_non_null(bench->machine);
    bench->buffer = machine_allocate(bench->machine, 100000, 256, "buffer");
    bench->hidden = machine_allocate(bench->machine, 100000, 256, "scratch");
    backing_hide(machine_backing(bench->machine), bench->hidden,
                 BACKING_MAY_LOAD | BACKING_MAY_STORE);
}

static void bench_finish(struct bench *bench)
{
    machine_destroy(bench->machine);
    configuration_destroy(bench->configuration);
}

/* A byte where memory has it. */
static void set_memory(const struct bench *bench, uint64_t addr, unsigned char byte)
{
    *backing_host(machine_backing(bench->machine), addr) = byte;
}

/* A byte that only this cache has, in a line of the address's set. */
static void set_dirty(struct controller *controller, uint64_t addr, unsigned char byte)
{
    uint64_t first = addr & ~(uint64_t)(LINE_BYTES - 1);

    for (uint32_t i = 0; i < controller->line_count; i++) {
        struct line *line = &controller->lines[i];

        controller->tags[i] = first | 1;
        if (controller_find(controller, first) == line) {
            line->addr = first;
            line->dirty = UINT64_C(1) << (addr - first);
            line->data[addr - first] = byte;
            return;
        }
        controller->tags[i] = 0;
    }
    fail_msg("no line can hold 0x%llx", (unsigned long long)addr);
}

static void set_clean(struct controller *controller, uint64_t addr)
{
    struct line *line = controller_find(controller, addr & ~(uint64_t)(LINE_BYTES - 1));

    assert_non_null(line);
    controller->tags[line - controller->lines] = 0;
    line->dirty = 0;
}

static void each_byte_of_a_buffer_counts_in_its_place(void **state)
{
    static const uint32_t places[] = {0, 1, 63, 64, 4095, 4096, 50000, 99999};
    enum { COUNT = sizeof places / sizeof places[0] };
    uint64_t digests[COUNT + 1];
    struct bench bench;

    for (unsigned model = 0; model < 2; model++) {
        bench_init(&bench, model == 0 ? MACHINE_TIMED : MACHINE_FUNCTIONAL);
        digests[COUNT] = machine_digest(bench.machine);
        for (unsigned i = 0; i < COUNT; i++) {
            set_memory(&bench, bench.buffer + places[i], 7);
            digests[i] = machine_digest(bench.machine);
            set_memory(&bench, bench.buffer + places[i], 0);
            assert_int_equal(machine_digest(bench.machine), digests[COUNT]);
        }
        for (unsigned i = 0; i <= COUNT; i++)
            for (unsigned j = 0; j < i; j++)
                assert_true(digests[i] != digests[j]);
        bench_finish(&bench);
    }
}

static void private_memory_does_not_count(void **state)
{
    struct bench bench;
    struct controller *slice;
    struct timed_gpu *gpu;
    uint64_t nothing;

    bench_init(&bench, MACHINE_TIMED);
    gpu = container_of(bench.machine->model, struct timed_gpu, model);
    slice = gpu->slice_controllers[address_place(&gpu->map, bench.hidden + 200).slice];
    nothing = machine_digest(bench.machine);
    set_memory(&bench, bench.hidden + 100, 7);
    assert_int_equal(machine_digest(bench.machine), nothing);
    set_dirty(slice, bench.hidden + 200, 7);
    assert_int_equal(machine_digest(bench.machine), nothing);
    set_clean(slice, bench.hidden + 200);
    bench_finish(&bench);
}

/* A line that is written back, or goes from one cache to another, changes nothing. */
static void it_is_one_wherever_the_bytes_are(void **state)
{
    struct bench bench;
    struct timed_gpu *gpu;
    struct controller *slice, *upper;
    uint64_t nothing, digest, addr;

    bench_init(&bench, MACHINE_TIMED);
    gpu = container_of(bench.machine->model, struct timed_gpu, model);
    addr = bench.buffer + 4096 + 5;
    slice = gpu->slice_controllers[address_place(&gpu->map, addr).slice];
    upper = gpu->upper_controllers[3];
    set_memory(&bench, addr - 1, 9);
    nothing = machine_digest(bench.machine);
    set_memory(&bench, addr, 7);
    digest = machine_digest(bench.machine);
    assert_true(digest != nothing);
    set_memory(&bench, addr, 0);
    set_dirty(slice, addr, 7);
    assert_int_equal(machine_digest(bench.machine), digest);
    set_clean(slice, addr);
    set_dirty(upper, addr, 7);
    assert_int_equal(machine_digest(bench.machine), digest);
    set_clean(upper, addr);
    assert_int_equal(machine_digest(bench.machine), nothing);
    bench_finish(&bench);
}

/* The upper cache's byte is in front of the slice's, whose others count. */
static void dirty_bytes_of_two_levels_are_one_line(void **state)
{
    struct bench bench;
    struct timed_gpu *gpu;
    struct controller *slice;
    uint64_t digest, addr;

    bench_init(&bench, MACHINE_TIMED);
    gpu = container_of(bench.machine->model, struct timed_gpu, model);
    addr = bench.buffer + 640;
    slice = gpu->slice_controllers[address_place(&gpu->map, addr).slice];
    set_memory(&bench, addr, 7);
    set_memory(&bench, addr + 1, 8);
    digest = machine_digest(bench.machine);
    set_memory(&bench, addr, 0);
    set_memory(&bench, addr + 1, 0);
    set_dirty(slice, addr, 7);
    set_dirty(gpu->upper_controllers[0], addr + 1, 8);
    assert_int_equal(machine_digest(bench.machine), digest);
    set_clean(slice, addr);
    set_clean(gpu->upper_controllers[0], addr);
    bench_finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_standstill_is_told_again_after_twice_the_time),
        cmocka_unit_test(another_digest_is_progress),
        cmocka_unit_test(an_ended_group_is_progress_and_costs_no_digest),
        cmocka_unit_test(after_progress_patience_begins_again),
        cmocka_unit_test(without_patience_nothing_is_asked),
        cmocka_unit_test(each_byte_of_a_buffer_counts_in_its_place),
        cmocka_unit_test(private_memory_does_not_count),
        cmocka_unit_test(it_is_one_wherever_the_bytes_are),
        cmocka_unit_test(dirty_bytes_of_two_levels_are_one_line),
    };

    return cmocka_run_group_tests_name("machine/watch", tests, NULL, NULL);
}

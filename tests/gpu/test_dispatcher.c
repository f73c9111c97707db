/* SPDX-License-Identifier: MIT */
/* Placement of work-groups, and that neither sleep nor the order of components can be seen in the
 * statistics. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/check.h"
#include "gpu/issue_order.h"
#include "gpu/residency.h"
#include "gpu/rig.h"

static struct rig rig;
static struct tape tape;
static struct compute_unit_parameters parameters;

/* ---- residency ---- */

struct need {
    uint32_t items, vector, scalar, lds;
};

static uint32_t how_many_fit(struct need need)
{
    struct isa_kernel kernel = {.vector_registers = need.vector, .scalar_registers = need.scalar};
    struct isa_launch isa = {.kernel = &kernel,
                             .group_size = {need.items, 1, 1},
                             .group_count = {1000, 1, 1},
                             .lds_bytes = need.lds};
    struct launch launch;
    struct residency residency, empty;
    struct group_launch places[GPU_MAX_GROUPS];
    uint32_t count = 0;

    launch_init(&launch, &isa, 64, "kernel", NULL);
    residency_init(&residency, &parameters);
    empty = residency;
    while (residency_place(&residency, &launch, &places[count]))
        count++;
    assert_false(residency_has_room(&residency, &launch));
    for (uint32_t i = 0; i < count; i++)
        residency_release(&residency, places[i].slot);
    assert_true(residency.free_slots == empty.free_slots);
    assert_memory_equal(residency.free_vector, empty.free_vector, sizeof empty.free_vector);
    assert_memory_equal(residency.used_granules, empty.used_granules, sizeof empty.used_granules);
    return count;
}

static void each_resource_limits_work_groups(void **state)
{
    compute_unit_defaults(&parameters);
    assert_int_equal(how_many_fit((struct need){64, 8, 16, 0}), 40);  /* wavefront slots */
    assert_int_equal(how_many_fit((struct need){128, 8, 16, 0}), 16); /* barriers */
    assert_int_equal(how_many_fit((struct need){256, 8, 16, 0}), 10); /* 40 slots / 4 */
    assert_int_equal(how_many_fit((struct need){256, 64, 16, 0}), 4); /* 4 of 64 registers a SIMD */
    assert_int_equal(how_many_fit((struct need){64, 84, 16, 0}), 12); /* 3 a SIMD */
    assert_int_equal(how_many_fit((struct need){64, 8, 104, 0}), 16); /* 4 a SIMD */
    assert_int_equal(how_many_fit((struct need){64, 8, 16, 8192}), 8); /* 64 KB / 8 KB */
    assert_int_equal(how_many_fit((struct need){64, 8, 16, 8200}), 7); /* in pieces of 256 bytes */
    assert_int_equal(how_many_fit((struct need){1024, 8, 16, 0}), 2);  /* 16 of 40 slots each */
}

static struct group_launch place_group(struct residency *residency, uint32_t lds_bytes, bool fits)
{
    struct isa_kernel kernel = {.vector_registers = 4, .scalar_registers = 16};
    struct isa_launch isa = {.kernel = &kernel,
                             .group_size = {64, 1, 1},
                             .group_count = {1000, 1, 1},
                             .lds_bytes = lds_bytes};
    struct launch launch;
    struct group_launch place = {0};

    launch_init(&launch, &isa, 64, "kernel", NULL);
    assert_int_equal(residency_place(residency, &launch, &place), fits);
    return place;
}

/* A work-group's local memory is one run of granules, which no other has. It is not put into a hole
 * that is too small, nor across one that is used. */
static void local_memory_is_one_run_of_free_granules(void **state)
{
    struct residency residency;
    struct group_launch groups[4];

    compute_unit_defaults(&parameters);
    residency_init(&residency, &parameters);
    for (unsigned i = 0; i < 4; i++) {
        groups[i] = place_group(&residency, 16384, true);
        assert_int_equal(groups[i].lds_base, i * 16384);
    }
    residency_release(&residency, groups[0].slot);
    residency_release(&residency, groups[2].slot);
    place_group(&residency, 16640, false); /* 32 KB are free, in two holes */
    residency_release(&residency, groups[1].slot);
    groups[0] = place_group(&residency, 16640, true); /* now three quarters are free */
    assert_int_equal(groups[0].lds_base, 0);
    groups[1] = place_group(&residency, 32512, true); /* all that is left before the last */
    assert_int_equal(groups[1].lds_base, 16640);
    place_group(&residency, 256, false);
}

static void resources_are_parameters(void **state)
{
    compute_unit_defaults(&parameters);
    parameters.wavefronts_per_simd = 3;
    assert_int_equal(how_many_fit((struct need){64, 8, 16, 0}), 12);
    compute_unit_defaults(&parameters);
    parameters.barriers = 4;
    assert_int_equal(how_many_fit((struct need){128, 8, 16, 0}), 4);
    compute_unit_defaults(&parameters);
    parameters.vector_registers = 128;
    assert_int_equal(how_many_fit((struct need){256, 64, 16, 0}), 2);
    compute_unit_defaults(&parameters);
    parameters.scalar_registers = 208;
    assert_int_equal(how_many_fit((struct need){64, 8, 104, 0}), 8);
    compute_unit_defaults(&parameters);
    parameters.lds_bytes = 32768;
    assert_int_equal(how_many_fit((struct need){64, 8, 16, 8192}), 4);
    parameters.lds_granule_bytes = 4096;
    assert_int_equal(how_many_fit((struct need){64, 8, 16, 8200}), 2);
}

/* The SIMD of each wavefront of `count` groups of four, a digit each. */
static void expect_simds(uint32_t items, uint32_t vector, unsigned count, const char *expected)
{
    struct isa_kernel kernel = {.vector_registers = vector, .scalar_registers = 16};
    struct isa_launch isa = {
        .kernel = &kernel, .group_size = {items, 1, 1}, .group_count = {1000, 1, 1}};
    struct launch launch;
    struct residency residency;
    char simds[64] = "";
    size_t length = 0;

    launch_init(&launch, &isa, 64, "kernel", NULL);
    residency_init(&residency, &parameters);
    for (unsigned group = 0; group < count; group++) {
        struct group_launch place = {0};

        assert_true(residency_place(&residency, &launch, &place));
        for (uint32_t i = 0; i < launch.wave_count; i++)
            simds[length++] = (char)('0' + place.wavefronts[i] / parameters.wavefronts_per_simd);
    }
    assert_string_equal(simds, expected);
}

/* A group that no SIMD can hold goes to all of them, and a SIMD without room is passed over. */
static void a_work_group_may_share_one_simd(void **state)
{
    compute_unit_defaults(&parameters);
    expect_simds(256, 8, 2, "01230123");
    parameters.group_on_one_simd = 1;
    expect_simds(256, 8, 5, "00001111222233330000");
    expect_simds(192, 8, 4, "000111222333");
    expect_simds(384, 8, 4, "000000111111222222333333");
    expect_simds(704, 8, 1, "01230123012");
    expect_simds(256, 128, 1, "0123");
    assert_int_equal(how_many_fit((struct need){256, 8, 16, 0}), 8); /* two a SIMD */
    assert_int_equal(how_many_fit((struct need){256, 64, 16, 0}), 4);
    assert_int_equal(how_many_fit((struct need){256, 8, 104, 0}), 4);
    assert_int_equal(how_many_fit((struct need){256, 8, 136, 0}), 3); /* 544 of 512: spread */
}

static bool can_run(const struct isa_launch *isa, struct diagnosis *diagnosis)
{
    struct launch launch;

    launch_init(&launch, isa, 64, "kernel", NULL);
    return dispatcher_can_run(&parameters, &launch, diagnosis);
}

static void too_large_a_group_is_a_diagnosis(void **state)
{
    struct isa_kernel kernel = {.vector_registers = 8, .scalar_registers = 16};
    struct isa_launch isa = {
        .kernel = &kernel, .group_size = {256, 1, 1}, .group_count = {1, 1, 1}};
    struct diagnosis diagnosis;

    compute_unit_defaults(&parameters);
    assert_true(can_run(&isa, &diagnosis));
    isa.lds_bytes = 65537;
    assert_false(can_run(&isa, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "65537 bytes of local memory"));
    isa.lds_bytes = 0;
    isa.group_size[0] = 2048;
    assert_false(can_run(&isa, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "32 wavefronts"));
    isa.group_size[0] = 1024;
    kernel.vector_registers = 128;
    assert_false(can_run(&isa, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "128 vector"));
}

static void wrong_parameters_are_a_diagnosis(void **state)
{
    struct diagnosis diagnosis;

    compute_unit_defaults(&parameters);
    assert_true(compute_unit_parameters_check(&parameters, &diagnosis));
    parameters.fetch_bytes = 24;
    assert_false(compute_unit_parameters_check(&parameters, &diagnosis));
    compute_unit_defaults(&parameters);
    parameters.buffer_bytes = 32;
    assert_false(compute_unit_parameters_check(&parameters, &diagnosis));
    compute_unit_defaults(&parameters);
    parameters.lds_banks = 24;
    assert_false(compute_unit_parameters_check(&parameters, &diagnosis));
    compute_unit_defaults(&parameters);
    parameters.lds_block_bytes = 48;
    assert_false(compute_unit_parameters_check(&parameters, &diagnosis));
}

/* ---- launches ---- */

static void short_tape(void)
{
    tape_init(&tape);
    for (uint32_t i = 0; i < 20; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_end(&tape);
}

/* Work-groups go to `count` units from `first`; 0: to all. */
static void groups_of_range(const char *placement, uint32_t first, uint32_t count,
                            uint64_t groups[4])
{
    rig_init(&rig);
    rig.unit_count = 4;
    rig.first_unit = first;
    rig.range_units = count;
    snprintf(rig.dispatch.placement, sizeof rig.dispatch.placement, "%s", placement);
    rig_build(&rig);
    short_tape();
    rig_run_tape(&rig, &tape, 8, 64);
    for (uint32_t i = 0; i < 4; i++) {
        char path[32];

        snprintf(path, sizeof path, "cu%u.groups", i);
        groups[i] = rig_counter(&rig, path);
    }
    assert_int_equal(rig_counter(&rig, "dispatcher.groups"), 8);
    rig_finish(&rig);
}

static void groups_by_unit(const char *placement, uint64_t groups[4])
{
    groups_of_range(placement, 0, 0, groups);
}

/* A range may lie across engines; it is filled and waited for like a whole GPU. */
static void a_launch_stays_on_its_compute_units(void **state)
{
    static const char *const placements[] = {"round_robin", "fill"};
    uint64_t groups[4];

    for (uint32_t place = 0; place < 2; place++) {
        for (uint32_t first = 0; first < 4; first++) {
            for (uint32_t count = 1; first + count <= 4; count++) {
                groups_of_range(placements[place], first, count, groups);
                for (uint32_t unit = 0; unit < 4; unit++)
                    if (unit < first || unit >= first + count)
                        assert_int_equal(groups[unit], 0);
            }
        }
    }
    groups_of_range("round_robin", 1, 2, groups);
    assert_int_equal(groups[1], 4);
    assert_int_equal(groups[2], 4);
    groups_of_range("fill", 2, 2, groups);
    assert_int_equal(groups[2], 8);
}

static void placement_is_in_turn_or_fills(void **state)
{
    uint64_t groups[4];

    groups_by_unit("round_robin", groups);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(groups[i], 2);
    groups_by_unit("fill", groups);
    assert_int_equal(groups[0], 8);
}

static uint64_t run_many(uint64_t engines, uint64_t wavefront_cycles, uint64_t launch_cycles)
{
    uint64_t cycles;

    rig_init(&rig);
    rig.unit_count = 4;
    rig.dispatch.shader_engines = engines;
    rig.dispatch.wavefront_cycles = wavefront_cycles;
    rig.dispatch.launch_cycles = launch_cycles;
    rig_build(&rig);
    tape_init(&tape);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 40, 256);
    rig_finish(&rig);
    return cycles;
}

/* 160 wavefronts, started one in 16 cycles by each engine. */
static void engines_start_wavefronts_at_their_rate(void **state)
{
    assert_in_range(run_many(1, 16, 4), 156 * 16, 156 * 16 + 60);
    assert_in_range(run_many(4, 16, 4), 36 * 16, 36 * 16 + 60);
    assert_int_equal(run_many(1, 16, 104) - run_many(1, 16, 4), 100);
}

/* 50 work-groups of four wavefronts on one compute unit, which holds ten. */
static void the_dispatcher_waits_for_room(void **state)
{
    rig_init(&rig);
    rig_build(&rig);
    short_tape();
    rig_run_tape(&rig, &tape, 50, 256);
    assert_int_equal(rig_counter(&rig, "cu0.groups"), 50);
    assert_true(rig_counter(&rig, "dispatcher.full_cycles") > 0);
    assert_true(rig_counter(&rig, "dispatcher.full_cycles") <
                rig_counter(&rig, "dispatcher.busy_cycles"));
    assert_int_equal(compute_unit_statistics(rig.units[0])->wavefronts.count, rig.clock->cycle);
    rig_finish(&rig);
}

static void an_empty_launch_ends_at_once(void **state)
{
    rig_init(&rig);
    rig_build(&rig);
    short_tape();
    assert_true(rig_run_tape(&rig, &tape, 0, 64) <= 1);
    assert_true(rig_run_tape(&rig, &tape, 1, 64) > 20);
    rig_finish(&rig);
}

/* ---- what must not be seen ---- */

static uint64_t busy_buffer;

static void busy_tape(void)
{
    tape_init(&tape);
    tape.kernel.lds_bytes = 4096;
    tape_scalar_load(&tape, busy_buffer, 4);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SUM, 1, 0);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_AND, 1, 1023);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 1, 4);
    tape_wait(&tape, 15, 7, 0);
    for (uint32_t i = 0; i < 3; i++) {
        tape_load(&tape, 2, 1, busy_buffer, 4);
        tape_local_store(&tape, 1, 1, 4);
        tape_vector(&tape, ISA_LATENCY_QUARTER, TAPE_ADD, 3, 1)->base.flags =
            ISA_WRITES_SCALAR_FROM_VECTOR;
        tape_scalar(&tape)->base.flags = ISA_READS_SCALAR;
        tape_wait(&tape, 0, 7, 0);
        tape_control(&tape, ISA_CONTROL_BARRIER, 0);
        tape_local_load(&tape, 4, 1, 4);
        tape_store(&tape, 2, 1, busy_buffer + 8192, 4);
        tape_control(&tape, ISA_CONTROL_SLEEP, 1);
        tape_wait(&tape, 15, 0, 0);
        tape_atomic(&tape, 3, 1, busy_buffer + 16384, true);
    }
    tape_loop(&tape, 5);
    tape_end(&tape);
}

static const struct issue_order *order_of_issue;
static uint64_t turn_cycles;

static uint64_t digest(bool sleep, uint64_t order_seed, uint64_t *ticks)
{
    uint64_t value;

    rig_init(&rig);
    snprintf(rig.parameters.issue_order, sizeof rig.parameters.issue_order, "%s",
             order_of_issue->name);
    rig.parameters.simds = turn_cycles < 4 ? turn_cycles : 4;
    rig.parameters.turn_cycles = turn_cycles;
    busy_buffer = rig_allocate(&rig, 65536);
    rig_words(&rig, busy_buffer)[0] = 2;
    rig.unit_count = 3;
    rig.sleep = sleep;
    rig.order_seed = order_seed;
    rig.vector_take_every = 3;
    rig.port_capacity = 3;
    rig_build(&rig);
    busy_tape();
    rig_run_tape(&rig, &tape, 60, 256);
    rig_run_tape(&rig, &tape, 7, 192);
    value = rig_digest(&rig);
    *ticks = rig.engine.ticks;
    rig_finish(&rig);
    return value;
}

static void expect_one_digest(void)
{
    uint64_t ticks, others, first = digest(true, 0, &ticks);

    assert_true(digest(true, 0, &others) == first);
    assert_int_equal(others, ticks);
    assert_true(digest(false, 0, &others) == first);
    assert_true(others > ticks);
    assert_true(digest(true, 12345, &others) == first);
    assert_true(digest(false, 999, &others) == first);
}

/* With each order of issue; one SIMD, as many as turns, and fewer. */
static void sleep_and_order_cannot_be_seen(void **state)
{
    static const uint64_t turns[] = {4, 1, 7};

    for (unsigned i = 0; issue_orders[i] != NULL; i++) {
        order_of_issue = issue_orders[i];
        for (unsigned j = 0; j < ARRAY_COUNT(turns); j++) {
            turn_cycles = turns[j];
            expect_one_digest();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_resource_limits_work_groups),
        cmocka_unit_test(local_memory_is_one_run_of_free_granules),
        cmocka_unit_test(resources_are_parameters),
        cmocka_unit_test(a_work_group_may_share_one_simd),
        cmocka_unit_test(too_large_a_group_is_a_diagnosis),
        cmocka_unit_test(wrong_parameters_are_a_diagnosis),
        cmocka_unit_test(placement_is_in_turn_or_fills),
        cmocka_unit_test(engines_start_wavefronts_at_their_rate),
        cmocka_unit_test(a_launch_stays_on_its_compute_units),
        cmocka_unit_test(the_dispatcher_waits_for_room),
        cmocka_unit_test(an_empty_launch_ends_at_once),
        cmocka_unit_test(sleep_and_order_cannot_be_seen),
    };

    return cmocka_run_group_tests_name("gpu/dispatcher", tests, NULL, NULL);
}

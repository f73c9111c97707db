/* SPDX-License-Identifier: MIT */
/* Fetches: whose goes first, and what is never fetched. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/rig.h"

/* Two wavefronts, the second some cycles after the first, and buffers that take long to fill, eight
 * bytes a cycle. */
static void fetch_for_two(struct rig *rig)
{
    static struct tape tape;

    rig_init(rig);
    rig->parameters.buffer_bytes = 512;
    rig->parameters.fetch_bytes = 8;
    rig->fetch_latency = 6;
    rig->dispatch.wavefront_cycles = 20;
    rig_build(rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 400; i++)
        tape_vector(&tape, ISA_LATENCY_QUARTER, TAPE_ADD, 1, 1);
    tape_end(&tape);
    rig_run_tape(rig, &tape, 2, 64);
}

static uint32_t first_fetch_of_the_second(const struct rig *rig)
{
    for (uint32_t i = 0; i < rig->fetch_count; i++)
        if (rig->fetches[i].message.requester.wavefront !=
            rig->fetches[0].message.requester.wavefront)
            return i;
    fail_msg("only one wavefront fetched");
    return 0;
}

/* The second has nothing to issue: its fetches go before those that only fill up the first's
 * buffer, until the first of them has arrived. */
static void fetches_go_first_to_who_has_nothing(void **state)
{
    static struct rig rig;
    uint32_t first;

    fetch_for_two(&rig);
    first = first_fetch_of_the_second(&rig);
    assert_in_range(first, 10, 40);
    for (uint32_t i = first; i < first + 6; i++)
        assert_int_equal(rig.fetches[i].message.requester.wavefront,
                         rig.fetches[first].message.requester.wavefront);
    rig_finish(&rig);
}

/* Then both only fill up, in turn. */
static void fetches_go_round(void **state)
{
    static struct rig rig;
    uint32_t first;

    fetch_for_two(&rig);
    first = first_fetch_of_the_second(&rig) + 10;
    for (uint32_t i = first; i < first + 20; i++)
        assert_int_not_equal(rig.fetches[i].message.requester.wavefront,
                             rig.fetches[i + 1].message.requester.wavefront);
    rig_finish(&rig);
}

/* Wherever it jumps: nothing is fetched from outside the code, which may be outside all memory. */
static void a_wild_jump_fetches_nothing(void **state)
{
    static const uint64_t targets[] = {(uint64_t)-2048, 4096, (uint64_t)1 << 40};

    for (unsigned i = 0; i < 3; i++) {
        static struct rig rig;
        static struct tape tape;

        rig_init(&rig);
        rig.parameters.branch_cycles = 1000;
        rig_build(&rig);
        tape_init(&tape);
        tape_scalar(&tape)->operation = TAPE_COUNTER;
        tape.instructions[0].value = 2;
        tape_loop(&tape, 0)->value = targets[i];
        tape_end(&tape);
        rig_set_launch(&rig, &tape.kernel, 1, 64);
        assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
        assert_non_null(compute_unit_fault(rig.units[0]));
        assert_int_equal(compute_unit_fault(rig.units[0])->kind, FAULT_NO_CODE);
        assert_true(rig.fetch_count > 0);
        for (uint32_t j = 0; j < rig.fetch_count; j++)
            assert_true(rig.fetches[j].message.addr == TAPE_ADDRESS);
        rig_finish(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fetches_go_first_to_who_has_nothing),
        cmocka_unit_test(fetches_go_round),
        cmocka_unit_test(a_wild_jump_fetches_nothing),
    };

    return cmocka_run_group_tests_name("gpu/front_end", tests, NULL, NULL);
}

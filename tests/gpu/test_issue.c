/* SPDX-License-Identifier: MIT */
/* Issue, units and instruction buffers: closed forms on straight-line tapes. `overhead` bounds what
 * a launch costs beside its instructions: dispatch (4 cycles and one a wavefront), the first fetch,
 * the completion. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/rig.h"

static const uint64_t overhead = 60;

static void assert_near(uint64_t cycles, uint64_t expected)
{
    assert_in_range(cycles, expected, expected + overhead);
}

static uint64_t run_vectors(enum isa_latency latency, uint32_t count, uint32_t items,
                            void (*change)(struct rig *rig))
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    if (change != NULL)
        change(&rig);
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < count; i++)
        tape_vector(&tape, latency, TAPE_ADD, 1, 1);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, items);
    assert_int_equal(rig_counter(&rig, "cu0.instructions_valu"), (uint64_t)count * items / 64);
    assert_int_equal(rig_counter(&rig, "cu0.lane_operations"), (uint64_t)count * items);
    rig_finish(&rig);
    return cycles;
}

/* 4 wavefronts on 4 SIMDs: each SIMD issues one operation in 4 cycles. */
static void one_vector_operation_in_four_cycles(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_FULL, 400, 256, NULL), 400 * 4);
}

/* 8 wavefronts: two share each SIMD, and the vector ALU is busy all the time. */
static void wavefronts_of_a_simd_share_its_alu(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_FULL, 400, 512, NULL), 2 * 400 * 4);
}

static void slow_operations_take_their_cycles(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_QUARTER, 100, 256, NULL), 100 * 16);
    assert_near(run_vectors(ISA_LATENCY_CONVERT, 100, 256, NULL), 100 * 16);
    assert_near(run_vectors(ISA_LATENCY_DOUBLE_ADD, 100, 256, NULL), 100 * 8);
    assert_near(run_vectors(ISA_LATENCY_DOUBLE_MULTIPLY, 100, 256, NULL), 100 * 16);
}

static void set_quarter(struct rig *rig)
{
    rig->parameters.quarter_cycles = 32;
}

static void a_latency_is_a_parameter(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_QUARTER, 100, 256, set_quarter), 100 * 32);
}

static void set_narrow(struct rig *rig)
{
    rig->parameters.simd_lanes = 8;
}

static void set_wide(struct rig *rig)
{
    rig->parameters.simd_lanes = 64;
}

/* A SIMD of half as many lanes takes twice as long. One of four times as many takes a quarter,
 * though an operation of one cycle still waits for the SIMD's next turn. */
static void lanes_decide_how_long_operations_take(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_FULL, 100, 256, set_narrow), 100 * 8);
    assert_near(run_vectors(ISA_LATENCY_QUARTER, 100, 256, set_narrow), 100 * 32);
    assert_near(run_vectors(ISA_LATENCY_QUARTER, 100, 256, set_wide), 100 * 4);
    assert_near(run_vectors(ISA_LATENCY_FULL, 100, 256, set_wide), 100 * 4);
}

static void set_one_simd(struct rig *rig)
{
    rig->parameters.simds = 1;
}

static void set_two_simds(struct rig *rig)
{
    rig->parameters.simds = 2;
}

/* Four wavefronts: on one SIMD they share its ALU, on two by twos. */
static void simds_share_a_work_group(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_FULL, 100, 256, set_one_simd), 4 * 100 * 4);
    assert_near(run_vectors(ISA_LATENCY_FULL, 100, 256, set_two_simds), 2 * 100 * 4);
}

static void set_rare_turns(struct rig *rig)
{
    rig->parameters.turn_cycles = 6;
}

static void set_every_cycle(struct rig *rig)
{
    rig->parameters.simds = rig->parameters.turn_cycles = 1;
    rig->parameters.simd_lanes = 64;
}

static void set_shared_turns(struct rig *rig)
{
    rig->parameters.turn_cycles = 3;
    rig->parameters.simd_lanes = 64;
}

/* A SIMD issues in its turns only, also where they are no power of two apart. One of 64 lanes with a
 * turn in each cycle ends an operation in each. The first and the last of four may share a turn. */
static void a_simd_issues_in_its_turns(void **state)
{
    assert_near(run_vectors(ISA_LATENCY_FULL, 100, 256, set_rare_turns), 100 * 6);
    assert_near(run_vectors(ISA_LATENCY_FULL, 400, 256, set_every_cycle), 4 * 400);
    assert_near(run_vectors(ISA_LATENCY_FULL, 400, 256, set_shared_turns), 400 * 3);
}

static uint64_t run_pairs(uint64_t width)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig.parameters.issue_width = width;
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 100; i++) {
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
        tape_scalar(&tape);
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 512);
    rig_finish(&rig);
    return cycles;
}

/* Two wavefronts a SIMD, vector and scalar operations in turn. One's vector operation goes with the
 * other's scalar one, so that 200 instructions take 200 turns. One instruction at a time: 400
 * turns. */
static void different_kinds_issue_together(void **state)
{
    assert_near(run_pairs(5), 200 * 4);
    assert_near(run_pairs(1), 400 * 4);
}

static uint64_t run_dependence(bool reads, uint64_t extra)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig.parameters.vector_to_scalar_cycles = extra;
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 50; i++) {
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1)->base.flags =
            ISA_WRITES_SCALAR_FROM_VECTOR;
        tape_scalar(&tape)->base.flags = reads ? ISA_READS_SCALAR : 0;
    }
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    rig_finish(&rig);
    return cycles;
}

static void scalar_waits_for_vector_result(void **state)
{
    assert_near(run_dependence(true, 16), 50 * (4 + 16 + 4));
    assert_near(run_dependence(true, 32), 50 * (4 + 32 + 4));
    assert_near(run_dependence(false, 16), 50 * 8);
}

static uint64_t run_loop(uint64_t fetch_latency, uint64_t buffer_bytes)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig.fetch_latency = fetch_latency;
    rig.parameters.buffer_bytes = buffer_bytes;
    rig_build(&rig);
    tape_init(&tape);
    tape_scalar(&tape)->operation = TAPE_COUNTER;
    tape.instructions[0].value = 50;
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_loop(&tape, 1);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_counter(&rig, "cu0.branches_taken"), 49);
    rig_finish(&rig);
    return cycles;
}

/* Each of the 49 taken branches refills the buffer. With a longer way to the instruction cache the
 * loop takes longer by that, in whole turns of 4 cycles. */
static void a_taken_branch_refills_the_buffer(void **state)
{
    uint64_t near = run_loop(4, 64), far = run_loop(24, 64);

    assert_in_range(far - near, 49 * 20, 50 * 20);
}

static uint64_t run_straight(uint64_t fetch_latency, uint64_t buffer_bytes)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig.fetch_latency = fetch_latency;
    rig.parameters.buffer_bytes = buffer_bytes;
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 400; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    rig_finish(&rig);
    return cycles;
}

/* A block of 32 bytes lasts 8 * 4 cycles. A fetch of 100 cycles cannot be hidden by a buffer of two
 * blocks, but by one of eight. */
static void a_larger_buffer_hides_fetches(void **state)
{
    assert_true(run_straight(100, 64) > 400 * 4 + 1000);
    assert_in_range(run_straight(100, 256), 400 * 4, 400 * 4 + 200);
}

/* A pause of 10 * 64 cycles, and eight no-operations of one turn each. */
static void pauses_take_their_time(void **state)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig_build(&rig);
    tape_init(&tape);
    tape_control(&tape, ISA_CONTROL_SLEEP, 10);
    tape_control(&tape, ISA_CONTROL_NOP, 7);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    assert_near(cycles, 640 + 32);
    assert_int_equal(rig_counter(&rig, "cu0.instructions_internal"), 3);
    assert_in_range(rig_counter(&rig, "cu0.stall_sleep"), 160, 170);
    rig_finish(&rig);
}

/* Ten wavefronts of one SIMD's worth of work each. Slots are counted once, whatever happens in
 * them: in all cycles each SIMD has one slot in four. */
static void every_slot_is_counted_once(void **state)
{
    static const char *const names[] = {
        "slots_issued", "slots_internal", "stall_empty",      "stall_busy", "stall_queue",
        "stall_fetch",  "stall_lgkm",     "stall_vm",         "stall_exp",  "stall_barrier",
        "stall_sleep",  "stall_end",      "stall_transaction"};
    static struct rig rig;
    static struct tape tape;
    uint64_t sum = 0;

    rig_init(&rig);
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 20; i++)
        tape_vector(&tape, ISA_LATENCY_QUARTER, TAPE_ADD, 1, 1);
    tape_control(&tape, ISA_CONTROL_SLEEP, 3);
    tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 7, 192);
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        char path[64];

        snprintf(path, sizeof path, "cu0.%s", names[i]);
        sum += rig_counter(&rig, path);
    }
    assert_int_equal(sum, rig.clock->cycle + 1);
    rig_finish(&rig);
}

static uint64_t first_store_of_second_group(unsigned priority)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t addr, cycle = 0;

    rig_init(&rig);
    rig.parameters.wavefronts_per_simd = 2;
    addr = rig_allocate(&rig, 65536);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_control(&tape, ISA_CONTROL_PRIORITY, priority);
    for (uint32_t i = 0; i < 100; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_store(&tape, 1, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 8, 64);
    for (uint32_t i = 0; i < rig.log_count && cycle == 0; i++)
        if (rig.log[i].message.kind == MESSAGE_STORE)
            cycle = rig.log[i].cycle;
    rig_finish(&rig);
    return cycle;
}

/* Two wavefronts a SIMD with 100 vector operations each. The older has the unit whenever it can use
 * it, so it ends about as if it were alone (not after 200 turns). All having the same higher
 * priority changes nothing. */
static void the_oldest_goes_first(void **state)
{
    assert_in_range(first_store_of_second_group(0), 400, 520);
    assert_int_equal(first_store_of_second_group(0), first_store_of_second_group(3));
}

/* Cycle of the first store of each wavefront slot of the compute unit; 0: it stored nothing. */
static void first_stores(const struct rig *rig, uint64_t cycles[GPU_MAX_SLOTS])
{
    memset(cycles, 0, GPU_MAX_SLOTS * sizeof cycles[0]);
    for (uint32_t i = 0; i < rig->log_count; i++) {
        const struct message *message = &rig->log[i].message;

        if (message->kind == MESSAGE_STORE && cycles[message->requester.wavefront] == 0)
            cycles[message->requester.wavefront] = rig->log[i].cycle;
    }
}

/* Ten wavefronts on each SIMD, 100 vector operations each, started in the order of their slots. The
 * n-th of a SIMD has its last operation issued when those before it have had all of theirs. */
static void the_unit_is_given_by_age(void **state)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles[GPU_MAX_SLOTS], addr;

    rig_init(&rig);
    rig.parameters.buffer_bytes = 512; /* fetches do not matter */
    rig.parameters.fetch_bytes = 64;
    addr = rig_allocate(&rig, 65536);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (uint32_t i = 0; i < 99; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_store(&tape, 1, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 40, 64);
    first_stores(&rig, cycles);
    for (unsigned simd = 0; simd < 4; simd++)
        for (unsigned i = 0; i < 10; i++)
            assert_in_range(cycles[10 * simd + i], (i + 1) * 400, (i + 1) * 400 + 2 * overhead);
    rig_finish(&rig);
}

/* A slot that became free is taken by a younger wavefront, which must not pass the older one in the
 * slot behind it. Here are two slots a SIMD, three wavefronts each. */
static void age_is_not_the_slot(void **state)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles[12] = {0}, addr;

    rig_init(&rig);
    rig.parameters.wavefronts_per_simd = 2;
    addr = rig_allocate(&rig, 65536);
    rig_build(&rig);
    tape_init(&tape);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    for (uint32_t i = 0; i < 99; i++)
        tape_vector(&tape, ISA_LATENCY_FULL, TAPE_ADD, 1, 1);
    tape_store(&tape, 1, 0, addr, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 12, 64);
    for (uint32_t i = 0; i < rig.log_count; i++)
        cycles[(rig.log[i].message.addr - addr) / 256] = rig.log[i].cycle;
    for (unsigned i = 0; i < 4; i++) {
        assert_true(cycles[i] < cycles[4 + i]);
        assert_true(cycles[4 + i] < cycles[8 + i]);
    }
    rig_finish(&rig);
}

/* A hundred no-ops of N + 1 issue slots each, to the cycle. */
static uint64_t cycles_of_no_ops(unsigned argument)
{
    static struct rig rig;
    static struct tape tape;
    uint64_t cycles;

    rig_init(&rig);
    rig.parameters.buffer_bytes = 512;
    rig.parameters.fetch_bytes = 64;
    rig_build(&rig);
    tape_init(&tape);
    for (uint32_t i = 0; i < 100; i++)
        tape_control(&tape, ISA_CONTROL_NOP, argument);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    rig_finish(&rig);
    return cycles;
}

static void a_no_op_takes_its_argument_and_one_more_slots(void **state)
{
    uint64_t min = cycles_of_no_ops(0);

    for (unsigned argument = 1; argument < 8; argument++)
        assert_int_equal(cycles_of_no_ops(argument) - min, 100 * 4 * argument);
    assert_near(min, 100 * 4);
}

static void refused_instruction_stops_the_launch(void **state)
{
    static struct rig rig;
    static struct tape tape;
    struct diagnosis diagnosis;

    rig_init(&rig);
    rig_build(&rig);
    tape_init(&tape);
    tape_scalar(&tape);
    tape_control(&tape, ISA_CONTROL_REFUSED, 0);
    rig_set_launch(&rig, &tape.kernel, 1, 64);
    assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
    assert_non_null(compute_unit_fault(rig.units[0]));
    assert_int_equal(compute_unit_fault(rig.units[0])->kind, FAULT_REFUSED);
    fault_diagnose(compute_unit_fault(rig.units[0]), rig.isa, &rig.backing, NULL, NULL, &diagnosis);
    assert_non_null(strstr(diagnosis.message, "not on the tape"));
    rig_finish(&rig);
}

static void leaving_the_code_stops_the_launch(void **state)
{
    static struct rig rig;
    static struct tape tape;

    rig_init(&rig);
    rig_build(&rig);
    tape_init(&tape);
    tape_scalar(&tape);
    rig_set_launch(&rig, &tape.kernel, 1, 64);
    assert_int_equal(rig_try(&rig), ENGINE_STOPPED);
    assert_non_null(compute_unit_fault(rig.units[0]));
    assert_int_equal(compute_unit_fault(rig.units[0])->kind, FAULT_NO_CODE);
    rig_finish(&rig);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_vector_operation_in_four_cycles),
        cmocka_unit_test(wavefronts_of_a_simd_share_its_alu),
        cmocka_unit_test(slow_operations_take_their_cycles),
        cmocka_unit_test(lanes_decide_how_long_operations_take),
        cmocka_unit_test(simds_share_a_work_group),
        cmocka_unit_test(a_simd_issues_in_its_turns),
        cmocka_unit_test(a_latency_is_a_parameter),
        cmocka_unit_test(different_kinds_issue_together),
        cmocka_unit_test(scalar_waits_for_vector_result),
        cmocka_unit_test(a_taken_branch_refills_the_buffer),
        cmocka_unit_test(a_larger_buffer_hides_fetches),
        cmocka_unit_test(pauses_take_their_time),
        cmocka_unit_test(every_slot_is_counted_once),
        cmocka_unit_test(the_oldest_goes_first),
        cmocka_unit_test(the_unit_is_given_by_age),
        cmocka_unit_test(age_is_not_the_slot),
        cmocka_unit_test(a_no_op_takes_its_argument_and_one_more_slots),
        cmocka_unit_test(refused_instruction_stops_the_launch),
        cmocka_unit_test(leaving_the_code_stops_the_launch),
    };

    return cmocka_run_group_tests_name("gpu/issue", tests, NULL, NULL);
}

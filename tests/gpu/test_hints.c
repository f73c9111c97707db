/* SPDX-License-Identifier: MIT */
/* What a compute unit's messages say of standard atomics and fences, and what a release holds back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/kernels.h"

enum { TURN_CYCLES = 4 };

static struct rig rig;

/* ---- standard atomics: X(statement on the object A, message, order, scope) ---- */

#define FUNCTIONS(X)                                                                               \
    X("*o = atomic_load_explicit(A, memory_order_relaxed, memory_scope_work_group)", LOAD,         \
      RELAXED, WORK_GROUP)                                                                         \
    X("*o = atomic_load_explicit(A, memory_order_relaxed, memory_scope_device)", LOAD, RELAXED,    \
      DEVICE)                                                                                      \
    X("*o = atomic_load_explicit(A, memory_order_acquire, memory_scope_work_group)", LOAD,         \
      ACQUIRE, WORK_GROUP)                                                                         \
    X("*o = atomic_load_explicit(A, memory_order_acquire)", LOAD, ACQUIRE, DEVICE)                 \
    X("*o = atomic_load_explicit(A, memory_order_seq_cst, memory_scope_all_devices)", LOAD,        \
      ACQUIRE, SYSTEM)                                                                             \
    X("*o = atomic_load(A)", LOAD, ACQUIRE, DEVICE)                                                \
    X("atomic_store_explicit(A, 3, memory_order_relaxed, memory_scope_work_group)", STORE,         \
      RELAXED, WORK_GROUP)                                                                         \
    X("atomic_store_explicit(A, 3, memory_order_relaxed)", STORE, RELAXED, DEVICE)                 \
    X("atomic_store_explicit(A, 3, memory_order_release, memory_scope_work_group)", STORE,         \
      RELEASE, WORK_GROUP)                                                                         \
    X("atomic_store_explicit(A, 3, memory_order_release)", STORE, RELEASE, DEVICE)                 \
    X("atomic_store_explicit(A, 3, memory_order_seq_cst, memory_scope_all_svm_devices)", STORE,    \
      RELEASE, SYSTEM)                                                                             \
    X("atomic_store(A, 3)", STORE, RELEASE, DEVICE)                                                \
    X("*o = atomic_exchange_explicit(A, 3, memory_order_acq_rel)", ATOMIC, ACQUIRE_RELEASE,        \
      DEVICE)                                                                                      \
    X("*o = atomic_fetch_add_explicit(A, 3, memory_order_relaxed)", ATOMIC, RELAXED, DEVICE)       \
    X("*o = atomic_fetch_sub_explicit(A, 3, memory_order_acquire)", ATOMIC, ACQUIRE, DEVICE)       \
    X("atomic_fetch_or_explicit(A, 3, memory_order_release, memory_scope_work_group)", ATOMIC,     \
      RELEASE, WORK_GROUP)                                                                         \
    X("*o = atomic_fetch_max(A, 3)", ATOMIC, ACQUIRE_RELEASE, DEVICE)                              \
    X("*o = atomic_compare_exchange_strong(A, (global int *)o, 7)", ATOMIC, ACQUIRE_RELEASE,       \
      DEVICE)                                                                                      \
    X("*o = atomic_compare_exchange_weak_explicit(A, (global int *)o, 7, memory_order_release, "   \
      "memory_order_relaxed, memory_scope_work_group)",                                            \
      ATOMIC, RELEASE, WORK_GROUP)                                                                 \
    X("*o = atomic_compare_exchange_strong_explicit(A, (global int *)o, 7, memory_order_relaxed, " \
      "memory_order_acquire, memory_scope_device)",                                                \
      ATOMIC, ACQUIRE, DEVICE)                                                                     \
    X("*o = atomic_flag_test_and_set_explicit(A, memory_order_acquire)", ATOMIC, ACQUIRE, DEVICE)  \
    X("atomic_flag_clear_explicit(A, memory_order_release, memory_scope_work_group)", STORE,       \
      RELEASE, WORK_GROUP)                                                                         \
    X("atom_add((volatile global int *)A, 3)", ATOMIC, RELAXED, DEVICE)

static const struct function {
    const char *statement;
    uint8_t kind, order, scope;
} functions[] = {
#define FUNCTION(statement, kind, order, scope)                                                    \
    {statement, MESSAGE_##kind, ORDER_##order, SCOPE_##scope},
    FUNCTIONS(FUNCTION)
#undef FUNCTION
};
enum { FUNCTION_COUNT = sizeof functions / sizeof functions[0] };

/* The n-th object is the first word of the n-th line. */
static void write_source(char *source, size_t bytes)
{
    int used = snprintf(source, bytes,
                        "kernel void k(volatile global atomic_int *a, volatile global int *o) {\n");

    for (unsigned i = 0; i < FUNCTION_COUNT; i++)
        used += snprintf(source + used, bytes - (size_t)used,
                         "{ volatile global atomic_int *A = a + %u; %s; }\n", 16 * i,
                         functions[i].statement);
    snprintf(source + used, bytes - (size_t)used, "}\n");
}

static const struct message *first_to(uint64_t line)
{
    for (uint32_t i = 0; i < rig.log_count; i++)
        if (rig.log[i].message.addr == line && rig.log[i].message.kind != MESSAGE_INVALIDATE &&
            rig.log[i].message.kind != MESSAGE_FLUSH)
            return &rig.log[i].message;
    fail_msg("no message to %#llx", (unsigned long long)line);
    return NULL;
}

static void run_source(struct real_kernel *kernel, const char *source, const char *name)
{
    uint64_t objects, out;

    rig_init(&rig);
    rig.isa = isa_gcn(false);
    rig.sends_releases = true;
    rig_build(&rig);
    objects = rig_allocate(&rig, 1 << 16);
    out = rig_allocate(&rig, 4096);
    kernel_load_with(kernel, &rig, source, name, "-cl-std=CL3.0");
    kernel_set(kernel, &rig, 0, objects);
    kernel_set(kernel, &rig, 1, out);
    kernel_prepare(kernel, &rig, 1, 1, 1, 1);
    rig_run_launch(&rig);
}

static uint64_t argument(const struct real_kernel *kernel, uint32_t index)
{
    uint64_t value;

    memcpy(
        &value,
        backing_host(&rig.backing, kernel->arguments + kernel->metadata->arguments[index].offset),
        sizeof value);
    return value;
}

static void messages_say_order_and_scope(void **state)
{
    static char source[16384];
    struct real_kernel kernel;

    write_source(source, sizeof source);
    run_source(&kernel, source, "k");
    for (unsigned i = 0; i < FUNCTION_COUNT; i++) {
        const struct message *message = first_to(argument(&kernel, 0) + i * LINE_BYTES);

        if (message->kind != functions[i].kind || message->order != functions[i].order ||
            message->scope != functions[i].scope || message->remote)
            fail_msg("%s: kind %u, order %u, scope %u", functions[i].statement, message->kind,
                     message->order, message->scope);
    }
    /* what the kernel's other accesses say: nothing */
    for (uint32_t i = 0; i < rig.log_count; i++)
        if (rig.log[i].message.addr == argument(&kernel, 1)) {
            assert_int_equal(rig.log[i].message.order, ORDER_RELAXED);
            assert_int_not_equal(rig.log[i].message.scope, SCOPE_SYSTEM);
        }
    kernel_finish(&kernel, &rig);
    rig_finish(&rig);
    (void)state;
}

/* ---- the access and its hint, with the rest of a program between ---- */

static const char *const spilling =
    "#define HINT(x) __asm__ volatile(\"s_nop \" #x : : : \"memory\")\n"
    "kernel void k(volatile global atomic_int *a, volatile global int *o)\n"
    "{\n"
    "    volatile int room[32];\n"
    "    for (int i = 0; i < 32; i++) room[i] = o[i];\n"
    "    HINT(0x5a26);\n"
    "    room[o - (volatile global int *)a & 31] += 5;\n"
    "    __opencl_atomic_store(a, 3, memory_order_relaxed, memory_scope_work_group);\n"
    "    o[0] = room[7];\n"
    "}\n";

static void private_memory_comes_between(void **state)
{
    struct real_kernel kernel;
    const struct message *message;

    run_source(&kernel, spilling, "k");
    message = first_to(argument(&kernel, 0));
    assert_int_equal(message->kind, MESSAGE_STORE);
    assert_int_equal(message->order, ORDER_RELEASE);
    assert_int_equal(message->scope, SCOPE_DEVICE);
    assert_true(message->remote);
    for (uint32_t i = 0; i < rig.log_count; i++)
        assert_true(!rig.log[i].message.remote || rig.log[i].message.addr == message->addr);
    kernel_finish(&kernel, &rig);
    rig_finish(&rig);
    (void)state;
}

/* ---- invalidations and flushes ---- */

static const char *const fences =
    "kernel void k(volatile global atomic_int *a, volatile global int *o)\n"
    "{\n"
    "    *o = atomic_load_explicit(a, memory_order_acquire, memory_scope_all_devices);\n"
    "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);\n"
    "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);\n"
    "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release,\n"
    "                           memory_scope_work_group);\n"
    "    atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_device);\n"
    "    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst,\n"
    "                           memory_scope_all_devices);\n"
    "    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, \"agent\");\n"
    "}\n";

static void fences_are_messages(void **state)
{
    static const struct {
        uint8_t kind, order, scope;
    } expected[] = {
        {MESSAGE_LOAD, ORDER_ACQUIRE, SCOPE_SYSTEM},
        {MESSAGE_INVALIDATE, ORDER_RELAXED, SCOPE_SYSTEM},
        {MESSAGE_STORE, ORDER_RELAXED, SCOPE_WAVEFRONT},
        {MESSAGE_INVALIDATE, ORDER_ACQUIRE, SCOPE_DEVICE},
        {MESSAGE_FLUSH, ORDER_RELEASE, SCOPE_DEVICE},
        {MESSAGE_FLUSH, ORDER_RELEASE, SCOPE_SYSTEM},
        {MESSAGE_INVALIDATE, ORDER_ACQUIRE, SCOPE_SYSTEM},
        {MESSAGE_INVALIDATE, ORDER_ACQUIRE_RELEASE, SCOPE_DEVICE},
    };
    enum { EXPECTED = sizeof expected / sizeof expected[0] };
    struct real_kernel kernel;

    run_source(&kernel, fences, "k");
    assert_int_equal(rig.log_count, EXPECTED);
    for (unsigned i = 0; i < EXPECTED; i++) {
        assert_int_equal(rig.log[i].message.kind, expected[i].kind);
        assert_int_equal(rig.log[i].message.order, expected[i].order);
        assert_int_equal(rig.log[i].message.scope, expected[i].scope);
    }
    kernel_finish(&kernel, &rig);
    rig_finish(&rig);
    (void)state;
}

/* ---- what a release holds back ---- */

enum { FLUSH_CYCLES = 700 };
static struct tape tape;
static uint64_t buffer;

static void start_tape(bool sends_releases)
{
    rig_init(&rig);
    rig.sends_releases = sends_releases;
    rig.vector_latency = FLUSH_CYCLES;
    buffer = rig_allocate(&rig, 1 << 16);
    rig_build(&rig);
    tape_init(&tape);
}

static uint64_t cycle_of(unsigned kind, uint64_t addr)
{
    for (uint32_t i = 0; i < rig.log_count; i++)
        if (rig.log[i].message.kind == kind && rig.log[i].message.addr == addr)
            return rig.log[i].cycle;
    fail_msg("no such message");
    return 0;
}

static void later_stores_wait_for_it(void **state)
{
    start_tape(true);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_SET, 0, 0);
    tape_store(&tape, 1, 0, buffer, 4);
    tape_release(&tape);
    tape_store(&tape, 1, 0, buffer + 4096, 4);
    tape_end(&tape);
    rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_FLUSH), 1);
    assert_true(cycle_of(MESSAGE_STORE, buffer) < cycle_of(MESSAGE_FLUSH, 0));
    assert_true(cycle_of(MESSAGE_STORE, buffer + 4096) >=
                cycle_of(MESSAGE_FLUSH, 0) + FLUSH_CYCLES);
    assert_true(rig_counter(&rig, "cu0.stall_vm") > FLUSH_CYCLES / rig.parameters.turn_cycles);
    rig_finish(&rig);
    (void)state;
}

/* Of two wavefronts; what comes behind the barrier is no memory instruction, so that nothing else
 * holds it. */
static void a_barrier_waits_for_it(void **state)
{
    enum { OPERATIONS = 300 };

    start_tape(true);
    tape_release(&tape);
    tape_control(&tape, ISA_CONTROL_BARRIER, 0);
    for (unsigned i = 0; i < OPERATIONS; i++)
        tape_scalar(&tape);
    tape_end(&tape);
    assert_true(rig_run_tape(&rig, &tape, 1, 128) >= FLUSH_CYCLES + 4 * OPERATIONS);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_FLUSH), 2);
    rig_finish(&rig);
    (void)state;
}

static void vm_count_counts_it(void **state)
{
    start_tape(true);
    tape_release(&tape);
    tape_wait(&tape, 0, 7, 15);
    tape_end(&tape);
    assert_in_range(rig_run_tape(&rig, &tape, 1, 64), FLUSH_CYCLES, FLUSH_CYCLES + 200);
    assert_true(rig_counter(&rig, "cu0.stall_vm") > FLUSH_CYCLES / rig.parameters.turn_cycles);
    rig_finish(&rig);
    (void)state;
}

static uint64_t run_two_stores(bool sends_releases, bool has_release)
{
    uint64_t cycles;

    start_tape(sends_releases);
    tape_vector(&tape, ISA_LATENCY_FULL, TAPE_MULTIPLY, 0, 4);
    tape_store(&tape, 1, 0, buffer, 4);
    if (has_release)
        tape_release(&tape);
    tape_store(&tape, 1, 0, buffer + 4096, 4);
    tape_end(&tape);
    cycles = rig_run_tape(&rig, &tape, 1, 64);
    assert_int_equal(rig_count_messages(&rig, MESSAGE_FLUSH), sends_releases && has_release);
    rig_finish(&rig);
    return cycles;
}

/* An issue slot, and nothing for the L1. */
static void where_stores_go_through_it_costs_an_instruction(void **state)
{
    uint64_t without = run_two_stores(false, false);

    assert_in_range(run_two_stores(false, true), without, without + TURN_CYCLES);
    assert_true(run_two_stores(true, true) > without + FLUSH_CYCLES);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_say_order_and_scope),
        cmocka_unit_test(private_memory_comes_between),
        cmocka_unit_test(fences_are_messages),
        cmocka_unit_test(later_stores_wait_for_it),
        cmocka_unit_test(a_barrier_waits_for_it),
        cmocka_unit_test(vm_count_counts_it),
        cmocka_unit_test(where_stores_go_through_it_costs_an_instruction),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* What hints say of the accesses, invalidations and fences behind them: which of them they concern,
 * and which they do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "isa/gcn/gcn.h"

#define CODE_ADDRESS UINT64_C(0x4000)

enum { NOP = 0xbf800000, LOAD = 12, STORE = 28, ADD = 50, GLC = 1 << 14, END = 0xbf810000 };
enum { GLOBAL = 4, SCRATCH = 8 }; /* scalar registers of the two descriptors */
enum { WORDS_MAX = 32 };

static struct world {
    uint32_t words[WORDS_MAX];
    uint32_t count;
    const struct isa *isa;
    struct isa_code *code;
    struct isa_kernel kernel;
    struct isa_launch launch;
    struct gcn_wave *wave;
    struct isa_memory_request request;
} world;

static void hint(uint32_t immediate)
{
    world.words[world.count++] = NOP | immediate;
}

/* buffer_OP v20, v2, s[descriptor...], 0 offen */
static void access_by(unsigned op, unsigned flags, unsigned descriptor)
{
    world.words[world.count++] = 0xe0000000u | op << 18 | 1 << 12 | flags;
    world.words[world.count++] = 2 | 20 << 8 | descriptor / 4 << 16 | 128u << 24;
}

static void invalidate(void)
{
    world.words[world.count++] = 0xe1c40000;
    world.words[world.count++] = 0;
}

static void start(void)
{
    uint8_t descriptor[64] = {0};
    const uint32_t resources = 5 | 3 << 6 | 0xc0u << 12;
    const uint32_t global[4] = {0x7000, 0x5500, 0x10000, 0x0100f000};
    const uint32_t scratch[4] = {0x9000, 0x5500 | 4u << 16 | 1u << 31, 0x10000,
                                 0x00e8f000}; /* swizzled, lane added */
    struct isa_group group = {{0, 0, 0}, 1};
    struct diagnosis diagnosis;

    world.words[world.count++] = END;
    world.isa = isa_gcn(false);
    world.code = world.isa->decode(world.words, world.count * 4, CODE_ADDRESS);
    memcpy(descriptor + 48, &resources, 4);
    assert_true(
        world.isa->kernel_init(&world.kernel, world.code, descriptor, CODE_ADDRESS, &diagnosis));
    world.launch = (struct isa_launch){.kernel = &world.kernel,
                                       .dimensions = 1,
                                       .global_size = {64, 1, 1},
                                       .group_size = {64, 1, 1},
                                       .group_count = {1, 1, 1}};
    world.wave = aligned_alloc(64, world.isa->wave_bytes);
    memset(world.wave, 0, world.isa->wave_bytes);
    world.isa->wave_init(&world.wave->base, &world.launch, &group, 0, 0);
    memcpy(&world.wave->scalar[GLOBAL], global, sizeof global);
    memcpy(&world.wave->scalar[SCRATCH], scratch, sizeof scratch);
}

static void finish(void)
{
    world.isa->code_destroy(world.code);
    free(world.wave);
    world.count = 0;
}

/* Goes on to the next memory instruction and begins it; false: the end. */
static bool next_access(void)
{
    for (;;) {
        const struct isa_instruction *instruction = isa_code_at(world.code, world.wave->base.pc);

        assert_non_null(instruction);
        if (instruction->control == ISA_CONTROL_END)
            return false;
        if (instruction->unit == ISA_UNIT_VMEM) {
            world.isa->begin(&world.wave->base, instruction, &world.request);
            return true;
        }
        world.isa->execute(&world.wave->base, instruction);
    }
}

static void expect(enum isa_memory_kind kind, enum isa_order order, enum isa_scope scope,
                   bool remote)
{
    assert_true(next_access());
    assert_int_equal(world.request.kind, kind);
    assert_int_equal(world.request.order, order);
    assert_int_equal(world.request.scope, scope);
    assert_int_equal(world.request.remote, remote);
}

static void without_a_hint(void **state)
{
    access_by(LOAD, 0, GLOBAL);
    access_by(LOAD, GLC, GLOBAL);
    access_by(STORE, 0, GLOBAL);
    access_by(ADD, 0, GLOBAL);
    invalidate();
    start();
    expect(ISA_MEMORY_LOAD, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    expect(ISA_MEMORY_LOAD, ISA_ORDER_RELAXED, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    expect(ISA_MEMORY_ATOMIC, ISA_ORDER_RELAXED, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    finish();
    (void)state;
}

/* Every order, scope and remoteness, and for one access each. */
static void the_next_access_has_it_and_no_other(void **state)
{
    for (uint32_t operands = 0; operands < 64; operands++) {
        if ((operands & 8) != 0)
            continue;
        hint(0x5a00 | operands);
        access_by(STORE, 0, GLOBAL);
        access_by(STORE, 0, GLOBAL);
        start();
        expect(ISA_MEMORY_STORE, (enum isa_order)(operands >> 4), (enum isa_scope)(operands & 3),
               (operands & 4) != 0);
        expect(ISA_MEMORY_STORE, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
        finish();
    }
    (void)state;
}

static void scratch_passes_it_by(void **state)
{
    hint(0x5a21);
    access_by(STORE, 0, SCRATCH);
    access_by(LOAD, 0, SCRATCH);
    access_by(STORE, 0, GLOBAL);
    start();
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    assert_int_equal(world.request.space, ISA_SPACE_SCRATCH);
    expect(ISA_MEMORY_LOAD, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELEASE, ISA_SCOPE_WORK_GROUP, false);
    finish();
    (void)state;
}

/* A branch may have passed its access by. */
static void without_lanes_there_is_none(void **state)
{
    hint(0x5a12);
    access_by(LOAD, 0, GLOBAL);
    start();
    gcn_write_scalar_pair(world.wave, GCN_EXEC, 0);
    world.isa->execute(&world.wave->base, isa_code_at(world.code, CODE_ADDRESS));
    gcn_write_scalar_pair(world.wave, GCN_EXEC, UINT64_MAX);
    expect(ISA_MEMORY_LOAD, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    finish();
    (void)state;
}

/* The invalidation right behind an acquire is part of it, with its scope; a spilled register may
 * come between. A later one is on its own, and so is one behind another access or a release. */
static void an_acquire_has_one_invalidation(void **state)
{
    hint(0x5a17);
    access_by(LOAD, GLC, GLOBAL);
    access_by(STORE, 0, SCRATCH);
    invalidate();
    invalidate();
    hint(0x5a32);
    access_by(ADD, 0, GLOBAL);
    access_by(LOAD, 0, GLOBAL);
    invalidate();
    hint(0x5a22);
    access_by(STORE, 0, GLOBAL);
    invalidate();
    start();
    expect(ISA_MEMORY_LOAD, ISA_ORDER_ACQUIRE, ISA_SCOPE_SYSTEM, true);
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_RELAXED, ISA_SCOPE_SYSTEM, true);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_ATOMIC, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_LOAD, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    finish();
    (void)state;
}

/* Acquire: an invalidation that belongs to it. Release: an instruction of its own. Both: both. */
static void fences(void **state)
{
    hint(0x5a92);
    invalidate();
    hint(0x5aa2);
    invalidate();
    hint(0x5ab3);
    invalidate();
    hint(0x5a82);
    invalidate();
    start();
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_FLUSH, ISA_ORDER_RELEASE, ISA_SCOPE_DEVICE, false);
    assert_int_equal(world.request.lanes, 0);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_FLUSH, ISA_ORDER_RELEASE, ISA_SCOPE_SYSTEM, false);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE, ISA_SCOPE_SYSTEM, false);
    expect(ISA_MEMORY_INVALIDATE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_DEVICE, false);
    assert_false(next_access());
    finish();
    (void)state;
}

/* Where the machine has nothing to flush, the fence is executed as a hint: its acquire stays. */
static void a_fence_that_is_only_executed(void **state)
{
    hint(0x5ab2);
    invalidate();
    hint(0x5aa2);
    invalidate();
    start();
    for (unsigned i = 0; i < 2; i++) {
        const struct isa_instruction *instruction = isa_code_at(world.code, world.wave->base.pc);

        assert_int_equal(instruction->control, ISA_CONTROL_RELEASE);
        world.isa->execute(&world.wave->base, instruction);
        expect(ISA_MEMORY_INVALIDATE, i == 0 ? ISA_ORDER_ACQUIRE : ISA_ORDER_ACQUIRE_RELEASE,
               ISA_SCOPE_DEVICE, false);
    }
    finish();
    (void)state;
}

static enum isa_control control_at(uint32_t word)
{
    return (enum isa_control)isa_code_at(world.code, CODE_ADDRESS + word * 4)->control;
}

/* Where L1s keep stores to themselves, accesses that release beyond the work-group have a fence. */
static void accesses_that_release_are_fenced(void **state)
{
    hint(0x5a22);
    access_by(STORE, 0, GLOBAL);
    hint(0x5a33);
    access_by(STORE, 0, GLOBAL);
    hint(0x5a21);
    access_by(STORE, 0, GLOBAL);
    hint(0x5a12);
    access_by(LOAD, 0, GLOBAL);
    start();
    assert_int_equal(control_at(0), ISA_CONTROL_HINT);
    world.isa->fence_releases(world.code);
    assert_int_equal(control_at(0), ISA_CONTROL_RELEASE);
    assert_true((isa_code_at(world.code, CODE_ADDRESS)->flags & ISA_COUNTS_VM) != 0);
    expect(ISA_MEMORY_FLUSH, ISA_ORDER_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELEASE, ISA_SCOPE_DEVICE, false);
    expect(ISA_MEMORY_FLUSH, ISA_ORDER_RELEASE, ISA_SCOPE_SYSTEM, false);
    expect(ISA_MEMORY_STORE, ISA_ORDER_ACQUIRE_RELEASE, ISA_SCOPE_SYSTEM, false);
    expect(ISA_MEMORY_STORE, ISA_ORDER_RELEASE, ISA_SCOPE_WORK_GROUP, false);
    expect(ISA_MEMORY_LOAD, ISA_ORDER_ACQUIRE, ISA_SCOPE_DEVICE, false);
    assert_false(next_access());
    finish();
    (void)state;
}

/* What restarts has forgotten the hints of the attempt that failed. */
static void a_restored_wavefront_has_none(void **state)
{
    struct isa_snapshot *snapshot;

    hint(0x5a12);
    access_by(LOAD, 0, GLOBAL);
    start();
    snapshot = aligned_alloc(64, world.isa->snapshot_bytes);
    world.isa->execute(&world.wave->base, isa_code_at(world.code, CODE_ADDRESS));
    world.isa->snapshot(&world.wave->base, snapshot);
    world.isa->restore(&world.wave->base, snapshot, UINT64_MAX);
    expect(ISA_MEMORY_LOAD, ISA_ORDER_RELAXED, ISA_SCOPE_WAVEFRONT, false);
    free(snapshot);
    finish();
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_a_hint),
        cmocka_unit_test(the_next_access_has_it_and_no_other),
        cmocka_unit_test(scratch_passes_it_by),
        cmocka_unit_test(without_lanes_there_is_none),
        cmocka_unit_test(an_acquire_has_one_invalidation),
        cmocka_unit_test(fences),
        cmocka_unit_test(a_fence_that_is_only_executed),
        cmocka_unit_test(accesses_that_release_are_fenced),
        cmocka_unit_test(a_restored_wavefront_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* A wavefront's life apart from its instructions: initial registers, scratch, transactions, traces.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/gcn.h"

#define CODE_ADDRESS UINT64_C(0x4000)

struct world {
    const struct isa *isa;
    struct isa_code *code;
    struct isa_kernel kernel;
    struct isa_launch launch;
    struct isa_wave *wave;
};

static void put_32(uint8_t *bytes, uint32_t value)
{
    memcpy(bytes, &value, 4);
}

/* A kernel of the given words that wants everything: all user and system registers, 12 VGPRs, v0 to
 * v2. */
static struct world *world_create(const uint32_t *words, uint32_t count)
{
    struct world *world = allocate(1, sizeof *world);
    uint8_t descriptor[64] = {0};
    struct diagnosis diagnosis;

    world->isa = isa_gcn(false);
    world->code = world->isa->decode(words, count * 4, CODE_ADDRESS);
    put_32(descriptor + 4, 20);
    put_32(descriptor + 48, 2 | 3 << 6 | 0xc0u << 12 | 1u << 21 | 1u << 23);
    put_32(descriptor + 52, 1 | 0xfu << 7 | 2u << 11);
    descriptor[56] = 0x5f; /* all user registers but the flat scratch pair */
    assert_true(
        world->isa->kernel_init(&world->kernel, world->code, descriptor, CODE_ADDRESS, &diagnosis));
    world->launch = (struct isa_launch){.kernel = &world->kernel,
                                        .dimensions = 2,
                                        .global_size = {40, 10, 1},
                                        .group_size = {16, 8, 1},
                                        .group_count = {3, 2, 1},
                                        .kernarg_address = UINT64_C(0x1122334455),
                                        .dispatch_address = UINT64_C(0x66778899aa),
                                        .queue_address = UINT64_C(0xbbccddee00),
                                        .dispatch_id = 7,
                                        .scratch_bytes = 20,
                                        .scratch_address = UINT64_C(0x5500001000)};
    world->wave = aligned_alloc(64, world->isa->wave_bytes);
    memset(world->wave, 0, world->isa->wave_bytes);
    return world;
}

static void world_destroy(struct world *world)
{
    world->isa->code_destroy(world->code);
    free(world->wave);
    free(world);
}

static const uint32_t end_program[] = {0xbf810000};

static void initial_scalar_registers(void **state)
{
    struct world *world = world_create(end_program, 1);
    struct isa_group group = {{1, 0, 0}, 2};
    const uint32_t expected[] = {
        0x00001000, 0x80000055, 2048,       0x00e00000 | 0x27000 | 0x80000, /* scratch descriptor */
        0x778899aa, 0x66,       0xccddee00, 0xbb,
        0x22334455, 0x11,       7,          0,
        20, /* pointers, id, size */
        1,          0,          0,          2,
        3 * 2048, /* group, info, scratch */
    };
    const struct gcn_wave *wave = gcn_wave_of(world->wave);

    assert_int_equal(world->kernel.vector_registers, 12);
    assert_int_equal(world->kernel.scalar_registers, 32);
    assert_int_equal(world->isa->scratch_slot_bytes(&world->launch), 2048);
    world->isa->wave_init(world->wave, &world->launch, &group, 1, 3);
    for (unsigned i = 0; i < sizeof expected / sizeof expected[0]; i++)
        if (wave->scalar[i] != expected[i])
            fail_msg("s%u is 0x%x, not 0x%x", i, (unsigned)wave->scalar[i], (unsigned)expected[i]);
    assert_int_equal(world->wave->pc, CODE_ADDRESS);
    assert_int_equal(wave->mode, 0x3c0);
    world_destroy(world);
}

static void work_items_of_whole_and_cut_groups(void **state)
{
    struct world *world = world_create(end_program, 1);
    struct isa_group whole = {{0, 0, 0}, 2}, cut = {{2, 1, 0}, 2};
    const struct gcn_wave *wave = gcn_wave_of(world->wave);

    world->isa->wave_init(world->wave, &world->launch, &whole, 1, 0);
    assert_int_equal(world->wave->active, UINT64_MAX);
    assert_int_equal(wave->vector[0][17], 1);
    assert_int_equal(wave->vector[1][17], 5);
    assert_int_equal(wave->vector[2][17], 0);
    /* 40 - 32 = 8 wide and 10 - 8 = 2 high: 16 work-items, none in the second wavefront. */
    world->isa->wave_init(world->wave, &world->launch, &cut, 0, 0);
    assert_int_equal(world->wave->active, 0xffff);
    assert_int_equal(wave->vector[0][9], 1);
    assert_int_equal(wave->vector[1][9], 1);
    world->isa->wave_init(world->wave, &world->launch, &cut, 1, 0);
    assert_int_equal(world->wave->active, 0);
    assert_true(world->wave->ended);
    world_destroy(world);
}

/* s_mov_b64 exec, -1: lanes that the machine's wavefronts do not have stay out. */
static void narrow_wavefronts_have_no_upper_lanes(void **state)
{
    static const uint32_t words[] = {0xbefe04c1, 0xbf810000};
    struct world *world = world_create(words, 2);
    struct isa_group whole = {{0, 0, 0}, 4};
    const struct gcn_wave *wave = gcn_wave_of(world->wave);

    world->launch.wave_lanes = 32;
    world->isa->wave_init(world->wave, &world->launch, &whole, 3, 0);
    assert_int_equal(world->wave->active, UINT32_MAX);
    assert_int_equal(wave->vector[0][17], (3 * 32 + 17) % 16);
    assert_int_equal(wave->vector[1][17], (3 * 32 + 17) / 16);
    world->isa->execute(world->wave, isa_code_at(world->code, CODE_ADDRESS));
    assert_int_equal(gcn_exec(wave), UINT64_MAX);
    assert_int_equal(world->wave->active, UINT32_MAX);
    world_destroy(world);
}

/* Dword j of lane i of a slot lies at (64 j + i) * 4: lanes side by side. */
static void scratch_is_interleaved_by_lane(void **state)
{
    /* buffer_store_dword v4, v3, s[0:3], 0 offen offset:8 */
    static const uint32_t words[] = {0xe0701008, 0x80000403, 0xbf810000};
    struct world *world = world_create(words, 3);
    struct isa_group group = {{0, 0, 0}, 2};
    static struct isa_memory_request request;
    struct gcn_wave *wave = gcn_wave_of(world->wave);

    world->isa->wave_init(world->wave, &world->launch, &group, 0, 0);
    for (uint32_t lane = 0; lane < 64; lane++)
        wave->vector[3][lane] = lane & 1 ? 4 : 0;
    wave->vector[3][5] = 2048; /* beyond the slot */
    world->isa->begin(world->wave, isa_code_at(world->code, CODE_ADDRESS), &request);
    assert_int_equal(request.space, ISA_SPACE_SCRATCH);
    assert_int_equal(request.kind, ISA_MEMORY_STORE);
    assert_int_equal(request.lanes, UINT64_MAX & ~(UINT64_C(1) << 5));
    for (uint32_t lane = 0; lane < 64; lane++)
        if (lane != 5)
            assert_int_equal(request.address[lane],
                             UINT64_C(0x5500001000) + (lane & 1 ? 3 : 2) * 256 + 4 * lane);
    assert_int_equal(world->wave->pc, CODE_ADDRESS + 8);
    world_destroy(world);
}

static void lanes_that_left_stay_out_until_they_rejoin(void **state)
{
    /* s_mov_b64 exec, -1; v_mov_b32 v1, 5; v_cmp_eq_u32 vcc, v1, v1; s_endpgm */
    static const uint32_t words[] = {0xbefe04c1, 0x7e020285, 0x7d840301, 0xbf810000};
    struct world *world = world_create(words, 4);
    struct isa_group group = {{0, 0, 0}, 2};
    struct gcn_wave *wave = gcn_wave_of(world->wave);

    world->isa->wave_init(world->wave, &world->launch, &group, 0, 0);
    world->isa->leave(world->wave, 0xf0);
    assert_int_equal(world->wave->active, ~UINT64_C(0xf0));
    for (unsigned i = 0; i < 3; i++)
        world->isa->execute(world->wave, isa_code_at(world->code, world->wave->pc));
    assert_int_equal(world->wave->active, ~UINT64_C(0xf0));
    assert_int_equal(wave->vector[1][3], 5);
    assert_int_not_equal(wave->vector[1][4], 5);
    assert_int_equal(gcn_scalar_pair(wave, GCN_VCC), ~UINT64_C(0xf0));
    world->isa->rejoin(world->wave, 0x30);
    assert_int_equal(world->wave->active, ~UINT64_C(0xc0));
    world_destroy(world);
}

static void restore_gives_some_lanes_their_registers_back(void **state)
{
    /* v_mov_b32 v1, 5; s_mov_b32 s9, 7; s_cmp_eq_u32 s9, s9 */
    static const uint32_t words[] = {0x7e020285, 0xbe890387, 0xbf060909, 0xbf810000};
    struct world *world = world_create(words, 4);
    struct isa_group group = {{0, 0, 0}, 2};
    struct gcn_wave *wave = gcn_wave_of(world->wave);
    struct isa_snapshot *snapshot = aligned_alloc(64, world->isa->snapshot_bytes);
    uint32_t s9;

    world->isa->wave_init(world->wave, &world->launch, &group, 0, 0);
    s9 = wave->scalar[9];
    world->isa->snapshot(world->wave, snapshot);
    for (unsigned i = 0; i < 3; i++)
        world->isa->execute(world->wave, isa_code_at(world->code, world->wave->pc));
    assert_int_equal(wave->scalar[9], 7);
    assert_int_equal(wave->scc, 1);
    world->isa->restore(world->wave, snapshot, 0xff);
    assert_int_equal(wave->scalar[9], s9);
    assert_int_equal(wave->scc, 0);
    assert_int_equal(world->wave->pc, CODE_ADDRESS);
    assert_int_equal(wave->vector[1][7], 0);
    assert_int_equal(wave->vector[1][8], 5);
    free(snapshot);
    world_destroy(world);
}

static void expect_trace(struct world *world, const char *expected)
{
    const struct isa_instruction *instruction = isa_code_at(world->code, world->wave->pc);
    struct text text = {0};

    world->isa->execute(world->wave, instruction);
    world->isa->trace(world->wave, instruction, &text);
    if (strncmp(text_chars(&text), expected, strlen(expected)) != 0)
        fail_msg("'%s' does not begin with '%s'", text_chars(&text), expected);
    text_finish(&text);
}

static void traces_show_what_was_written(void **state)
{
    /* s_mov_b64 exec, 5; v_mov_b32 v1, 7; v_cmp_eq_u32 vcc, v1, v1; s_add_u32 s9, s10, s10;
     * v_readfirstlane_b32 s3, v1; s_branch 0 */
    static const uint32_t words[] = {0xbefe0485, 0x7e020287, 0x7d840301,
                                     0x80090a0a, 0x7e060501, 0xbf820000};
    struct world *world = world_create(words, 6);
    struct isa_group group = {{0, 0, 0}, 2};

    world->isa->wave_init(world->wave, &world->launch, &group, 0, 0);
    expect_trace(world, " exec=0x0000000000000005");
    expect_trace(world, " v1=[00000007 - 00000007 - -");
    expect_trace(world, " vcc=0x0000000000000005");
    expect_trace(world, " s9=0x0000000e scc=0");
    expect_trace(world, " s3=0x00000007");
    expect_trace(world, "");
    world_destroy(world);
}

/* v_mov_b32 v1, 7; v_mov_b32 v2, v0 (0 to 15 again and again); s_mov_b64 exec, 1; v_mov_b32 v1, 7 */
static void a_trace_does_not_repeat_what_all_lanes_wrote(void **state)
{
    static const uint32_t words[] = {0x7e020287, 0x7e040300, 0xbefe0481, 0x7e020287};
    struct world *world = world_create(words, 4);
    struct isa_group group = {{0, 0, 0}, 4};

    world->isa->wave_init(world->wave, &world->launch, &group, 0, 0);
    expect_trace(world, " v1=[00000007, 64 lanes: same]");
    expect_trace(world, " v2=[00000000 00000001 00000002");
    expect_trace(world, " exec=0x0000000000000001");
    expect_trace(world, " v1=[00000007 - -");
    world->launch.wave_lanes = 32;
    world->isa->wave_init(world->wave, &world->launch, &group, 0, 0);
    expect_trace(world, " v1=[00000007, 32 lanes: same]");
    world_destroy(world);
}

static void descriptors_that_are_refused(void **state)
{
    struct world *world = world_create(end_program, 1);
    uint8_t descriptor[64] = {0};
    struct isa_kernel kernel;
    struct diagnosis diagnosis;

    assert_false(
        world->isa->kernel_init(&kernel, world->code, descriptor, CODE_ADDRESS + 4, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "entry point"));
    descriptor[57] = 0x04;
    assert_false(
        world->isa->kernel_init(&kernel, world->code, descriptor, CODE_ADDRESS, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "32 lanes"));
    world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_scalar_registers),
        cmocka_unit_test(work_items_of_whole_and_cut_groups),
        cmocka_unit_test(narrow_wavefronts_have_no_upper_lanes),
        cmocka_unit_test(scratch_is_interleaved_by_lane),
        cmocka_unit_test(lanes_that_left_stay_out_until_they_rejoin),
        cmocka_unit_test(restore_gives_some_lanes_their_registers_back),
        cmocka_unit_test(traces_show_what_was_written),
        cmocka_unit_test(a_trace_does_not_repeat_what_all_lanes_wrote),
        cmocka_unit_test(descriptors_that_are_refused),
    };

    return cmocka_run_group_tests_name("wave", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Where a memory instruction's lanes go and which are dropped. Tested are pointers as clang wraps
 * them into buffer descriptors, the range checks of buffers, and the limits of local memory.
 * Tested is also what is refused because registers, not the instruction, ask for it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "isa/gcn/gcn.h"

#define CODE_ADDRESS UINT64_C(0x4000)
#define BUFFER UINT64_C(0x550000007000)

enum { OFFEN = 1 << 12, IDXEN = 1 << 13, ADDR64 = 1 << 15 };
enum { LOAD_FORMAT_X = 0, STORE_FORMAT_XYZW = 7 };
enum { LOAD_DWORD = 12, LOAD_X2 = 13, STORE_DWORD = 28, STORE_X2 = 29 };
enum { WRITE2_B64 = 78, READ2_B64 = 119, READ2_B32 = 55, READ_B32 = 54 };
enum { DEFAULT_FORMAT = 0x0100f000, ONES = -1 };

static struct world {
    const struct isa *isa;
    struct isa_code *code;
    struct isa_kernel kernel;
    struct isa_launch launch;
    struct gcn_wave *wave;
    struct isa_memory_request request;
} world;

/* A wavefront with all lanes, at the first of two words. */
static void start(uint32_t first, uint32_t second)
{
    const uint32_t words[3] = {first, second, 0xbf810000};
    uint8_t descriptor[64] = {0};
    const uint32_t resources = 5 | 3 << 6 | 0xc0u << 12;
    struct isa_group group = {{0, 0, 0}, 1};
    struct diagnosis diagnosis;

    memset(&world, 0, sizeof world);
    world.isa = isa_gcn(false);
    world.code = world.isa->decode(words, sizeof words, CODE_ADDRESS);
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
}

static const struct isa_instruction *instruction(void)
{
    return isa_code_at(world.code, CODE_ADDRESS);
}

static void begin(void)
{
    memset(world.request.data, 0xee, sizeof world.request.data);
    world.isa->begin(&world.wave->base, instruction(), &world.request);
    if ((instruction()->flags & ISA_COUNTS_EXP) != 0)
        world.isa->store_data(&world.wave->base, instruction(), &world.request);
}

static void finish(void)
{
    world.isa->code_destroy(world.code);
    free(world.wave);
}

/* buffer_OP v[20...], v2, s[4:7], s16 with the descriptor given. */
static void start_buffer(unsigned op, unsigned flags, unsigned offset, uint64_t base,
                         uint32_t records, uint32_t format)
{
    start(0xe0000000u | op << 18 | flags | offset, 2 | 20 << 8 | 1 << 16 | 16u << 24);
    world.wave->scalar[4] = (uint32_t)base;
    world.wave->scalar[5] = (uint32_t)(base >> 32);
    world.wave->scalar[6] = records;
    world.wave->scalar[7] = format;
}

/* v[2:3] of a lane. */
static void set_pair(unsigned lane, uint64_t value)
{
    world.wave->vector[2][lane] = (uint32_t)value;
    world.wave->vector[3][lane] = (uint32_t)(value >> 32);
}

static bool served(unsigned lane)
{
    return (world.request.lanes >> lane & 1) != 0;
}

/* a[i - 1]: clang puts -8 into the base of the descriptor, and the pointer into the lanes. */
static void a_negative_constant_in_the_base(void **state)
{
    for (unsigned op = LOAD_DWORD; op <= STORE_X2; op += STORE_X2 - LOAD_DWORD) {
        start_buffer(op, ADDR64, 0, (uint64_t)-8, 0, DEFAULT_FORMAT);
        for (unsigned lane = 0; lane < 64; lane++)
            set_pair(lane, BUFFER + 8 * (lane + 1));
        begin();
        assert_null(world.wave->base.refusal);
        assert_true(world.request.lanes == UINT64_MAX);
        for (unsigned lane = 0; lane < 64; lane++)
            assert_true(world.request.address[lane] == BUFFER + 8 * lane);
        finish();
    }
}

/* Neither stride nor swizzle nor the lane's number counts with ADDR64. */
static void addr64_ignores_stride_and_swizzle(void **state)
{
    const uint64_t upper = UINT64_C(0xffff) << 48;

    start_buffer(LOAD_X2, ADDR64, 0, BUFFER | upper, 77, 0x00827000);
    for (unsigned lane = 0; lane < 64; lane++)
        set_pair(lane, 16 * lane);
    begin();
    assert_null(world.wave->base.refusal);
    assert_int_equal(world.request.space, ISA_SPACE_GLOBAL);
    for (unsigned lane = 0; lane < 64; lane++)
        assert_true(world.request.address[lane] == BUFFER + 16 * lane);
    finish();
}

/* The bits above 47 of a pointer are not read as a stride: nothing lies at that address. */
static void a_wild_pointer_keeps_all_its_bits(void **state)
{
    static const uint64_t wild[] = {UINT64_C(0x1550000001000), UINT64_C(0xfffffffffffffffc),
                                    UINT64_C(0x8000550000001000), UINT64_C(0xdeadbeef)};

    for (unsigned i = 0; i < 4; i++) {
        start_buffer(STORE_DWORD, 0, 0, wild[i], UINT32_MAX, DEFAULT_FORMAT);
        begin();
        assert_true(world.request.lanes == UINT64_MAX);
        assert_true(world.request.address[63] == (wild[i] & ~UINT64_C(3)));
        finish();
        start_buffer(STORE_DWORD, ADDR64, 0, 0, 0, DEFAULT_FORMAT);
        set_pair(9, wild[i]);
        begin();
        assert_true(world.request.address[9] == (wild[i] & ~UINT64_C(3)));
        finish();
    }
}

/* A stride of 48: an element must end within it. */
static void an_element_must_end_within_the_stride(void **state)
{
    static const struct {
        unsigned op, offset;
        bool is_inside;
    } cases[] = {{LOAD_DWORD, 44, true}, {LOAD_DWORD, 45, false}, {LOAD_DWORD, 48, false},
                 {LOAD_X2, 40, true},    {LOAD_X2, 44, false},    {LOAD_X2, 47, false}};

    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start_buffer(cases[i].op, IDXEN | OFFEN, 0, BUFFER | UINT64_C(48) << 48, 64,
                     DEFAULT_FORMAT);
        for (unsigned lane = 0; lane < 64; lane++) {
            world.wave->vector[2][lane] = lane;
            world.wave->vector[3][lane] = cases[i].offset;
        }
        begin();
        if (world.request.lanes != (cases[i].is_inside ? UINT64_MAX : 0))
            fail_msg("%s of offset %u", instruction()->data_bytes == 8 ? "x2" : "dword",
                     cases[i].offset);
        assert_true(world.request.written == UINT64_MAX);
        assert_int_equal(world.request.data[0][5], cases[i].is_inside ? 0xeeeeeeee : 0);
        finish();
    }
}

static void an_index_must_be_a_record(void **state)
{
    start_buffer(LOAD_DWORD, IDXEN, 0, BUFFER | UINT64_C(48) << 48, 20, DEFAULT_FORMAT);
    for (unsigned lane = 0; lane < 64; lane++)
        world.wave->vector[2][lane] = lane;
    begin();
    assert_true(world.request.lanes == (UINT64_C(1) << 20) - 1);
    finish();
}

/* Without a stride the records are bytes, and the scalar offset takes of them. Tested both for
 * the quick way (all lanes inside) and lane by lane. */
static void the_scalar_offset_shortens_a_buffer(void **state)
{
    for (unsigned limit = 508; limit <= 516; limit += 4) {
        start_buffer(LOAD_DWORD, OFFEN, 0, BUFFER, 1024, DEFAULT_FORMAT);
        world.wave->scalar[16] = 512;
        for (unsigned lane = 0; lane < 64; lane++)
            world.wave->vector[2][lane] = lane == 17 ? limit : 4 * lane;
        begin();
        assert_int_equal(served(17), limit + 4 <= 512);
        assert_true((world.request.lanes | UINT64_C(1) << 17) == UINT64_MAX);
        assert_true(world.request.address[17] == BUFFER + 512 + limit);
        finish();
    }
    start_buffer(LOAD_DWORD, OFFEN, 0, BUFFER, 1024, DEFAULT_FORMAT);
    world.wave->scalar[16] = 1024;
    begin();
    assert_true(world.request.lanes == 0);
    finish();
}

static void assert_refused(const char *reason)
{
    assert_non_null(world.wave->base.refusal);
    assert_non_null(strstr(world.wave->base.refusal, reason));
    assert_true(world.wave->base.refused_pc == CODE_ADDRESS);
    assert_true(world.wave->base.pc == ISA_REFUSED_PC);
    assert_null(isa_code_at(world.code, world.wave->base.pc));
}

/* What the descriptor asks for cannot be known before: named then, nothing is served. */
static void a_torn_element_is_refused_when_it_is_met(void **state)
{
    start_buffer(STORE_X2, OFFEN, 0, BUFFER | UINT64_C(1) << 63, 4096, 0x00e8f000);
    begin();
    assert_refused("wider than the swizzle");
    assert_true(world.request.lanes == 0);
    finish();
}

/* RGBA of a data and a number format. */
static uint32_t format_word(unsigned data, unsigned number)
{
    return (4 | 5 << 3 | 6 << 6 | 7 << 9) | number << 12 | data << 15;
}

/* Packed or three channels, scaled numbers, and pairs that make no sense. */
static void a_format_that_is_not_modelled_is_refused_by_name(void **state)
{
    enum { RGBA8 = 10, RGBA32 = 14, UNORM = 0, UINT = 4, FLOAT = 7 };
    static const struct {
        unsigned data, number;
        const char *reason;
    } cases[] = {
        {0, UINT, "no data format"},        {6, FLOAT, "packed or three channels"},
        {7, FLOAT, "packed or three"},      {8, UNORM, "packed or three channels"},
        {9, UNORM, "packed or three"},      {13, FLOAT, "packed or three channels"},
        {15, UINT, "packed or three"},      {RGBA8, 2, "scaled or SNORM_OGL"},
        {RGBA8, 3, "scaled or SNORM_OGL"},  {RGBA8, 6, "scaled or SNORM_OGL"},
        {RGBA8, FLOAT, "does not go with"}, {RGBA32, UNORM, "does not go with"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned op = LOAD_FORMAT_X; op <= STORE_FORMAT_XYZW; op++) {
            start_buffer(op, OFFEN, 0, BUFFER, 4096, format_word(cases[i].data, cases[i].number));
            begin();
            assert_refused(cases[i].reason);
            assert_true(world.request.lanes == 0 && world.request.written == 0);
            finish();
        }
    start_buffer(LOAD_FORMAT_X, OFFEN, 0, BUFFER, 4096, format_word(RGBA8, UNORM) ^ 6);
    begin();
    assert_refused("selection of the buffer descriptor is reserved");
    finish();
}

/* Not by the registers that it takes. */
static void a_formatted_element_is_as_wide_as_its_format(void **state)
{
    static const struct {
        unsigned data, bytes;
    } cases[] = {{1, 1}, {3, 2}, {10, 4}, {5, 4}, {12, 8}, {11, 8}, {14, 16}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (unsigned op = LOAD_FORMAT_X; op <= STORE_FORMAT_XYZW; op++) {
            start_buffer(op, OFFEN, 0, BUFFER, 32 * cases[i].bytes, format_word(cases[i].data, 4));
            world.wave->scalar[16] = 0;
            for (unsigned lane = 0; lane < 64; lane++)
                world.wave->vector[2][lane] = lane * cases[i].bytes;
            begin();
            assert_int_equal(world.request.element_bytes, cases[i].bytes);
            assert_true(world.request.lanes == UINT32_MAX);
            finish();
        }
}

/* A swizzle by dwords: elements of four bytes have room, those of eight have not. */
static void a_swizzle_tears_formatted_elements_too(void **state)
{
    uint32_t swizzle = 1u << 19 | 3u << 21 | 1u << 23;

    for (unsigned op = LOAD_FORMAT_X; op <= STORE_FORMAT_XYZW; op++) {
        start_buffer(op, OFFEN, 0, BUFFER | UINT64_C(1) << 63, 4096, format_word(10, 0) | swizzle);
        begin();
        assert_null(world.wave->base.refusal);
        finish();
        start_buffer(op, OFFEN, 0, BUFFER | UINT64_C(1) << 63, 4096, format_word(12, 0) | swizzle);
        begin();
        assert_refused("wider than the swizzle");
        finish();
    }
}

/* v_fma_f32 v1, v2, v3, v4 with MODE's rounding not to nearest. */
static void a_rounding_mode_is_refused_when_it_is_met(void **state)
{
    for (uint32_t mode = 0; mode < 4; mode++) {
        start(0xd2960001, 0x102 | 0x103 << 9 | 0x104u << 18);
        gcn_set_mode(world.wave, 0xc0 | mode);
        world.isa->execute(&world.wave->base, instruction());
        if (mode == 0)
            assert_true(world.wave->base.pc == CODE_ADDRESS + 8);
        else
            assert_refused("rounding mode");
        finish();
    }
}

/* ---- local memory ---- */

/* ds_OP with the address in v2, data in v[4:5] and v[6:7] or to v[20...]. */
static void start_local(unsigned op, unsigned offsets, uint32_t granted)
{
    start(0xd8000000u | op << 18 | offsets, 2 | 4 << 8 | 6 << 16 | 20u << 24);
    world.wave->scalar[GCN_M0] = UINT32_MAX;
    world.wave->base.lds_bytes = granted;
    for (unsigned lane = 0; lane < 64; lane++)
        world.wave->vector[2][lane] = 16 * lane;
}

/* The last lane's second element lies outside: its first is stored. */
static void each_element_of_two_has_its_own_limit(void **state)
{
    start_local(WRITE2_B64, 1 << 8, 1024 - 8);
    begin();
    assert_int_equal(world.request.kind, ISA_MEMORY_STORE);
    assert_int_equal(world.request.second_delta, 8);
    assert_true(world.request.lanes == UINT64_MAX);
    assert_true(world.request.second_lanes == UINT64_MAX >> 1);
    finish();
    start_local(WRITE2_B64, 1, 1024 - 8); /* offset0 is the larger one */
    begin();
    assert_true(world.request.lanes == UINT64_MAX >> 1);
    assert_true(world.request.second_lanes == UINT64_MAX);
    finish();
}

static void an_element_outside_reads_as_zero(void **state)
{
    start_local(READ2_B64, 1 << 8, 1024 - 8);
    begin();
    assert_int_equal(world.request.data[1][63], 0xeeeeeeee); /* for the server to fill in */
    assert_int_equal(world.request.data[2][63], 0);
    assert_int_equal(world.request.data[3][63], 0);
    assert_int_equal(world.request.data[2][62], 0xeeeeeeee);
    finish();
    start_local(READ2_B32, 1, 1024 - 12);
    begin();
    assert_int_equal(world.request.data[0][63], 0);
    assert_int_equal(world.request.data[1][63], 0xeeeeeeee);
    finish();
}

static void m0_is_a_limit_too(void **state)
{
    start_local(READ_B32, 0, 1024);
    world.wave->scalar[GCN_M0] = 512 + 4;
    begin();
    assert_true(world.request.lanes == (UINT64_C(1) << 33) - 1);
    finish();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_negative_constant_in_the_base),
        cmocka_unit_test(addr64_ignores_stride_and_swizzle),
        cmocka_unit_test(a_wild_pointer_keeps_all_its_bits),
        cmocka_unit_test(an_element_must_end_within_the_stride),
        cmocka_unit_test(an_index_must_be_a_record),
        cmocka_unit_test(the_scalar_offset_shortens_a_buffer),
        cmocka_unit_test(a_torn_element_is_refused_when_it_is_met),
        cmocka_unit_test(a_format_that_is_not_modelled_is_refused_by_name),
        cmocka_unit_test(a_formatted_element_is_as_wide_as_its_format),
        cmocka_unit_test(a_swizzle_tears_formatted_elements_too),
        cmocka_unit_test(a_rounding_mode_is_refused_when_it_is_met),
        cmocka_unit_test(each_element_of_two_has_its_own_limit),
        cmocka_unit_test(an_element_outside_reads_as_zero),
        cmocka_unit_test(m0_is_a_limit_too),
    };

    return cmocka_run_group_tests_name("memory", tests, NULL, NULL);
}

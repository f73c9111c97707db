/* SPDX-License-Identifier: MIT */
/* Does every word decode to one thing, and does what the scheduler needs stand in the record? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <string.h>

#include "base/random.h"
#include "isa/gcn/decode.h"

static const struct gcn_encoding *encoding_of(enum gcn_format format)
{
    for (unsigned i = 0; i < GCN_FORMAT_COUNT; i++)
        if (gcn_encodings[i].format == format)
            return &gcn_encodings[i];
    fail();
    return NULL;
}

/* A record outlives its code here only by being copied. */
static struct gcn_instruction decode_words(uint32_t first, uint32_t second)
{
    const struct isa *isa = isa_gcn(true);
    uint32_t words[2] = {first, second};
    struct isa_code *code = isa->decode(words, sizeof words, 0x1000);
    struct gcn_instruction record = *gcn_of(isa_code_at(code, 0x1000));

    isa->code_destroy(code);
    return record;
}

/* The list of formats is searched in order; no operation may be hidden behind an earlier format. */
static void no_two_encodings_overlap(void **state)
{
    for (int op = 0; op < GCN_OP_UNKNOWN; op++) {
        const struct gcn_operation *operation = &gcn_operations[op];
        const struct gcn_encoding *encoding = encoding_of((enum gcn_format)operation->format);
        uint32_t word = encoding->match | (uint32_t)operation->opcode << encoding->opcode_first;

        assert_ptr_equal(gcn_find_encoding(word), encoding);
        assert_int_equal(gcn_find_operation(encoding->format, operation->opcode), op);
        assert_true(operation->opcode < 1u << encoding->opcode_count);
        assert_int_equal(decode_words(word, 0).base.op, op);
    }
}

static void names_are_unique(void **state)
{
    for (int a = 0; a < GCN_OP_COUNT; a++)
        for (int b = a + 1; b < GCN_OP_COUNT; b++)
            assert_string_not_equal(gcn_operations[a].name, gcn_operations[b].name);
}

/* Where the long form of an operation stands, no other operation's does. */
static void long_forms_find_the_short_ones(void **state)
{
    for (unsigned opcode = 0; opcode < 512; opcode++) {
        enum gcn_op op = gcn_find_operation(GCN_FORMAT_VOP3, opcode);
        const struct gcn_operation *operation = &gcn_operations[op];
        unsigned first = operation->format == GCN_FORMAT_VOP2   ? 256
                         : operation->format == GCN_FORMAT_VOP1 ? 384
                                                                : 0;

        if (op != GCN_OP_UNKNOWN)
            assert_int_equal(operation->opcode + first, opcode);
    }
}

static void check_record(const struct isa *isa, const struct isa_code *code,
                         const struct gcn_instruction *record)
{
    struct text text = {0};

    assert_true(record->base.bytes == 4 || record->base.bytes == 8);
    assert_true(record->base.op < GCN_OP_COUNT);
    isa->disassemble(code, &record->base, &text);
    isa->refusal(&record->base, &text);
    assert_true(strlen(text_chars(&text)) > 0);
    text_finish(&text);
    if (record->base.control == ISA_CONTROL_REFUSED) {
        assert_int_equal(record->base.unit, ISA_UNIT_INTERNAL);
        return;
    }
    if (record->base.latency != ISA_LATENCY_MEMORY)
        assert_non_null(record->body);
    for (unsigned i = 0; i < 3; i++) {
        unsigned count = gcn_type_registers((enum gcn_type)record->source[i].type);

        if (record->source[i].kind == GCN_OPERAND_VECTOR)
            assert_true(record->source[i].index + count <= GCN_VECTOR_REGISTERS);
        if (record->source[i].kind == GCN_OPERAND_SCALAR)
            assert_true(record->source[i].index + count <= 128);
    }
}

static void random_words_decode_to_something_safe(void **state)
{
    enum { WORDS = 100000 };
    static uint32_t words[WORDS];
    const struct isa *isa = isa_gcn(true);
    struct random random = {7970};
    struct isa_code *code;
    uint32_t next = 0;

    for (unsigned i = 0; i < WORDS; i++)
        words[i] = (uint32_t)random_next(&random);
    code = isa->decode(words, sizeof words, 0x10000);
    for (uint32_t offset = 0; offset < sizeof words; offset += 4) {
        const struct gcn_instruction *record = gcn_of(isa_code_at(code, 0x10000 + offset));

        if (offset < next) { /* inside an instruction */
            assert_int_equal(record->base.bytes, 0);
            continue;
        }
        assert_int_equal(record->base.offset, offset);
        check_record(isa, code, record);
        next = offset + record->base.bytes;
    }
    assert_null(isa_code_at(code, 0x10000 + sizeof words));
    assert_null(isa_code_at(code, 0x10002));
    isa->code_destroy(code);
}

static void what_the_scheduler_acts_on(void **state)
{
    struct gcn_instruction record = decode_words(0xbf8c0f71, 0); /* s_waitcnt vmcnt(1) */

    assert_int_equal(record.base.control, ISA_CONTROL_WAIT);
    assert_int_equal(record.base.wait_vm, 1);
    assert_int_equal(record.base.wait_exp, UINT8_MAX);
    assert_int_equal(record.base.wait_lgkm, UINT8_MAX);
    record = decode_words(0xbf8c007f, 0); /* lgkmcnt(0) */
    assert_int_equal(record.base.wait_vm, UINT8_MAX);
    assert_int_equal(record.base.wait_lgkm, 0);
    record = decode_words(0xbf805a31, 0);
    assert_int_equal(record.base.control, ISA_CONTROL_HINT);
    assert_int_equal(record.base.hint, 0x5a31);
    record = decode_words(0xbf800003, 0);
    assert_int_equal(record.base.control, ISA_CONTROL_NOP);
    assert_int_equal(record.base.argument, 3);
    assert_int_equal(decode_words(0xbf8a0000, 0).base.control, ISA_CONTROL_BARRIER);
    assert_int_equal(decode_words(0xbf810000, 0).base.control, ISA_CONTROL_END);
    record = decode_words(0xbf8f0003, 0);
    assert_int_equal(record.base.control, ISA_CONTROL_PRIORITY);
    assert_int_equal(record.base.argument, 3);
    record = decode_words(0xbf88fffc, 0); /* s_cbranch_execz */
    assert_int_equal(record.base.unit, ISA_UNIT_BRANCH);
    assert_true((record.base.flags & ISA_READS_SCALAR) != 0);
}

static void counters_and_sizes_of_memory_instructions(void **state)
{
    struct gcn_instruction record = decode_words(0xc0020505, 0); /* s_load_dword s4, s[4:5], 5 */

    assert_int_equal(record.base.lgkm, 1);
    assert_int_equal(record.base.data_bytes, 4);
    record = decode_words(0xc0840700, 0); /* s_load_dwordx4 */
    assert_int_equal(record.base.lgkm, 2);
    assert_int_equal(record.base.data_bytes, 16);
    record = decode_words(0xe0308000, 0x80000200); /* buffer_load_dword, addr64 */
    assert_int_equal(record.base.flags, ISA_COUNTS_VM);
    record = decode_words(0xe0708000, 0x80000200); /* buffer_store_dword */
    assert_int_equal(record.base.flags, ISA_WRITES_MEMORY | ISA_COUNTS_VM | ISA_COUNTS_EXP);
    record = decode_words(0xe0c88000, 0x80000200); /* buffer_atomic_add */
    assert_true((record.base.flags & ISA_IS_ATOMIC) != 0);
    record = decode_words(0xd9dc0100, 0x01000002); /* ds_read2_b64 */
    assert_int_equal(record.base.unit, ISA_UNIT_LDS);
    assert_int_equal(record.base.data_bytes, 16);
    assert_int_equal(record.base.flags, ISA_COUNTS_LGKM);
}

static void expect_refusal(uint32_t first, uint32_t second, const char *part)
{
    struct gcn_instruction record = decode_words(first, second);
    struct text text = {0};

    assert_int_equal(record.base.control, ISA_CONTROL_REFUSED);
    isa_gcn(true)->refusal(&record.base, &text);
    if (strstr(text_chars(&text), part) == NULL)
        fail_msg("'%s' does not say '%s'", text_chars(&text), part);
    text_finish(&text);
}

static void refusals_name_the_operation_and_the_reason(void **state)
{
    expect_refusal(0xf0800f00, 0x00010000, "image_sample");
    expect_refusal(0xf800180f, 0x03020100, "exp");
    expect_refusal(0xc8000000, 0, "v_interp_p1_f32");
    expect_refusal(0xe8800000, 0x80000000, "tbuffer_load_format_x");
    expect_refusal(0xc7800000, 0, "s_memtime");
    expect_refusal(0xd8360000, 0x00000001, "GDS"); /* ds_write_b32 gds */
    expect_refusal(0xd2080004, 0x000002ff, "literal");
    expect_refusal(0xbe840401, 0, "odd"); /* s_mov_b64 s[4:5], s[1:2] */
    expect_refusal(0xffffffff, 0, "0xffffffff");
    expect_refusal(0xb9040002, 0, "MODE"); /* s_getreg of STATUS */
}

/* A literal that the code object does not contain any more. */
static void code_that_ends_within_an_instruction(void **state)
{
    const struct isa *isa = isa_gcn(true);
    uint32_t word = 0xbe8003ff; /* s_mov_b32 s0, literal */
    struct isa_code *code = isa->decode(&word, sizeof word, 0);

    assert_int_equal(isa_code_at(code, 0)->control, ISA_CONTROL_REFUSED);
    assert_int_equal(isa_code_at(code, 0)->bytes, 4);
    isa->code_destroy(code);
}

/* First and how many: vector registers read (two stretches), written, scalar ones read, written. */
struct uses {
    const char *text;
    uint32_t words[2];
    unsigned read[2][2], written[2], scalars_read[2], scalars_written[2];
};
static const struct uses uses[] = {
    {"v_add_f32 v3, v1, v2", {0x06060501}, {{1, 2}}, {3, 1}, {0}, {0}},
    {"v_mac_f32 v3, v1, v2", {0x3e060501}, {{1, 3}}, {3, 1}, {0}, {0}},
    {"v_add_f64 v[4:5], v[0:1], v[2:3]", {0xd2c80004, 0x00020500}, {{0, 4}}, {4, 2}, {0}, {0}},
    {"v_cmp_lt_f32 vcc, v1, v2", {0x7c020501}, {{1, 2}}, {0}, {0}, {GCN_VCC, 2}},
    {"v_readfirstlane_b32 s5, v7", {0x7e0a0507}, {{7, 1}}, {0}, {0}, {5, 1}},
    {"v_mov_b32 v9, s6", {0x7e120206}, {{0}}, {9, 1}, {6, 1}, {0}},
    {"v_cndmask_b32 v1, v2, v3, vcc", {0x00020702}, {{2, 2}}, {1, 1}, {GCN_VCC, 2}, {0}},
    {"v_add_i32 v1, vcc, v2, v3", {0x4a020702}, {{2, 2}}, {1, 1}, {0}, {GCN_VCC, 2}},
    {"buffer_load_dwordx2 v[8:9], v[2:3], s[4:7], 0 addr64",
     {0xe0348000, 0x80010802},
     {{2, 2}},
     {8, 2},
     {4, 4},
     {0}},
    {"buffer_load_dword v8, off, s[4:7], s3", {0xe0300000, 0x03010800}, {{0}}, {8, 1}, {3, 5}, {0}},
    {"buffer_store_dwordx4 v[8:11], v2, s[4:7], 0 offen",
     {0xe0781000, 0x80010802},
     {{2, 1}, {8, 4}},
     {0},
     {4, 4},
     {0}},
    {"buffer_atomic_add v8, v2, s[4:7], 0 offen",
     {0xe0c81000, 0x80010802},
     {{2, 1}, {8, 1}},
     {0},
     {4, 4},
     {0}},
    {"buffer_atomic_add v8, v2, s[4:7], 0 offen glc",
     {0xe0c85000, 0x80010802},
     {{2, 1}, {8, 1}},
     {8, 1},
     {4, 4},
     {0}},
    {"buffer_atomic_cmpswap v[8:9], v2, s[4:7], 0 offen glc",
     {0xe0c45000, 0x80010802},
     {{2, 1}, {8, 2}},
     {8, 1},
     {4, 4},
     {0}},
    {"ds_write_b64 v1, v[2:3]", {0xd9340000, 0x00000201}, {{1, 3}}, {0}, {0}, {0}},
    {"ds_write2_b32 v1, v2, v5 offset1:1",
     {0xd8380100, 0x00050201},
     {{1, 2}, {5, 1}},
     {0},
     {0},
     {0}},
    {"ds_read_b64 v[6:7], v1", {0xd9d80000, 0x06000001}, {{1, 1}}, {6, 2}, {0}, {0}},
    {"ds_read2_b32 v[6:7], v1 offset1:1", {0xd8dc0100, 0x06000001}, {{1, 1}}, {6, 2}, {0}, {0}},
    {"ds_cmpst_rtn_b32 v6, v1, v2, v3", {0xd8c00000, 0x06030201}, {{1, 3}}, {6, 1}, {0}, {0}},
    {"s_add_u32 s2, s3, s4", {0x80020403}, {{0}}, {0}, {3, 2}, {2, 1}},
    {"s_load_dwordx2 s[8:9], s[2:3], 0x0", {0xc0440300}, {{0}}, {0}, {2, 2}, {8, 2}},
    {"s_mov_b64 exec, s[2:3]", {0xbefe0402}, {{0}}, {0}, {2, 2}, {0}},
};

static void add_stretch(uint64_t *bits, const unsigned stretch[2])
{
    for (unsigned i = stretch[0]; i < stretch[0] + stretch[1]; i++)
        bits[i / 64] |= UINT64_C(1) << (i % 64);
}

static void registers_that_an_instruction_reads_and_writes(void **state)
{
    for (unsigned i = 0; i < sizeof uses / sizeof uses[0]; i++) {
        struct gcn_instruction record = decode_words(uses[i].words[0], uses[i].words[1]);
        struct isa_registers expected_read = {0}, expected_written = {0}, read, written;

        add_stretch(expected_read.vector, uses[i].read[0]);
        add_stretch(expected_read.vector, uses[i].read[1]);
        add_stretch(expected_written.vector, uses[i].written);
        add_stretch(expected_read.scalar, uses[i].scalars_read);
        add_stretch(expected_written.scalar, uses[i].scalars_written);
        isa_gcn(true)->registers(&record.base, &read, &written);
        if (memcmp(&read, &expected_read, sizeof read) != 0 ||
            memcmp(&written, &expected_written, sizeof written) != 0)
            fail_msg("%s", uses[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_two_encodings_overlap),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(long_forms_find_the_short_ones),
        cmocka_unit_test(random_words_decode_to_something_safe),
        cmocka_unit_test(what_the_scheduler_acts_on),
        cmocka_unit_test(counters_and_sizes_of_memory_instructions),
        cmocka_unit_test(refusals_name_the_operation_and_the_reason),
        cmocka_unit_test(code_that_ends_within_an_instruction),
        cmocka_unit_test(registers_that_an_instruction_reads_and_writes),
    };

    return cmocka_run_group_tests_name("decode", tests, NULL, NULL);
}

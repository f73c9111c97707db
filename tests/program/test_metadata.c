/* SPDX-License-Identifier: MIT */
/* Metadata that no compiler writes: one kernel with one argument, from numbers of the test's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/text.h"
#include "program/metadata.h"

static void pack_text(msgpack_packer *packer, const char *text)
{
    msgpack_pack_str(packer, strlen(text));
    msgpack_pack_str_body(packer, text, strlen(text));
}

static void pack_number(msgpack_packer *packer, const char *key, uint64_t value)
{
    pack_text(packer, key);
    msgpack_pack_uint64(packer, value);
}

static void pack_argument(msgpack_packer *packer, uint64_t offset, uint64_t bytes)
{
    msgpack_pack_map(packer, 3);
    pack_number(packer, ".offset", offset);
    pack_number(packer, ".size", bytes);
    pack_text(packer, ".value_kind");
    pack_text(packer, "by_value");
}

static void pack_kernel(msgpack_packer *packer, uint64_t segment_bytes, uint64_t offset,
                        uint64_t bytes)
{
    msgpack_pack_map(packer, 11);
    pack_text(packer, ".name");
    pack_text(packer, "k");
    pack_text(packer, ".symbol");
    pack_text(packer, "k.kd");
    pack_number(packer, ".kernarg_segment_size", segment_bytes);
    pack_number(packer, ".kernarg_segment_align", 8);
    pack_number(packer, ".group_segment_fixed_size", 0);
    pack_number(packer, ".private_segment_fixed_size", 0);
    pack_number(packer, ".max_flat_workgroup_size", 256);
    pack_number(packer, ".sgpr_count", 16);
    pack_number(packer, ".vgpr_count", 8);
    pack_number(packer, ".wavefront_size", 64);
    pack_text(packer, ".args");
    msgpack_pack_array(packer, 1);
    pack_argument(packer, offset, bytes);
}

/* Whether a kernel with such an argument is accepted. */
static bool is_read(uint64_t segment_bytes, uint64_t offset, uint64_t bytes,
                    struct diagnosis *diagnosis)
{
    struct program *program = allocate(1, sizeof *program);
    msgpack_sbuffer buffer;
    msgpack_packer packer;
    char **symbols = NULL;
    bool is_good;

    msgpack_sbuffer_init(&buffer);
    msgpack_packer_init(&packer, &buffer, msgpack_sbuffer_write);
    msgpack_pack_map(&packer, 1);
    pack_text(&packer, "amdhsa.kernels");
    msgpack_pack_array(&packer, 1);
    pack_kernel(&packer, segment_bytes, offset, bytes);
    is_good = metadata_read(program, buffer.data, buffer.size, &symbols, diagnosis);
    for (uint32_t i = 0; i < program->kernel_count; i++)
        free(symbols[i]);
    free(symbols);
    program_destroy(program);
    msgpack_sbuffer_destroy(&buffer);
    return is_good;
}

static void arguments_lie_within_their_segment(void **state)
{
    static const struct {
        uint64_t segment_bytes, offset, bytes;
        bool is_good;
    } cases[] = {
        {64, 0, 64, true},          {64, 60, 4, true},
        {64, 64, 0, true},          {64, 61, 4, false},
        {64, 0, 65, false},         {64, 65, 0, false},
        {64, 0xfffffffc, 8, false}, {64, 8, 0xfffffffc, false},
        {64, 0xffffffff, 1, false}, {0, 0x80000000, 0x80000000, false},
    };

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(cases); i++) {
        struct diagnosis diagnosis = {0};

        assert_int_equal(
            is_read(cases[i].segment_bytes, cases[i].offset, cases[i].bytes, &diagnosis),
            cases[i].is_good);
        if (!cases[i].is_good)
            assert_non_null(strstr(diagnosis.message, "outside the argument segment"));
    }
}

static void numbers_have_32_bits(void **state)
{
    struct diagnosis diagnosis;

    (void)state;
    assert_false(is_read(64, UINT64_C(1) << 32, 4, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "not a 32-bit number: .offset"));
    assert_false(is_read(UINT64_C(1) << 32, 0, 4, &diagnosis));
    assert_false(is_read(65537, 0, 4, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "impossible argument segment"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"metadata/arguments_lie_within_their_segment", arguments_lie_within_their_segment, NULL,
         NULL, NULL},
        {"metadata/numbers_have_32_bits", numbers_have_32_bits, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests_name("program/metadata", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* Which literals of s_mov_b64 are lost between assembly and object file? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "backend/literals.h"
#include "base/bits.h"

static uint64_t bits_of(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static void what_has_an_operand_or_fits_is_not_too_wide(void **state)
{
    static const double inlined[] = {0, 0.5, -0.5, 1, -1, 2, -2, 4, -4};
    static const int64_t integers[] = {0, 64, 65, 0x7fffffff, 0xffffffff, -1, -16};
    static const int64_t wide[] = {-17, -100, INT32_MIN, 0x100000000, INT64_MAX, INT64_MIN};

    (void)state;
    for (unsigned i = 0; i < ARRAY_COUNT(inlined); i++)
        assert_false(literals_are_too_wide(bits_of(inlined[i])));
    for (unsigned i = 0; i < ARRAY_COUNT(integers); i++)
        assert_false(literals_are_too_wide((uint64_t)integers[i]));
    for (unsigned i = 0; i < ARRAY_COUNT(wide); i++)
        assert_true(literals_are_too_wide((uint64_t)wide[i]));
    assert_true(literals_are_too_wide(bits_of(6)));
    assert_true(literals_are_too_wide(bits_of(0.1)));
}

static void the_first_lost_literal_is_found_with_its_function(void **state)
{
    static const char assembly[] = "\t.text\n"
                                   "first:\n"
                                   "\ts_mov_b64 s[4:5], 1.0\n"
                                   "\ts_mov_b64 s[4:5], -16\n"
                                   "\ts_mov_b64 s[4:5], 0x80000000\n"
                                   "\ts_mov_b64 s[4:5], s[6:7]\n"
                                   "; 0x4018000000000000: a comment\n"
                                   "\t.quad 0x4018000000000000\n"
                                   "second:                 ; @second\n"
                                   ".LBB1_2:\n"
                                   "\ts_mov_b64 vcc, 0xc025000000000000\n"
                                   "third:\n"
                                   "\ts_mov_b64 s[4:5], 0x4018000000000000";
    struct lost_literal lost;

    (void)state;
    assert_true(literals_find_lost(assembly, &lost));
    assert_int_equal(lost.bits, 0xc025000000000000);
    assert_int_equal(lost.label_length, strlen("second"));
    assert_memory_equal(lost.label, "second", strlen("second"));
    assert_false(literals_find_lost("k:\n\ts_mov_b64 s[4:5], 0x7fffffff\n\ts_endpgm\n", &lost));
    assert_false(literals_find_lost("", &lost));
}

static void an_object_files_literals_are_looked_up_in_the_assembly(void **state)
{
    static const uint32_t plain[] = {0xbe840304, 0xbe840380, 0xbf810000};       /* s_mov_b32 */
    static const uint32_t moves[] = {0xbe8404ff, 0x7fffffff, 0xbeea04ff, 0x99}; /* vcc: 106 */
    static const char with_both[] = "k:\n\ts_mov_b64 s[4:5], 0x7fffffff\n\ts_mov_b64 vcc, 0x99\n";
    static const char with_one[] = "k:\n\ts_mov_b64 s[4:5], 0x7fffffff\n\ts_mov_b32 s4, 0x99\n";

    (void)state;
    assert_false(literals_may_be_in(plain, sizeof plain));
    assert_true(literals_may_be_in(moves, sizeof moves));
    assert_true(literals_are_all_in("", plain, sizeof plain));
    assert_true(literals_are_all_in(with_both, moves, sizeof moves));
    assert_false(literals_are_all_in(with_one, moves, sizeof moves));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_has_an_operand_or_fits_is_not_too_wide),
        cmocka_unit_test(the_first_lost_literal_is_found_with_its_function),
        cmocka_unit_test(an_object_files_literals_are_looked_up_in_the_assembly),
    };

    return cmocka_run_group_tests_name("backend/literals", tests, NULL, NULL);
}

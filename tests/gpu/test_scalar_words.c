/* SPDX-License-Identifier: MIT */
/* Words that scalar loads read and transactions wrote: which are both, and who is named. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/scalar_words.h"

static struct scalar_words *words;

static int begin(void **state)
{
    words = scalar_words_create();
    return 0;
}

static int end(void **state)
{
    scalar_words_destroy(words);
    return 0;
}

static void is_read(uint64_t address, uint32_t bytes, struct word_access access)
{
    scalar_words_read(words, address, bytes, &access);
}

static void is_written(uint64_t address, uint32_t bytes, struct word_access access)
{
    scalar_words_written(words, address, bytes, &access);
}

static void expect(uint64_t address, uint64_t read_pc, uint64_t written_pc)
{
    struct fault fault;

    assert_true(scalar_words_judge(words, &fault));
    assert_int_equal(fault.address, address);
    assert_int_equal(fault.pc, read_pc);
    assert_int_equal(fault.other_pc, written_pc);
}

static void expect_nothing(void)
{
    struct fault fault;

    assert_false(scalar_words_judge(words, &fault));
}

static void all_words_of_an_access_count(void **state)
{
    is_read(0x1000, 64, (struct word_access){.pc = 4});
    is_written(0xffc, 4, (struct word_access){.pc = 8});
    is_written(0x1040, 16, (struct word_access){.pc = 8});
    expect_nothing();
    is_written(0x103f, 1, (struct word_access){.pc = 12});
    expect(0x103c, 4, 12);
    is_written(0xff8, 16, (struct word_access){.pc = 16}); /* its third word */
    expect(0x1000, 4, 16);
}

/* Whatever comes first: tables that have grown many times, from either end. */
static void the_lowest_word_is_named(void **state)
{
    for (uint64_t i = 0; i < 20000; i++) {
        is_read(8 * i, 4, (struct word_access){.pc = 4 * i});
        is_written(8 * (19999 - i) + 4, 4, (struct word_access){.pc = 4 * i});
    }
    expect_nothing();
    for (uint64_t i = 15000; i >= 5000; i--)
        is_written(8 * i, 4, (struct word_access){.pc = 100000 + i});
    expect(8 * 5000, 4 * 5000, 105000);
}

static void the_first_access_is_named_in_any_order(void **state)
{
    static const struct word_access accesses[] = {
        {8, {3, 0, 0}, 1}, {8, {2, 0, 1}, 0}, {8, {2, 0, 0}, 2}, {8, {2, 0, 0}, 1}, {12, {0, 0, 0}, 0}};
    struct fault fault;

    for (unsigned turn = 0; turn < 5; turn++) {
        scalar_words_clear(words);
        is_written(16, 4, accesses[4]);
        for (unsigned i = 0; i < 5; i++)
            is_read(16, 4, accesses[(turn + i) % 5]);
        assert_true(scalar_words_judge(words, &fault));
        assert_int_equal(fault.pc, 8);
        assert_int_equal(fault.group[0], 2);
        assert_int_equal(fault.group[2], 0);
        assert_int_equal(fault.wavefront, 1);
    }
}

static void a_launch_forgets_the_one_before(void **state)
{
    is_read(16, 4, (struct word_access){.pc = 4});
    scalar_words_clear(words);
    is_written(16, 4, (struct word_access){.pc = 4});
    expect_nothing();
    scalar_words_clear(words);
    is_read(16, 4, (struct word_access){.pc = 4});
    expect_nothing();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(all_words_of_an_access_count, begin, end),
        cmocka_unit_test_setup_teardown(the_lowest_word_is_named, begin, end),
        cmocka_unit_test_setup_teardown(the_first_access_is_named_in_any_order, begin, end),
        cmocka_unit_test_setup_teardown(a_launch_forgets_the_one_before, begin, end),
    };

    return cmocka_run_group_tests_name("gpu/scalar_words", tests, NULL, NULL);
}

/* SPDX-License-Identifier: MIT */
/* The shadow of memory behind --check-release: which loaded bytes it calls old, and which it does not
 * judge. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/shadow.h"

#define LINE UINT64_C(0x550000001000)

static struct shadow *shadow;
static unsigned char zeros[LINE_BYTES], ones[LINE_BYTES];

static int set_up(void **state)
{
    memset(ones, 1, sizeof ones);
    shadow = shadow_create();
    (void)state;
    return 0;
}

static int tear_down(void **state)
{
    shadow_destroy(shadow);
    (void)state;
    return 0;
}

static void answer(uint64_t line, uint64_t mask, const unsigned char *data, uint16_t unit,
                   uint64_t cycle)
{
    struct shadow_store store = {.pc = 0x40 + unit, .cycle = cycle, .unit = unit};

    shadow_stored(shadow, line, mask, data, &store);
}

static void store(uint64_t line, uint64_t mask, const unsigned char *data, uint16_t unit,
                  uint64_t cycle)
{
    shadow_sent(shadow, line, mask);
    answer(line, mask, data, unit, cycle);
}

/* Unit 2 loads all of the line. */
static uint64_t old_bytes(uint64_t line, const unsigned char *data, uint64_t sent)
{
    struct shadow_store last;

    return shadow_old(shadow, line, UINT64_MAX, data, 2, sent, &last);
}

static void a_load_after_a_store_is_old_where_it_differs(void **state)
{
    unsigned char some[LINE_BYTES] = {0};
    struct shadow_store last;

    assert_int_equal(old_bytes(LINE, zeros, 100), 0);
    store(LINE, 0xff00, ones, 1, 50);
    assert_int_equal(old_bytes(LINE, zeros, 100), 0xff00);
    some[9] = 1;
    assert_int_equal(old_bytes(LINE, some, 100), 0xfd00);
    assert_int_equal(old_bytes(LINE, ones, 100), 0);
    assert_int_equal(shadow_old(shadow, LINE, 0xf0000, zeros, 2, 100, &last), 0);
    assert_int_equal(shadow_old(shadow, LINE, 0x200, zeros, 2, 100, &last), 0x200);
    assert_int_equal(last.unit, 1);
    assert_int_equal(last.pc, 0x41);
    assert_int_equal(last.cycle, 50);
    (void)state;
}

static void what_the_unit_itself_stored_is_not_judged(void **state)
{
    store(LINE, 1, ones, 2, 50);
    assert_int_equal(old_bytes(LINE, zeros, 100), 0);
    store(LINE, 1, ones, 3, 60);
    assert_int_equal(old_bytes(LINE, zeros, 100), 1);
    (void)state;
}

/* A load that was sent before the store was answered may have passed it. */
static void a_load_that_was_on_its_way_is_not_judged(void **state)
{
    store(LINE, 1, ones, 1, 100);
    assert_int_equal(old_bytes(LINE, zeros, 100), 0);
    assert_int_equal(old_bytes(LINE, zeros, 101), 1);
    shadow_sent(shadow, LINE, 1);
    assert_int_equal(old_bytes(LINE, zeros, 200), 0);
    answer(LINE, 1, zeros, 3, 210);
    assert_int_equal(old_bytes(LINE, ones, 220), 1);
    (void)state;
}

static void stores_that_overlap_have_no_order(void **state)
{
    shadow_sent(shadow, LINE, 3);
    shadow_sent(shadow, LINE, 1);
    answer(LINE, 1, ones, 1, 50);
    answer(LINE, 3, ones, 3, 60);
    assert_int_equal(old_bytes(LINE, zeros, 100), 2);
    store(LINE, 1, ones, 1, 70);
    assert_int_equal(old_bytes(LINE, zeros, 100), 3);
    (void)state;
}

static void what_an_atomic_left_is_not_known(void **state)
{
    store(LINE, 0xf, ones, 1, 50);
    store(LINE, 0xf, NULL, 3, 60);
    assert_int_equal(old_bytes(LINE, zeros, 100), 0);
    (void)state;
}

static void clearing_forgets(void **state)
{
    store(LINE, 1, ones, 1, 50);
    shadow_clear(shadow);
    assert_int_equal(old_bytes(LINE, zeros, 100), 0);
    (void)state;
}

static void it_grows(void **state)
{
    enum { LINES = 5000 };

    for (uint64_t i = 0; i < LINES; i++)
        store(LINE + i * LINE_BYTES, UINT64_C(1) << i % 64, ones, (uint16_t)(i % 2), 50);
    for (uint64_t i = 0; i < LINES; i++)
        assert_int_equal(old_bytes(LINE + i * LINE_BYTES, zeros, 100), UINT64_C(1) << i % 64);
    assert_int_equal(old_bytes(LINE + LINES * LINE_BYTES, zeros, 100), 0);
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_load_after_a_store_is_old_where_it_differs, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_the_unit_itself_stored_is_not_judged, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_load_that_was_on_its_way_is_not_judged, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(stores_that_overlap_have_no_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_an_atomic_left_is_not_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(clearing_forgets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_grows, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

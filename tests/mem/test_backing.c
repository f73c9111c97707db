/* SPDX-License-Identifier: MIT */
/* Device memory's blocks: where they lie, what their pages allow, and who is named about an address
 * outside them. */
#include "cmocka_all.h"

#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/backing.h"

enum { MEMORY = 2 << 20, PAGE = BACKING_PAGE_BYTES };

static void begin(struct backing *backing)
{
    struct diagnosis diagnosis;

    check(backing_init(backing, MEMORY, false, &diagnosis), "%s", diagnosis.message);
}

static void blocks_have_guards_and_first_fits(void **state)
{
    struct backing backing;
    uint64_t first, second, third;

    (void)state;
    begin(&backing);
    assert_false(backing.is_shared);
    first = backing_allocate(&backing, 100, 256, "first");
    second = backing_allocate(&backing, PAGE + 1, 256, "second");
    third = backing_allocate(&backing, 8, 256, "third");
    assert_int_equal(first, BACKING_BASE + PAGE); /* a page before it, and one between two */
    assert_int_equal(second, first + 2 * PAGE);
    assert_int_equal(third, second + 3 * PAGE);
    assert_int_equal(backing.allocated_bytes, 100 + PAGE + 1 + 8);
    backing_host(&backing, second)[PAGE] = 9;
    backing_free(&backing, second);
    assert_int_equal(backing.allocated_bytes, 108);
    assert_int_equal(backing_allocate(&backing, 2 * PAGE + 1, 256, "too large for the gap"),
                     third + 2 * PAGE);
    assert_int_equal(backing_allocate(&backing, 2 * PAGE, 256, "fits"), second);
    assert_int_equal(backing_host(&backing, second)[PAGE], 0);
    assert_int_equal(backing_allocate(&backing, 1, 16 * PAGE, "aligned") % (16 * PAGE), 0);
    backing_finish(&backing);
    assert_null(backing.host);
}

static void memory_has_an_end(void **state)
{
    struct diagnosis diagnosis;
    struct backing backing;
    uint32_t hint = 0;

    (void)state;
    assert_false(backing_init(&backing, 0, false, &diagnosis));
    assert_false(backing_init(&backing, MEMORY + PAGE, false, &diagnosis));
    assert_non_null(strstr(diagnosis.message, "not a multiple of 2 MB"));
    begin(&backing);
    assert_int_equal(backing_allocate(&backing, 0, 256, "none"), 0);
    assert_int_equal(backing_allocate(&backing, MEMORY, 256, "no room for its guards"), 0);
    assert_int_equal(backing_allocate(&backing, MEMORY - 2 * PAGE + 1, 256, "nor here"), 0);
    assert_int_equal(backing_allocate(&backing, MEMORY - 2 * PAGE, 256, "all"),
                     BACKING_BASE + PAGE);
    assert_int_equal(backing_allocate(&backing, 1, 256, "full"), 0);
    assert_null(backing_find(&backing, BACKING_BASE, &hint));
    backing_finish(&backing);
}

/* More blocks than there are records at first, found by each of their addresses and by no other. */
static void blocks_are_found(void **state)
{
    enum { BLOCKS = 100 };
    struct backing backing;
    uint64_t addrs[BLOCKS];

    (void)state;
    begin(&backing);
    for (unsigned i = 0; i < BLOCKS; i++)
        addrs[i] = backing_allocate(&backing, 10 + i, 256, "block");
    for (unsigned i = 0; i < BLOCKS; i++)
        for (uint32_t hint = 0; hint <= BLOCKS; hint += 25) {
            uint32_t place = hint, after = hint;

            assert_ptr_equal(backing_find(&backing, addrs[i], &place), &backing.blocks[i]);
            assert_int_equal(place, i);
            assert_ptr_equal(backing_find(&backing, addrs[i] + 9 + i, &after), &backing.blocks[i]);
            assert_null(backing_find(&backing, addrs[i] + 10 + i, &after));
            assert_null(backing_find(&backing, addrs[i] - 1, &after));
        }
    backing_free(&backing, addrs[50]);
    assert_int_equal(backing.block_count, BLOCKS - 1);
    assert_int_equal(backing.blocks[50].addr, addrs[51]);
    backing_finish(&backing);
}

static void pages_say_what_kernels_may_do(void **state)
{
    struct backing backing;
    uint64_t addr, hidden;

    (void)state;
    begin(&backing);
    /* The block begins with the first page of another word of bits. */
    assert_int_not_equal(backing_allocate(&backing, 62 * PAGE, 256, "before"), 0);
    addr = backing_allocate(&backing, PAGE + 1, 256, "buffer");
    hidden = backing_allocate(&backing, 8, 256, "arguments");
    backing_hide(&backing, hidden, BACKING_MAY_LOAD);
    backing_hide(&backing, hidden + PAGE, 0); /* no block: nothing happens */
    for (enum backing_access access = BACKING_LOAD; access < BACKING_ACCESSES; access++) {
        assert_true(backing_allows(&backing, addr, 2 * PAGE, access));
        assert_int_equal(backing_allows(&backing, hidden, 8, access), access == BACKING_LOAD);
    }
    assert_true(backing_is_mapped(&backing, hidden, PAGE));
    assert_true(backing_is_mapped(&backing, addr, 2 * PAGE));
    assert_false(backing_is_mapped(&backing, addr, 2 * PAGE + 1));
    assert_false(backing_is_mapped(&backing, addr - 1, 1));
    assert_false(backing_is_mapped(&backing, BACKING_BASE - 1, 1));
    assert_false(backing_is_mapped(&backing, BACKING_BASE + MEMORY, 1));
    backing_free(&backing, addr);
    assert_false(backing_is_mapped(&backing, addr, 1));
    assert_false(backing_is_mapped(&backing, addr + PAGE, 1));
    assert_false(backing_allows(&backing, addr, 1, BACKING_LOAD));
    backing_finish(&backing);
}

static void assert_explained(const struct backing *backing, uint64_t addr, const char *expected)
{
    struct text text = {0};

    backing_explain(backing, addr, 4, &text);
    assert_non_null(strstr(text_chars(&text), "4 bytes at 0x"));
    assert_string_equal(strchr(text_chars(&text), ','), expected);
    text_finish(&text);
}

static void addresses_are_explained(void **state)
{
    struct backing backing;
    uint64_t low, hidden, high;

    (void)state;
    begin(&backing);
    assert_explained(&backing, BACKING_BASE, ", and no buffer exists");
    low = backing_allocate(&backing, 100, 256, "low");
    hidden = backing_allocate(&backing, 100, 256, "code");
    high = backing_allocate(&backing, 50, 256, "high");
    backing_hide(&backing, hidden, 0);
    assert_explained(&backing, low - 16, ", 16 bytes before low (100 bytes)");
    assert_explained(&backing, low, ", at offset 0 of low (100 bytes)");
    assert_explained(&backing, low + 99, ", at offset 99 of low (100 bytes)");
    assert_explained(&backing, low + 100, ", right behind the end of low (100 bytes)");
    assert_explained(&backing, low + 101, ", 1 bytes past the end of low (100 bytes)");
    assert_explained(&backing, high - 2, ", 2 bytes before high (50 bytes)");
    assert_explained(&backing, hidden,
                     ", in memory that belongs to no buffer (code), 8092 bytes past the end of low "
                     "(100 bytes)");

    assert_ptr_equal(backing_nearest(&backing, hidden), &backing.blocks[1]);
    assert_ptr_equal(backing_nearest(&backing, low + 5000), &backing.blocks[0]);
    assert_ptr_equal(backing_nearest(&backing, high - 3000), &backing.blocks[2]);
    backing_finish(&backing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {"backing/blocks_have_guards_and_first_fits", blocks_have_guards_and_first_fits, NULL, NULL,
         NULL},
        {"backing/memory_has_an_end", memory_has_an_end, NULL, NULL, NULL},
        {"backing/blocks_are_found", blocks_are_found, NULL, NULL, NULL},
        {"backing/pages_say_what_kernels_may_do", pages_say_what_kernels_may_do, NULL, NULL, NULL},
        {"backing/addresses_are_explained", addresses_are_explained, NULL, NULL, NULL},
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

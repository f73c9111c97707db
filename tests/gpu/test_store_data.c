/* SPDX-License-Identifier: MIT */
/*
 * When store data leaves the registers. Streams of Southern Islands instructions, on both models.
 * Each lane stores v1, which is 7, and then writes 9 to it, with and without the wait that hardware
 * wants between the two.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/rig.h"

enum {
    OLD = 7,
    NEW = 9,
    WORDS_MAX = 64,
    STORE_BYTE = 24,
    STORE_DWORD = 28,
    STORE_DWORDX2 = 29,
    SWAP = 48,
    COMPARE_SWAP = 49,
    RETURNS = 1 << 14, /* GLC */
};

#define WAIT_EXP UINT32_C(0xbf8c0f0f) /* s_waitcnt expcnt(0) */
#define WAIT_ALL UINT32_C(0xbf8c0000)
#define PAUSE UINT32_C(0xbf80000f) /* s_nop: 16 turns */

static struct rig rig;
static uint32_t words[WORDS_MAX], count;
static uint64_t buffer;

static void put(uint32_t word)
{
    words[count++] = word;
}

/* v_mov_b32 v[target], a constant of 0 to 64 */
static void put_move(unsigned target, unsigned value)
{
    put(0x7e000200 | target << 17 | (128 + value));
}

/* buffer_OP v[data], v0, s[4:7], 0 offen offset:offset */
static void put_access(unsigned op, unsigned data, unsigned offset)
{
    put(0xe0001000 | (op & 127) << 18 | (op & RETURNS) | offset);
    put(0x80010000 | data << 8);
}

static void put_scalar(unsigned target, uint32_t value)
{
    put(0xbe8003ff | target << 16); /* s_mov_b32, literal */
    put(value);
}

/* s[4:7] describes `bytes` bytes from the buffer on, v0 is 8 times the lane, v1 and v2 are OLD. */
static void start(uint32_t bytes)
{
    rig_init(&rig);
    rig.isa = isa_gcn(false);
    buffer = rig_allocate(&rig, 4096);
    count = 0;
    put_scalar(4, (uint32_t)buffer);
    put_scalar(5, (uint32_t)(buffer >> 32));
    put_scalar(6, bytes);
    put_scalar(7, 0x00027000);
    put(0x34000083); /* v_lshlrev_b32 v0, 3, v0 */
    put_move(1, OLD);
    put_move(2, OLD);
}

static void run(bool functional)
{
    static const uint32_t resources = 5 | 2 << 6 | 0xc0u << 12;
    uint64_t address = rig_allocate(&rig, sizeof words);
    uint8_t descriptor[64] = {0};
    struct diagnosis diagnosis;
    struct isa_kernel kernel;
    struct isa_code *code;

    put(0xbf810000); /* s_endpgm */
    memcpy(rig_words(&rig, address), words, sizeof words);
    rig_build(&rig);
    code = rig.isa->decode(words, count * 4, address);
    memcpy(descriptor + 48, &resources, sizeof resources);
    assert_true(rig.isa->kernel_init(&kernel, code, descriptor, address, &diagnosis));
    kernel.lds_bytes = 1024;
    rig_set_launch(&rig, &kernel, 1, 64);
    if (functional)
        assert_int_equal(rig_run_functional(&rig), FUNCTIONAL_DONE);
    else
        rig_run_launch(&rig);
    rig.isa->code_destroy(code);
}

/* Of a lane: what lies `word` words behind the place where v0 points. */
static uint32_t word_of(uint32_t lane, uint32_t word)
{
    return rig_words(&rig, buffer)[2 * lane + word];
}

/* Runs the access and, after `between` (0: nothing), the overwriting; what the lanes have stored. */
static uint32_t stored(bool functional, unsigned op, uint32_t between, unsigned overwritten,
                       uint32_t word)
{
    uint32_t value;

    start(512);
    put_access(op, 1, 0);
    if (between != 0)
        put(between);
    put_move(overwritten, NEW);
    run(functional);
    value = word_of(0, word);
    for (uint32_t lane = 1; lane < 64; lane++)
        assert_int_equal(word_of(lane, word), value);
    rig_finish(&rig);
    return value;
}

static void a_store_without_a_wait_stores_what_comes_later(void **state)
{
    assert_int_equal(stored(false, STORE_DWORD, 0, 1, 0), NEW);
    assert_int_equal(stored(false, STORE_BYTE, 0, 1, 0), NEW);
    assert_int_equal(stored(false, STORE_DWORDX2, 0, 1, 0), NEW);
    assert_int_equal(stored(false, STORE_DWORDX2, 0, 1, 1), OLD);
    assert_int_equal(stored(false, STORE_DWORDX2, 0, 2, 1), NEW);
}

static void expcnt_keeps_what_is_stored(void **state)
{
    assert_int_equal(stored(false, STORE_DWORD, WAIT_EXP, 1, 0), OLD);
    assert_int_equal(stored(false, STORE_BYTE, WAIT_EXP, 1, 0), OLD);
    assert_int_equal(stored(false, STORE_DWORDX2, WAIT_EXP, 2, 1), OLD);
}

/* The data leaves the registers at the start of the addresses, 16 cycles after issue, and not when
 * the store is complete. Nothing is stored that comes 16 turns of 4 cycles later. */
static void what_comes_much_later_is_not_stored(void **state)
{
    assert_int_equal(stored(false, STORE_DWORD, PAUSE, 1, 0), OLD);
}

static void the_functional_model_stores_at_once(void **state)
{
    assert_int_equal(stored(true, STORE_DWORD, 0, 1, 0), OLD);
    assert_int_equal(stored(true, STORE_BYTE, 0, 1, 0), OLD);
    assert_int_equal(stored(true, STORE_DWORDX2, 0, 2, 1), OLD);
    assert_int_equal(stored(true, SWAP, 0, 1, 0), OLD);
}

/* The new value is in v1, what is compared, and found, in v2. */
static uint32_t compared(uint32_t between, unsigned overwritten)
{
    uint32_t value;

    start(512);
    for (uint32_t lane = 0; lane < 64; lane++)
        rig_words(&rig, buffer)[2 * lane] = OLD;
    put_move(1, 3);
    put_access(COMPARE_SWAP, 1, 0);
    if (between != 0)
        put(between);
    put_move(overwritten, NEW);
    run(false);
    value = word_of(5, 0);
    rig_finish(&rig);
    return value;
}

static void operands_of_atomics_are_read_like_stores(void **state)
{
    assert_int_equal(stored(false, SWAP, 0, 1, 0), NEW);
    assert_int_equal(stored(false, SWAP, WAIT_EXP, 1, 0), OLD);
    assert_int_equal(compared(0, 1), NEW);
    assert_int_equal(compared(0, 2), OLD); /* found is not what is compared now: nothing changes */
    assert_int_equal(compared(WAIT_EXP, 1), 3);
    assert_int_equal(compared(WAIT_EXP, 2), 3);
}

/* An atomic returns what was there to the lanes in range, 0 to the others, whatever its operand. */
static void an_atomic_out_of_range_returns_zero(void **state)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        start(256);
        for (uint32_t lane = 0; lane < 64; lane++)
            rig_words(&rig, buffer)[2 * lane] = 100 + lane;
        put_access(SWAP | RETURNS, 1, 0);
        put(WAIT_ALL);
        put_scalar(6, 1024);
        put_access(STORE_DWORD, 1, 512);
        run(functional != 0);
        for (uint32_t lane = 0; lane < 64; lane++) {
            assert_int_equal(word_of(lane, 0), lane < 32 ? OLD : 100 + lane);
            assert_int_equal(word_of(lane, 128), lane < 32 ? 100 + lane : 0);
        }
        rig_finish(&rig);
    }
}

/* The address, the descriptor and EXEC are those of the issue, whenever the data is read. */
static void all_but_the_data_is_read_at_issue(void **state)
{
    start(512);
    put_scalar(126, 0xff); /* EXEC, low half */
    put_scalar(127, 0);
    put_access(STORE_DWORD, 1, 0);
    put_scalar(4, 0);
    put_scalar(126, UINT32_MAX);
    put_move(0, 4);
    run(false);
    for (uint32_t lane = 0; lane < 64; lane++)
        assert_int_equal(word_of(lane, 0), lane < 8 ? OLD : 0);
    rig_finish(&rig);
}

/* ds_write_b32 v0, v1; v_mov_b32 v1; ds_read_b32 v3, v0; the word that was read is stored. No counter
 * guards the data of local memory: it goes with the instruction. */
static void local_stores_take_their_data_along(void **state)
{
    for (unsigned functional = 0; functional < 2; functional++) {
        start(512);
        put_scalar(124, UINT32_MAX); /* M0 */
        put(0xd8340000);
        put(0x00000100);
        put_move(1, NEW);
        put(0xd8d80000);
        put(0x03000000);
        put(WAIT_ALL);
        put_access(STORE_DWORD, 3, 0);
        run(functional != 0);
        for (uint32_t lane = 0; lane < 64; lane++)
            assert_int_equal(word_of(lane, 0), OLD);
        rig_finish(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_without_a_wait_stores_what_comes_later),
        cmocka_unit_test(expcnt_keeps_what_is_stored),
        cmocka_unit_test(what_comes_much_later_is_not_stored),
        cmocka_unit_test(the_functional_model_stores_at_once),
        cmocka_unit_test(operands_of_atomics_are_read_like_stores),
        cmocka_unit_test(an_atomic_out_of_range_returns_zero),
        cmocka_unit_test(all_but_the_data_is_read_at_issue),
        cmocka_unit_test(local_stores_take_their_data_along),
    };

    return cmocka_run_group_tests_name("gpu/store_data", tests, NULL, NULL);
}

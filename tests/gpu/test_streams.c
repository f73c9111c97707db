/* SPDX-License-Identifier: MIT */
/*
 * Random streams of instructions, registers and descriptors on both models: each ends, or reaches a
 * limit, or is a fault with words. No check of ours is reached: that would end this program.
 *
 * A stream: registers get values that are addresses, parts of descriptors, limits or anything; then
 * random instructions of all formats. WAVETANK_STREAMS says how many streams (300), WAVETANK_SEED
 * which is the first. A stream depends on its number (and on the compiler of this file, which
 * chooses in which order operands are drawn). One that ends this program is named on its way out.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "gpu/rig.h"

enum { WORDS_MAX = 1024, BUFFER_BYTES = 1 << 16, INSTRUCTIONS_MIN = 20 };

static struct stream {
    uint64_t number;
    struct random random;
    uint32_t words[WORDS_MAX];
    uint32_t count;
} stream;

static struct rig rig;
static struct isa_code *code;
static struct isa_kernel kernel;
static uint64_t buffer;

static void on_abort(int number)
{
    char line[64];
    int length = snprintf(line, sizeof line, "WAVETANK_SEED=%llu WAVETANK_STREAMS=1\n",
                          (unsigned long long)stream.number);

    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        _exit(1);
    signal(number, SIG_DFL);
}

static uint32_t below(uint32_t count)
{
    return (uint32_t)random_below(&stream.random, count);
}

static uint32_t any(void)
{
    return (uint32_t)random_next(&stream.random);
}

static void put(uint32_t word)
{
    stream.words[stream.count++] = word;
}

/* What registers hold in real programs, and what breaks them. */
static uint32_t interesting(void)
{
    switch (below(12)) {
    case 0:
    case 1:
        return (uint32_t)buffer + (below(BUFFER_BYTES) & (below(2) != 0 ? ~7u : ~0u));
    case 2:
    case 3:
        return (uint32_t)(buffer >> 32);
    case 4:
        return 0x0100f000;
    case 5:
        return (uint32_t)(buffer >> 32) | any() << 16; /* a stride, a swizzle, a wild pointer */
    case 6:
        return UINT32_MAX;
    case 7:
        return any() & 0x00ffffff; /* of a descriptor's last word: swizzles and lane numbers */
    case 8:
        return below(256);
    case 9:
        return 1u << below(32);
    case 10:
        return 0;
    default:
        return any();
    }
}

static void put_registers(void)
{
    for (uint32_t i = 0; i < 24; i++) {
        put(0xbe8003ff | i << 16); /* s_mov_b32 s[i], literal */
        put(interesting());
    }
    put(0xbefc03ff); /* m0 */
    put(below(2) != 0 ? UINT32_MAX : interesting());
    for (uint32_t i = 1; i < 12; i++) {
        put(0x7e0002ff | i << 17); /* v_mov_b32 v[i], literal */
        put(interesting());
        if (below(2) != 0)
            put(0x4a000000 | i << 17 | i << 9 | 256); /* v_add_i32 v[i], vcc, v0, v[i] */
    }
}

/* A register, a constant, a flag, sometimes any number. */
static uint32_t scalar_code(void)
{
    static const uint8_t special[] = {106, 107, 124, 126, 127, 128, 129, 193, 240, 251, 252, 253};

    switch (below(8)) {
    case 0:
        return special[below(sizeof special)];
    case 1:
        return below(256);
    default:
        return below(24);
    }
}

static uint32_t vector_code(void)
{
    return below(16) == 0 ? below(256) : below(12);
}

static uint32_t source_code(void)
{
    return below(2) != 0 ? 256 + vector_code() : scalar_code();
}

static void put_memory(void)
{
    static const uint8_t common[] = {8, 12, 13, 14, 24, 26, 28, 29, 30, 48, 50, 80, 82, 113};
    uint32_t op = below(4) == 0 ? below(128) : common[below(sizeof common)];

    if (below(3) == 0) { /* local */
        put(0xd8000000 | below(256) << 18 | (below(2) != 0 ? any() & 0xffff : below(16) << 8));
        put(vector_code() | vector_code() << 8 | vector_code() << 16 | vector_code() << 24);
    } else {
        put(0xe0000000 | op << 18 | below(4) << 14 | below(4) << 12 | below(64));
        put(vector_code() | vector_code() << 8 | below(6) << 16 | scalar_code() << 24);
    }
}

/* Operations of one field each: top bits, number of operations. */
static void put_instruction(void)
{
    switch (below(14)) {
    case 0:
        put(0x80000000 | below(64) << 23 | below(24) << 16 | scalar_code() << 8 | scalar_code());
        break;
    case 1:
        put(0xb0000000 | below(32) << 23 | below(24) << 16 | (any() & 0xffff));
        break;
    case 2:
        put(0xbe800000 | scalar_code() % 128 << 16 | below(64) << 8 | scalar_code());
        break;
    case 3:
        put(0xbf000000 | below(20) << 16 | scalar_code() << 8 | scalar_code());
        break;
    case 4: /* short branches, waits, no-ops */
        put(0xbf800000 | below(16) << 16 | (below(2) != 0 ? below(8) : any() & 0xffff));
        break;
    case 5:
        put(0xc0000000 | below(16) << 22 | below(24) << 15 | below(12) << 9 | below(2) << 8 |
            below(64));
        break;
    case 6:
        put(below(64) << 25 | vector_code() << 17 | vector_code() << 9 | source_code());
        break;
    case 7:
        put(0x7e000000 | vector_code() << 17 | below(128) << 9 | source_code());
        break;
    case 8:
        put(0x7c000000 | below(256) << 17 | vector_code() << 9 | source_code());
        break;
    case 9:
        put(0xd0000000 | below(512) << 17 | below(16) << 8 | vector_code());
        put(source_code() | source_code() << 9 | source_code() << 18 | below(8) << 29);
        break;
    case 10:
        put(below(8) == 0 ? any() : 0xbf8c0000); /* mostly: wait for everything */
        break;
    default:
        put_memory();
        break;
    }
}

static bool last_is_refused(uint32_t first)
{
    struct isa_code *one =
        rig.isa->decode(stream.words + first, (stream.count - first) * 4, 0x1000);
    bool is_refused = isa_code_at(one, 0x1000)->control == ISA_CONTROL_REFUSED;

    rig.isa->code_destroy(one);
    return is_refused;
}

/* Mostly one that is not refused, since that ends the stream. */
static void put_good_instruction(void)
{
    uint32_t first = stream.count;

    do {
        stream.count = first;
        put_instruction();
    } while (last_is_refused(first) && below(500) != 0);
}

static void make_stream(uint64_t number)
{
    stream.number = number;
    stream.count = 0;
    stream.random.state = number;
    put_registers();
    for (uint32_t i = INSTRUCTIONS_MIN + below(200); i > 0; i--)
        put_good_instruction();
    put(0xbf8c0000);
    put(0xbf810000);
    put(0xbf810000);
}

static void set_up(void)
{
    static const uint32_t resources = 5 | 2 << 6 | 0xc0u << 12;
    uint8_t descriptor[64] = {0};
    struct diagnosis diagnosis;
    uint64_t address;

    rig_init(&rig);
    rig.isa = isa_gcn(false);
    rig.cycle_limit = 20000;
    rig.has_exact_bounds = below(2) != 0;
    rig.drops_outside = below(2) != 0;
    buffer = rig_allocate(&rig, BUFFER_BYTES);
    address = rig_allocate(&rig, sizeof stream.words);
    make_stream(stream.number);
    memcpy(rig_words(&rig, address), stream.words, sizeof stream.words);
    rig_build(&rig);
    code = rig.isa->decode(stream.words, stream.count * 4, address);
    memcpy(descriptor + 48, &resources, sizeof resources);
    assert_true(rig.isa->kernel_init(&kernel, code, descriptor, address, &diagnosis));
    kernel.lds_bytes = 500;
    rig_set_launch(&rig, &kernel, 2, 128);
}

static void assert_words(const struct fault *fault)
{
    struct diagnosis diagnosis;

    fault_diagnose(fault, rig.isa, &rig.backing, NULL, NULL, &diagnosis);
    assert_non_null(strstr(diagnosis.message, "kernel kernel, work-group "));
}

static void run_both(uint64_t number)
{
    const struct fault *fault;

    stream.number = number;
    stream.random.state = ~number;
    set_up();
    if (functional_run(rig.device, &rig.launch, 20000) == FUNCTIONAL_FAULT)
        assert_words(functional_fault(rig.device));
    rig_try(&rig);
    fault = compute_unit_fault(rig.units[0]);
    if (fault != NULL)
        assert_words(fault);
    rig.isa->code_destroy(code);
    rig_finish(&rig);
}

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

static void random_streams_reach_no_check(void **state)
{
    uint64_t first = number_from("WAVETANK_SEED", 1), count = number_from("WAVETANK_STREAMS", 300);

    signal(SIGABRT, on_abort);
    signal(SIGSEGV, on_abort);
    for (uint64_t i = 0; i < count; i++)
        run_both(first + i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_streams_reach_no_check)};

    return cmocka_run_group_tests_name("gpu/streams", tests, NULL, NULL);
}

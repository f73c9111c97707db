/* SPDX-License-Identifier: MIT */
/*
 * Do the plain, the AVX2 and the AVX-512 build of the vector operations leave the same registers
 * behind, bit for bit? They must, also where the semantics test allows a unit in the last place.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "isa/gcn/gcn.h"

#define CODE_ADDRESS UINT64_C(0x1000)
#define REGISTERS 32
#define RUNS 24

static const struct isa_kernel kernel = {.vector_registers = REGISTERS};
static const struct isa_launch launch = {.kernel = &kernel};

/* Random bits, whole numbers and fractions, infinities, denormals. */
static uint32_t interesting(struct random *random)
{
    static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000, 0x7fc00001,
                                       0x7f800001, 0x00001234, 0x3f800000, 0x7ff00000, 0x000fffff};
    uint64_t chance = random_next(random);
    float number = (float)(int32_t)(chance >> 32) / 65536.0f;
    uint32_t bits;

    if ((chance & 7) == 0)
        return special[(chance >> 8) % (sizeof special / sizeof special[0])];
    if ((chance & 7) > 4)
        return (uint32_t)(chance >> 32);
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

static void fill(struct gcn_wave *wave, struct random *random, unsigned run)
{
    memset(wave, 0, sizeof *wave);
    wave->base.launch = &launch;
    wave->base.pc = CODE_ADDRESS;
    gcn_set_mode(wave, (run & 1) != 0 ? 0x3c0 : 0x3f0);
    for (unsigned i = 0; i < REGISTERS; i++)
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            wave->vector[i][lane] = interesting(random);
    wave->scalar[GCN_M0] = run & 7;
    gcn_write_scalar_pair(wave, 24, random_next(random));
    gcn_write_scalar_pair(wave, GCN_VCC, random_next(random));
    gcn_write_scalar_pair(wave, GCN_EXEC, (run & 2) != 0 ? UINT64_MAX : random_next(random));
}

/* The long form: result v20 (or s[20:21]), mask s[22:23], sources v4, v8, v12 or the mask s[24:25].
 */
static void encode(const struct gcn_operation *operation, uint32_t words[2])
{
    unsigned first = operation->format == GCN_FORMAT_VOP2   ? 256
                     : operation->format == GCN_FORMAT_VOP1 ? 384
                                                            : 0;

    words[0] = UINT32_C(0xd0000000) | (first + operation->opcode) << 17 | 20;
    words[1] = 0;
    if ((operation->traits & GCN_TRAIT_CARRY_OUT) != 0)
        words[0] |= 22 << 8;
    for (unsigned i = 0; i < 3; i++)
        if (operation->type[i + 1] != GCN_TYPE_N)
            words[1] |= (operation->type[i + 1] == GCN_TYPE_M ? 24u : 260u + 4 * i) << (9 * i);
}

static void run_on(const struct isa *isa, const uint32_t words[2], struct gcn_wave *wave)
{
    struct isa_code *code = isa->decode(words, 8, CODE_ADDRESS);
    const struct isa_instruction *instruction = isa_code_at(code, CODE_ADDRESS);

    assert_int_not_equal(instruction->control, ISA_CONTROL_REFUSED);
    isa->execute(&wave->base, instruction);
    isa->code_destroy(code);
}

static void compare_operation(enum gcn_op op, const struct isa *isa, struct gcn_wave *wave,
                              struct gcn_wave *expected)
{
    const struct gcn_operation *operation = &gcn_operations[op];
    struct random random = {(uint64_t)op};
    uint32_t words[2];

    encode(operation, words);
    for (unsigned run = 0; run < RUNS; run++) {
        fill(wave, &random, run);
        memcpy(expected, wave, sizeof *wave);
        run_on(isa, words, wave);
        run_on(gcn_isa_variant(GCN_VARIANT_GENERIC), words, expected);
        if (memcmp(wave, expected, sizeof *wave) != 0)
            fail_msg("%s differs in run %u", operation->name, run);
    }
}

static void compare_variant(enum gcn_variant variant)
{
    const struct isa *isa = gcn_isa_variant(variant);
    struct gcn_wave *waves = aligned_alloc(64, 2 * sizeof *waves);
    unsigned compared = 0;

    for (int op = 0; isa != NULL && op < GCN_OP_UNKNOWN; op++) {
        const struct gcn_operation *operation = &gcn_operations[op];

        if (operation->refused || operation->unit != ISA_UNIT_VALU ||
            (operation->traits &
             (GCN_TRAIT_LITERAL_MIDDLE | GCN_TRAIT_LITERAL_LAST | GCN_TRAIT_LANE)) != 0)
            continue;
        compare_operation((enum gcn_op)op, isa, &waves[0], &waves[1]);
        compared++;
    }
    free(waves);
    if (isa == NULL)
        skip();
    assert_true(compared > 300);
}

static void avx2_gives_the_bits_of_the_plain_build(void **state)
{
    compare_variant(GCN_VARIANT_AVX2);
}

static void avx512_gives_the_bits_of_the_plain_build(void **state)
{
    compare_variant(GCN_VARIANT_AVX512);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(avx2_gives_the_bits_of_the_plain_build),
        cmocka_unit_test(avx512_gives_the_bits_of_the_plain_build),
    };

    return cmocka_run_group_tests_name("variants", tests, NULL, NULL);
}

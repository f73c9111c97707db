/* SPDX-License-Identifier: MIT */
/* What an access to local memory costs, beside a plain count of the words in each bank. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/local_memory.h"

static struct isa_memory_request request;

/* By the definition alone. In each pass of 32 lanes, or of 16 where a lane has several words, the
 * bank with the most words decides. */
static uint32_t cycles_counted_word_by_word(unsigned banks)
{
    unsigned words = request.element_bytes < 4 ? 1 : request.element_bytes / 4;
    unsigned lanes = words > 1 ? 16 : 32;
    uint32_t cycles = 0;

    for (unsigned first = 0; first < 64; first += lanes) {
        uint64_t seen[128];
        unsigned count = 0, load = 1;

        for (unsigned lane = first; lane < first + lanes; lane++)
            for (unsigned i = 0; (request.lanes >> lane & 1) != 0 && i < words; i++) {
                uint64_t word = request.address[lane] / 4 + i;
                bool is_new = true;
                unsigned of_bank = 1;

                for (unsigned k = 0; k < count; k++) {
                    is_new &= seen[k] != word;
                    of_bank += seen[k] % banks == word % banks;
                }
                if (!is_new)
                    continue;
                seen[count++] = word;
                load = of_bank > load ? of_bank : load;
            }
        cycles += load;
    }
    return cycles;
}

/* Lanes in rows, mirrored, shifted by some bytes or words, over the end of the banks, some of them
 * inactive. Tested is what a quick look may decide, and what it may not. */
static void any_pattern_costs_what_its_words_cost(void **state)
{
    static const uint8_t bytes[] = {1, 2, 4, 8, 16};
    uint64_t random = 1;

    for (unsigned round = 0; round < 20000; round++) {
        uint64_t base, stride, mirror, noise, mask;

        random = random * 6364136223846793005u + 1442695040888963407u;
        memset(&request, 0, sizeof request);
        request.kind = round % 2 == 0 ? ISA_MEMORY_LOAD : ISA_MEMORY_STORE;
        request.element_bytes = bytes[(random >> 60) % 5];
        base = 4096 + (random >> 20) % 256;
        stride = (random >> 30) % 6 * request.element_bytes;
        mirror = (random >> 33) % 3 == 0 ? (random >> 36) % 64 : 0;
        noise = (random >> 40) % 4 == 0 ? 1 + (random >> 42) % 300 : 0;
        mask = (random >> 50) % 3;
        request.lanes = mask == 0 ? UINT64_MAX : mask == 1 ? random : random & random << 7;
        for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
            request.address[lane] =
                base + (lane ^ mirror) * stride + (noise != 0 && lane % 9 == 4 ? noise * lane : 0);
        if (request.element_bytes >= 4) /* aligned, as the instructions ask for */
            for (unsigned lane = 0; lane < ISA_MAX_LANES; lane++)
                request.address[lane] &= ~(uint64_t)3;
        assert_int_equal(local_memory_cost(&request, 32, 64).cycles,
                         cycles_counted_word_by_word(32));
    }
}

/* One lane, words 0 and 1, then 31 and 32: the last shares a bank with the first. */
static void the_last_word_of_a_second_element_counts(void **state)
{
    memset(&request, 0, sizeof request);
    request.kind = ISA_MEMORY_LOAD;
    request.element_bytes = 8;
    request.lanes = request.second_lanes = 1;
    request.second_delta = 124;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 2 + 3);
    request.second_delta = 120;
    assert_int_equal(local_memory_cost(&request, 32, 64).cycles, 1 + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_pattern_costs_what_its_words_cost),
        cmocka_unit_test(the_last_word_of_a_second_element_counts),
    };

    return cmocka_run_group_tests_name("gpu/local_banks", tests, NULL, NULL);
}

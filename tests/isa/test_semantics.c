/* SPDX-License-Identifier: MIT */
/*
 * Does every instruction do what the manual says? Each operation is tested in its forms (short,
 * long, modifiers, operands of each kind), encoded by LLVM's assembler. It runs on random and
 * special values under random EXEC masks, and is compared with a scalar reference written apart
 * from src/isa. It runs with the plain and the fastest variant of the lane loops.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reference_cases.h"
#include "reference_sequences.h"

/* Every operation that the tables of src/isa/gcn/ have and do not refuse. */
static const char *const operations[] = {
#define ROW(opcode, name, ...) #name,
#define REFUSED(opcode, name)
#include "isa/gcn/all.def"
#undef ROW
#undef REFUSED
};

static struct harness harness;

static bool is_covered(const char *name)
{
    for (size_t i = 0; i < harness.case_count; i++) {
        if (strcmp(harness.cases[i].name, name) == 0)
            return true;
    }
    return false;
}

static size_t count_names(void)
{
    size_t names = 0;

    for (size_t i = 0; i < harness.case_count; i++) {
        size_t first = 0;

        while (strcmp(harness.cases[first].name, harness.cases[i].name) != 0)
            first++;
        names += first == i;
    }
    return names;
}

static void every_instruction_does_what_the_manual_says(void **state)
{
    harness_init(&harness);
    add_vector_cases(&harness);
    add_scalar_cases(&harness);
    add_control_cases(&harness);
    add_memory_cases(&harness);
    add_format_cases(&harness);
    assert_true(harness_run(&harness));
    printf("%zu operations in %zu instructions, %zu runs of 64 lanes on each of %d variants, %zu "
           "failures\n",
           count_names(), harness.case_count, harness.runs, HARNESS_VARIANTS, harness.failures);
    assert_int_equal(harness.failures, 0);
}

static void every_operation_is_covered(void **state)
{
    size_t missing = 0;

    for (size_t i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        if (is_covered(operations[i]))
            continue;
        printf("not covered: %s\n", operations[i]);
        missing++;
    }
    harness_finish(&harness);
    assert_int_equal(missing, 0);
}

/* 300 rounds of 64 lanes each: about 19,000 pairs of operands. */
static void division_and_square_root_are_correctly_rounded(void **state)
{
    size_t count, wrong = 0;
    const struct sequence *list = sequences(&count);

    harness_init(&harness);
    for (size_t i = 0; i < count; i++) {
        bool assembled;

        wrong += sequence_run(&harness, &list[i], 300, &assembled);
        assert_true(assembled);
    }
    harness_finish(&harness);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_instruction_does_what_the_manual_says),
        cmocka_unit_test(every_operation_is_covered),
        cmocka_unit_test(division_and_square_root_are_correctly_rounded),
    };

    return cmocka_run_group_tests_name("isa/semantics", tests, NULL, NULL);
}

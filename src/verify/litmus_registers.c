/* SPDX-License-Identifier: MIT */
/* Registers and branches of a thread: what it does between its accesses. */
#include "base/bits.h"
#include "verify/litmus.h"

static int16_t register_value(const struct litmus_registers *registers, uint8_t from)
{
    return from == 0 ? 0 : registers->of[from - 1];
}

int16_t litmus_operand(const struct litmus_operation *operation,
                       const struct litmus_registers *registers)
{
    return (int16_t)(operation->value + register_value(registers, operation->from));
}

int16_t litmus_expected(const struct litmus_operation *operation,
                        const struct litmus_registers *registers)
{
    return (int16_t)(operation->expected + register_value(registers, operation->expected_from));
}

static bool test_holds(const struct litmus_operation *operation,
                       const struct litmus_registers *registers)
{
    int16_t value = register_value(registers, operation->from);

    switch (operation->test) {
    case TEST_EQUAL:
        return value == operation->number;
    case TEST_NOT_EQUAL:
        return value != operation->number;
    case TEST_MAX:
        return value <= operation->number;
    default:
        return value >= operation->number;
    }
}

/* An access that is done: its register; how many operations it leaves out. */
static uint8_t take_result(const struct litmus_operation *operation, uint8_t returned,
                           struct litmus_registers *registers)
{
    bool is_swapped =
        operation->kind == LITMUS_CAS && returned == litmus_expected(operation, registers);
    bool skips = operation->kind == LITMUS_CAS ? !is_swapped : returned == 0;

    if (operation->into != 0)
        registers->of[operation->into - 1] =
            operation->kind == LITMUS_CAS ? is_swapped : (int16_t)returned;
    return skips ? operation->skip : 0;
}

uint8_t litmus_settle(const struct litmus *litmus, uint32_t thread, uint8_t at,
                      const uint8_t returned[LITMUS_OPERATIONS], struct litmus_registers *registers)
{
    const struct litmus_operation *operations = litmus->threads[thread];
    unsigned i = 0;

    *registers = (struct litmus_registers){{0}};
    while (i < LITMUS_OPERATIONS && operations[i].kind != LITMUS_END) {
        const struct litmus_operation *operation = &operations[i];

        if (operation->kind == LITMUS_SET)
            registers->of[operation->into - 1] =
                (int16_t)(operation->number + register_value(registers, operation->from));
        else if (operation->kind == LITMUS_BRANCH)
            i += test_holds(operation, registers) ? 0 : operation->skip;
        else if (i >= at)
            break;
        else if (litmus_is_access(operation))
            i += take_result(operation, returned[i], registers);
        i++;
    }
    return (uint8_t)(i < LITMUS_OPERATIONS ? i : LITMUS_OPERATIONS);
}

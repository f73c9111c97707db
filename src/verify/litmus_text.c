/* SPDX-License-Identifier: MIT */
/* What a tiny program is, and how it is written. */
#include "base/bits.h"
#include "verify/litmus.h"

/* ---- Threads ---- */

uint32_t litmus_threads(const struct litmus *litmus)
{
    uint32_t threads = 0;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        if (litmus->threads[i][0].kind != LITMUS_END)
            threads = i + 1;
    return threads;
}

uint32_t litmus_operations(const struct litmus *litmus)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            count += litmus_is_access(&litmus->threads[i][j]);
    return count;
}

uint32_t litmus_l1(const struct litmus *litmus, uint32_t thread)
{
    bool shares = litmus->shares_l1s;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        shares = shares || litmus->l1s[i] != 0;
    return shares ? litmus->l1s[thread] : thread;
}

uint32_t litmus_word(const struct litmus_operation *operation)
{
    return operation->is_local ? (uint32_t)LITMUS_GLOBALS + operation->line
                               : operation->line * 2u + operation->word;
}

bool litmus_is_access(const struct litmus_operation *operation)
{
    return operation->kind != LITMUS_END && operation->kind < LITMUS_BARRIER;
}

static bool operation_reaches(const struct litmus *litmus, const struct litmus_operation *operation,
                              uint32_t thread, uint32_t other)
{
    bool is_of_device = litmus->devices[thread] == litmus->devices[other];

    if (operation->reach >= REACH_DEVICE)
        return operation->reaches_all || is_of_device;
    return operation->reach == REACH_GROUP && is_of_device &&
           litmus_l1(litmus, thread) == litmus_l1(litmus, other);
}

bool litmus_meet(const struct litmus *litmus, uint32_t thread,
                 const struct litmus_operation *operation, uint32_t other_thread,
                 const struct litmus_operation *other)
{
    bool there = operation_reaches(litmus, operation, thread, other_thread);
    bool back = operation_reaches(litmus, other, other_thread, thread);

    if (operation->reach == REACH_PLAIN || other->reach == REACH_PLAIN)
        return false;
    return (there && back) || (there && operation->reach == REACH_REMOTE) ||
           (back && other->reach == REACH_REMOTE);
}

/* ---- Text ---- */

static const char *const reaches[] = {"", "_g", "_d", " remote"};

void litmus_print_word(const struct litmus *litmus, uint32_t word, struct text *text)
{
    if (litmus->names != NULL)
        text_add(text, "%s", litmus->names->words[word]);
    else
        text_add(text, "%c", (word % 2 == 0 ? "xyz" : "XYZ")[word / 2]);
}

/* A register (its number and 1) and a constant. */
static void print_sum(const struct litmus *litmus, uint32_t thread, uint8_t from, int number,
                      struct text *text)
{
    if (from == 0)
        text_add(text, "%d", number);
    else
        text_add(text, number == 0 ? "%s" : "%s + %d", litmus->names->registers[thread][from - 1],
                 number);
}

static void print_access(const struct litmus *litmus, uint32_t thread,
                         const struct litmus_operation *operation, struct text *text)
{
    static const char *const kinds[] = {
        [LITMUS_LOAD] = "load", [LITMUS_STORE] = "store", [LITMUS_STORE_NEXT] = "store",
        [LITMUS_CAS] = "cas",   [LITMUS_ADD] = "add",     [LITMUS_EXCHANGE] = "exchange"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};

    if (operation->into != 0)
        text_add(text, "%s = ", litmus->names->registers[thread][operation->into - 1]);
    text_add(text, "%s%s ", kinds[operation->kind], reaches[operation->reach]);
    litmus_print_word(litmus, litmus_word(operation), text);
    if (operation->kind == LITMUS_STORE_NEXT)
        text_add(text, " = loaded + %u", operation->value);
    if (operation->kind == LITMUS_STORE)
        text_add(text, " =");
    if (operation->kind != LITMUS_LOAD && operation->kind != LITMUS_STORE_NEXT)
        text_add(text, " ");
    if (operation->kind == LITMUS_CAS) {
        print_sum(litmus, thread, operation->expected_from, operation->expected, text);
        text_add(text, " to ");
    }
    if (operation->kind != LITMUS_LOAD && operation->kind != LITMUS_STORE_NEXT)
        print_sum(litmus, thread, operation->from, operation->value, text);
    if (operation->reach != REACH_PLAIN)
        text_add(text, " (%s)", orders[operation->order]);
    if (operation->skip > 0)
        text_add(text, operation->kind == LITMUS_CAS ? ", if it fails skip %u" : ", if 0 skip %u",
                 operation->skip);
}

void litmus_print_operation(const struct litmus *litmus, uint32_t thread,
                            const struct litmus_operation *operation, struct text *text)
{
    static const char *const tests[] = {"==", "!=", "<=", ">="};

    switch (operation->kind) {
    case LITMUS_BARRIER:
        text_add(text, "barrier");
        break;
    case LITMUS_SET:
        text_add(text, "%s = ", litmus->names->registers[thread][operation->into - 1]);
        print_sum(litmus, thread, operation->from, operation->number, text);
        break;
    case LITMUS_BRANCH:
        text_add(text, "unless ");
        print_sum(litmus, thread, operation->from, 0, text);
        text_add(text, " %s %d skip %u", tests[operation->test], operation->number,
                 operation->skip);
        break;
    default:
        print_access(litmus, thread, operation, text);
        break;
    }
}

void litmus_print(const struct litmus *litmus, struct text *text)
{
    uint32_t threads = litmus_threads(litmus);

    for (uint32_t i = 0; i < threads; i++) {
        text_add(text, "  thread %u, L1 %u:", i, litmus_l1(litmus, i));
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            if (litmus->threads[i][j].kind != LITMUS_END) {
                text_add(text, j == 0 ? " " : "; ");
                litmus_print_operation(litmus, i, &litmus->threads[i][j], text);
            }
        text_add(text, "\n");
    }
}

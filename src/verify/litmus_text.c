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
            count += litmus->threads[i][j].kind != LITMUS_END;
    return count;
}

uint32_t litmus_l1(const struct litmus *litmus, uint32_t thread)
{
    bool shares = litmus->shares_l1s;

    for (uint32_t i = 0; i < LITMUS_THREADS; i++)
        shares = shares || litmus->l1s[i] != 0;
    return shares ? litmus->l1s[thread] : thread;
}

static bool operation_reaches(const struct litmus *litmus, const struct litmus_operation *operation,
                              uint32_t thread, uint32_t other)
{
    return operation->reach >= REACH_DEVICE ||
           (operation->reach == REACH_GROUP &&
            litmus_l1(litmus, thread) == litmus_l1(litmus, other));
}

bool litmus_meet(const struct litmus *litmus, uint32_t thread,
                 const struct litmus_operation *operation, uint32_t other_thread,
                 const struct litmus_operation *other)
{
    bool there = operation_reaches(litmus, operation, thread, other_thread);
    bool back = operation_reaches(litmus, other, other_thread, thread);

    if (operation->reach == REACH_PLAIN || other->reach == REACH_PLAIN)
        return false;
    return operation->reach == REACH_REMOTE || other->reach == REACH_REMOTE ? there || back
                                                                            : there && back;
}

/* ---- Text ---- */

void litmus_print_operation(const struct litmus_operation *operation, struct text *text)
{
    static const char *const reaches[] = {"", "_g", "_d", " remote"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel"};
    char object = (operation->word == 0 ? "xyz" : "XYZ")[operation->line];
    const char *reach = reaches[operation->reach], *order = orders[operation->order];

    switch (operation->kind) {
    case LITMUS_LOAD:
        text_add(text, "load%s %c", reach, object);
        break;
    case LITMUS_CAS:
        text_add(text, "cas%s %c 0 to %u", reach, object, operation->value);
        break;
    case LITMUS_ADD:
        text_add(text, "add%s %c %u", reach, object, operation->value);
        break;
    case LITMUS_STORE_NEXT:
        text_add(text, "store%s %c = loaded + %u", reach, object, operation->value);
        break;
    default:
        text_add(text, "store%s %c = %u", reach, object, operation->value);
        break;
    }
    if (operation->reach != REACH_PLAIN)
        text_add(text, " (%s)", order);
    if (operation->skip > 0)
        text_add(text, operation->kind == LITMUS_CAS ? ", if it fails skip %u" : ", if 0 skip %u",
                 operation->skip);
}

void litmus_print(const struct litmus *litmus, struct text *text)
{
    uint32_t threads = litmus_threads(litmus);

    for (uint32_t i = 0; i < threads; i++) {
        text_add(text, "  thread %u, L1 %u:", i, litmus_l1(litmus, i));
        for (uint32_t j = 0; j < LITMUS_OPERATIONS; j++)
            if (litmus->threads[i][j].kind != LITMUS_END) {
                text_add(text, j == 0 ? " " : "; ");
                litmus_print_operation(&litmus->threads[i][j], text);
            }
        text_add(text, "\n");
    }
}

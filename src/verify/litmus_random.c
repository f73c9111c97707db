/* SPDX-License-Identifier: MIT */
#include "verify/litmus_random.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"

/* ---- Drawing ---- */

struct drawing {
    struct random random;
    bool has_remote, is_one_line;
    uint32_t atomic_in_8[2]; /* of each word: how many in eight of its accesses are atomics */
};

static uint32_t drawing_number(struct drawing *drawing, uint32_t bound)
{
    return (uint32_t)random_below(&drawing->random, bound);
}

static uint8_t draw_reach(struct drawing *drawing)
{
    static const uint8_t reaches[] = {REACH_GROUP, REACH_GROUP,  REACH_DEVICE,
                                      REACH_GROUP, REACH_REMOTE, REACH_REMOTE};

    return reaches[drawing_number(drawing, drawing->has_remote ? 6 : 3)];
}

/* Remote operations acquire or release: scopes.cl.h has no others. */
static uint8_t draw_order(struct drawing *drawing, const struct litmus_operation *operation)
{
    bool is_strong = operation->reach == REACH_REMOTE || drawing_number(drawing, 4) != 0;

    if (!is_strong)
        return ORDER_RELAXED;
    if (operation->kind == LITMUS_LOAD)
        return ORDER_ACQUIRE;
    return operation->kind == LITMUS_STORE ? ORDER_RELEASE
                                           : (uint8_t)(1 + drawing_number(drawing, 3));
}

static struct litmus_operation draw_operation(struct drawing *drawing)
{
    static const uint8_t kinds[] = {LITMUS_LOAD, LITMUS_LOAD,  LITMUS_LOAD,  LITMUS_STORE,
                                    LITMUS_CAS,  LITMUS_STORE, LITMUS_STORE, LITMUS_ADD};
    struct litmus_operation operation = {.kind = LITMUS_LOAD};
    uint32_t which = drawing_number(drawing, 2);
    bool is_atomic = drawing_number(drawing, 8) < drawing->atomic_in_8[which];

    operation.line = drawing->is_one_line ? 0 : (uint8_t)which;
    operation.word = drawing->is_one_line ? (uint8_t)which : 0;
    operation.kind = is_atomic
                         ? kinds[drawing_number(drawing, 8)]
                         : (uint8_t)(drawing_number(drawing, 2) == 0 ? LITMUS_LOAD : LITMUS_STORE);
    operation.value = (uint8_t)(1 + drawing_number(drawing, 3));
    if (!is_atomic)
        return operation;
    operation.reach = draw_reach(drawing);
    operation.order = draw_order(drawing, &operation);
    if (operation.kind == LITMUS_STORE && drawing_number(drawing, 4) == 0)
        operation.value = 0; /* a lock is given back */
    if (operation.kind != LITMUS_STORE && drawing_number(drawing, 4) != 0)
        operation.skip = LITMUS_OPERATIONS;
    return operation;
}

/* Data behind a flag: one thread ends with a release of the second word. The others begin with an
 * acquire of it and go on if it was released. */
static void put_flag(struct drawing *drawing, struct litmus *litmus, uint32_t threads)
{
    uint32_t last = 4 - threads, teller = drawing_number(drawing, threads);

    for (uint32_t thread = 0; thread < threads; thread++) {
        struct litmus_operation *operation = &litmus->threads[thread][thread == teller ? last : 0];

        if (thread != teller && threads == 3 && drawing_number(drawing, 4) == 0)
            continue;
        operation->kind = thread == teller ? LITMUS_STORE : LITMUS_LOAD;
        if (drawing_number(drawing, 4) == 0)
            operation->kind = LITMUS_ADD;
        operation->line = !drawing->is_one_line;
        operation->word = drawing->is_one_line;
        operation->value = (uint8_t)(1 + drawing_number(drawing, 3));
        operation->reach = draw_reach(drawing);
        operation->order = thread == teller ? ORDER_RELEASE : ORDER_ACQUIRE;
        operation->skip = thread == teller ? 0 : LITMUS_OPERATIONS;
    }
}

static void draw_program(struct drawing *drawing, struct litmus *litmus)
{
    static const uint8_t placements[][3] = {{0, 1, 2}, {0, 0, 1}, {0, 1, 0}, {0, 1, 1}};
    uint32_t threads = 2 + drawing_number(drawing, 2), placement = drawing_number(drawing, 4);

    memset(litmus->threads, 0, sizeof litmus->threads);
    drawing->is_one_line = drawing_number(drawing, 4) == 0;
    drawing->atomic_in_8[0] = drawing_number(drawing, 4) == 0 ? 6 : 1;
    drawing->atomic_in_8[1] = 7;
    litmus->shares_l1s = true;
    for (uint32_t thread = 0; thread < threads; thread++) {
        litmus->l1s[thread] = threads == 2 ? (uint8_t)thread : placements[placement][thread];
        for (uint32_t i = 0; i < 5 - threads; i++)
            litmus->threads[thread][i] = draw_operation(drawing);
    }
    if (drawing_number(drawing, 2) == 0)
        put_flag(drawing, litmus, threads);
}

void litmus_draw(struct litmus_drawn *drawn, uint64_t seed, bool has_remote)
{
    struct drawing drawing = {.random = {seed * UINT64_C(0x9e3779b97f4a7c15) + 1},
                              .has_remote = has_remote};

    memset(drawn, 0, sizeof *drawn);
    snprintf(drawn->name, sizeof drawn->name, "of seed %llu", (unsigned long long)seed);
    drawn->litmus.name = drawn->name;
    drawn->litmus.help = "without a race";
    drawn->litmus.is_remote = has_remote;
    for (;; drawn->draws++) {
        draw_program(&drawing, &drawn->litmus);
        litmus_find_outcomes(&drawn->outcomes, &drawn->litmus);
        if (!drawn->outcomes.has_race &&
            (seed % 4 == 0 ? drawn->outcomes.communicates : drawn->outcomes.passes_data))
            return;
        litmus_outcomes_finish(&drawn->outcomes);
    }
}

void litmus_drawn_finish(struct litmus_drawn *drawn)
{
    litmus_outcomes_finish(&drawn->outcomes);
}

/* ---- Making one smaller ---- */

static void leave_out(struct litmus_operation *thread, uint32_t at)
{
    memmove(thread + at, thread + at + 1, (LITMUS_OPERATIONS - at - 1) * sizeof *thread);
    memset(&thread[LITMUS_OPERATIONS - 1], 0, sizeof *thread);
}

/* A thread that has no operation left keeps none after it from being seen: the first must stay. */
static bool may_leave_out(const struct litmus *litmus, uint32_t thread, uint32_t at)
{
    return litmus->threads[thread][at].kind != LITMUS_END &&
           (at > 0 || litmus->threads[thread][1].kind != LITMUS_END ||
            thread + 1 == litmus_threads(litmus));
}

static bool try_without(struct litmus_drawn *drawn, uint32_t thread, uint32_t at,
                        bool (*is_wrong)(void *context, const struct litmus_drawn *drawn),
                        void *context)
{
    struct litmus_drawn less = *drawn;

    if (!may_leave_out(&drawn->litmus, thread, at))
        return false;
    leave_out(less.litmus.threads[thread], at);
    less.litmus.name = less.name;
    litmus_find_outcomes(&less.outcomes, &less.litmus);
    if (less.outcomes.has_race || !is_wrong(context, &less)) {
        litmus_outcomes_finish(&less.outcomes);
        return false;
    }
    litmus_outcomes_finish(&drawn->outcomes);
    *drawn = less;
    drawn->litmus.name = drawn->name;
    return true;
}

uint32_t litmus_shrink(struct litmus_drawn *drawn,
                       bool (*is_wrong)(void *context, const struct litmus_drawn *drawn),
                       void *context)
{
    uint32_t gone = 0, before;

    do {
        before = gone;
        for (uint32_t thread = 0; thread < LITMUS_THREADS; thread++)
            for (uint32_t at = LITMUS_OPERATIONS; at-- > 0;)
                gone += try_without(drawn, thread, at, is_wrong, context);
    } while (gone > before);
    return gone;
}

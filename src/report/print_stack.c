/* SPDX-License-Identifier: MIT */
#include "report/print_stack.h"

#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "report/columns.h"

enum { STACKS_MAX = 3, LEADING = 2 /* instructions, cycles */ };

struct stack {
    const struct level *level;
    const uint64_t *words; /* instructions, cycles, parts */
};

static unsigned find_stacks(const struct measurement *all, struct stack *stacks)
{
    unsigned count = 0;

    for (uint32_t i = 0; i < all->levels->count && count < STACKS_MAX; i++) {
        const struct level *level = &all->levels->level[i];
        const uint64_t *words = all->sums + level->offset;

        if (strcmp(level->kind, "latency_stack") != 0)
            continue;
        check(strcmp(level->statistics[1].name, "cycles") == 0 &&
                  level->bytes == level->statistic_count * sizeof(uint64_t),
              "%s is no latency stack", level->name);
        if (words[0] > 0)
            stacks[count++] = (struct stack){level, words};
    }
    return count;
}

/* "cu.load_stack": "load". */
static char *title_of(const struct level *level)
{
    const char *last = strrchr(level->name, '.');
    const char *name = last == NULL ? level->name : last + 1;

    return format_string("%.*s", (int)strcspn(name, "_"), name);
}

static void add_cell(struct columns *columns, const struct stack *stack, uint32_t row)
{
    double cycles = (double)stack->words[row];

    columns_add(columns, format_string("%.1f", cycles / (double)stack->words[0]));
    columns_add(columns, format_string("%.1f %%", 100 * cycles / (double)stack->words[1]));
}

/* Parts of less than half a per mille are left out. */
static bool is_shown(const struct stack *stacks, unsigned count, uint32_t row)
{
    for (unsigned i = 0; i < count; i++)
        if (stacks[i].words[row] * 2000 >= stacks[i].words[1])
            return true;
    return false;
}

void report_print_stacks(FILE *stream, const struct measurement *all)
{
    struct stack stacks[STACKS_MAX];
    unsigned count = find_stacks(all, stacks);
    struct columns columns;

    if (count == 0)
        return;
    columns_init(&columns, 1 + 2 * count, 1);
    columns_add_copy(&columns, "cycles of a vector memory instruction");
    for (unsigned i = 0; i < count; i++) {
        columns_add(&columns, title_of(stacks[i].level));
        columns_add_copy(&columns, "");
    }
    for (uint32_t row = 1; row < stacks[0].level->statistic_count; row++) {
        if (!is_shown(stacks, count, row))
            continue;
        columns_add_copy(&columns, row < LEADING ? "all, from its addresses to the registers"
                                                 : stacks[0].level->statistics[row].help);
        for (unsigned i = 0; i < count; i++)
            add_cell(&columns, &stacks[i], row);
    }
    fprintf(stream, "\n");
    columns_print(&columns, stream);
    columns_finish(&columns);
}

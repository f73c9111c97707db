/* SPDX-License-Identifier: MIT */
/*
 * The two ways to the outcomes of a tiny program agree: the listed programs and random ones without
 * races have the same race, or none, and what the one finds the other does. Small programs are
 * judged as the standard says.
 */
#include <stdlib.h>
#include <string.h>

#include "verify/axioms.h"
#include "verify/litmus_random.h"

static int failures;

static void expect(bool condition, const char *what)
{
    printf("%s %s\n", condition ? "ok  " : "FAIL", what);
    failures += !condition;
}

struct comparison {
    uint32_t programs, races, outcomes, more;
    uint32_t wrong;
};

static void compare(struct comparison *comparison, const struct litmus *litmus,
                    struct litmus_outcomes *made)
{
    struct axioms_found found;
    struct diagnosis diagnosis;

    if (!axioms_find(&found, litmus, &diagnosis)) {
        diagnosis_print(&diagnosis, stdout);
        comparison->wrong++;
        return;
    }
    comparison->programs++;
    comparison->races += made->has_race;
    comparison->wrong += made->has_race != found.outcomes.has_race;
    if (!made->has_race) {
        comparison->outcomes += made->count;
        comparison->more += found.outcomes.count - made->count;
        for (uint32_t i = 0; i < made->count; i++)
            comparison->wrong +=
                !litmus_allows(&found.outcomes, made->list[i].returned, made->list[i].at_end);
    }
    if (comparison->wrong > 0)
        printf("     %s: %u and %u outcomes\n", litmus->name, made->count, found.outcomes.count);
    litmus_outcomes_finish(&found.outcomes);
}

static void compare_listed(void)
{
    struct comparison comparison = {0};

    for (uint32_t i = 0; i < litmus_program_count; i++) {
        struct litmus_outcomes made;

        litmus_find_outcomes(&made, &litmus_programs[i]);
        compare(&comparison, &litmus_programs[i], &made);
        litmus_outcomes_finish(&made);
    }
    printf("     %u programs, %u with races, %u outcomes, %u more by the axioms\n",
           comparison.programs, comparison.races, comparison.outcomes, comparison.more);
    expect(comparison.wrong == 0 && comparison.races > 2, "the listed programs");
}

static void compare_random(uint64_t seeds)
{
    struct comparison comparison = {0};

    for (uint64_t seed = 1; seed <= seeds; seed++) {
        struct litmus_drawn drawn;

        litmus_draw(&drawn, seed, seed % 4 != 0);
        compare(&comparison, &drawn.litmus, &drawn.outcomes);
        litmus_drawn_finish(&drawn);
    }
    printf("     %u programs, %u outcomes, %u more by the axioms\n", comparison.programs,
           comparison.outcomes, comparison.more);
    expect(comparison.wrong == 0, "random programs without races");
}

int main(void)
{
    compare_listed();
    compare_random(400);
    return failures > 0;
}

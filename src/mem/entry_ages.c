/* SPDX-License-Identifier: MIT */
#include "mem/entry_ages.h"

#include <stdlib.h>

#include "base/check.h"

void entry_ages_init(struct entry_ages *ages, uint32_t entries)
{
    *ages = (struct entry_ages){.ages = allocate(entries, sizeof *ages->ages), .capacity = entries};
}

void entry_ages_finish(struct entry_ages *ages)
{
    free(ages->ages);
}

void entry_ages_add(struct entry_ages *ages, struct controller *controller, uint64_t until)
{
    uint32_t count = controller_take_ended(controller);

    if (count == 0)
        return;
    check(ages->used < ages->capacity, "%s: more entries have ended than there are",
          controller->name);
    ages->ages[(ages->first + ages->used++) % ages->capacity] = (struct entry_age){until, count};
}

bool entry_ages_return(struct entry_ages *ages, struct controller *controller, uint64_t cycle)
{
    uint32_t before = ages->used;

    while (ages->used > 0 && ages->ages[ages->first].until <= cycle) {
        controller_return_entries(controller, ages->ages[ages->first].count);
        ages->first = (ages->first + 1) % ages->capacity;
        ages->used--;
    }
    return ages->used < before;
}

uint64_t entry_ages_next(const struct entry_ages *ages)
{
    return ages->ages[ages->first].until;
}

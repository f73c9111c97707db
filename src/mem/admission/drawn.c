/* SPDX-License-Identifier: MIT */
/* What comes of polling: every access takes an entry, and those that find none try again in each
 * cycle. So chance decides who gets one that is freed, and later accesses find nothing to join. */
#include "base/random.h"
#include "mem/admission.h"

static uint32_t drawn_number(uint32_t count, uint64_t *memory)
{
    struct random random = {.state = *memory};
    uint32_t chosen = (uint32_t)random_below(&random, count);

    *memory = random.state;
    return chosen;
}

extern const struct admission admission_drawn;
const struct admission admission_drawn = {
    .name = "drawn",
    .help =
        "each access takes an entry; who lacks one waits apart, and one is drawn for a freed one",
    .every_access = true,
    .choose = drawn_number,
};

/* The same where what waits can be joined. */
extern const struct admission admission_drawn_joined;
const struct admission admission_drawn_joined = {
    .name = "drawn_joined",
    .help = "the same, but accesses that wait for one line go together where they can join",
    .every_access = true,
    .choose = drawn_number,
    .joins_waiting = true,
};

/* SPDX-License-Identifier: MIT */
/*
 * Entries of accesses that have ended, until the cycle at which they may be taken again: a queue of
 * (cycle, how many), oldest first. Only where accesses take entries (mem/admission.h).
 */
#ifndef MEM_ENTRY_AGES_H
#define MEM_ENTRY_AGES_H

#include "mem/controller.h"

struct entry_ages {
    struct entry_age {
        uint64_t until;
        uint32_t count;
    } * ages; /* a ring */
    uint32_t capacity, first, used;
};

/* `entries`: of the cache. */
void entry_ages_init(struct entry_ages *ages, uint32_t entries);
void entry_ages_finish(struct entry_ages *ages);

/* The controller's entries that have ended since the last call; `until` never falls. */
void entry_ages_add(struct entry_ages *ages, struct controller *controller, uint64_t until);
/* Gives back those whose cycle has come. True: there were some. */
bool entry_ages_return(struct entry_ages *ages, struct controller *controller, uint64_t cycle);
/* The cycle of the oldest; there is one. */
uint64_t entry_ages_next(const struct entry_ages *ages);

#endif

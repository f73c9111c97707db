/* SPDX-License-Identifier: MIT */
/*
 * A controller of the limit: how many of a cache's entries (MSHRs) are usable. It decides anew
 * after each window of cycles, by how many accesses were completed in it. Its goal: as many as
 * possible; ties to fewer entries.
 *
 *     window ends ──► accesses answered in it ──► policy's `next` ──► limit of the next window
 *
 * A window without an answer is no evidence, and changes nothing. Above a lowered limit nothing new
 * enters; what is on its way ends (mem/admission.h).
 *
 * Source of the idea, as future work: F. Candel, Caracterizacion del sistema de memoria de una
 * GPGPU (2014), 7.3 and chapter 8. The policies are ours.
 *
 * To add a policy: a file in mem/limit/ and its line in mem/limit/list.c.
 */
#ifndef MEM_LIMIT_H
#define MEM_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/declare.h"

/* What a policy remembers; zeros at first. */
struct limit_memory {
    uint64_t base;   /* answers in a window with the limit that was best so far */
    uint32_t best;   /* that limit; 0: none is known */
    uint32_t tried;  /* the limit of the window that ends; as best: the base is being measured */
    uint32_t rests;  /* windows until something is tried again */
    uint32_t failed; /* directions in a row that were no better */
    bool is_up;      /* direction of the next trial */
};

struct limit_policy {
    const char *name; /* "fixed" */
    const char *help; /* one line */
    /* The limit of the next window, 1 to `entries`; `answers` > 0: in the one that ends. NULL: all
     * entries are usable always. */
    uint32_t (*next)(struct limit_memory *memory, uint32_t entries, uint64_t answers);
};

/* All of them, NULL-terminated; the first is the usual one. */
extern const struct limit_policy *const limit_policies[];
/* NULL: there is none of that name. */
const struct limit_policy *limit_policy_find(const char *name);
parameter_words limit_policy_word;

/* One cache's. */
struct entry_limit {
    const struct limit_policy *policy;
    struct limit_memory memory;
    uint32_t entries, limit;
    uint64_t window_cycles;
    uint64_t ends;    /* the cycle at which the window ends */
    uint64_t answers; /* in it so far */
};

void entry_limit_init(struct entry_limit *limit, const struct limit_policy *policy,
                      uint32_t entries, uint64_t window_cycles);
/* To be asked in each cycle before anything is answered in it. True: there was a decision. */
bool entry_limit_tick(struct entry_limit *limit, uint64_t cycle);

#endif

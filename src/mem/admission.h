/* SPDX-License-Identifier: MIT */
/*
 * Admission: which requests take an entry (an MSHR) of a cache, and who gets one that is freed. The
 * mechanism asks (mem/entries.c); protocols' tables know nothing of it.
 *
 *     request ──► its row joins an outstanding miss ──► no entry
 *             └─► takes one: a miss, or each access before its lookup
 *                     └─► none is usable: it stays at its port's head, or leaves the port and waits
 *
 * An entry that an access took is held while the access waits behind its line, and goes over to the
 * MSHR of its miss. It ends reply_cycles after the access's answer, or what goes on below, has left
 * the cache. A request that stalls holds none. At most mshr_entries are in use, or less where a
 * controller of the limit says so: above a lowered limit nothing new enters. Host transfers take
 * none.
 *
 * Whatever is chosen, requests to one line take effect in the order in which they came. The choice
 * is among those that have no older request to their line before them.
 *
 * To add one: a file in mem/admission/ and its line in mem/admission/list.c.
 */
#ifndef MEM_ADMISSION_H
#define MEM_ADMISSION_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/declare.h"

struct admission {
    const char *name; /* "misses" */
    const char *help; /* one line */
    bool
        /* each load, store and atomic takes an entry; false: outstanding misses alone */
        every_access;
    /* Which of `count` lines that requests wait for goes next. `memory` is the policy's own word in
     * each cache; it begins as the seed. NULL: a request without an entry stays at its port's
     * head. */
    uint32_t (*choose)(uint32_t count, uint64_t *memory);
    bool
        joins_waiting; /* what waits behind a chosen request goes with it where it joins its miss */
};

/* All of them, NULL-terminated; the first is the usual one. */
extern const struct admission *const admissions[];
/* NULL: there is none of that name. */
const struct admission *admission_find(const char *name);
parameter_words admission_word;

#endif

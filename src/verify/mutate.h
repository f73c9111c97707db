/* SPDX-License-Identifier: MIT */
/* A protocol with a deliberate fault: a copy of its tables, changed. */
#ifndef VERIFY_MUTATE_H
#define VERIFY_MUTATE_H

#include "base/diagnosis.h"
#include "verify/rules.h"

struct mutant;

/* A copy of the protocol with that fault: changed tables, or a switch of debug.break. NULL and a
 * diagnosis: there is no such switch, or the tables do not have what the fault names. `mutation`
 * may be NULL: an unchanged copy. Owned; mutant_destroy. */
struct mutant *mutant_create(const struct protocol *protocol, const struct mutation *mutation,
                             struct diagnosis *diagnosis);
void mutant_destroy(struct mutant *mutant);
const struct protocol *mutant_protocol(const struct mutant *mutant);
/* Set of debug.break. */
uint64_t mutant_breaks(const struct mutant *mutant);

/* Of the protocol's file; NULL and a diagnosis. */
const struct mutation *mutation_find(const char *protocol, const char *name,
                                     struct diagnosis *diagnosis);

#endif

/* SPDX-License-Identifier: MIT */
/* Time series, from the JSON of a run (report/json.h) to rows. */
#ifndef LABORATORY_DATABASE_SAMPLES_H
#define LABORATORY_DATABASE_SAMPLES_H

#include <jansson.h>

#include "laboratory/database.h"

/* Inside a transaction; nothing where the run has none. */
bool database_store_samples(struct database *database, int64_t run, const json_t *root,
                            struct diagnosis *diagnosis) MUST_USE;

#endif

/* SPDX-License-Identifier: MIT */
/* A profile by source line, from the JSON of a run (report/profile.h) to rows. */
#ifndef LABORATORY_DATABASE_PROFILE_H
#define LABORATORY_DATABASE_PROFILE_H

#include <jansson.h>

#include "laboratory/database.h"

/* Inside a transaction; nothing where the run has none. */
bool database_store_profile(struct database *database, int64_t run, const json_t *root,
                            struct diagnosis *diagnosis) MUST_USE;

#endif

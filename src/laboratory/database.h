/* SPDX-License-Identifier: MIT */
/*
 * The database of results: one SQLite file, whose tables docs/laboratory.md describes (schema.c).
 *
 * What is in it is whole: a point is stored in one transaction, synced to disk, or not at all. Each
 * point of a plan has its number before any has run. So the content does not depend on the order in
 * which points end. What depends on the host stands in the table `hosts` alone.
 *
 *     sweep ─► database_add_plan ─► database_take, (the run), database_store ... ─► database_derive
 *
 * Several processes may work on one file: a point that one has taken, others leave alone while that
 * process lives. Taking is by process number on one host, by a sign of life in the last minute
 * between hosts.
 */
#ifndef LABORATORY_DATABASE_H
#define LABORATORY_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "laboratory/plan.h"
#include "laboratory/point.h"

enum database_mode {
    DATABASE_CREATE, /* made if it is not there */
    DATABASE_WRITE,
    DATABASE_READ
};

struct database {
    sqlite3 *sqlite;
    char *path;
    int64_t sweep;   /* of database_begin_sweep; 0: none */
    int64_t version; /* of its tables (schema.h) */
};

/* Opens and checks the file. The caller ends it with database_close, also after a failure. */
bool database_open(struct database *database, const char *path, enum database_mode mode,
                   struct diagnosis *diagnosis) MUST_USE;
void database_close(struct database *database);

/* A diagnosis of what SQLite says, with advice. Gives false. */
bool database_fail(const struct database *database, struct diagnosis *diagnosis);
/* Runs one statement. `types` has a letter for each ?: t text (NULL: null), i int64_t, d double. */
bool database_run(struct database *database, struct diagnosis *diagnosis, const char *sql,
                  const char *types, ...) MUST_USE;
/* The first column of the first row; false: an error, or no row (then *is_found is false). */
bool database_ask(struct database *database, struct diagnosis *diagnosis, bool *is_found,
                  int64_t *value, const char *sql, const char *types, ...) MUST_USE;
/* A statement to be stepped and finalized by the caller; NULL and a diagnosis. */
sqlite3_stmt *database_prepare(struct database *database, struct diagnosis *diagnosis,
                               const char *sql);
/* Ends a transaction: commits it if all was good, else rolls it back. */
bool database_end(struct database *database, bool is_good, struct diagnosis *diagnosis) MUST_USE;

/* ---- Plans and points ---- */

/* Records the plan and all its points, waiting; gives the plan's number. A plan of the same name
 * and text is the same one. */
bool database_add_plan(struct database *database, const struct plan *plan,
                       const struct points *points, int64_t *number,
                       struct diagnosis *diagnosis) MUST_USE;

enum point_state { POINT_OPEN, POINT_DONE, POINT_FAILED, POINT_TAKEN };

bool database_state(struct database *database, const char *key, enum point_state *state,
                    struct diagnosis *diagnosis) MUST_USE;

/* ---- Sweeps ---- */

/* Tells others that this process works here; sign of life: every ten seconds, or less. */
bool database_begin_sweep(struct database *database, struct diagnosis *diagnosis) MUST_USE;
bool database_sign_of_life(struct database *database, struct diagnosis *diagnosis) MUST_USE;
void database_end_sweep(struct database *database);

/* Takes a point to measure it. POINT_OPEN: it is this process's now. POINT_DONE: another has
 * measured it meanwhile. POINT_TAKEN: another is at it. */
bool database_take(struct database *database, const char *key, enum point_state *state,
                   struct diagnosis *diagnosis) MUST_USE;
bool database_give_back(struct database *database, const char *key,
                        struct diagnosis *diagnosis) MUST_USE;

/* How a point ended. */
struct outcome {
    int status;          /* of `wavetank run` */
    const char *message; /* why it failed; NULL: it did not */
    double seconds;      /* of the host */
    int64_t started_ms;  /* since 1970 */
    const char *json;    /* file of the statistics; NULL: none */
    bool has_places;
};

/* Stores a point that ended, in one transaction. A file that cannot be read makes it a failure. */
bool database_store(struct database *database, const struct point *point,
                    const struct outcome *outcome, struct diagnosis *diagnosis) MUST_USE;

/* ---- Afterwards ---- */

/* Copies plans, points and runs that `from` has and this one lacks. A run that is done replaces one
 * that failed. */
bool database_merge(struct database *database, struct database *from,
                    struct diagnosis *diagnosis) MUST_USE;

#endif

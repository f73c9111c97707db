/* SPDX-License-Identifier: MIT */
/* Plans, their points, and which process is at which of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/database.h"

enum { SEEN_SECONDS = 60, HOST_BYTES = 256 };

/* ---- Plans ---- */

static bool find_plan(struct database *database, const struct plan *plan, int64_t *number,
                      struct diagnosis *diagnosis)
{
    bool is_found;

    if (!database_ask(database, diagnosis, &is_found, number,
                      "SELECT plan FROM plans WHERE name = ? AND text = ?", "tt", plan->name,
                      plan->text))
        return false;
    if (is_found)
        return true;
    if (!database_run(database, diagnosis,
                      "INSERT INTO plans (name, title, text, folder, recorded, swept) VALUES (?, ?,"
                      " ?, ?, strftime('%Y-%m-%dT%H:%M:%fZ'), 0)",
                      "tttt", plan->name, plan->title, plan->text, plan->folder))
        return false;
    *number = sqlite3_last_insert_rowid(database->sqlite);
    return true;
}

static bool add_axes(struct database *database, const struct plan *plan, const struct point *point,
                     int64_t number, int64_t run, struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < plan->axis_count; i++) {
        const char *label = plan->axes[i].values[point->choice[i]].label;
        char *end;
        int64_t value = strtoll(label, &end, 10);
        bool is_number = label[0] != '\0' && *end == '\0' && strlen(label) < 18;
        static const char sql[] = "INSERT OR REPLACE INTO axes VALUES (?, ?, ?, ?, ?)";

        if (is_number ? !database_run(database, diagnosis, sql, "iiiti", number,
                                      (int64_t)point->number, run, plan->axes[i].name, value)
                      : !database_run(database, diagnosis, sql, "iiitt", number,
                                      (int64_t)point->number, run, plan->axes[i].name, label))
            return false;
    }
    return true;
}

static bool add_point(struct database *database, const struct plan *plan, const struct point *point,
                      int64_t number, struct diagnosis *diagnosis)
{
    int64_t run;
    bool is_found;

    if (!database_run(database, diagnosis, "INSERT OR IGNORE INTO points (key) VALUES (?)", "t",
                      point->key) ||
        !database_ask(database, diagnosis, &is_found, &run, "SELECT run FROM points WHERE key = ?",
                      "t", point->key))
        return false;
    return database_run(database, diagnosis, "INSERT OR REPLACE INTO plan_points VALUES (?, ?, ?)",
                        "iii", number, (int64_t)point->number, run) &&
           add_axes(database, plan, point, number, run, diagnosis);
}

bool database_add_plan(struct database *database, const struct plan *plan,
                       const struct points *points, int64_t *number, struct diagnosis *diagnosis)
{
    bool is_good;

    if (!database_run(database, diagnosis, "BEGIN IMMEDIATE", ""))
        return false;
    is_good = find_plan(database, plan, number, diagnosis) &&
              database_run(database, diagnosis,
                           "UPDATE plans SET swept = (SELECT max(swept) + 1 FROM plans)"
                           " WHERE plan = ?",
                           "i", *number);
    for (unsigned i = 0; i < points->count && is_good; i++)
        is_good = add_point(database, plan, &points->list[i], *number, diagnosis);
    return database_end(database, is_good, diagnosis);
}

bool database_state(struct database *database, const char *key, enum point_state *state,
                    struct diagnosis *diagnosis)
{
    int64_t is_done;
    bool is_found;

    if (!database_ask(database, diagnosis, &is_found, &is_done,
                      "SELECT status = 'done' FROM runs WHERE key = ?", "t", key))
        return false;
    *state = !is_found ? POINT_OPEN : is_done ? POINT_DONE : POINT_FAILED;
    return true;
}

/* ---- Sweeps ---- */

static void host_name(char name[HOST_BYTES])
{
    if (gethostname(name, HOST_BYTES) != 0)
        snprintf(name, HOST_BYTES, "?");
    name[HOST_BYTES - 1] = '\0';
}

/* When a process began, in ticks since the host did; 0: there is no such process. */
static int64_t process_start(int64_t process)
{
    char *path = format_string("/proc/%" PRId64 "/stat", process);
    FILE *stream = fopen(path, "re");
    char line[1024] = "";
    const char *at;
    long long start = 0;

    free(path);
    if (stream == NULL)
        return 0;
    at = fgets(line, sizeof line, stream) != NULL ? strrchr(line, ')') : NULL;
    fclose(stream);
    /* Behind the name: the state, then 18 numbers, then the start (field 22). */
    for (int i = 0; at != NULL && i < 20; i++)
        at = strchr(at + 1, ' ');
    if (at == NULL || sscanf(at, "%lld", &start) != 1 || line[0] == '\0')
        return 0;
    return start;
}

bool database_sign_of_life(struct database *database, struct diagnosis *diagnosis)
{
    return database_run(database, diagnosis, "UPDATE sweeps SET seen = ? WHERE sweep = ?", "ii",
                        (int64_t)time(NULL), database->sweep);
}

void database_end_sweep(struct database *database)
{
    struct diagnosis diagnosis;

    if (database->sweep == 0 || !database_run(database, &diagnosis, "BEGIN IMMEDIATE", ""))
        return;
    /* What cannot be tidied now is tidied by the next who finds that this process has gone. */
    if (!database_end(database,
                      database_run(database, &diagnosis, "DELETE FROM work WHERE sweep = ?", "i",
                                   database->sweep) &&
                          database_run(database, &diagnosis, "DELETE FROM sweeps WHERE sweep = ?",
                                       "i", database->sweep),
                      &diagnosis))
        return;
    database->sweep = 0;
}

/* Whether the process that a row of `sweeps` names still works. */
static bool is_at_work(sqlite3_stmt *row)
{
    char host[HOST_BYTES];
    const char *other = (const char *)sqlite3_column_text(row, 1);

    host_name(host);
    if (other != NULL && strcmp(other, host) == 0)
        return process_start(sqlite3_column_int64(row, 2)) == sqlite3_column_int64(row, 3);
    return sqlite3_column_int64(row, 4) + SEEN_SECONDS > time(NULL);
}

/* Forgets processes that have gone. */
static bool tidy_sweeps(struct database *database, struct diagnosis *diagnosis)
{
    sqlite3_stmt *row = database_prepare(
        database, diagnosis, "SELECT sweep, host, process, process_start, seen FROM sweeps");
    int64_t gone[64];
    unsigned count = 0;

    if (row == NULL)
        return false;
    while (sqlite3_step(row) == SQLITE_ROW && count < 64)
        if (!is_at_work(row))
            gone[count++] = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    for (unsigned i = 0; i < count; i++)
        if (!database_run(database, diagnosis, "DELETE FROM work WHERE sweep = ?", "i", gone[i]) ||
            !database_run(database, diagnosis, "DELETE FROM sweeps WHERE sweep = ?", "i", gone[i]))
            return false;
    return true;
}

static bool enter_sweep(struct database *database, struct diagnosis *diagnosis)
{
    char host[HOST_BYTES];
    int64_t process = getpid();

    host_name(host);
    if (!tidy_sweeps(database, diagnosis) ||
        !database_run(database, diagnosis,
                      "INSERT INTO sweeps (host, process, process_start, seen) VALUES (?, ?, ?, ?)",
                      "tiii", host, process, process_start(process), (int64_t)time(NULL)))
        return false;
    database->sweep = sqlite3_last_insert_rowid(database->sqlite);
    return true;
}

bool database_begin_sweep(struct database *database, struct diagnosis *diagnosis)
{
    if (!database_run(database, diagnosis, "BEGIN IMMEDIATE", ""))
        return false;
    return database_end(database, enter_sweep(database, diagnosis), diagnosis);
}

/* Who has the point; 0: no process that lives. */
static bool find_owner(struct database *database, const char *key, int64_t *owner,
                       struct diagnosis *diagnosis)
{
    sqlite3_stmt *row =
        database_prepare(database, diagnosis,
                         "SELECT s.sweep, s.host, s.process, s.process_start, s.seen FROM work w"
                         " JOIN sweeps s ON s.sweep = w.sweep WHERE w.key = ?");
    int code;

    *owner = 0;
    if (row == NULL)
        return false;
    sqlite3_bind_text(row, 1, key, -1, SQLITE_TRANSIENT);
    code = sqlite3_step(row);
    if (code == SQLITE_ROW && is_at_work(row))
        *owner = sqlite3_column_int64(row, 0);
    if (code != SQLITE_ROW && code != SQLITE_DONE)
        database_fail(database, diagnosis);
    sqlite3_finalize(row);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

static bool points_take(struct database *database, const char *key, enum point_state *state,
                        struct diagnosis *diagnosis)
{
    int64_t owner = 0;

    if (!database_state(database, key, state, diagnosis))
        return false;
    if (*state == POINT_DONE)
        return true;
    if (!find_owner(database, key, &owner, diagnosis))
        return false;
    *state = owner != 0 && owner != database->sweep ? POINT_TAKEN : POINT_OPEN;
    return *state == POINT_TAKEN ||
           database_run(database, diagnosis, "INSERT OR REPLACE INTO work VALUES (?, ?)", "ti", key,
                        database->sweep);
}

bool database_take(struct database *database, const char *key, enum point_state *state,
                   struct diagnosis *diagnosis)
{
    if (!database_run(database, diagnosis, "BEGIN IMMEDIATE", ""))
        return false;
    return database_end(database, points_take(database, key, state, diagnosis), diagnosis);
}

bool database_give_back(struct database *database, const char *key, struct diagnosis *diagnosis)
{
    return database_run(database, diagnosis, "DELETE FROM work WHERE key = ? AND sweep = ?", "ti",
                        key, database->sweep);
}

/* SPDX-License-Identifier: MIT */
#include "laboratory/database.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/schema.h"

enum { BUSY_MS = 120000 };

bool database_fail(const struct database *database, struct diagnosis *diagnosis)
{
    int code = sqlite3_extended_errcode(database->sqlite), error;

    diagnose(diagnosis, "%s: %s", database->path, sqlite3_errmsg(database->sqlite));
    error = sqlite3_system_errno(database->sqlite);
    switch (code & 0xff) {
    case SQLITE_FULL:
    case SQLITE_IOERR:
        if ((code & 0xff) == SQLITE_IOERR && error != 0)
            diagnose(diagnosis, "%s: %s", database->path, strerror(error));
        return diagnose_hint(diagnosis,
                             "what it had before is whole; the same command goes on when "
                             "there is room");
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        diagnose(diagnosis, "%s is no database of results, or a damaged one: %s", database->path,
                 sqlite3_errmsg(database->sqlite));
        return diagnose_hint(diagnosis, "it was left as it is; name another file");
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
        diagnose(diagnosis, "%s: cannot be written%s%s", database->path, error != 0 ? ": " : "",
                 error != 0 ? strerror(error) : "");
        return diagnose_hint(diagnosis, "the file and its folder must be writable");
    default:
        return false;
    }
}

static bool bind_one(sqlite3_stmt *statement, int index, char type, va_list *values)
{
    const char *text;

    switch (type) {
    case 't':
        text = va_arg(*values, const char *);
        return (text != NULL ? sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT)
                             : sqlite3_bind_null(statement, index)) == SQLITE_OK;
    case 'i':
        return sqlite3_bind_int64(statement, index, va_arg(*values, int64_t)) == SQLITE_OK;
    default:
        return sqlite3_bind_double(statement, index, va_arg(*values, double)) == SQLITE_OK;
    }
}

sqlite3_stmt *database_prepare(struct database *database, struct diagnosis *diagnosis,
                               const char *sql)
{
    sqlite3_stmt *statement = NULL;

    if (sqlite3_prepare_v2(database->sqlite, sql, -1, &statement, NULL) == SQLITE_OK)
        return statement;
    database_fail(database, diagnosis);
    return NULL;
}

static sqlite3_stmt *prepare_with(struct database *database, struct diagnosis *diagnosis,
                                  const char *sql, const char *types, va_list *values)
{
    sqlite3_stmt *statement = database_prepare(database, diagnosis, sql);

    for (int i = 0; statement != NULL && types[i] != '\0'; i++)
        if (!bind_one(statement, i + 1, types[i], values)) {
            database_fail(database, diagnosis);
            sqlite3_finalize(statement);
            return NULL;
        }
    return statement;
}

bool database_run(struct database *database, struct diagnosis *diagnosis, const char *sql,
                  const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list values;
    int code;

    va_start(values, types);
    statement = prepare_with(database, diagnosis, sql, types, &values);
    va_end(values);
    if (statement == NULL)
        return false;
    do
        code = sqlite3_step(statement);
    while (code == SQLITE_ROW);
    if (code != SQLITE_DONE)
        database_fail(database, diagnosis);
    sqlite3_finalize(statement);
    return code == SQLITE_DONE;
}

bool database_ask(struct database *database, struct diagnosis *diagnosis, bool *is_found,
                  int64_t *value, const char *sql, const char *types, ...)
{
    sqlite3_stmt *statement;
    va_list values;
    int code;

    va_start(values, types);
    statement = prepare_with(database, diagnosis, sql, types, &values);
    va_end(values);
    *is_found = false;
    if (statement == NULL)
        return false;
    code = sqlite3_step(statement);
    if (code == SQLITE_ROW) {
        *is_found = true;
        *value = sqlite3_column_int64(statement, 0);
    } else if (code != SQLITE_DONE) {
        database_fail(database, diagnosis);
    }
    sqlite3_finalize(statement);
    return code == SQLITE_ROW || code == SQLITE_DONE;
}

bool database_end(struct database *database, bool is_good, struct diagnosis *diagnosis)
{
    if (is_good && database_run(database, diagnosis, "COMMIT", ""))
        return true;
    if (!sqlite3_get_autocommit(database->sqlite))
        sqlite3_exec(database->sqlite, "ROLLBACK", NULL, NULL, NULL);
    return false;
}

/* ---- Opening ---- */

static bool make_tables(struct database *database, struct diagnosis *diagnosis)
{
    char *numbers = format_string("PRAGMA application_id = %d; PRAGMA user_version = %d;",
                                  SCHEMA_APPLICATION, SCHEMA_VERSION);
    int64_t version = 0;
    bool is_found, is_good = database_run(database, diagnosis, "BEGIN IMMEDIATE", "");

    /* Another process may have been first. */
    if (is_good)
        is_good = database_ask(database, diagnosis, &is_found, &version, "PRAGMA user_version", "");
    if (is_good && version == 0 &&
        (sqlite3_exec(database->sqlite, schema_sql, NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_exec(database->sqlite, schema_profile_sql, NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_exec(database->sqlite, numbers, NULL, NULL, NULL) != SQLITE_OK))
        is_good = database_fail(database, diagnosis);
    free(numbers);
    return database_end(database, is_good, diagnosis);
}

/* Gives a file of the version before the tables that it lacks. */
static bool add_profiles(struct database *database, struct diagnosis *diagnosis)
{
    char *number = format_string("PRAGMA user_version = %d", SCHEMA_VERSION);
    bool is_found, is_good = database_run(database, diagnosis, "BEGIN IMMEDIATE", "");

    /* Another process may have been first. */
    if (is_good)
        is_good = database_ask(database, diagnosis, &is_found, &database->version,
                               "PRAGMA user_version", "");
    if (is_good && database->version < SCHEMA_WITH_PROFILES &&
        (sqlite3_exec(database->sqlite, schema_profile_sql, NULL, NULL, NULL) != SQLITE_OK ||
         sqlite3_exec(database->sqlite, number, NULL, NULL, NULL) != SQLITE_OK))
        is_good = database_fail(database, diagnosis);
    free(number);
    database->version = SCHEMA_VERSION;
    return database_end(database, is_good, diagnosis);
}

/* Whether each page of the file is what it should be. */
static bool is_sound(struct database *database, struct diagnosis *diagnosis)
{
    sqlite3_stmt *statement = database_prepare(database, diagnosis, "PRAGMA quick_check(1)");
    const char *answer;
    bool is_good = false;

    if (statement == NULL)
        return false;
    if (sqlite3_step(statement) != SQLITE_ROW) {
        database_fail(database, diagnosis);
    } else {
        answer = (const char *)sqlite3_column_text(statement, 0);
        is_good = answer != NULL && strcmp(answer, "ok") == 0;
        if (!is_good) {
            const char *line = answer != NULL ? strchr(answer, '\n') : NULL;

            diagnose(diagnosis, "%s is damaged: %s", database->path,
                     line != NULL ? line + 1 : answer);
            diagnose_hint(diagnosis, "it was left as it is; name another file");
        }
    }
    sqlite3_finalize(statement);
    return is_good;
}

static bool check_kind(struct database *database, enum database_mode mode,
                       struct diagnosis *diagnosis)
{
    int64_t application = 0, version = 0, tables = 0;
    bool is_found;

    if (!database_ask(database, diagnosis, &is_found, &application, "PRAGMA application_id", "") ||
        !database_ask(database, diagnosis, &is_found, &version, "PRAGMA user_version", "") ||
        !database_ask(database, diagnosis, &is_found, &tables, "SELECT count(*) FROM sqlite_schema",
                      ""))
        return false;
    database->version = SCHEMA_VERSION;
    if (application == 0 && version == 0 && tables == 0 && mode == DATABASE_CREATE)
        return make_tables(database, diagnosis);
    if (application != SCHEMA_APPLICATION)
        return diagnose(diagnosis, "%s is no database of Wavetank's results", database->path);
    if (version != SCHEMA_VERSION && version != SCHEMA_WITH_PROFILES - 1) {
        diagnose(diagnosis, "%s is of another version of Wavetank: its form is %lld, ours is %d",
                 database->path, (long long)version, SCHEMA_VERSION);
        return diagnose_hint(diagnosis, "`wavetank query` of that version reads it");
    }
    database->version = version;
    if (!is_sound(database, diagnosis))
        return false;
    return version == SCHEMA_VERSION || mode == DATABASE_READ || add_profiles(database, diagnosis);
}

/* A file that cannot be there is told by what the system says of it. */
static bool check_file(const char *path, enum database_mode mode, struct diagnosis *diagnosis)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return (errno == ENOENT && mode == DATABASE_CREATE) ||
               diagnose(diagnosis, "%s: %s", path, strerror(errno));
    if (S_ISREG(status.st_mode))
        return true;
    return diagnose(diagnosis, "%s: this is no file", path);
}

bool database_open(struct database *database, const char *path, enum database_mode mode,
                   struct diagnosis *diagnosis)
{
    int flags = mode == DATABASE_CREATE ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                        : SQLITE_OPEN_READWRITE;
    int code;

    memset(database, 0, sizeof *database);
    database->path = copy_string(path);
    if (!check_file(path, mode, diagnosis))
        return false;
    code = sqlite3_open_v2(path, &database->sqlite, flags, NULL);
    if (code != SQLITE_OK && mode == DATABASE_READ) {
        sqlite3_close(database->sqlite);
        code = sqlite3_open_v2(path, &database->sqlite, SQLITE_OPEN_READONLY, NULL);
    }
    if (code != SQLITE_OK)
        return database_fail(database, diagnosis);
    sqlite3_extended_result_codes(database->sqlite, 1);
    sqlite3_busy_timeout(database->sqlite, BUSY_MS);
    if (mode != DATABASE_READ &&
        !database_run(database, diagnosis, "PRAGMA synchronous = EXTRA", ""))
        return false;
    if (mode == DATABASE_READ && !database_run(database, diagnosis, "PRAGMA query_only = ON", ""))
        return false;
    if (!check_kind(database, mode, diagnosis))
        return false;
    return mode == DATABASE_READ || sqlite3_db_readonly(database->sqlite, "main") == 0 ||
           diagnose(diagnosis, "%s: cannot be written", path);
}

void database_close(struct database *database)
{
    sqlite3_close(database->sqlite);
    free(database->path);
    memset(database, 0, sizeof *database);
}

/* SPDX-License-Identifier: MIT */
/* From the JSON of a run (report/json.h) to rows. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "laboratory/database_profile.h"
#include "laboratory/database_samples.h"
#include "report/metrics.h"

struct import {
    struct database *database;
    struct diagnosis *diagnosis;
    sqlite3_stmt *find_name, *add_name, *add_value, *add_parameter;
    int64_t run;
};

/* ---- Names and values ---- */

static bool statement_step(struct import *import, sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);

    if (code != SQLITE_DONE && code != SQLITE_ROW)
        database_fail(import->database, import->diagnosis);
    sqlite3_reset(statement);
    return code == SQLITE_DONE || code == SQLITE_ROW;
}

static bool bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    return (text != NULL ? sqlite3_bind_text(statement, index, text, -1, SQLITE_TRANSIENT)
                         : sqlite3_bind_null(statement, index)) == SQLITE_OK;
}

static bool add_name(struct import *import, const char *path, const char *kind)
{
    const struct metric *metric = strcmp(kind, "metric") == 0 ? metric_find(path) : NULL;

    bind_text(import->add_name, 1, path);
    bind_text(import->add_name, 2, kind);
    bind_text(import->add_name, 3, metric != NULL ? metric->unit : NULL);
    bind_text(import->add_name, 4, metric != NULL ? metric->help : NULL);
    return statement_step(import, import->add_name);
}

/* The name's number, which it gets now if it has none. */
static bool find_name(struct import *import, const char *path, const char *kind, int64_t *name)
{
    bool is_found;

    for (unsigned attempt = 0; attempt < 2; attempt++) {
        bind_text(import->find_name, 1, path);
        is_found = sqlite3_step(import->find_name) == SQLITE_ROW;
        if (is_found)
            *name = sqlite3_column_int64(import->find_name, 0);
        sqlite3_reset(import->find_name);
        if (is_found)
            return true;
        if (!add_name(import, path, kind))
            return false;
    }
    return database_fail(import->database, import->diagnosis);
}

static void bind_json(sqlite3_stmt *statement, int index, const json_t *value)
{
    if (json_is_integer(value))
        sqlite3_bind_int64(statement, index, json_integer_value(value));
    else if (json_is_real(value))
        sqlite3_bind_double(statement, index, json_real_value(value));
    else
        bind_text(statement, index, json_string_value(value));
}

static bool add_value(struct import *import, int64_t kernel, const char *path, const char *kind,
                      const json_t *value, const char *buckets)
{
    int64_t name = 0;

    if (!find_name(import, path, kind, &name))
        return false;
    sqlite3_bind_int64(import->add_value, 1, name);
    sqlite3_bind_int64(import->add_value, 2, import->run);
    sqlite3_bind_int64(import->add_value, 3, kernel);
    bind_json(import->add_value, 4, value);
    bind_text(import->add_value, 5, buckets);
    return statement_step(import, import->add_value);
}

/* PATH is its mean and buckets, PATH.count and PATH.sum are counters. */
static bool add_histogram(struct import *import, int64_t kernel, const char *path,
                          const json_t *value)
{
    char *buckets = json_dumps(json_object_get(value, "buckets"), JSON_COMPACT);
    char *count = format_string("%s.count", path), *sum = format_string("%s.sum", path);
    bool is_good =
        add_value(import, kernel, path, "histogram", json_object_get(value, "mean"), buckets) &&
        add_value(import, kernel, count, "counter", json_object_get(value, "count"), NULL) &&
        add_value(import, kernel, sum, "counter", json_object_get(value, "sum"), NULL);

    free(buckets);
    free(count);
    free(sum);
    return is_good;
}

static bool add_all(struct import *import, int64_t kernel, const char *kind, json_t *values)
{
    const char *path;
    json_t *value;

    json_object_foreach(values, path, value)
    {
        if (!(json_is_object(value) ? add_histogram(import, kernel, path, value)
                                    : add_value(import, kernel, path, kind, value, NULL)))
            return false;
    }
    return true;
}

/* Facts that formulas call by these names, of a kernel or of all launches together. */
static bool add_facts(struct import *import, int64_t kernel, const json_t *object)
{
    static const struct {
        const char *path, *key;
    } facts[] = {{"kernel.cycles", "cycles"},
                 {"kernel.instructions", "instructions"},
                 {"kernel.launches", "launches"},
                 {"kernel.time_ns", "kernel_time_ns"},
                 {"run.time_ns", "time_ns"}};

    for (unsigned i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        const json_t *value = json_object_get(object, facts[i].key);

        if (value != NULL && !add_value(import, kernel, facts[i].path, "fact", value, NULL))
            return false;
    }
    return add_all(import, kernel, "metric", json_object_get(object, "metrics")) &&
           add_all(import, kernel, "counter", json_object_get(object, "sums"));
}

/* Of each part of the GPU the estimated gain of relieving it. */
static bool add_limit(struct import *import, json_t *limit)
{
    const char *name;
    json_t *part;

    json_object_foreach(json_object_get(limit, "parts"), name, part)
    {
        char *path = format_string("limit.%s.gain", name);
        bool is_good = add_value(import, 0, path, "limit", json_object_get(part, "gain"), NULL);

        free(path);
        if (!is_good)
            return false;
    }
    return true;
}

/* ---- Rows of a run ---- */

static int64_t number_of(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key));
}

static bool add_kernels(struct import *import, const json_t *root)
{
    const json_t *kernel;
    size_t index;

    json_array_foreach(json_object_get(root, "kernel_sums"), index, kernel)
    {
        int64_t number = (int64_t)index + 1;

        if (!database_run(import->database, import->diagnosis,
                          "INSERT INTO kernels VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", "iitiiiiii",
                          import->run, number, json_string_value(json_object_get(kernel, "name")),
                          number_of(kernel, "launches"), number_of(kernel, "groups_done"),
                          number_of(kernel, "groups_total"), number_of(kernel, "kernel_time_ns"),
                          number_of(kernel, "cycles"), number_of(kernel, "instructions")) ||
            !add_facts(import, number, kernel))
            return false;
    }
    return true;
}

static bool add_parameters(struct import *import, const json_t *root)
{
    json_t *parameters = json_object_get(json_object_get(root, "configuration"), "parameters");
    const char *path;
    json_t *parameter;

    json_object_foreach(parameters, path, parameter)
    {
        sqlite3_bind_int64(import->add_parameter, 1, import->run);
        bind_text(import->add_parameter, 2, path);
        bind_json(import->add_parameter, 3, json_object_get(parameter, "value"));
        if (!statement_step(import, import->add_parameter))
            return false;
    }
    return true;
}

static bool import_prepare(struct import *import)
{
    struct database *database = import->database;

    import->find_name =
        database_prepare(database, import->diagnosis, "SELECT name FROM names WHERE path = ?");
    import->add_name =
        database_prepare(database, import->diagnosis,
                         "INSERT INTO names (path, kind, unit, help) VALUES (?, ?, ?, ?)");
    import->add_value =
        database_prepare(database, import->diagnosis,
                         "INSERT OR REPLACE INTO statistic_values VALUES (?, ?, ?, ?, ?)");
    import->add_parameter =
        database_prepare(database, import->diagnosis, "INSERT INTO parameters VALUES (?, ?, ?)");
    return import->find_name != NULL && import->add_name != NULL && import->add_value != NULL &&
           import->add_parameter != NULL;
}

static bool forget_run(struct import *import)
{
    static const char *const deletes[] = {
        "DELETE FROM runs WHERE run = ?",
        "DELETE FROM hosts WHERE run = ?",
        "DELETE FROM kernels WHERE run = ?",
        "DELETE FROM parameters WHERE run = ?",
        "DELETE FROM statistic_values WHERE run = ?",
        "DELETE FROM sample_intervals WHERE run = ?",
        "DELETE FROM sample_values WHERE run = ?",
        "DELETE FROM profile_lines WHERE run = ?",
        "DELETE FROM profile_values WHERE run = ?",
    };

    for (unsigned i = 0; i < sizeof deletes / sizeof deletes[0]; i++)
        if (!database_run(import->database, import->diagnosis, deletes[i], "i", import->run))
            return false;
    return true;
}

static bool add_host(struct import *import, const struct outcome *outcome, const json_t *root)
{
    const json_t *simulator = json_object_get(root, "simulator");
    char host[256] = "?", date[64] = "", second[32] = "";
    time_t when = (time_t)(outcome->started_ms / 1000);
    struct tm parts;

    if (gethostname(host, sizeof host - 1) != 0)
        host[0] = '\0';
    if (gmtime_r(&when, &parts) != NULL)
        strftime(second, sizeof second, "%Y-%m-%dT%H:%M:%S", &parts);
    /* The form in which plans are dated: claims_came_first() compares the two. */
    snprintf(date, sizeof date, "%s.%03dZ", second, (int)(outcome->started_ms % 1000));
    return database_run(import->database, import->diagnosis,
                        "INSERT INTO hosts VALUES (?, ?, ?, ?, ?, NULL)", "itddt", import->run,
                        date, outcome->seconds,
                        json_number_value(json_object_get(simulator, "kernel_seconds")), host);
}

static const char *version_of(const json_t *root, const char *what)
{
    return json_string_value(json_object_get(json_object_get(root, "versions"), what));
}

static bool add_run(struct import *import, const struct point *point, const struct outcome *outcome,
                    const json_t *root)
{
    const json_t *run = json_object_get(root, "run");

    if (outcome->message != NULL)
        return database_run(import->database, import->diagnosis,
                            "INSERT INTO runs (run, key, status, message, exit_status, gpu, model,"
                            " workload, program, arguments)"
                            " VALUES (?, ?, 'failed', ?, ?, ?, ?, ?, ?, ?)",
                            "ittittttt", import->run, point->key, outcome->message,
                            (int64_t)outcome->status, point->gpu, point->model, point->workload,
                            point->program, point->arguments);
    return database_run(
        import->database, import->diagnosis,
        "INSERT INTO runs VALUES (?, ?, 'done', NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        "ititttttiiiiittt", import->run, point->key, (int64_t)outcome->status, point->gpu,
        point->model, point->workload, point->program, point->arguments, number_of(run, "launches"),
        number_of(run, "cycles"), number_of(run, "instructions"), number_of(run, "kernel_time_ns"),
        number_of(run, "time_ns"), version_of(root, "wavetank"), version_of(root, "clang"),
        version_of(root, "libclc"));
}

/* A run that failed keeps its message and no statistics: what it reached is not what was asked. */
static bool add_results(struct import *import, const struct outcome *outcome, const json_t *root)
{
    json_t *run = json_object_get(root, "run");

    if (outcome->message != NULL)
        return true;
    return add_parameters(import, root) && add_facts(import, 0, run) &&
           add_limit(import, json_object_get(run, "limit")) &&
           (!outcome->has_places || add_all(import, 0, "place", json_object_get(run, "places"))) &&
           add_kernels(import, root) &&
           database_store_samples(import->database, import->run, root, import->diagnosis) &&
           database_store_profile(import->database, import->run, root, import->diagnosis);
}

static bool point_store(struct import *import, const struct point *point,
                        const struct outcome *outcome, const json_t *root)
{
    enum point_state state;
    bool is_found;

    if (!database_state(import->database, point->key, &state, import->diagnosis) ||
        !database_ask(import->database, import->diagnosis, &is_found, &import->run,
                      "SELECT run FROM points WHERE key = ?", "t", point->key))
        return false;
    if (state == POINT_DONE)
        return true; /* another process was first, with the same result */
    return forget_run(import) && import_prepare(import) && add_run(import, point, outcome, root) &&
           add_host(import, outcome, root) && add_results(import, outcome, root) &&
           database_run(import->database, import->diagnosis, "DELETE FROM work WHERE key = ?", "t",
                        point->key);
}

bool database_store(struct database *database, const struct point *point,
                    const struct outcome *outcome, struct diagnosis *diagnosis)
{
    struct import import = {.database = database, .diagnosis = diagnosis};
    struct outcome whole = *outcome;
    char *message = NULL;
    json_error_t error;
    json_t *root = outcome->json != NULL ? json_load_file(outcome->json, 0, &error) : NULL;
    bool is_good;

    if (root == NULL && outcome->message == NULL) {
        message = format_string("its statistics cannot be read: %s",
                                outcome->json != NULL ? error.text : "there are none");
        whole.message = message;
    }
    is_good = database_run(database, diagnosis, "BEGIN IMMEDIATE", "");
    if (is_good)
        is_good = point_store(&import, point, &whole, root);
    sqlite3_finalize(import.find_name);
    sqlite3_finalize(import.add_name);
    sqlite3_finalize(import.add_value);
    sqlite3_finalize(import.add_parameter);
    is_good = database_end(database, is_good, diagnosis);
    json_decref(root);
    free(message);
    return is_good;
}

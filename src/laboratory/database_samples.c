/* SPDX-License-Identifier: MIT */
#include "laboratory/database_samples.h"

#include <stdlib.h>

#include "base/text.h"

enum { INTERVAL_FACTS = 4 }; /* launch, kernel, cycle, cycles; then the values */

static bool statement_step(struct database *database, sqlite3_stmt *statement,
                           struct diagnosis *diagnosis)
{
    bool is_good = sqlite3_step(statement) == SQLITE_DONE || database_fail(database, diagnosis);

    sqlite3_reset(statement);
    return is_good;
}

/* Numbers of the names, which they get now if they have none. */
static bool find_names(struct database *database, const json_t *names, int64_t *numbers,
                       struct diagnosis *diagnosis)
{
    const json_t *name;
    size_t i;
    bool is_found;

    json_array_foreach(names, i, name)
    {
        if (!database_run(database, diagnosis,
                          "INSERT OR IGNORE INTO sample_names (path) VALUES (?)", "t",
                          json_string_value(name)) ||
            !database_ask(database, diagnosis, &is_found, &numbers[i],
                          "SELECT name FROM sample_names WHERE path = ?", "t",
                          json_string_value(name)))
            return false;
    }
    return true;
}

static bool add_intervals(struct database *database, int64_t run, const json_t *samples,
                          struct diagnosis *diagnosis)
{
    sqlite3_stmt *add = database_prepare(database, diagnosis,
                                         "INSERT INTO sample_intervals VALUES (?, ?, ?, ?, ?, ?)");
    const json_t *kernels = json_object_get(samples, "kernels"), *interval;
    bool is_good = add != NULL;
    size_t i;

    json_array_foreach(json_object_get(samples, "intervals"), i, interval)
    {
        const json_t *kernel =
            json_array_get(kernels, (size_t)json_integer_value(json_array_get(interval, 1)));

        if (!is_good)
            break;
        sqlite3_bind_int64(add, 1, run);
        sqlite3_bind_int64(add, 2, (int64_t)i + 1);
        sqlite3_bind_int64(add, 3, json_integer_value(json_array_get(interval, 0)));
        sqlite3_bind_text(add, 4, json_string_value(kernel), -1, SQLITE_TRANSIENT);
        sqlite3_bind_int64(add, 5, json_integer_value(json_array_get(interval, 2)));
        sqlite3_bind_int64(add, 6, json_integer_value(json_array_get(interval, 3)));
        is_good = statement_step(database, add, diagnosis);
    }
    sqlite3_finalize(add);
    return is_good;
}

/* In the order of the table's key: one statistic after the other. */
static bool add_values(struct database *database, int64_t run, const json_t *samples,
                       const int64_t *numbers, size_t count, struct diagnosis *diagnosis)
{
    sqlite3_stmt *add =
        database_prepare(database, diagnosis, "INSERT INTO sample_values VALUES (?, ?, ?, ?)");
    const json_t *intervals = json_object_get(samples, "intervals");
    bool is_good = add != NULL;

    for (size_t name = 0; name < count && is_good; name++)
        for (size_t i = 0; i < json_array_size(intervals) && is_good; i++) {
            const json_t *value =
                json_array_get(json_array_get(intervals, i), INTERVAL_FACTS + name);

            sqlite3_bind_int64(add, 1, run);
            sqlite3_bind_int64(add, 2, numbers[name]);
            sqlite3_bind_int64(add, 3, (int64_t)i + 1);
            if (json_is_integer(value))
                sqlite3_bind_int64(add, 4, json_integer_value(value));
            else if (json_is_real(value))
                sqlite3_bind_double(add, 4, json_real_value(value));
            else
                sqlite3_bind_null(add, 4);
            is_good = statement_step(database, add, diagnosis);
        }
    sqlite3_finalize(add);
    return is_good;
}

bool database_store_samples(struct database *database, int64_t run, const json_t *root,
                            struct diagnosis *diagnosis)
{
    const json_t *samples = json_object_get(root, "samples");
    const json_t *names = json_object_get(samples, "statistics");
    size_t count = json_array_size(names);
    int64_t *numbers;
    bool is_good;

    if (samples == NULL)
        return true;
    numbers = allocate(count + 1, sizeof *numbers);
    is_good = find_names(database, names, numbers, diagnosis) &&
              add_intervals(database, run, samples, diagnosis) &&
              add_values(database, run, samples, numbers, count, diagnosis);
    free(numbers);
    return is_good;
}

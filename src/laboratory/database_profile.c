/* SPDX-License-Identifier: MIT */
#include "laboratory/database_profile.h"

static const char *text_of(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* Columns are the same in all runs of one version; another's may be others. */
static bool add_columns(struct database *database, const json_t *profile,
                        struct diagnosis *diagnosis)
{
    const json_t *column;
    size_t i;

    json_array_foreach(json_object_get(profile, "columns"), i, column)
    {
        if (!database_run(database, diagnosis,
                          "INSERT OR IGNORE INTO profile_columns (path, unit, help)"
                          " VALUES (?, ?, ?)",
                          "ttt", text_of(column, "name"), text_of(column, "unit"),
                          text_of(column, "help")))
            return false;
    }
    return true;
}

static bool add_values(struct database *database, int64_t run, int64_t entry, json_t *values,
                       struct diagnosis *diagnosis)
{
    const char *name;
    json_t *value;

    json_object_foreach(values, name, value)
    {
        if (!database_run(database, diagnosis,
                          "INSERT INTO profile_values"
                          " SELECT ?, ?, name, ? FROM profile_columns WHERE path = ?",
                          "iiit", run, entry, (int64_t)json_integer_value(value), name))
            return false;
    }
    return true;
}

static bool add_lines(struct database *database, int64_t run, const json_t *kernel, int64_t *entry,
                      struct diagnosis *diagnosis)
{
    const json_t *line;
    size_t i;

    json_array_foreach(json_object_get(kernel, "lines"), i, line)
    {
        ++*entry;
        if (!database_run(
                database, diagnosis, "INSERT INTO profile_lines VALUES (?, ?, ?, ?, ?, ?, ?)",
                "iitttit", run, *entry, text_of(kernel, "name"), text_of(kernel, "code_object"),
                text_of(line, "file"), (int64_t)json_integer_value(json_object_get(line, "line")),
                text_of(line, "source")) ||
            !add_values(database, run, *entry, json_object_get(line, "values"), diagnosis))
            return false;
    }
    return true;
}

bool database_store_profile(struct database *database, int64_t run, const json_t *root,
                            struct diagnosis *diagnosis)
{
    const json_t *profile = json_object_get(root, "profile"), *kernel;
    int64_t entry = 0;
    size_t i;

    if (profile == NULL)
        return true;
    if (!add_columns(database, profile, diagnosis))
        return false;
    json_array_foreach(json_object_get(profile, "kernels"), i, kernel)
    {
        if (!add_lines(database, run, kernel, &entry, diagnosis))
            return false;
    }
    return true;
}

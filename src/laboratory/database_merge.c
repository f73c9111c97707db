/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>

#include "base/bits.h"
#include "base/text.h"
#include "laboratory/database.h"
#include "laboratory/schema.h"

/* In the order in which they stand. Runs are known by their keys: the numbers of the two files may
 * differ, and are mapped by `other`. A run that is here already, done, stays. */
static const char *const steps[] = {
    "INSERT OR IGNORE INTO points (key) SELECT key FROM source.points ORDER BY run",
    "CREATE TEMP TABLE other AS SELECT p.run AS run, o.run AS theirs"
    "  FROM source.points o JOIN points p ON p.key = o.key",
    "INSERT OR IGNORE INTO plans (name, title, text, folder, recorded, swept)"
    "  SELECT name, title, text, folder, recorded, swept FROM source.plans ORDER BY plan",
    "CREATE TEMP TABLE other_plan AS SELECT p.plan AS plan, o.plan AS theirs"
    "  FROM source.plans o JOIN plans p ON p.name = o.name AND p.text = o.text",
    "INSERT OR REPLACE INTO plan_points SELECT q.plan, o.number, r.run FROM source.plan_points o"
    "  JOIN other_plan q ON q.theirs = o.plan JOIN other r ON r.theirs = o.run",
    "INSERT OR REPLACE INTO axes SELECT q.plan, o.number, r.run, o.axis, o.value"
    "  FROM source.axes o JOIN other_plan q ON q.theirs = o.plan JOIN other r ON r.theirs = o.run",
    "DELETE FROM other WHERE theirs NOT IN (SELECT run FROM source.runs)"
    "  OR run IN (SELECT run FROM runs WHERE status = 'done')",
    "DELETE FROM other WHERE run IN (SELECT run FROM runs)"
    "  AND theirs IN (SELECT run FROM source.runs WHERE status <> 'done')",
    "DELETE FROM runs WHERE run IN (SELECT run FROM other)",
    "DELETE FROM hosts WHERE run IN (SELECT run FROM other)",
    "INSERT INTO runs SELECT m.run, o.key, o.status, o.message, o.exit_status, o.gpu, o.model,"
    "  o.workload, o.program, o.arguments, o.launches, o.cycles, o.instructions, o.kernel_time_ns,"
    "  o.time_ns, o.wavetank, o.clang, o.libclc"
    "  FROM source.runs o JOIN other m ON m.theirs = o.run ORDER BY m.run",
    "INSERT INTO hosts SELECT m.run, o.started, o.seconds, o.kernel_seconds, o.host, o.processor"
    "  FROM source.hosts o JOIN other m ON m.theirs = o.run",
    "INSERT INTO parameters SELECT m.run, o.path, o.value"
    "  FROM source.parameters o JOIN other m ON m.theirs = o.run",
    "INSERT INTO kernels SELECT m.run, o.kernel, o.name, o.launches, o.groups_done,"
    "  o.groups_total, o.time_ns, o.cycles, o.instructions"
    "  FROM source.kernels o JOIN other m ON m.theirs = o.run",
    "INSERT OR IGNORE INTO names (path, kind, unit, help)"
    "  SELECT path, kind, unit, help FROM source.names ORDER BY name",
    "CREATE TEMP TABLE other_name AS SELECT n.name AS name, o.name AS theirs"
    "  FROM source.names o JOIN names n ON n.path = o.path",
    "INSERT INTO statistic_values SELECT n.name, m.run, o.kernel, o.value, o.buckets"
    "  FROM source.statistic_values o JOIN other m ON m.theirs = o.run"
    "  JOIN other_name n ON n.theirs = o.name",
    "INSERT INTO sample_intervals SELECT m.run, o.sample, o.launch, o.kernel, o.cycle, o.cycles"
    "  FROM source.sample_intervals o JOIN other m ON m.theirs = o.run",
    "INSERT OR IGNORE INTO sample_names (path) SELECT path FROM source.sample_names ORDER BY name",
    "INSERT INTO sample_values SELECT m.run, n.name, o.sample, o.value"
    "  FROM source.sample_values o JOIN other m ON m.theirs = o.run"
    "  JOIN source.sample_names s ON s.name = o.name JOIN sample_names n ON n.path = s.path",
};

/* Where the other file has profiles. */
static const char *const profile_steps[] = {
    "INSERT OR IGNORE INTO profile_columns (path, unit, help)"
    "  SELECT path, unit, help FROM source.profile_columns ORDER BY name",
    "INSERT INTO profile_lines SELECT m.run, o.entry, o.kernel, o.code_object, o.file, o.line,"
    "  o.source FROM source.profile_lines o JOIN other m ON m.theirs = o.run",
    "INSERT INTO profile_values SELECT m.run, o.entry, n.name, o.value"
    "  FROM source.profile_values o JOIN other m ON m.theirs = o.run"
    "  JOIN source.profile_columns s ON s.name = o.name JOIN profile_columns n ON n.path = s.path",
};

static const char *const last_steps[] = {
    "DROP TABLE other",
    "DROP TABLE other_plan",
    "DROP TABLE other_name",
};

static bool run_steps(struct database *database, const char *const *sql, unsigned count,
                      struct diagnosis *diagnosis)
{
    for (unsigned i = 0; i < count; i++)
        if (!database_run(database, diagnosis, sql[i], ""))
            return false;
    return true;
}

static bool run_all(struct database *database, const struct database *from,
                    struct diagnosis *diagnosis)
{
    return run_steps(database, steps, ARRAY_COUNT(steps), diagnosis) &&
           (from->version < SCHEMA_WITH_PROFILES ||
            run_steps(database, profile_steps, ARRAY_COUNT(profile_steps), diagnosis)) &&
           run_steps(database, last_steps, ARRAY_COUNT(last_steps), diagnosis);
}

bool database_merge(struct database *database, struct database *from, struct diagnosis *diagnosis)
{
    struct diagnosis ignored;
    bool is_good;

    if (!database_run(database, diagnosis, "ATTACH ? AS source", "t", from->path))
        return false;
    is_good = database_run(database, diagnosis, "BEGIN IMMEDIATE", "");
    if (is_good)
        is_good = run_all(database, from, diagnosis);
    is_good = database_end(database, is_good, diagnosis);
    return database_run(database, is_good ? diagnosis : &ignored, "DETACH source", "") && is_good;
}

/* SPDX-License-Identifier: MIT */
/* Reads what sim.record_transactions has written (tm/global_oracle.h has the form). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/signature_replay.h"

static void add_attempt(struct recording *recording, struct recorded_attempt attempt)
{
    if (recording->count == recording->capacity) {
        recording->capacity = 2 * recording->capacity + 1024;
        recording->attempts =
            reallocate(recording->attempts, recording->capacity, sizeof *recording->attempts);
    }
    attempt.first = recording->access_count;
    recording->attempts[recording->count++] = attempt;
}

static void add_access(struct recording *recording, struct recorded_access access)
{
    if (recording->access_count == recording->access_capacity) {
        recording->access_capacity = 2 * recording->access_capacity + 4096;
        recording->accesses = reallocate(recording->accesses, recording->access_capacity,
                                         sizeof *recording->accesses);
    }
    recording->accesses[recording->access_count++] = access;
    recording->attempts[recording->count - 1].count++;
}

static bool take_line(struct recording *recording, const char *line)
{
    struct recorded_attempt attempt = {0};
    struct recorded_access access = {0};
    unsigned has_committed;
    char kind;

    if (sscanf(line, "attempt %" SCNu64 " %" SCNu64 " %u", &attempt.began, &attempt.ended,
               &has_committed) == 3) {
        attempt.has_committed = has_committed != 0;
        add_attempt(recording, attempt);
        return attempt.began <= attempt.ended;
    }
    if (recording->count == 0 ||
        sscanf(line, "%c %" SCNx64 " %" SCNu64, &kind, &access.word, &access.cycle) != 3 ||
        strchr("rwu", kind) == NULL)
        return false;
    access.is_read = kind != 'w';
    access.is_write = kind != 'r';
    add_access(recording, access);
    return true;
}

bool recording_read(struct recording *recording, FILE *file, const char *name, bool *is_wrong,
                    struct diagnosis *diagnosis)
{
    char line[128];
    bool is_open = recording->attempts != NULL; /* the line before has begun this one */

    recording->count = recording->access_count = 0;
    *is_wrong = false;
    while (fgets(line, sizeof line, file) != NULL) {
        bool is_launch = strcmp(line, "launch\n") == 0;

        if (is_launch && is_open)
            return true;
        is_open |= is_launch;
        if (!is_launch && (!is_open || !take_line(recording, line))) {
            *is_wrong = true;
            return diagnose(diagnosis, "%s: not what sim.record_transactions writes: %.40s", name,
                            line);
        }
    }
    return recording->count > 0;
}

void recording_finish(struct recording *recording)
{
    free(recording->attempts);
    free(recording->accesses);
    *recording = (struct recording){0};
}

/* SPDX-License-Identifier: MIT */
#include "machine/watch.h"

#include <time.h>

/* Looks in a threshold's time; and of the time between two looks, the share that a digest may
 * take. */
static const double looks = 8, digest_share = 0.05;

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void note_progress(struct watch *watch, double now)
{
    watch->since = now;
    watch->threshold = watch->patience;
}

void watch_start(struct watch *watch, double patience)
{
    double now = processor_seconds();

    *watch = (struct watch){.patience = patience, .look_at = now + patience / looks};
    note_progress(watch, now);
}

/* The digest now; whether it is another than at the latest look. */
static bool has_changed(struct watch *watch, uint64_t digest)
{
    bool has_changed = watch->has_digest && digest != watch->digest;

    watch->digest = digest;
    watch->has_digest = true;
    return has_changed;
}

bool watch_look(struct watch *watch, uint64_t groups_done, uint64_t (*digest)(const void *context),
                const void *context, double *seconds)
{
    double now, spent;

    if (watch->patience == 0)
        return false;
    now = processor_seconds();
    if (now < watch->look_at)
        return false;
    watch->look_at = now + watch->patience / looks;
    if (groups_done != watch->groups_done) {
        watch->groups_done = groups_done;
        watch->has_digest = false;
        note_progress(watch, now);
        return false;
    }
    if (has_changed(watch, digest(context)))
        note_progress(watch, now);
    spent = processor_seconds() - now;
    if (watch->look_at < now + spent / digest_share)
        watch->look_at = now + spent / digest_share;
    *seconds = now - watch->since;
    if (*seconds < watch->threshold)
        return false;
    watch->threshold *= 2;
    return true;
}

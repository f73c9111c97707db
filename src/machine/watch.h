/* SPDX-License-Identifier: MIT */
/*
 * Tells launches that make no progress: endless loops, locks that are never given back, work-groups
 * that wait for others which cannot start.
 *
 * Progress is what the program could see: a work-group ended, or the bytes of its buffers changed.
 * Private and local memory do not count, nor does a store of what was there already. Bytes are
 * compared by a digest that is taken now and then, and only while no work-group ends: nothing is
 * done where stores are executed. A change that is undone between two digests is not seen. The
 * time is the processor time of the thread that simulates, so a busy or suspended machine is not
 * taken for a standstill.
 *
 * What is said has no effect on the launch: a kernel may well compute for so long.
 */
#ifndef MACHINE_WATCH_H
#define MACHINE_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct watch {
    double patience;  /* seconds; 0: nothing is ever told */
    double threshold; /* patience, doubled with each time that was told */
    double since;     /* latest progress, in processor time */
    double look_at;   /* not before */
    uint64_t groups_done, digest;
    bool has_digest;
};

/* A launch begins. */
void watch_start(struct watch *watch, double patience);

/* Looks, if it is time. True: no progress for so long that it should be told; *seconds says how
 * long. `digest` is asked for the digest of what the program's buffers hold. */
bool watch_look(struct watch *watch, uint64_t groups_done, uint64_t (*digest)(const void *context),
                const void *context, double *seconds);

#endif

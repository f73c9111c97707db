/* SPDX-License-Identifier: MIT */
/*
 * What signatures would have found, where transactions ran that were recorded. Their accesses and
 * ends are replayed in time. Each commit is looked up among the transactions that run then, once
 * exactly and once by their signatures. These are Bloom filters in PARTS parts, each with an H3
 * hash of its own. Nothing is fed back: a transaction that a signature would have stopped goes on
 * as it was recorded.
 *
 * SCHEME_SETS  each word that commits is looked up in one signature of what another has read and
 *              written (lazy detection; Fung et al., MICRO 2011, section 3.1.3)
 * SCHEME_RING  the signature of what commits is met with those of what others have read (RingSTM;
 *              the same, section 4.2)
 */
#ifndef CLI_SIGNATURE_REPLAY_H
#define CLI_SIGNATURE_REPLAY_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/diagnosis.h"

enum signature_scheme { SCHEME_SETS, SCHEME_RING, SCHEMES };

struct recorded_access {
    uint64_t word, cycle;
    bool is_read, is_write;
};

struct recorded_attempt {
    uint64_t began, ended;
    bool has_committed;
    uint32_t first, count; /* of the accesses */
};

/* One launch. */
struct recording {
    struct recorded_attempt *attempts;
    struct recorded_access *accesses; /* of each attempt by rising cycle */
    uint32_t count, capacity, access_count, access_capacity;
};

struct signature_counts {
    uint64_t attempts, commits, max_at_once;
    uint64_t real, false_ones;             /* pairs: a commit, and one that runs */
    uint64_t stopped, stopped_for_nothing; /* attempts, by the first such pair of each */
};

/* Reads the file's next launch; false: there is none, or, with a diagnosis, it is wrong. */
bool recording_read(struct recording *recording, FILE *file, const char *name, bool *is_wrong,
                    struct diagnosis *diagnosis) MUST_USE;
void recording_finish(struct recording *recording);

/* Adds to the counts. `bits`: of a signature, a power of two from 8 on. */
void signatures_replay(const struct recording *recording, enum signature_scheme scheme,
                       uint32_t bits, struct signature_counts *counts);

#endif

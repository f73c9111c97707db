/* SPDX-License-Identifier: MIT */
/*
 * A state in 64 bits. States that go on alike have one.
 *
 * It is a sum over the parts of the state: of each what its place and its canonical form give. So
 * of a state that came of another only the parts that were touched are looked at.
 */
#ifndef VERIFY_FINGERPRINT_H
#define VERIFY_FINGERPRINT_H

#include "verify/world.h"

struct fingerprint {
    uint64_t hash;
    uint32_t
        /* how many states have it that differ but by which of the L1s that are alike is which */
        alike;
    bool has_faded; /* traffic.h: no byte of a line has the fading value */
};

/* What parts of a state give: by part. */
struct part_terms {
    uint64_t known; /* set of parts */
    uint64_t terms[WORLD_MAX_PARTS];
    uint64_t values[WORLD_MAX_PARTS]; /* sets of values that bytes of lines have */
};

/* Names of L1s, and what the parts give under these: of the state that others came of, and of the
 * present one. */
struct naming {
    struct node_names l1s, units;
    bool renames; /* one has another name than its number */
    struct part_terms base, now;
};

enum { NAMINGS = 1 << 2 * WORLD_MAX_L1S };

struct fingerprints {
    const struct world *world;
    bool tells_l1s_apart;
    uint64_t parts;                    /* all but the traffic's */
    uint64_t own_parts[WORLD_MAX_L1S]; /* each L1's */
    uint64_t traffic[WORLD_MAX_L1S];   /* what is each L1's there */
    struct naming *namings[NAMINGS];   /* by the names of L1s, 2 bits each; NULL: not met yet */
    uint16_t used[NAMINGS];            /* those that were met */
    uint32_t used_count;
};

/* `tells_l1s_apart`: each L1 is told from the others. */
void fingerprints_init(struct fingerprints *fingerprints, const struct world *world,
                       bool tells_l1s_apart);
void fingerprints_finish(struct fingerprints *fingerprints);
/* Other states come from now on, whose untouched parts have changed at the most in these. */
void fingerprints_begin(struct fingerprints *fingerprints, uint64_t changed);
/* Of the world's state. */
struct fingerprint fingerprint_of(struct fingerprints *fingerprints);

#endif

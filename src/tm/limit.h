/* SPDX-License-Identifier: MIT */
/*
 * Concurrency control in a compute unit: so many wavefronts, or lanes, are in transactions at one
 * time. A wavefront counts from its first attempt until all of its lanes have committed. Those that
 * must wait enter in the order in which they came. Source: Fung et al., "Hardware Transactional
 * Memory for GPU Architectures", MICRO 2011, section 4.6.
 */
#ifndef TM_LIMIT_H
#define TM_LIMIT_H

#include "tm/slot_queue.h"

struct tm_limit {
    uint64_t max; /* 0: no limit */
    bool counts_lanes;
    uint64_t *waits; /* a statistic: times that a wavefront had to wait */
    /* its own */
    uint64_t taken;
    uint32_t has[TM_MAX_WAVEFRONTS];
    struct slot_queue queue;
};

/* Whether the wavefront may begin an attempt; false: it is woken when it is its turn. */
bool tm_limit_allows(struct tm_limit *limit, const struct tm_wavefront *wavefront);
/* It begins one; in its first it enters. */
void tm_limit_enter(struct tm_limit *limit, struct tm_host *host,
                    const struct tm_wavefront *wavefront);
/* All its lanes have committed. */
void tm_limit_leave(struct tm_limit *limit, struct tm_host *host, uint32_t slot);

#endif

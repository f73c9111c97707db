/* SPDX-License-Identifier: MIT */
/*
 * A third protocol, which needs what SI can do without: probes toward the upper caches and their
 * acknowledgements, refusals, recycling, data of the protocol's own.
 *
 * Upper caches write through and drop the line they store to. L2 notes who may hold a line. Before
 * a store or atomic it has all of them drop it, so that no acquire is ever needed. A load for which
 * L2 has no room is refused, and asked again. A release waits until the stores before it are
 * answered. A probe stalls while its cache walks. L2 recalls the copies of a line that it replaces,
 * and waits for none of them. Upper caches tell it of the lines that they replace, and it counts
 * these.
 */
#ifndef TESTS_MEM_INVALIDATING_H
#define TESTS_MEM_INVALIDATING_H

#include "mem/protocol.h"

enum {
    INVALIDATING_DROPPED = MESSAGE_PROTOCOL,
    INVALIDATING_REFUSED,
    INVALIDATING_GONE, /* write-back channel: an upper cache has replaced a line */
    INVALIDATING_RECALL,
    INVALIDATING_PROBE
};

/* At most so many upper caches hold a line that L2 replaces. */
enum { INVALIDATING_MAX_UPPERS = 4 };

extern const struct protocol protocol_invalidating;

#endif

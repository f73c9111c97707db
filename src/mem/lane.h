/* SPDX-License-Identifier: MIT */
/*
 * Lanes: which virtual channels travel together between two parts of a memory system.
 *
 *     toward memory                        toward the compute units
 *     LANE_REQUESTS     requests           LANE_RESPONSES   responses
 *     LANE_WRITE_BACKS  write-backs, and   LANE_PROBES      probes
 *                       responses from above
 *
 * Messages of a lane stay in order. Both lanes of a direction may share one FIFO (struct wiring);
 * then neither passes the other. A protocol's tables say whether that can end in a deadlock
 * (protocol_can_be_wired).
 */
#ifndef MEM_LANE_H
#define MEM_LANE_H

#include "mem/msg.h"

enum lane { LANE_REQUESTS, LANE_WRITE_BACKS, LANE_RESPONSES, LANE_PROBES, LANE_COUNT };

/* Which lanes between the upper caches and the L2 slices have FIFOs of their own. */
struct wiring {
    bool write_backs_apart, probes_apart;
};

/* Messages for which room is needed, by lane. */
struct lane_room {
    uint8_t messages[LANE_COUNT];
};

static inline struct lane_room lane_room_sum(const struct lane_room *a, const struct lane_room *b)
{
    struct lane_room sum;

    for (enum lane lane = 0; lane < LANE_COUNT; lane++)
        sum.messages[lane] = (uint8_t)(a->messages[lane] + b->messages[lane]);
    return sum;
}

static inline enum lane lane_down(unsigned channel)
{
    return channel == CHANNEL_REQUEST ? LANE_REQUESTS : LANE_WRITE_BACKS;
}

static inline enum lane lane_up(unsigned channel)
{
    return channel == CHANNEL_PROBE ? LANE_PROBES : LANE_RESPONSES;
}

/* The lane whose FIFO the lane's messages go by. */
static inline enum lane wiring_fifo(const struct wiring *wiring, enum lane lane)
{
    if (lane == LANE_WRITE_BACKS && !wiring->write_backs_apart)
        return LANE_REQUESTS;
    return lane == LANE_PROBES && !wiring->probes_apart ? LANE_RESPONSES : lane;
}

#endif

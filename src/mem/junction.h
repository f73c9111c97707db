/* SPDX-License-Identifier: MIT */
/*
 * A junction: a socket in the network where a transactional memory's part joins it. It stands
 * between an L1 and the crossbars, or between the crossbars and a port of an L2 slice.
 *
 *        above                     beside a compute unit: unit == REQUESTER_LOG
 *         │  ▲                       from its log unit down; replies to it, and TRANSACTION_REPLY,
 *       ┌─▼──┴─┐ ── from above ──►   are taken out on their way up
 *       │      │ ◄── to above ────
 *       │      │ ── from below ──►  beside a memory channel: unit == REQUESTER_COMMIT
 *       └─┬──▲─┘ ◄── to below ────    TRANSACTION is taken out on its way down; loads and stores of
 *         ▼  │                       the commit unit go to the slice, its replies up
 *        below
 *
 * Each FIFO passes a message a cycle, in order. Where the part beside has one too, they take turns:
 * the part in cycles of even number. What passes is a cycle later than by a wire; machines whose
 * transactional memory does not use the network have wires.
 */
#ifndef MEM_JUNCTION_H
#define MEM_JUNCTION_H

#include "mem/link.h"
#include "sim/component.h"

enum { JUNCTION_CYCLES = 1 };

/* As the part beside sees them; of struct message. */
struct junction_ports {
    struct port from_above, from_below; /* to the part */
    struct port to_above, to_below;     /* from it */
};

struct junction {
    struct component component;
    uint16_t unit;    /* replies to requests of this unit are taken out */
    struct link link; /* to the cache beside it */
    struct lanes above, below;
    struct junction_ports ports;
    struct component *beside;
};

/* `path` is copied. The part beside it is connected before the caches. */
void junction_init(struct junction *junction, const char *path, struct clock_domain *clock,
                   uint16_t unit, struct component *beside);
void junction_finish(struct junction *junction);

/* The link to the cache above or below, which the junction owns; its directions are the wire's. */
const struct lanes *junction_join(struct junction *junction, struct component *cache, bool is_above,
                                  const struct link_options *options);
/* The other side's lanes, borrowed. */
void junction_connect(struct junction *junction, const struct lanes *lanes, bool is_above);

/* Every port of its own, in order of construction. */
void junction_visit(const struct junction *junction,
                    void (*visit)(void *context, const struct port *port), void *context);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A link: all that two neighbours in a memory system send to each other, as a set of lanes
 * (mem/lane.h). Each lane has a port, or shares that of its direction's other lane.
 *
 *     above                                                below
 *       │ ── LANE_REQUESTS ────────────────────────────────► │   down: latency, width, queue
 *       │ ── LANE_WRITE_BACKS ─────────────────────────────► │
 *       │ ◄───────────────────────────────── LANE_RESPONSES ─│   up: the same of its own
 *       │ ◄──────────────────────────────────── LANE_PROBES ─│
 *
 * A port has slots for a queue, and for all that is on its way at full rate. That is width messages
 * in each cycle of the latency there and of the credits' way back (sim/port.h). An end may be one
 * component, or one for each lane (crossbars are).
 */
#ifndef MEM_LINK_H
#define MEM_LINK_H

#include "mem/lane.h"
#include "sim/port.h"

/* The ports of struct message as both ends see them; of lanes that share a FIFO, the same. */
struct lanes {
    struct port *ports[LANE_COUNT];
};

struct link {
    struct lanes lanes;
    struct port storage[LANE_COUNT];
};

struct link_direction {
    uint64_t cycles; /* latency both ways, of the sender's clock */
    uint64_t width;  /* messages a cycle; 0: the queue has slots for all */
    uint64_t queue;  /* messages that may wait at the far end, beyond what is on its way */
};

struct link_options {
    struct wiring wiring;
    struct component *above[LANE_COUNT], *below[LANE_COUNT];
    struct link_direction down, up;
};

void link_init(struct link *link, const struct link_options *options);
void link_finish(struct link *link);

/* Each port once. */
void link_visit(const struct link *link, void (*visit)(void *context, const struct port *port),
                void *context);

/* The same component at all lanes of an end. */
static inline void link_set_end(struct component *end[LANE_COUNT], struct component *component)
{
    for (unsigned lane = 0; lane < LANE_COUNT; lane++)
        end[lane] = component;
}

static inline bool lanes_share(const struct lanes *lanes, enum lane a, enum lane b)
{
    return lanes->ports[a] == lanes->ports[b];
}

/* Whether two lanes of one direction have room. If not, the sender will be woken. */
static inline bool lanes_have_room(const struct lanes *lanes, enum lane first, enum lane second,
                                   const struct lane_room *room)
{
    uint32_t a = room->messages[first], b = room->messages[second];

    if (lanes_share(lanes, first, second))
        return a + b == 0 || port_has_room(lanes->ports[first], a + b);
    return (a == 0 || port_has_room(lanes->ports[first], a)) &&
           (b == 0 || port_has_room(lanes->ports[second], b));
}

static inline bool lanes_have_room_down(const struct lanes *lanes, const struct lane_room *room)
{
    return lanes_have_room(lanes, LANE_REQUESTS, LANE_WRITE_BACKS, room);
}

static inline bool lanes_have_room_up(const struct lanes *lanes, const struct lane_room *room)
{
    return lanes_have_room(lanes, LANE_RESPONSES, LANE_PROBES, room);
}

#endif

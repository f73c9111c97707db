/* SPDX-License-Identifier: MIT */
/*
 * A small machine whose whole state is plain data: a few L1s, slices and lines, the links between
 * them, and memory. It runs the tables that the simulator runs, one move at a time.
 *
 * traffic ──► L1 ══ requests, write-backs ══► slice ──► memory    ══ a FIFO for each pair and lane,
 *   ◄───────── ▲ ◄══ responses, probes ═══════ ▲ ◄════════╝            of `room` messages
 *
 * A move is a delivery, an eviction, or a request that the traffic offers. A delivery is the head
 * of a FIFO, a target of a fill, a probe, a replay, or a stretch of a walk. Which of those that are
 * possible is next is for others to choose (explore.h). Lanes are those of mem/lane.h: messages of
 * one FIFO stay in order, those of two do not.
 *
 * A multicast's probes leave in any order, though caches send them in that of the nodes' numbers:
 * so the L1s are alike.
 *
 * Left out: time, scalar caches, the host. Memory answers at once, in the order in which it was
 * asked; its answers wait in a FIFO.
 */
#ifndef VERIFY_WORLD_H
#define VERIFY_WORLD_H

#include "base/text.h"
#include "mem/controller.h"
#include "mem/lane.h"
#include "verify/traffic.h"

enum {
    WORLD_MAX_L1S = 4,
    WORLD_MAX_SLICES = 2,
    WORLD_MAX_LINES = 4, /* of all slices */
    WORLD_MAX_ROOM = 4,
    WORLD_MAX_MOVES = 256,
    WORLD_MAX_PARTS = 64
};

struct world_shape {
    const struct protocol *protocol;
    uint32_t l1s, slices, lines; /* lines: of each slice */
    uint32_t l1_ways, l2_ways;
    uint32_t l1_mshrs, l2_mshrs, l1_waiting, l2_waiting;
    struct wiring wiring; /* which lanes have FIFOs of their own */
    uint32_t room;        /* messages a FIFO */
    uint64_t breaks;
    bool evicts; /* any line at any time */
};

enum move_kind {
    MOVE_DELIVER, /* what: the FIFO */
    MOVE_DRAIN,   /* who: the controller, L1s first */
    MOVE_PROBE,   /* what: the L1 */
    MOVE_REPLAY,
    MOVE_WALK,
    MOVE_EVICT, /* who; what: the line */
    MOVE_OFFER  /* who: the L1; what: which of the traffic's offers */
};

struct move {
    uint8_t kind, who, what;
};

/* What comes by the FIFO of number n, and where it goes: see world.c. */
struct fifo {
    uint8_t count;
    struct message messages[]; /* `room`; unused ones are zero */
};

/* A piece of the state: plain data. In this order: the controllers, L1s first; memory; the
 * traffic's; the FIFOs. */
struct world_part {
    unsigned char *at;
    size_t bytes; /* a multiple of 8 */
};

struct world {
    struct world_shape shape;
    struct address_map map;
    struct controller controllers[WORLD_MAX_L1S + WORLD_MAX_SLICES]; /* L1s first */
    uint32_t controller_count, fifo_count, line_count;
    uint64_t lines[WORLD_MAX_LINES]; /* addresses */
    unsigned char *fifos;            /* world_fifo */
    size_t fifo_bytes;
    unsigned char (*memory)[LINE_BYTES]; /* by line */
    struct world_part parts[WORLD_MAX_PARTS];
    uint32_t part_count;
    /* Set of parts, the traffic's apart, that may have changed since it was last emptied, which is
     * for those who put them back. */
    uint64_t touched;
    struct traffic *traffic;            /* borrowed */
    struct move moves[WORLD_MAX_MOVES]; /* all that the shape knows */
    uint32_t move_count;
    struct fault *fault;
    struct text *story; /* NULL, or what each move does is added: story.h */
    uint8_t state_before;
    bool sends_late; /* a request for a line that its L1 has not goes when its slice takes it */
    bool is_touched; /* by the latest move, even one that was not possible */
    bool is_refused; /* the latest move was an offer that was not taken */
    bool has_peers;  /* L1s send to each other */
};

/* False and a diagnosis where the shape is refused. Traffic is borrowed. */
bool world_init(struct world *world, const struct world_shape *shape, struct traffic *traffic,
                struct fault *fault, struct diagnosis *diagnosis) MUST_USE;
void world_finish(struct world *world);

/* False: the move is not possible now (what has changed then is undefined: put the touched parts
 * back). What is wrong is in the fault. */
bool world_do(struct world *world, struct move move);

/* Parts by number. */
static inline uint32_t world_part_memory(const struct world *world)
{
    return world->controller_count;
}

static inline uint32_t world_part_traffic(const struct world *world)
{
    return world->controller_count + 1;
}

static inline uint32_t world_part_fifo(const struct world *world, uint32_t fifo)
{
    return world->controller_count + 2 + fifo;
}

static inline struct fifo *world_fifo(const struct world *world, uint32_t number)
{
    return (struct fifo *)(void *)(world->fifos + number * world->fifo_bytes);
}

static inline void world_touch(struct world *world, uint32_t part)
{
    world->touched |= UINT64_C(1) << part;
}

/* The canonical form of a part that is not the traffic's, bytes of lines one a call. */
void world_encode_part(const struct world *world, uint32_t part, const struct form *form);
/* The parts that are the L1's own: it, and its links to the slices. */
uint64_t world_parts_of(const struct world *world, uint32_t l1);
/* Which part it would be, were the L1s numbered by their names. NULL: as they are. */
uint32_t world_part_named(const struct world *world, uint32_t part, const struct node_names *names);

/* Nothing is on its way, waits or is being done. */
bool world_is_at_rest(const struct world *world);

/* Number of the line of the address. */
uint32_t world_line(const struct world *world, uint64_t addr);
/* Whether the move only brings on what was asked for. */
static inline bool move_is_delivery(struct move move)
{
    return move.kind < MOVE_EVICT;
}

#endif

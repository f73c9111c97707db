/* SPDX-License-Identifier: MIT */
/*
 * The pump: drives a set of controllers and the memory behind them with no engine, one message at a
 * time, until nothing moves. The same tables as the timed machine, the same per-line order, no
 * time.
 *
 *     above ──► upper caches ──► slices ──► memory (backing store)
 *       ▲────────────┴──────────────┴──────────┘
 *
 * Used for host transfers and for the invalidations at a kernel's start, on the very controllers of
 * the timed machine, which is idle. Used by unit tests too, and by the random tester, which lets it
 * choose among the links at random. Messages of one link stay in order, so that it reaches the
 * orders that a network could produce. Lanes (mem/lane.h) have links of their own as in the widest
 * network that the protocol may have. Downward each always has one, upward where its probes may
 * pass responses.
 *
 * Between kernels L1s and slices keep their state; the pump leaves nothing outstanding.
 * What slices send up goes to `destination`.
 */
#ifndef MEM_PUMP_H
#define MEM_PUMP_H

#include "base/random.h"
#include "mem/backing.h"
#include "mem/controller.h"

struct pump_message {
    struct message message;
    uint64_t stamp; /* order of sending */
    uint32_t next;
};

struct pump_link { /* a FIFO */
    uint32_t first, last;
    struct controller *receiver; /* NULL: memory */
    uint32_t index;              /* of the receiver; memory: of its slice */
    uint64_t held_until;         /* random: it goes after all others until that step */
    uint32_t place;              /* among the busy ones */
};

struct pump {
    struct controller **uppers; /* node = index: L1s, scalar and instruction caches */
    struct controller **slices;
    uint32_t upper_count, slice_count;
    const struct address_map *map;
    struct backing *backing;
    struct pump_message *messages; /* a pool */
    uint32_t capacity, free;
    struct pump_link *links;
    uint32_t link_count, in_flight;
    uint32_t *busy; /* links with a message */
    uint32_t busy_count;
    uint64_t stamp;
    bool is_random;
    struct random random;
    uint64_t steps; /* random ones so far */
    uint64_t breaks;
    struct wiring wiring;
    bool has_peers;               /* upper caches send to each other: a link for each pair */
    struct message asked, answer; /* the host's latest request, and what answered it */
    bool is_answered;
    uint16_t requests; /* of the host so far, modulo 65,536: tells them apart */
    /* Called for each message that leaves an upper cache toward the compute units; NULL: dropped.
     */
    void (*reply)(void *context, uint32_t node, const struct message *message);
    void *context;
};

/* Borrows everything. Upper caches' nodes are their indices. `capacity`: messages in flight at
 * once. */
void pump_init(struct pump *pump, struct controller **uppers, uint32_t upper_count,
               struct controller **slices, uint32_t slice_count, const struct address_map *map,
               struct backing *backing, uint32_t capacity);
void pump_finish(struct pump *pump);

/* Puts a request into the link above an upper cache. */
void pump_send(struct pump *pump, uint32_t node, const struct message *message);
/* Moves one thing: a message, a replay, a target, a stretch of a walk. False: nothing can move. */
bool pump_step(struct pump *pump);
/* Until nothing moves. Nothing may be left in flight or waiting: that is checked. */
void pump_run(struct pump *pump);

/* A request of the host to one controller, of a number of its own, to its end; the answer is in
 * pump->answer. What no request of the host has asked for stops the run. */
void pump_ask(struct pump *pump, struct controller *controller, uint32_t index,
              const struct message *request);

/* Host transfers of any range, by the tables' HOST_READ and HOST_WRITE rows for lines that some
 * cache holds, and straight from memory for the others. The machine is idle. */
void pump_host_read(struct pump *pump, uint64_t addr, void *bytes, uint64_t count);
void pump_host_write(struct pump *pump, uint64_t addr, const void *bytes, uint64_t count);

/* Drops what the caches hold of a range whose bytes are of no more use: nothing of
 * it will be written back. Whole lines. */
void pump_discard(struct pump *pump, uint64_t addr, uint64_t count);

/* What a kernel's start does: every upper cache is invalidated (but see debug.break). */
void pump_kernel_start(struct pump *pump);
/* Everything dirty reaches memory; lines stay. */
void pump_flush(struct pump *pump);
/* Everything dirty reaches memory; no line stays, as if the caches were new. */
void pump_empty(struct pump *pump);
/* Loads lines into the slices, in this order, by an upper cache that keeps none of them. Its role
 * is INSTRUCTION, so that no directory counts it. */
void pump_warm(struct pump *pump, uint32_t upper, const uint64_t *lines, uint64_t count);

#endif

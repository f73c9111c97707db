/* SPDX-License-Identifier: MIT */
/*
 * The kernel of the simulator: time, clock domains, and the order of ticks.
 *
 *     instant t ─┬─ 1. each domain with an edge at t takes the set of components awake at that
 *                │     edge (deliveries that fall due at t have put their receivers into it)
 *                ├─ 2. each of those components ticks once, in index order
 *                └─ 3. the instant closes: components that were asked to (component_ask_close)
 *                      act once more, in the order of their construction
 *
 * A component that a tick wakes, ticks at a later edge, never again in this instant. What closes an
 * instant sees all that happened in it, and may change what ticks of later instants see.
 *
 * Time is an integer count of a unit that divides every domain's period. With domains of 925 and
 * 1375 MHz the unit is 1 / 50,875 MHz and the periods are 55 and 37 units. No floating point.
 *
 * Sleep: a tick that made no progress returns false, and its component is asleep until something
 * wakes it. That is a delivery by a port, a port that has room again, or its own engine_wake_at.
 * Waking too often is harmless, because a tick without anything to do changes nothing, and no
 * statistic may count ticks. When all sleep, the engine jumps to the next edge with work. `sleep`
 * false keeps all awake: the statistics must be the same.
 *
 * Each domain keeps a wheel of WHEEL_CYCLES slots, a slot being the set of components to wake at
 * that cycle. What lies further ahead waits in a list. Nothing is allocated after engine_start.
 *
 * The order of components cannot change a result (design rules: credits travel, one sender a port,
 * nothing else is shared inside a tick). `order_seed` permutes it, so that tests can show this.
 *
 * Left out: several host threads (the rules above leave room: a shard would be a set of
 * components; one that closes instants ties the machine to one thread).
 */
#ifndef SIM_ENGINE_H
#define SIM_ENGINE_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct component;
struct engine;

enum { ENGINE_MAX_DOMAINS = 4, ENGINE_MAX_CLOSING = 8, WHEEL_CYCLES = 1024 };

struct clock_domain {
    struct engine *engine;
    const char *name; /* "core", "memory" */
    uint64_t frequency_khz;
    uint64_t period; /* in engine units; set by engine_start */
    uint64_t cycle;  /* of the domain's latest edge at or before the current instant */
    uint32_t component_count;
    uint32_t words;                     /* of a component set */
    struct component **components;      /* in tick order */
    uint64_t *wheel;                    /* WHEEL_CYCLES sets of `words` words */
    uint64_t filled[WHEEL_CYCLES / 64]; /* which slots are not empty */
    uint64_t *awake;                    /* the set that ticks in the current instant */
    struct far_wake *far;
    uint32_t far_count, far_capacity;
    uint64_t far_min; /* least cycle in `far`; UINT64_MAX when empty */
    uint64_t next;    /* cycle of the next edge with work; UINT64_MAX: none */
};

enum engine_outcome {
    ENGINE_STOPPED, /* a component called engine_stop */
    ENGINE_IDLE,    /* all sleep and no message is in flight; time is that of the last progress */
    ENGINE_LIMIT,   /* the cycle limit was reached */
    ENGINE_STALLED, /* no component made progress for stall_cycles */
    ENGINE_INTERRUPTED /* *interrupt became non-zero */
};

struct engine {
    uint64_t now; /* current instant, in units */
    struct clock_domain domains[ENGINE_MAX_DOMAINS];
    uint32_t domain_count;
    bool sleep;            /* default true */
    uint64_t order_seed;   /* 0: construction order */
    uint64_t stall_cycles; /* watchdog, cycles of domain 0; default 1,000,000 */
    bool started;
    bool stop_requested;
    uint64_t progress_at;                   /* last instant at which some tick made progress */
    const volatile sig_atomic_t *interrupt; /* polled now and then; NULL: none */
    void (*beat)(
        void *context); /* called every 4096 instants or so: progress display; NULL: none */
    void *beat_context;
    struct component *closing[ENGINE_MAX_CLOSING]; /* asked to close this instant */
    uint32_t closing_count;
    uint64_t mark; /* in units; UINT64_MAX: none. See engine_set_mark */
    void (*at_mark)(void *context);
    void *mark_context;
    uint64_t instants; /* how many were simulated: work done, for the simulator's own speed */
    uint64_t ticks;
};

void engine_init(struct engine *engine);
void engine_finish(struct engine *engine);

/* Adds a clock domain. Frequencies are whole kHz, greater than 0. The pointer stays valid. */
struct clock_domain *engine_add_domain(struct engine *engine, const char *name,
                                       uint64_t frequency_khz);

/* Called once, after all domains and components are there and before the first tick. All components
 * are awake at the first edge. */
void engine_start(struct engine *engine);

/* Runs until engine_stop, all components sleep, or domain 0 reaches cycle `limit` (UINT64_MAX: no
 * limit). */
enum engine_outcome engine_run(struct engine *engine, uint64_t limit);

/* Lets engine_run call at_mark once, between instants, when all up to and including that cycle of
 * domain 0 has happened. It does so only if something happens later. During the call it is that
 * cycle. The function may set the next mark and bring statistics up to the present; nothing else is
 * allowed to change. Time runs as it would without. UINT64_MAX: no mark. */
void engine_set_mark(struct engine *engine, uint64_t cycle);

/* To be called inside a tick: engine_run returns at the end of this instant. */
void engine_stop(struct engine *engine);

/* Appends who waits for whom: one line per component that has something to say. */
void engine_explain(const struct engine *engine, struct text *text);

/* Nanoseconds of simulated time, rounded down. */
uint64_t engine_nanoseconds(const struct engine *engine);

/* Lets simulated time pass with nothing happening (host transfers between kernels). All must
 * be asleep. */
void engine_skip(struct engine *engine, uint64_t units);

/* The first cycle of the domain whose edge is at or after the instant. */
static inline uint64_t clock_cycle_at(const struct clock_domain *clock, uint64_t instant)
{
    return (instant + clock->period - 1) / clock->period;
}

/* The cycle of the domain's latest edge at or before now: inside a tick of that domain, the current
 * cycle. */
static inline uint64_t clock_now(const struct clock_domain *clock)
{
    return clock->cycle;
}

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A cache: a controller (mem/controller.h) with ports, a clock and latencies. Vector, scalar and
 * instruction caches and L2 slices are all this component, with other parameters and another role
 * of the protocol.
 *
 *        above[0]        above[n-1]
 *        down▼ ▲up          ▼ ▲      down: the senders' latency; up: reply_cycles
 *    ┌───────┴─┴──────────┴─┴─┐
 *    │ responses from below,  │      each cycle, in this order: one a link below,
 *    │ probes,                │      one a link below,
 *    │ other upper caches',   │      one,
 *    │ waiting targets,       │      one a link above,
 *    │ probes to many,        │      one a link above,
 *    │ walk,                  │      walk_lines_per_cycle,
 *    │ write-backs and        │      `ports` lookups together, of a lane at most the link's
 *    │   responses from above,│      rate
 *    │ replays, requests      │
 *    └───────┬─▲──────────┬─▲─┘
 *        down▼ │up          ▼ │      down: forward_cycles; up: the senders' latency
 *        below[0]        below[m-1]
 *
 * Lanes that share a FIFO (mem/link.h) are served together, as the first of them.
 *
 * Unloaded: a hit takes reply_cycles from the arrival of the request to the arrival of its reply. A
 * miss takes forward_cycles to the level below, and reply_cycles after the fill's arrival.
 *
 * Each link above carries ports / links (at least one) messages with data a cycle: its rate. A step
 * is taken only if all outputs that it may make have room (which one port below must have for three
 * messages). The head of a port that must stall keeps everything behind it. Request ports take
 * turns: first the one after the latest served; ports of write-backs likewise.
 *
 * Ports are borrowed: the machine's builder owns them, so that a component can be placed between.
 * Requests of a line must come by one port, in order. Port rules: sim/port.h. Where several ports
 * lead below, the slice's port of the address is taken. Of what goes below, `destination` is the
 * channel of the address and `source` this cache's node. Of what goes above, `destination` is the
 * request's source.
 *
 * Left out: banks (an L1 has one lookup a cycle and no bank conflicts), prefetching, parity.
 */
#ifndef MEM_CACHE_H
#define MEM_CACHE_H

#include "mem/controller.h"
#include "mem/entry_ages.h"
#include "mem/kind_counts.h"
#include "mem/limit.h"
#include "mem/link.h"
#include "mem/stall_log.h"
#include "sim/component.h"
#include "sim/registry.h"

/* Parameters of every cache; each place in the machine has defaults of its own in the
 * configuration. */
#define CACHE_PARAMETERS(X)                                                                        \
    X(NUMBER, size_kb, "KB", 16, 1, 65536, "bytes of data, in KB")                                 \
    X(NUMBER, ways, "ways", 4, 1, 64, "associativity")                                             \
    X(NUMBER, ports, "lookups", 1, 1, 16, "tag lookups a cycle")                                   \
    X(NUMBER, mshr_entries, "entries", 64, 1, 4096, "outstanding misses at most")                  \
    X(NUMBER, waiting_entries, "entries", 256, 1, 16384,                                           \
      "requests that may wait for an outstanding miss")                                            \
    X(NUMBER, reply_cycles, "cycles", 20, 1, 1000, "from lookup, or fill, to the reply's arrival") \
    X(NUMBER, forward_cycles, "cycles", 4, 1, 1000, "from lookup to the arrival below")            \
    X(WORD, replacement, "", "lru", replacement_word, 1, "which line of a full set is given up")

/* Of the caches in front of which a queue's length can be felt: a scalar cache's requesters wait in
 * order for each answer anyway. */
#define REQUEST_QUEUE_PARAMETERS(X)                                                                \
    X(NUMBER, request_slots, "messages", 8, 2, 1024,                                               \
      "queue of requests in front of the cache, per port, beyond what is on the wire")

/* Of the caches that accesses of any stride reach. */
#define SET_INDEX_PARAMETERS(X)                                                                    \
    X(WORD, set_index, "", "modulo", set_index_word, 1, "which set a line lies in")

/* Of the caches that data pass: how requests share its entries (MSHRs). */
#define ADMISSION_PARAMETERS(X)                                                                    \
    X(WORD, admission, "", "misses", admission_word, 1,                                            \
      "what takes an entry (MSHR), and who gets a freed one")                                      \
    X(NUMBER, admission_seed, "", 0, 0, PARAMETER_MAX, "of what the admission draws")              \
    X(NUMBER, merging, "", 1, 0, 1,                                                                \
      "1: a request joins the miss of its line; 0: it waits in order with an entry of its own")

/* Of the caches whose victims others may hold copies of. */
#define EVICTION_PARAMETERS(X)                                                                     \
    X(NUMBER, eviction_entries, "entries", 8, 1, 1024,                                             \
      "write-back buffer: lines given up whose copies above are being dropped (directories)")

/* Of the caches that programs invalidate (buffer_wbinvl1) in mid-kernel. */
#define VECTOR_CACHE_PARAMETERS(X)                                                                 \
    X(NUMBER, walk_lines_per_cycle, "lines", 0, 0, 65536,                                          \
      "how fast the whole cache is invalidated or flushed; 0: at once")                            \
    X(WORD, mshr_limit, "", "fixed", limit_policy_word, 1, "how many entries are usable")          \
    X(NUMBER, mshr_window, "cycles", 4000, 1, 1000000, "window of an adaptive limit")

parameter_words set_index_word;

struct cache_parameters {
    CACHE_PARAMETERS(PARAMETER_FIELD)
    REQUEST_QUEUE_PARAMETERS(PARAMETER_FIELD)
    SET_INDEX_PARAMETERS(PARAMETER_FIELD)
    EVICTION_PARAMETERS(PARAMETER_FIELD)
    ADMISSION_PARAMETERS(PARAMETER_FIELD)
    VECTOR_CACHE_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter cache_parameters[], request_queue_parameters[],
    set_index_parameters[], eviction_parameters[], admission_parameters[],
    vector_cache_parameters[];
extern const uint32_t cache_parameter_count, request_queue_parameter_count,
    set_index_parameter_count, eviction_parameter_count, admission_parameter_count,
    vector_cache_parameter_count;

enum { CACHE_MAX_ABOVE = 16, CACHE_MAX_BELOW = 8 };

/* Entries (MSHRs) in time: mem/cache_entries.c. */
struct cache_entries {
    bool has_time; /* they end or are limited at some cycle */
    struct occupancy used, usable;
    struct entry_ages ages;
    struct entry_limit limit;
    uint64_t ages_wake, window_wake; /* cycles of the latest wake-ups */
};

struct cache {
    /* What each tick looks at. */
    struct component component;
    uint64_t from_above[LANE_COUNT]; /* set of the ports of a lane: port_bit */
    uint64_t from_others;            /* those below, and of peers */
    uint32_t above_count, below_count;
    uint32_t next_request, next_write_back; /* which link above has the turn */
    uint64_t links_free;                    /* links above that can carry more data in this cycle */
    uint32_t link_rate; /* messages with data that a link above carries each cycle */
    uint8_t link_used[CACHE_MAX_ABOVE]; /* messages with data in this cycle */
    struct cache_entries entries;
    struct controller controller;
    struct cache_parameters parameters;
    const struct address_map *map;
    struct lanes above[CACHE_MAX_ABOVE], below[CACHE_MAX_BELOW];
    struct port *to_peers, *from_peers; /* other upper caches; NULL: none are talked to */
    const struct backing *memory;       /* see mem/cache_ideal.c */
    uint64_t answered_with_data;        /* set of message kinds */
    struct {
        enum stall_cause cause; /* of the request at the port's head */
        uint64_t since;
        struct stall_log log;
    } stalls[CACHE_MAX_ABOVE];
    struct kind_counts received; /* from above and from below */
    uint64_t *missed_at;         /* per MSHR: cycle of the miss */
    uint64_t
        probe_walk_since; /* in which cycle the walk that the level below awaits began; 0: none */
    struct journey *journeys; /* per MSHR: of the miss */
    void *journey_memory;
};

struct cache_options {
    const char *path; /* "cu3.l1" */
    struct clock_domain *clock;
    const struct cache_parameters *parameters; /* copied */
    const struct protocol *protocol;
    uint16_t l1s;                    /* of the nodes above, the first so many */
    const void *protocol_parameters; /* borrowed; NULL: the protocol's defaults */
    enum protocol_role_kind role;
    const struct address_map *map; /* borrowed */
    uint16_t node;                 /* upper caches: index in the crossbars; slices: their number */
    uint64_t breaks;               /* debug.break */
    const struct backing *memory;  /* an L2's, borrowed: see mem/cache_ideal.c; NULL: not needed */
};

/* False and a diagnosis when the size does not divide into sets, or an L2's sets into its channels
 * (1 for other caches). `path` names the cache in the message. */
bool cache_parameters_check(const char *path, const struct cache_parameters *parameters,
                            uint64_t channels, struct diagnosis *diagnosis) MUST_USE;

/* The controller's shape, of parameters that were checked. */
struct controller_shape cache_shape(const struct cache_parameters *parameters);

/* False and a diagnosis as cache_parameters_check. Enters the component into its domain. */
bool cache_init(struct cache *cache, const struct cache_options *options,
                struct diagnosis *diagnosis) MUST_USE;
void cache_finish(struct cache *cache);

/* Adds a link; ports are borrowed. Above: in the order of message.port (upper caches), or of the
 * slice's ports (L2). Below: one, or one for each port of the slice. Before engine_start. */
void cache_connect_above(struct cache *cache, const struct lanes *lanes);
void cache_connect_below(struct cache *cache, const struct lanes *lanes);

/* The way to other upper caches, and from them; ports are borrowed. Before engine_start. */
void cache_connect_across(struct cache *cache, struct port *to_peers, struct port *from_peers);

/* Of a tick, where entries have_time: its begin and end. Statistics up to the present. */
void cache_entries_init(struct cache *cache);
void cache_entries_finish(struct cache *cache);
void cache_entries_begin(struct cache *cache);
void cache_entries_end(struct cache *cache);
void cache_entries_settle(struct cache *cache);
/* The cycles up to now, at the number of entries in use. */
void cache_count_used(struct cache *cache);

/* Writes bytes of a line in no time, wherever the slice, its entries or what is under way between
 * it and its memory have them. With dram_write_now that is each copy from L2 on. For what closes an
 * instant (sim/component.h). */
void cache_write_now(struct cache *slice, uint64_t addr, uint64_t mask, const unsigned char *data);

/* Declares the statistics at the component's path. `kind` is static: "vector_cache", "l2_slice". */
void cache_register(struct cache *cache, struct registry *registry, const char *kind);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The network of a memory system: the links from upper caches to slices and from slices to memory.
 * It has a crossbar for each lane that has FIFOs of its own.
 *
 *     cache ◄═ link ═► crossbars ◄═ link ═► slice ◄═ link ═► memory channel
 *       one for each node            one for each channel
 *
 * Where the protocol's upper caches send to each other, one more crossbar joins them ("peers"): its
 * inputs and outputs are the nodes.
 *
 * The wiring follows from the protocol: as few FIFOs as its tables can run with, or as many as
 * crossbar.down_fifos and up_fifos say. To memory each direction has one FIFO.
 *
 * Nodes are numbered in the order in which caches join, channels likewise.
 */
#ifndef MEM_NETWORK_H
#define MEM_NETWORK_H

#include "mem/cache.h"
#include "mem/crossbar.h"
#include "mem/dram.h"
#include "mem/junction.h"
#include "mem/link.h"

struct network_options {
    const char *path; /* "crossbar": lanes are "crossbar.requests" and so on */
    struct clock_domain *clock;
    const struct crossbar_parameters *parameters; /* copied */
    const struct protocol *protocol;
    const void *protocol_parameters;    /* NULL: the protocol's defaults */
    const struct dram_parameters *dram; /* copied */
    uint32_t nodes, channels;
};

struct network {
    struct wiring wiring;
    struct crossbar_parameters parameters;
    uint32_t memory_reply_slots, memory_reply_cycles;
    struct crossbar crossbars[LANE_COUNT]; /* of lanes that share another's FIFO: without traffic */
    char *paths[LANE_COUNT];               /* of these; owned */
    struct crossbar peers;                 /* among upper caches; has_peers */
    char *peers_path;
    struct port *peer_ports; /* [2 * node]: to the crossbar, from it */
    bool has_peers;
    struct link *upper_links, *slice_links, *memory_links;
    uint32_t nodes, channels, nodes_joined, channels_joined;
};

/* False and a diagnosis where the protocol could deadlock on every wiring that the parameters
 * allow. */
bool network_choose_wiring(const struct protocol *protocol,
                           const struct crossbar_parameters *parameters, struct wiring *wiring,
                           struct diagnosis *diagnosis) MUST_USE;

/* False and a diagnosis as network_choose_wiring. */
bool network_init(struct network *network, const struct network_options *options,
                  struct diagnosis *diagnosis) MUST_USE;
void network_finish(struct network *network);

/* The next node; the next channel, of a slice; with a junction between (NULL: a wire). Before the
 * engine starts. */
void network_join_upper(struct network *network, struct cache *cache, struct junction *junction);
void network_join_channel(struct network *network, struct cache *slice,
                          struct dram_channel *channel, struct junction *junction);

/* Declares the statistics of all lanes, at "crossbar.requests", "crossbar.write_backs" and so
 * on. */
void network_register(struct network *network, struct registry *registry);
/* Every port, in order of construction. */
void network_visit(const struct network *network,
                   void (*visit)(void *context, const struct port *port), void *context);

#endif

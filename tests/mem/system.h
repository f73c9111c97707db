/* SPDX-License-Identifier: MIT */
/*
 * A whole memory system with an engine and no GPU: traffic generators, L1s, the network, L2 slices,
 * memory channels.
 *
 *     agent ◄═► L1 ◄═► network ◄═► slice ◄═► channel     one agent and L1 for each node
 */
#ifndef TESTS_MEM_SYSTEM_H
#define TESTS_MEM_SYSTEM_H

#include "base/random.h"
#include "mem/junction.h"
#include "mem/network.h"

enum { SYSTEM_MAX_NODES = 16, SYSTEM_MAX_SLICES = 6, AGENT_MAX = 4096 };

/* Sends its messages in order, each not before its cycle, and notes when the answers come. */
struct agent {
    struct component component;
    struct link link; /* to its L1 */
    uint32_t count, sent, answered;
    struct message script[AGENT_MAX];
    uint64_t not_before[AGENT_MAX];
    uint64_t sent_at[AGENT_MAX], answered_at[AGENT_MAX];
    struct message answers[AGENT_MAX];
    struct journey journeys[AGENT_MAX]; /* of each request: their legs are its latency */
    bool is_serial;                     /* the next only after the answer */
};

struct system_options {
    const struct protocol *protocol; /* "si" */
    uint32_t nodes, slices;
    struct cache_parameters l1, l2;
    struct crossbar_parameters crossbar;
    struct dram_parameters dram;
    const char *rule;
    uint64_t core_khz, memory_khz;
    uint64_t breaks, order_seed;
    bool is_sleepless;
    bool has_junctions;      /* at every L1 and channel; what stands beside them only takes */
    uint32_t request_cycles; /* agent to L1 */
};

/* Beside a junction: counts what is taken out for it. */
struct beside {
    struct component component;
    struct junction junction;
    uint32_t taken_down, taken_up;
};

struct system {
    struct engine engine;
    struct clock_domain *core, *memory;
    struct address_map map;
    struct backing backing;
    struct agent agents[SYSTEM_MAX_NODES];
    struct cache l1s[SYSTEM_MAX_NODES], slices[SYSTEM_MAX_SLICES];
    struct network network;
    struct beside at_l1s[SYSTEM_MAX_NODES], at_channels[SYSTEM_MAX_SLICES * 2];
    struct dram_channel channels[SYSTEM_MAX_SLICES * 2];
    struct registry registry;
    struct system_options options;
    uint64_t buffer; /* 4 MB */
};

/* The defaults of the declared parameters; rule "modulo", equal clocks. */
void system_defaults(struct system_options *options);
/* Allocates, since it is large; agents have empty scripts. */
struct system *system_create(const struct system_options *options);
void system_destroy(struct system *system);
/* Adds a request of `count` bytes at an offset of the buffer to a node's script. */
struct message *system_add(struct system *system, uint32_t node, uint8_t kind, uint64_t offset,
                           unsigned count, uint64_t not_before);
/* Until nothing is left to do; every request must have been answered. */
void system_run(struct system *system);
/* Brings statistics up to the present and digests them. */
uint64_t system_digest(struct system *system);
/* Of these, the cycles that its journey gives to a part. */
uint64_t system_part(const struct system *system, uint32_t node, uint32_t which, unsigned part);
/* Cycles from sending to answer of a request. */
uint64_t system_latency(const struct system *system, uint32_t node, uint32_t which);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A crossbar: one FIFO of one direction of the network between the upper caches and the L2 slices
 * (mem/network.h). A machine has at least two, so that a response never waits behind a request. One
 * is of requests (inputs: upper nodes, outputs: channels), one of responses (inputs: channels,
 * outputs: upper nodes).
 *
 *   end 0 ─┬─► input 0 ──► [queue for each output] ──╳──► output 0 ─┬─► end 0
 *   end 1 ─┘                                          │             └─► end 1
 *   end 2 ─┬─► input 1 ──► [queue for each output] ──╳──► output 1 ─┬─► end 2
 *   end 3 ─┘                                                        └─► end 3 (message.destination)
 *
 * Usually each input and output has one end. More than one (nodes_per_port, of caches above) share
 * its queue and its link by a concentrator, which adds no cycles. Ends of an input take turns for
 * free slots, a message each. At an output, an input whose oldest message is for an end without
 * room lets others go first.
 *
 * Each input has `queue_entries` slots that its output queues share. A message for a busy output
 * does not hold up one behind it that goes elsewhere, until the slots are used up. Messages of one
 * (end, end) pair stay in order. A message occupies its input's and its output's link for max(1,
 * payload / width_bytes rounded up) cycles from the cycle in which it is granted. It arrives
 * latency_cycles after the grant. Each cycle every free output grants one free input that has
 * something for it, round-robin (the one after the latest granted). The order of the outputs
 * rotates with the cycle number.
 *
 * Unloaded: latency_cycles from arrival at the input to arrival at the output.
 * Headers travel beside the data: they count in the statistics, not in the links' time.
 * Left out: wires shared by several virtual channels (each is a crossbar of its own), multicast.
 * Sources: 64 bytes a cycle per L1 and per channel, all to all: AMD OpenCL Optimization
 * Guide 2.1.1; one request queue per compute unit and channel: LLVM's AMDGPU memory model. Latency
 * is a choice.
 */
#ifndef MEM_CROSSBAR_H
#define MEM_CROSSBAR_H

#include "mem/kind_counts.h"
#include "mem/msg.h"
#include "mem/protocol.h"
#include "sim/component.h"
#include "sim/port.h"
#include "sim/registry.h"

enum { CROSSBAR_MAX_NODES = 1024, CROSSBAR_WORDS = CROSSBAR_MAX_NODES / 64 };

#define CROSSBAR_PARAMETERS(X)                                                                     \
    X(NUMBER, width_bytes, "bytes", 64, 1, 1024, "payload that a link carries each cycle")         \
    X(NUMBER, latency_cycles, "cycles", 16, 1, 1000, "from grant to arrival at the output")        \
    X(NUMBER, queue_entries, "messages", 32, 2, 1024, "messages that may wait at each input")      \
    X(NUMBER, header_bytes, "bytes", 8, 0, 64, "size of a message apart from its payload")         \
    X(NUMBER, nodes_per_port, "caches", 1, 1, 64,                                                  \
      "caches above that share a port of each crossbar: its queue and its link")                   \
    X(NUMBER, down_fifos, "FIFOs", 0, 0, 2,                                                        \
      "toward memory, each with a crossbar; 2: write-backs and responses apart from requests; 0: " \
      "as few as the protocol can run with")                                                       \
    X(NUMBER, up_fifos, "FIFOs", 0, 0, 2,                                                          \
      "from memory, each with a crossbar; 2: probes apart from responses; 0: as for down_fifos")

struct crossbar_parameters {
    CROSSBAR_PARAMETERS(PARAMETER_FIELD)
};
extern const struct parameter crossbar_parameters[];
extern const uint32_t crossbar_parameter_count;

#define CROSSBAR_STATISTICS(X)                                                                     \
    X(COUNTER, messages, "messages", "messages carried")                                           \
    X(COUNTER, bytes, "bytes", "bytes carried, headers included")                                  \
    X(COUNTER, payload_bytes, "bytes", "bytes carried, without headers")                           \
    X(COUNTER, link_busy_cycles, "cycles", "cycles that output links were busy, summed")           \
    X(COUNTER, contended_messages, "messages",                                                     \
      "messages taken while another cache of their port had one too")                              \
    X(COUNTER, stall_link_cycles, "cycles",                                                        \
      "cycles in which messages waited for an output whose link carried another, summed over "     \
      "outputs")                                                                                   \
    X(COUNTER, stall_input_cycles, "cycles",                                                       \
      "the same, because the links of their inputs carried others")                                \
    X(COUNTER, stall_room_cycles, "cycles", "the same, because the far end had no room")           \
    X(HISTOGRAM, queued, "messages", "messages waiting at all inputs together, by cycles")

struct crossbar_statistics {
    CROSSBAR_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic crossbar_statistics[];
extern const uint32_t crossbar_statistic_count;

struct crossbar_input {
    struct port **ports; /* of its ends; borrowed */
    uint32_t ends, turn; /* turn: of the end that is looked at first */
    uint64_t free_at;    /* cycle from which the link is free */
    uint32_t queued;
    uint16_t free;          /* head of the list of free slots */
    uint16_t *first, *last; /* [output]: queue heads and tails, NO_INDEX when empty */
    uint16_t *next;         /* [slot] */
    struct message *slots;  /* [slot] */
};

/* Why messages for an output wait. */
enum crossbar_stall { CROSSBAR_GOES, CROSSBAR_LINK, CROSSBAR_INPUT, CROSSBAR_ROOM };

struct crossbar_output {
    enum crossbar_stall stall;
    uint64_t stalled_since;
    struct port **ports;
    uint32_t ends;
    uint64_t free_at;
    uint32_t latest;                  /* input that was granted last */
    uint64_t waiting[CROSSBAR_WORDS]; /* inputs that have something for it */
};

/* How many ends there are on each side, and how many of them share an input or output. */
struct crossbar_shape {
    uint32_t inputs, ends_per_input;
    uint32_t outputs, ends_per_output;
};

struct crossbar {
    struct component component;
    uint32_t input_count, output_count, inputs_connected, outputs_connected; /* connected: ends */
    struct crossbar_input *inputs;
    uint64_t *input_bits; /* of each input: its ports' (port_bit) */
    struct crossbar_output *outputs;
    uint32_t waiting; /* messages in all queues */
    struct occupancy queued;
    uint64_t wanted[CROSSBAR_WORDS]; /* outputs that some input has something for */
    struct crossbar_shape shape;
    struct crossbar_parameters parameters;
    struct message_kind kinds[MESSAGE_KINDS];
    uint8_t queue_part, transit_part; /* of the messages' journeys */
    struct crossbar_statistics statistics;
    struct kind_counts passed;
};

/* A crossbar of that shape; `parameters` are copied; kinds give the messages' sizes. */
void crossbar_init(struct crossbar *crossbar, const char *path, struct clock_domain *clock,
                   const struct crossbar_parameters *parameters, const struct protocol *protocol,
                   const struct crossbar_shape *shape);
void crossbar_finish(struct crossbar *crossbar);

/* The next end of an input or output, in order of node number; ports (of struct message) are
 * borrowed. All must be connected before the engine starts. The crossbar is the receiver of the
 * first, the sender of the second. */
void crossbar_connect_input(struct crossbar *crossbar, struct port *port);
void crossbar_connect_output(struct crossbar *crossbar, struct port *port);

/* It carries answers and probes, not requests: for where their time is counted. */
void crossbar_carry_answers(struct crossbar *crossbar);

/* Declares the statistics at `path`. `kind` is static. */
void crossbar_register(struct crossbar *crossbar, const char *path, struct registry *registry,
                       const char *kind);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * A coherence protocol is a table: rows of (state, event, next state, actions in order), one table
 * per role. This header is all that a protocol's file sees; the mechanism (tags, MSHRs, queues,
 * walks, ports, time) is in mem/.
 *
 *   message ──► classify(step) ──► event ──► row[state][event] ──► actions, in order ──► outputs
 *               (pure; guards become events)                (verbs below, or the protocol's own)
 *
 * A controller is one cache (or directory) without time: its step is a pure function of its state
 * and one stimulus. Ports, latency and the engine are outside (mem/cache.h). So a unit test, the
 * host's transfers and a state-space explorer drive the same tables with no engine (mem/pump.h).
 * Its whole state is plain data with indices for pointers: controller_copy, controller_equal.
 *
 * Per-line order: requests to one line take effect in the order in which they reached the
 * controller. Verbs that make a message wait keep that order; none may let a later request to the
 * line pass an earlier one.
 *
 * A missing row is a declared impossibility: the run stops and prints state, event, and the line's
 * last transitions.
 */
#ifndef MEM_PROTOCOL_H
#define MEM_PROTOCOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "base/text.h"
#include "mem/lane.h"
#include "mem/msg.h"
#include "mem/node_set.h"
#include "sim/debug.h"
#include "sim/declare.h"

enum {
    PROTOCOL_MAX_STATES = 32,
    PROTOCOL_MAX_EVENTS = 64,
    PROTOCOL_MAX_ACTIONS = 6,
    STEP_MAX_OUTPUTS = 8,
    NO_INDEX = 0xffff
};

/* State 0 of every role is "not here": a line in it has no tag and its way is free. */
enum { STATE_INVALID = 0 };

/* One way of a set. */
struct line {
    uint64_t addr;  /* meaningful while state is not STATE_INVALID */
    uint64_t valid; /* bytes that data holds */
    uint64_t dirty; /* bytes that the level below does not have */
    uint64_t used;  /* replacement's own */
    uint16_t owner; /* node above, NO_INDEX: none */
    uint16_t mshr;  /* entry that holds this way for a fill; NO_INDEX: none. Such a line is never a
                      victim */
    uint16_t acks;  /* outstanding acknowledgements */
    uint8_t state;
    uint8_t history[8]; /* last (state, event) pairs, for the page of an impossible transition */
    unsigned char data[LINE_BYTES];
    struct node_set sharers; /* nodes above that may hold a copy (directories) */
};

/* A miss status holding register: one line on its way. An entry of the write-back buffer is one
 * too: a line given up, until all that its eviction asks for has been answered. */
struct mshr {
    uint64_t addr;
    uint64_t epoch; /* the controller's epoch when the request went down */
    uint16_t line;  /* the way held for it, NO_INDEX: none (the reply goes by) */
    uint16_t acks;
    uint16_t first_target,
        last_target; /* requests that the fill answers, oldest first: indices of the waiting pool */
    uint16_t first_stalled,
        last_stalled; /* requests that must look again when this entry is released, oldest first */
    bool in_use;
    bool has_entry;   /* counts as an entry in use; if not, what waits behind it does */
    bool overtaken;   /* a store or an invalidation has passed: the fill answers its targets and is
                       not cached */
    bool filled;      /* data is here; targets are being answered */
    bool is_eviction; /* of the write-back buffer: no request waits for its data */
    uint8_t state;    /* the table's state of an address that has this entry and no line */
    uint8_t probe_kind; /* of the probes that are still to be sent */
    uint16_t next_probing;
    uint64_t filled_mask;
    uint64_t dirty;      /* eviction: bytes of data that the level below does not have */
    uint64_t probe_mask; /* the probes': for the protocol to set */
    unsigned char data[LINE_BYTES];
    struct node_set probes; /* to these nodes above */
};

struct controller;

enum step_outcome {
    STEP_DONE, /* the message is used up (answered, forwarded, merged, or put into a line's queue)
                */
    STEP_STALLED, /* a resource is missing (MSHR, way, waiting slot): nothing has changed; the
                     caller keeps the message and everything behind it, and tries again when the
                     controller releases something */
    STEP_REFUSED, /* negative acknowledgement: an output tells the sender to try again */
    STEP_RECYCLED /* to the back of the replay queue: others waiting there pass it */
};

/* Where an output goes. UP is toward the compute units: from an L1 to the requester (message.port),
 * from an L2 slice to node message.destination. DOWN is toward memory: from an L1 to the L2 slice
 * of the address, from a slice to its channel. ACROSS is from an upper cache to another, of node
 * message.destination. */
enum output_side { OUTPUT_UP, OUTPUT_DOWN, OUTPUT_ACROSS };

struct output {
    uint8_t side;
    struct message message;
};

enum step_fact {
    FACT_HIT = 1,        /* answered from a line */
    FACT_MISS = 2,       /* an MSHR was allocated */
    FACT_MERGED = 4,     /* joined an MSHR that was there */
    FACT_WAITS = 8,      /* waits behind the line */
    FACT_FORWARDED = 16, /* went down as it was */
    FACT_FILLED = 32,    /* a line took the reply's data */
    FACT_HERE = 128,     /* an MSHR was allocated though the line is here: others must be asked */
    FACT_ANSWERED = 64   /* the MSHR's targets are being answered from now on */
};

/* One stimulus being handled: what classify and the actions see. */
struct step {
    struct controller *controller;
    const struct message *message; /* NULL in walks and replacements */
    struct line *line;             /* of the message's address; NULL: not here */
    struct mshr *mshr;             /* of the message's address; NULL: none */
    uint64_t addr;                 /* line address */
    uint8_t event;
    uint8_t outcome; /* enum step_outcome; DONE unless a verb says otherwise */
    uint16_t facts;  /* enum step_fact: what the verbs did, for statistics */
    uint32_t output_count;
    uint32_t checked; /* of them, found to be what their action declares */
    struct output outputs[STEP_MAX_OUTPUTS];
};

/* For an action that sends the message itself on. */
enum { CHANNEL_SAME = CHANNEL_COUNT };

/* What an action takes, or must find free. The mechanism looks before the row is run, so that
 * tables have no rows for what is full. */
enum protocol_need {
    NEEDS_MSHR = 1,
    NEEDS_WAITING = 2,  /* a waiting slot, unless the message comes from one */
    NEEDS_WAY = 4,      /* unless the line is here */
    NEEDS_WALK = 8,     /* room in the agenda of walks */
    NEEDS_EVICTION = 16 /* an entry of the write-back buffer */
};

struct protocol_action {
    const char *name; /* as it is printed in the table: "reply", "write_back" */
    void (*perform)(struct step *step);
    uint8_t up, down; /* outputs that it may add, at the most: room is made sure of before the step
                       */
    uint8_t across;   /* the same to another upper cache: responses */
    uint8_t needs;  /* set of enum protocol_need: without them the message stalls before its row */
    bool uses_line; /* reads or writes the line's bytes for a request: replacement's business */
    uint8_t up_channel, down_channel; /* enum message_channel of these, or CHANNEL_SAME; up_channel
                                         also of what an action without outputs causes later: the
                                         message that it handles does not wait for that */
};

struct protocol_row {
    uint8_t state, event, next;
    const struct protocol_action *actions[PROTOCOL_MAX_ACTIONS]; /* NULL-terminated unless full */
};

/* `next` of a row that leaves the state alone even if an action drops or re-creates the line. */
enum { STATE_SAME = 0xff };

enum state_flags {
    STATE_TRANSIENT = 1, /* must have an exit */
    STATE_READABLE = 2,  /* valid bytes may be loaded */
    STATE_DIRTY = 4      /* may hold bytes that the level below lacks */
};

struct protocol_state {
    const char *name;
    const char *help;
    unsigned flags;
};

struct protocol_event {
    const char *name;
    const char *help;
};

/* Data that a protocol wants beside the shared fields. The mechanism allocates it, copies it and
 * prints it by name. Its canonical form (controller_encode) has each field as what it holds, bytes
 * of no field as they are. */
enum protocol_field_kind {
    FIELD_STATE,
    FIELD_NODE,      /* uint16_t: 1 + the number of a node above; 0: none */
    FIELD_NODE_SET,  /* struct node_set, of such */
    FIELD_STATISTICS /* decides nothing: for statistics alone */
};
struct protocol_field {
    const char *name;
    uint16_t offset, bytes;
    uint8_t kind; /* enum protocol_field_kind */
};
struct protocol_data {
    uint32_t bytes;
    const struct protocol_field *fields; /* NULL-name-terminated */
};

/* Statistics of a role's own, beside those of every cache: a struct of counters for each of its
 * caches, under PATH.coherence. */
struct protocol_statistics {
    const struct statistic *rows;
    uint32_t count, bytes;
};

/* Why a copy went that a miss may want back: for statistics. */
enum loss { LOSS_NONE, LOSS_WRITER, LOSS_RECALL, LOSS_ACQUIRE };

/* Stimuli that are no messages. */
enum protocol_stimulus {
    STIMULUS_MESSAGE,
    STIMULUS_REPLACE, /* the way is needed: the row must free it, or move the line into the
                         write-back buffer */
    STIMULUS_WALK,    /* one line of a walk; controller_walk_kind says of which */
    STIMULUS_ANSWER   /* the turn of a filled MSHR's oldest target, which is step->message; its row
                         sends one output, UP. See answers_targets */
};

/* Walks: what is done to many lines, one after the other. A message (a request or a probe) starts
 * one, which takes its turn in an agenda of a few. Each line gets STIMULUS_WALK; at the end the
 * message is answered. New requests stall meanwhile. A probe that must wait for room in the agenda
 * holds up what shares its link. */
enum { WALK_AGENDA = 4 };

/* The next line of the walk in progress. WALK_LINE: at the address given, whether it is here or
 * not; its row must see to it that the next choice is another. */
enum walk_choice { WALK_IN_ORDER /* every line, in the mechanism's order */, WALK_LINE, WALK_OVER };

/* How a walk ends. */
struct walk_terms {
    bool is_answered_below; /* the answer goes DOWN, else UP */
    bool awaits;            /* only when nothing is awaited any more (controller_await) */
    bool is_silent;         /* it is not answered at all */
    uint8_t kind;           /* of the answer; MESSAGE_NONE: the kind after the message's */
};

enum protocol_role_kind {
    ROLE_L1,          /* one compute unit's vector cache */
    ROLE_SCALAR,      /* read-only caches of data */
    ROLE_INSTRUCTION, /* of code; a protocol that has none uses ROLE_SCALAR's */
    ROLE_L2,          /* a slice, or the directory */
    ROLE_COUNT
};

struct protocol_role {
    const char *name;
    const struct protocol_state *states;
    uint32_t state_count;
    const struct protocol_event *events;
    uint32_t event_count;
    const struct protocol_row *rows;
    uint32_t row_count;
    /* One bit for each event that messages of the channel can be. An event in none of the sets is a
     * request's, a walk's or a replacement's. */
    uint64_t channel_events[CHANNEL_COUNT];
    uint64_t from_above;  /* of the responses' events those that come from above; others: below */
    uint64_t from_across; /* of those of an upper cache: from another one */
    uint8_t
        let_go_above; /* set of enum protocol_need that responses from above may let go; 0: all */
    bool
        answers_targets; /* an MSHR's targets are answered by STIMULUS_ANSWER; if not, each gets its
                             reply kind with the MSHR's data */

    /* Which event a stimulus is, given line, MSHR and controller. Pure. For STIMULUS_MESSAGE
     * step->message is the message (a request from above, a probe or a reply from below). */
    uint8_t (*classify)(const struct step *step, enum protocol_stimulus stimulus);

    /* Accesses that wait until all older ones of their cache are done, and that all younger ones
     * wait for. One to the line of such an access that is on its way joins that. NULL: none. */
    bool (*is_ordered)(const void *parameters, const struct message *access);

    /* Pure; step->message is what started the walk. NULL: all walks are in the mechanism's
     * order. */
    enum walk_choice (*choose_walk)(const struct step *step, uint64_t *addr);

    struct protocol_data line_data, mshr_data, controller_data;
    struct protocol_statistics statistics;
    /* Sets the controller's own data at build; NULL: zeros will do. */
    void (*controller_init)(struct controller *controller);
};

struct protocol {
    const char *name; /* "si" */
    const char *help; /* one line, with the source */
    /* Probes and responses of a slice to a cache may come in any order; if not, in that in which
     * they were sent. Below, what is no request may pass requests. */
    bool probes_may_pass;
    const struct protocol_role *roles[ROLE_COUNT];
    const struct message_kind *kinds; /* the protocol's own, from MESSAGE_PROTOCOL up */
    uint32_t kind_count;
    /* An L1 may keep stores to itself until a release: release fences and kernels' ends are told to
     * it as FLUSH. Else they need but wait until their stores are answered. */
    bool flushes_at_release;
    bool acquires_at_access; /* an acquire has done its work when its access is answered */
    bool has_remote_scope;   /* a remote operation meets those of the work-group's scope */
    /* So are, before they come, accesses that release to the device or beyond: they come when the
     * FLUSH has been answered. */
    bool flushes_before_releases;
    /* Whether upper caches send to each other (OUTPUT_ACROSS) with these parameters; NULL: never.
     */
    bool (*sends_across)(const void *parameters);
    /* Whether an acquire that nothing announced (barrier, mem_fence: ORDER_ACQUIRE_RELEASE) is of
     * the work-group alone with these parameters; NULL: never. */
    bool (*has_local_fences)(const void *parameters);
    const char *wide_fences; /* the setting with which it is of the device; NULL: there is none */
    const void *parameters;  /* a struct of its own with their defaults; NULL: it has none */
    const char *parameter_group; /* whose name they have; NULL: its own */
};

/* All protocols, NULL-terminated (mem/protocol/list.c). */
extern const struct protocol *const protocols[];
const struct protocol *protocol_find(const char *name);
parameter_words protocol_word;

/* Name, channel and size of any kind under this protocol; the second: NULL if there is none. */
const struct message_kind *protocol_kind(const struct protocol *protocol, unsigned kind);
const struct message_kind *protocol_find_kind(const struct protocol *protocol, unsigned kind);

/* Checks of the tables (mem/protocol_check.c): no duplicate row, every state reachable, every
 * transient state has an exit, names unique, virtual channels form no cycle. */
bool protocol_check(const struct protocol *protocol, struct text *complaints);

/* Whether they form no cycle either, and what must stay in order does, where lanes share FIFOs as
 * in the wiring. False: a line for each cycle is added to `complaints` (NULL: none). */
bool protocol_can_be_wired(const struct protocol *protocol, const struct wiring *wiring,
                           struct text *complaints);

/* Both checks, for those who build a machine. False and a diagnosis with the protocol's name and
 * the first complaint. */
bool protocol_may_be_built(const struct protocol *protocol, const struct wiring *wiring,
                           struct diagnosis *diagnosis) MUST_USE;

/* Appends a role's table as people read it (Markdown): states across, events down. */
void protocol_print(const struct protocol_role *role, struct text *text);
/* The same of the whole protocol, with what its states, events, messages and statistics mean. */
void protocol_describe(const struct protocol *protocol, struct text *text);
/* Its states and what leads from one to another, in Graphviz's language: a cluster for each
 * role. */
void protocol_draw(const struct protocol *protocol, struct text *text);

/* ---- What classify may ask, and verbs may do. Implemented once, in mem/. ---- */

/* The role of a kind of cache; NULL: the protocol has none. */
const struct protocol_role *protocol_role_of(const struct protocol *protocol,
                                             enum protocol_role_kind kind);

/* Debug switches in force: debug_breaks(controller_breaks(c), NAME). */
uint64_t controller_breaks(const struct controller *controller);

/* Whether a new MSHR, and a way of the address's set, could be had now. A way: a free one, or a
 * victim not held by an MSHR. */
bool controller_has_mshr(const struct controller *controller);
bool controller_has_way(const struct controller *controller, uint64_t addr);
/* Whether one more message can wait (as a target or in a line's queue). */
bool controller_can_wait(const struct controller *controller);
/* Whether a message of the kind waits here, for a line or behind one. */
bool controller_holds(const struct controller *controller, uint8_t kind);
/* Whether requests wait, in order, behind the MSHR's line: newer ones must join them. */
bool mshr_has_stalled(const struct mshr *mshr);
/* Whether requests wait so behind any line. */
bool controller_has_stalled(const struct controller *controller);
/* Kind of the message that started the walk in progress; MESSAGE_NONE: none is. */
uint8_t controller_walk_kind(const struct controller *controller);
/* That message; only while a walk is in progress. */
const struct message *controller_walk_message(const struct controller *controller);
/* What the step has sent will be acknowledged; the acknowledgement's row has verb_awaited. */
void controller_await(struct controller *controller);
/* How many acknowledgements are to come. */
uint32_t controller_awaited(const struct controller *controller);
/* A walk for the step's message. For an action that NEEDS_WALK and declares an output, on the
 * channel and to the side of the walk's answer. */
void step_start_walk(struct step *step, struct walk_terms terms);
/* Every line without dirty bytes has no bytes any more, and is forgotten if no MSHR holds it: in
 * one step, however many there are. For an invalidation that is followed by a walk over the lines
 * that must be written back, which drops these. */
void controller_drop_clean(struct controller *controller);
/* The message as it waits since this step (verb_stall_line, verb_stay); the oldest that waits
 * behind the MSHR's line. For a mark of the protocol's own (message.acks), seen when it looks
 * again. */
struct message *step_waiting(const struct step *step);
struct message *mshr_waiting(const struct controller *controller, const struct mshr *mshr);
/* The oldest message of the address that is to look again; NULL: none is. */
struct message *controller_to_replay(const struct controller *controller, uint64_t addr);
/* How many requests wait behind the MSHR's line, and the sum of the cycles that each has waited
 * here. For statistics, as is controller_cycle, the present (0: there is no time). */
struct line_waits {
    uint64_t requests, cycles;
};
struct line_waits mshr_waits(const struct controller *controller, const struct mshr *mshr);
uint64_t controller_cycle(const struct controller *controller);
/* How many nodes above are L1s: they have the numbers from 0. */
uint32_t controller_l1s(const struct controller *controller);
/* Rises with every invalidation of the whole cache. */
uint64_t controller_epoch(const struct controller *controller);
/* Whether upper caches send to each other in this machine (protocol.sends_across). */
bool controller_sends_across(const struct controller *controller);
/* The protocol's parameters in this machine: the struct that it declares. */
const void *controller_parameters(const struct controller *controller);
/* The role's own statistics, to be counted up. NULL: it declared none. */
void *controller_statistics(const struct controller *controller);
/* The copy is about to go because of others. What controller_lost gives: why the step's line, not
 * here, went, as long as no other line has come into its way. Meanwhile a miss of it is another's
 * doing. Of roles with statistics. */
void controller_lose(struct controller *controller, const struct line *line, enum loss why);
enum loss controller_lost(const struct step *step);
/* Node number of this cache in the network above or below. */
uint16_t controller_node(const struct controller *controller);
/* Whether upper caches send to each other with the machine's parameters. */
static inline bool protocol_sends_across(const struct protocol *protocol, const void *parameters)
{
    return protocol->sends_across != NULL &&
           protocol->sends_across(parameters != NULL ? parameters : protocol->parameters);
}

static inline bool protocol_has_local_fences(const struct protocol *protocol,
                                             const void *parameters)
{
    return protocol->has_local_fences != NULL &&
           protocol->has_local_fences(parameters != NULL ? parameters : protocol->parameters);
}

/* The protocol's own data. NULL when it declared none. */
void *controller_data(struct controller *controller);
void *controller_line_data(struct controller *controller, const struct line *line);
void *controller_mshr_data(struct controller *controller, const struct mshr *mshr);

/* Adds an output and returns its message, a copy of the stimulus (zeros if that was none) for the
 * caller to change. */
struct message *step_output(struct step *step, enum output_side side);

/* A message of the kind, without data, to each node above in the set. They go one a cycle and link,
 * in order of the nodes' numbers and before the step's MSHR is released. For an action that
 * declares no outputs but up_channel = CHANNEL_PROBE. The MSHR sends to one set at a time. */
void step_multicast(struct step *step, uint8_t kind, const struct node_set *nodes);

/* Replies */
extern const struct protocol_action
    verb_reply,       /* UP: the reply kind of the message, with the line's bytes under its mask */
    verb_acknowledge, /* UP: the reply kind, without data */
    verb_pass_up, /* UP: the message itself (a reply from below that this level does not keep) */
    /* Requests */
    verb_forward,    /* DOWN: the message itself */
    verb_fetch_line, /* DOWN: LOAD of the whole line (from an L2: READ) for the step's MSHR */
    verb_write_back, /* DOWN: WRITE of the line's dirty bytes; they become clean */
    /* The line */
    verb_reserve_way, /* a free way, else the victim after its STIMULUS_REPLACE step; step->line
                         becomes it, state INVALID, addr set, no valid bytes; held by the step's
                         MSHR if there is one. A line that is here already is kept as it is, and
                         held */
    verb_fill_line,   /* reply data into the line; dirty bytes keep theirs */
    verb_store_line,  /* message bytes into the line: valid, not dirty */
    verb_store_line_dirty, /* message bytes into the line: valid and dirty */
    verb_atomic_line,      /* the message's read-modify-write on the line's words: dirty; UP:
                              ATOMIC_REPLY */
    verb_drop_line,        /* the way becomes free */
    /* REPLACE: the line, its bytes and what is dirty move to the write-back buffer. The entry there
     * becomes step->mshr; the row's next state is that of the entry */
    verb_evict,
    /* MSHRs and waiting */
    verb_admit,         /* nothing; but a free MSHR is needed */
    verb_allocate_mshr, /* step->mshr becomes a new entry for the address in the present epoch; it
                           takes a copy of the line's dirty bytes, which are newer than what will
                           come */
    verb_merge,         /* the message becomes a target of the MSHR */
    verb_overtake,      /* the MSHR's fill will not be cached */
    verb_fill_mshr, /* reply data into the MSHR; its targets are answered from it, one a cycle, then
                       it is released */
    verb_answer_targets, /* the MSHR's targets are answered, one a cycle, then it is released */
    verb_drop_targets,   /* the MSHR's targets have been answered by others: it is released */
    verb_release_mshr,   /* free at once; its stalled requests look again, in order, before anything
                            newer */
    verb_stall_line,     /* the message waits, in order, until the line's MSHR is released */
    verb_stall_resource, /* outcome STEP_STALLED */
    verb_stall_order,    /* the same: what was sent must be answered first */
    verb_stay, /* outcome STEP_RECYCLED, and it looks again before anything else does; with a walk:
                     when that is over */
    verb_recycle, /* outcome STEP_RECYCLED; for messages whose order to others does not matter. It
                     looks again and again: a timed cache does not sleep meanwhile */
    verb_refuse,  /* outcome STEP_REFUSED; the protocol's row adds the answer */
    /* Whole cache */
    verb_new_epoch,  /* fills on their way will not be cached */
    verb_start_walk, /* a walk at the controller's rate; the message is answered UP at the end */
    verb_awaited;    /* one of the acknowledgements that controller_await has counted is here */

#endif

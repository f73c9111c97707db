/* SPDX-License-Identifier: MIT */
/*
 * A controller: one cache (or directory) without time. Tags, lines, MSHRs, waiting messages and the
 * protocol's own data, and the machine that runs a protocol's table over them.
 *
 *                     ┌ plan ───────────────────────────┐   ┌ perform ────────────────┐
 *   message, walk ──► │ find line and MSHR, classify,    │──►│ victim's replacement,   │──► outputs
 *                     │ row, how many outputs at the most│   │ actions, next state     │
 *                     └──────────────────────────────────┘   └─────────────────────────┘
 *   mem/cache.h gives it ports and latency; mem/pump.h drives it with no engine at all.
 *
 * Where messages wait, each in the arena's one pool, linked by index:
 *  MSHR targets   answered from the fill's data, one a call of controller_drain_one; with the last
 *                 the MSHR is released
 *  MSHR stalled   in order behind a line; when the MSHR is released they go to the front of the
 *                 replay queue
 *  replay queue   looks again before any newer request: while it is not empty, and during a walk,
 *                 requests stall
 *  applicants     for an entry, where the admission lets them wait apart (mem/admission.h): a queue
 *                 for each line; they look after the replays
 *
 * Invariants: the state is one arena of plain data with indices for pointers (copy, compare). A
 * step that stalls changes nothing. Requests to one line take effect in the order of arrival. A way
 * held by an MSHR is never a victim. What is not in STATE_INVALID has a tag. Nothing is allocated
 * after controller_init.
 *
 * Replacement: an invalid way first, else what the policy chooses (mem/replacement.h) of those that
 * no MSHR holds; none: the request must stall (controller_has_way). The victim's STIMULUS_REPLACE
 * step runs first and its outputs come first. A request uses a line that was here before it, if its
 * row reads or writes the line's bytes. The host's requests, those with SLC, and what comes while a
 * fill holds the line do not count as uses.
 */
#ifndef MEM_CONTROLLER_H
#define MEM_CONTROLLER_H

#include "mem/address_map.h"
#include "mem/admission.h"
#include "mem/protocol.h"
#include "mem/replacement.h"
#include "mem/state_times.h"
#include "sim/registry.h"

#define CACHE_STATISTICS(X)                                                                        \
    X(COUNTER, loads, "requests", "loads, each counted once: hits + misses + merges")              \
    X(COUNTER, load_hits, "requests", "loads answered from a line that was here")                  \
    X(COUNTER, load_misses, "requests", "loads that sent a request of their own below")            \
    X(COUNTER, load_merges, "requests", "loads that joined a miss already on its way")             \
    X(COUNTER, channel_loads, "requests",                                                          \
      "of the loads, those of a transactional memory's part at the memory channel")                \
    X(COUNTER, channel_load_hits, "requests", "of these, answered from a line that was here")      \
    X(COUNTER, channel_ideal_hits, "requests",                                                     \
      "of these, whose line was not here: kilotm.validation_always_hits")                          \
    X(COUNTER, stores, "requests", "stores, each counted once")                                    \
    X(COUNTER, store_hits, "requests", "stores whose line was here")                               \
    X(COUNTER, atomics, "requests", "atomic requests, each counted once")                          \
    X(COUNTER, atomic_misses, "requests", "atomics done here whose line had to be fetched first")  \
    X(COUNTER, line_waits, "requests", "times that a request waited in order behind its line")     \
    X(COUNTER, replays, "lookups", "second and later lookups of requests that had waited")         \
    X(COUNTER, entry_waits, "requests", "requests that waited for an entry apart from their port") \
    X(COUNTER, fills, "lines", "replies from below that were put into a line")                     \
    X(COUNTER, overtaken_fills, "lines",                                                           \
      "replies that answered their requests but were not cached: a store or invalidation had "     \
      "passed")                                                                                    \
    X(COUNTER, evictions, "lines", "lines given up because their way was needed")                  \
    X(COUNTER, write_backs, "messages", "dirty lines sent below")                                  \
    X(COUNTER, write_back_bytes, "bytes", "dirty bytes in them")                                   \
    X(COUNTER, invalidations, "invalidations", "invalidations of the whole cache")                 \
    X(COUNTER, lines_invalidated, "lines", "lines dropped by them")                                \
    X(COUNTER, probe_walk_cycles, "cycles",                                                        \
      "cycles of walks over its lines that the level below asked for, to their answers")           \
    X(COUNTER, stall_mshr_cycles, "cycles",                                                        \
      "cycles in which a request waited for an MSHR, summed over request ports")                   \
    X(COUNTER, stall_set_cycles, "cycles", "the same, because every way of its set was held")      \
    X(COUNTER, stall_waiting_cycles, "cycles", "the same, because no waiting slot was free")       \
    X(COUNTER, stall_order_cycles, "cycles", "the same, behind replayed requests or a walk")       \
    X(COUNTER, stall_eviction_cycles, "cycles",                                                    \
      "the same, because the write-back buffer had no room for the line in its way")               \
    X(COUNTER, stall_output_cycles, "cycles", "the same, because an output had no room")           \
    X(HISTOGRAM, mshr_occupancy, "entries", "entries (MSHRs) in use, by cycles")                   \
    X(COUNTER, mshr_full_cycles, "cycles", "cycles in which all entries were in use")              \
    X(HISTOGRAM, mshr_limit, "entries",                                                            \
      "entries that were usable, by cycles; empty where all are always")                           \
    X(COUNTER, mshr_limit_changes, "changes", "decisions that changed that number")                \
    X(HISTOGRAM, miss_latency, "cycles", "from a miss's lookup to its fill")

struct cache_statistics {
    CACHE_STATISTICS(STATISTIC_FIELD)
};
extern const struct statistic cache_statistics[];
extern const uint32_t cache_statistic_count;

/* Why a request stalls. */
enum stall_cause {
    STALL_NONE,
    STALL_MSHR,
    STALL_SET,
    STALL_WAITING,
    STALL_ORDER,
    STALL_EVICTION,
    STALL_OUTPUT,
    STALL_CAUSES
};

/* What the time in a queue, and then in the cache, is called: a part for each cause, then the
 * others (mem/journey.h). */
_Static_assert((int)PART_L1_MSHR == (int)PART_L1_QUEUE + (int)STALL_MSHR &&
                   (int)PART_L1_OUTPUT == (int)PART_L1_QUEUE + (int)STALL_OUTPUT &&
                   (int)PART_L1_LOOKUP == (int)PART_L1_QUEUE + (int)STALL_CAUSES,
               "a part for each cause");

/* Which set a line's number leads to: its lowest digits, or these xor all higher ones (to the base
 * of the number of sets). With the latter no stride of lines meets one set alone. */
enum set_index { SET_MODULO, SET_XOR };

struct controller_shape {
    uint32_t sets, ways;                   /* ways: 64 at the most */
    const struct replacement *replacement; /* NULL: the first of the list */
    enum set_index set_index;
    const struct admission *admission; /* NULL: the first of the list */
    uint64_t admission_seed;
    bool splits; /* no request joins another's miss: it waits in order with an entry of its own */
    uint32_t mshr_entries;
    uint32_t
        eviction_entries; /* of the write-back buffer; 0: one, if the role's table has evictions */
    uint32_t waiting_entries; /* targets and stalled requests together */
    uint32_t
        walk_lines; /* lines a call of controller_walk; 0: as many as the outputs allow, at once */
};

/* A message that waits. Part of the arena. */
struct waiting {
    struct message message;
    uint16_t next;
    bool counted; /* the statistics have it already */
    bool has_entry;
};

/* Requests to one line that wait for an entry, oldest first. Part of the arena. */
struct applicants {
    uint64_t addr;
    uint16_t first, last;
};

/* A walk, begun or waiting for its turn. Part of the arena. */
struct walk {
    uint32_t next;   /* line, where the order is the mechanism's */
    bool is_visited; /* no line is left: its end waits for acknowledgements, or for room */
    struct walk_terms terms;
    struct message message; /* what started it: answered at its end */
};

/* The arena's head; arrays follow. */
struct controller_state {
    /* What each tick looks at. */
    uint16_t first_replay, last_replay;
    uint16_t first_filled, last_filled;   /* MSHRs being drained, oldest first */
    uint16_t first_probing, last_probing; /* MSHRs with probes to send, oldest first */
    uint32_t walk_count;                  /* the first is in progress, the others wait for it */
    uint16_t applicant_lines;             /* in use of the controller's applicants */
    uint16_t entries_used;  /* by MSHRs, by requests that wait, and those that have ended */
    uint16_t entries_ended; /* of them, not yet returned: see controller_return_entries */
    uint16_t entry_limit;
    uint64_t replacement; /* the policy's own */
    uint64_t epoch;
    uint16_t free_mshr, free_eviction, free_waiting; /* heads of free lists */
    uint16_t mshrs_used, evictions_used, waiting_used;
    uint16_t chosen;    /* of the applicants, until its first has gone; NO_INDEX: none */
    bool follows;       /* the chosen one's first comes after one that has gone */
    uint64_t admission; /* the policy's own */
    bool ordered;       /* the latest access that came in is an ordered one: role's is_ordered */
    uint32_t awaited;   /* acknowledgements that are to come, see controller_await */
    struct walk walks[WALK_AGENDA];
};

/* What the compiled table knows of a row. */
struct controller_row {
    const struct protocol_row *row; /* NULL: impossible */
    uint8_t action_count, up, down; /* outputs at the most, the victim's apart */
    uint8_t across;
    struct lane_room room; /* these by lane; those that may go by either, in both */
    uint8_t channels;      /* set of those that the event's messages may be on */
    uint8_t needs;         /* set of enum protocol_need */
    bool turns;            /* from or to a transient state */
    bool uses;             /* reads or writes the line's bytes for a request */
    bool passes;           /* the message itself goes on above: it is not for the MSHR */
    bool joins, waits;     /* another's miss; behind another's line */
};

struct controller {
    struct controller_state *state; /* points into the arena */
    const struct protocol *protocol;
    const struct protocol_role *role;
    enum protocol_role_kind kind;
    const struct address_map
        *map; /* L2: sets and links by channel. NULL: sets by line number, links by message.port */
    char *name;             /* "cu3.l1": for messages; owned */
    uint64_t breaks;        /* debug.break */
    const void *parameters; /* the protocol's; its defaults, unless the machine has others */
    uint16_t node;
    uint16_t l1s; /* of the nodes above, the first so many; 0: not told */
    struct controller_shape shape;
    uint32_t line_count;

    unsigned char *arena; /* all state: plain data */
    size_t arena_bytes;
    uint64_t *tags; /* these point into the arena, as `state`: addr | 1, or 0 */
    struct line *lines;
    struct mshr *mshrs;   /* then those of the write-back buffer */
    uint16_t *mshr_next;  /* hash chain, free list */
    uint16_t *mshr_drain; /* next in the queue of filled ones */
    uint16_t *mshr_heads; /* hash table, mshr_mask + 1 heads */
    uint32_t mshr_mask;
    struct waiting *waiting;
    struct applicants *applicants;
    unsigned char *line_data, *mshr_data, *data;

    struct controller_row *rows;              /* [state][event] */
    uint64_t *coverage;                       /* [state][event]: how often; NULL: not counted */
    uint64_t request_kinds;                   /* one bit for each message kind that is a request */
    uint8_t counted_kinds[MESSAGE_KINDS];     /* what a request counts as */
    uint8_t kind_channels[MESSAGE_KINDS + 1]; /* + 1: the kind after a kind may be asked for */
    uint16_t replaying; /* waiting entry whose message is being handled; NO_INDEX */
    uint16_t put;       /* waiting entry that the step has filled */
    bool has_accesses;  /* requests hold entries, not only MSHRs */
    bool lingers;       /* ended entries wait to be returned */
    bool carries;       /* the message being handled holds an entry that no MSHR has taken over */
    uint64_t set_for;   /* the address whose set begins at way set_first, with bit 0 set; 0: none */
    uint32_t set_first;
    uint32_t port_sets; /* of each channel */
    uint64_t way_for;   /* the address that `way` was found for, with bit 0 set; 0: none */
    uint32_t way;
    enum stall_cause stall_cause; /* of the latest step that stalled */
    const uint64_t *cycle;        /* now, for statistics; NULL: there is no time. Borrowed */
    /* An L2's: the line's bytes as they are now, here or below. NULL: not known. */
    void (*present)(const struct controller *controller, uint64_t addr, unsigned char *data);
    struct journey
        *journeys; /* [MSHR]: of the misses; NULL: their time is not looked at. Borrowed */
    struct cache_statistics statistics;
    struct state_times state_times;
    void *protocol_statistics; /* NULL: the role has none */
    uint64_t *lost;            /* per way: address of the line that went, and why; with these */
};

/* What a step will do at the most; see controller_plan. */
struct controller_plan {
    const struct controller_row *row;
    uint8_t up, down;                    /* outputs, all for the step's address */
    const struct controller_row *victim; /* a line will be replaced first, by this row; or NULL */
    uint64_t victim_addr;                /* which its outputs are all for */
    uint16_t replaying;                  /* waiting entry, NO_INDEX */
    bool takes_entry, is_applicant;
    bool applies; /* it only joins those that wait for an entry */
};

/* Builds a controller of one role of a protocol. `map` is borrowed, NULL above the L2. `breaks`:
 * debug.break. */
void controller_init(struct controller *controller, const char *name,
                     const struct protocol *protocol, enum protocol_role_kind kind,
                     const struct controller_shape *shape, const struct address_map *map,
                     uint16_t node, uint64_t breaks);
void controller_finish(struct controller *controller);
/* Forgets all lines, dirty bytes too, as if it were new; statistics and the limit of entries stay.
 * It is idle. To be called for all controllers of a memory system, or none. */
void controller_empty(struct controller *controller);

/* Declares the statistics of the role's own, at NAME.coherence. `kind` is static. */
void controller_register(struct controller *controller, struct registry *registry,
                         const char *kind);

/* Prepares the step for a message (a request from above, a probe or reply from below). Changes
 * nothing. False: it stalls, since requests must wait (replay or walk in progress) or its row needs
 * what is not free; stall_cause says which. `message` is borrowed until controller_perform. */
bool controller_plan(struct controller *controller, const struct message *message,
                     struct step *step, struct controller_plan *plan);
/* The same for the oldest message of the replay queue, or else for one that waits for an entry (the
 * admission may draw which). False: there is none, or that one stalls. */
bool controller_plan_replay(struct controller *controller, struct step *step,
                            struct controller_plan *plan);
/* Does it: outputs and outcome are in the step. STEP_STALLED changed nothing; stall_cause says why.
 * A replayed message that stalls stays at the head of its queue. */
void controller_perform(struct controller *controller, struct step *step,
                        const struct controller_plan *plan);

/* Plan and perform at once, for those who have room for any outputs. Returns the outcome. */
enum step_outcome controller_step(struct controller *controller, const struct message *message,
                                  struct step *step);
/* The oldest replay, at once. False: there is none, or it stalls again (nothing changed). */
bool controller_replay(struct controller *controller, struct step *step);

/* Answers the oldest target, of the oldest filled MSHR, whose UP link is in the set `links`; one
 * output, UP. The MSHR is released with its last target. Returns the link, or -1: there is none. */
int controller_drain_one(struct controller *controller, uint64_t links, struct step *step);

/* Sends the next probe, of the oldest MSHR with one whose UP link is in the set `links`; one
 * output, UP. Returns the link, or -1: there is none. */
int controller_probe_one(struct controller *controller, uint64_t links, struct step *step);
/* The oldest multicast's probe to this node, for searches in which no node comes first. False:
 * there is none. */
bool controller_probe_node(struct controller *controller, uint32_t node, struct step *step);

/* One stretch of the walk in progress, of at most `down` outputs DOWN; an answer that goes UP must
 * have room. False: none is in progress, or it can do nothing now (acknowledgements are to come, or
 * `down` is too small). */
bool controller_walk(struct controller *controller, uint32_t down, struct step *step);

/* UP link of an answer to the message: the port of the slice by address, or message.port. */
uint32_t controller_link(const struct controller *controller, const struct message *message);
/* UP link of what no message has caused, about a line: the slice's by address, else the first. */
uint32_t controller_link_of(const struct controller *controller, uint64_t addr);

/* Gives up the line of the address as if its way were needed: its outputs are in the step. False:
 * it is not here, or a fill holds its way. For those who try every moment for an eviction. */
bool controller_evict(struct controller *controller, uint64_t addr, struct step *step);

/* The line that holds the address, or NULL. */
struct line *controller_find(const struct controller *controller, uint64_t addr);
struct mshr *controller_find_mshr(const struct controller *controller, uint64_t addr);
/* Nothing outstanding, waiting or walking. */
bool controller_is_idle(const struct controller *controller);
static inline uint32_t controller_entries_used(const struct controller *controller)
{
    return controller->state->entries_used;
}
/* Whether it can do something by itself: targets, probes, replays or a walk. */
static inline bool controller_has_work(const struct controller *controller)
{
    const struct controller_state *state = controller->state;

    return state->first_filled != NO_INDEX || state->first_probing != NO_INDEX ||
           state->first_replay != NO_INDEX || state->applicant_lines > 0 || state->walk_count > 0;
}
/* How many entries are usable from now on, 1 to mshr_entries; those in use stay. */
void controller_set_entry_limit(struct controller *controller, uint32_t limit);
/* For callers with time, where accesses take entries (`lingers`): how many entries have ended since
 * the last call, and their return. Others may take them then. Steps without time return them at
 * once. */
uint32_t controller_take_ended(struct controller *controller);
void controller_return_entries(struct controller *controller, uint32_t count);
static inline bool controller_is_walking(const struct controller *controller)
{
    return controller->state->walk_count > 0;
}
/* Whether messages that were taken wait for their turn to be looked at again. */
static inline bool controller_looks_again(const struct controller *controller)
{
    return controller->state->first_replay != NO_INDEX || controller->state->applicant_lines > 0;
}
static inline unsigned controller_part_queue(const struct controller *controller)
{
    return controller->kind == ROLE_L2 ? PART_L2_QUEUE : PART_L1_QUEUE;
}
static inline unsigned controller_part_lookup(const struct controller *controller)
{
    return controller->kind == ROLE_L2 ? PART_L2_LOOKUP : PART_L1_LOOKUP;
}
static inline unsigned controller_part_other(const struct controller *controller)
{
    return controller->kind == ROLE_L2 ? PART_L2_OTHER : PART_L1_OTHER;
}
static inline bool controller_has_replay(const struct controller *controller)
{
    return controller->state->first_replay != NO_INDEX || controller->state->applicant_lines > 0;
}

/* Whole states of two controllers of equal role and shape. */
void controller_copy(struct controller *to, const struct controller *from);
bool controller_equal(const struct controller *a, const struct controller *b);

/* How nodes above are called in a canonical form, where some are alike: of[n] stands for n. */
struct node_names {
    uint32_t count; /* numbers from here on stand for themselves */
    uint16_t of[NODE_SET_NODES];
};

/* Which numbers of a message are of nodes above: the source, if it comes from them; the
 * destination, if it goes to them. Both, if it goes from one to another, or on to one. */
enum message_way { MESSAGE_GOES_DOWN, MESSAGE_GOES_UP, MESSAGE_GOES_ACROSS, MESSAGE_IS_ELSEWHERE };

/* The canonical form of a controller's state, handed to `add` piece by piece: what decides how it
 * goes on, and nothing else. Left out are stamps (of lines, only their order counts), epochs (only
 * whether an MSHR's is the present one), histories and statistics. So are bytes that are not valid,
 * and which entry or way holds what. For those who tell states apart, such as an explorer. Bytes of
 * lines come one a call, and nothing else does, so that values can be told. */
struct form {
    uint64_t same_bytes; /* of a line: they are the same in all states, and left out */
    void (*add)(void *context, const void *bytes, size_t count);
    void *context;
    const struct node_names *names; /* of nodes above; NULL: they have their numbers */
    const struct node_names
        *units; /* of the compute units that requests come from; NULL: likewise */
};
void controller_encode(const struct controller *controller, const struct form *form);
/* The same of a message on its way. */
void message_encode(const struct message *message, enum message_way way, const struct form *form);
/* Appends lines, MSHRs and queues as text. */
void controller_print(const struct controller *controller, struct text *text);
/* From now on it is counted how often each row is used. */
void controller_count_coverage(struct controller *controller);
/* How often since then. */
static inline uint64_t controller_row_uses(const struct controller *controller,
                                           const struct protocol_row *row)
{
    return controller->coverage == NULL
               ? 0
               : controller
                     ->coverage[(uint32_t)row->state * controller->role->event_count + row->event];
}
/* Appends the table with how often each row was used since then. */
void controller_print_coverage(const struct controller *controller, struct text *text);

#endif

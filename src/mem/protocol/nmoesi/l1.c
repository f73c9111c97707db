/* SPDX-License-Identifier: MIT */
/*
 * NMOESI's L1: MOESI's (mem/protocol/moesi/l1.h), and N for plain stores.
 *
 * - A plain store makes a copy N: any number of caches may have the line in N, each with bytes of its
 *   own dirty, and the directory knows them as sharers. A miss fetches the line (GETN). A shared copy
 *   becomes N without a word, an exclusive one tells the directory (DISOWN); a modified one stays M.
 * - O never stands beside N: where another owns the line (state SO), or this cache does (O), a plain
 *   store asks first (UPGRADE_N), and the owner writes back and becomes a sharer.
 * - Read-modify-writes, and stores with GLC or of device scope, are MOESI's. They get the line with
 *   the leave, since clean bytes of S and N may be older than others' merged ones.
 * - An acquire makes the clean bytes of S and N invalid. The copy stays known to the directory; loads
 *   fetch again (REFETCH). E, O and M are never old: bytes are merged below only after their owner
 *   has become a sharer. What an older request fetches answers older loads alone.
 * - A load with GLC or of device scope sees what was released: it fetches S and N copies again.
 * - A release sends dirty bytes of N copies below, which stay in S, and waits until all that was sent
 *   so has been acknowledged, of lines given up too. An acquire that nothing announced is both.
 * - All requests, PUT_N, WRITE_N and DISOWN among them, stay in order to a line. A cache that asks for
 *   a line of which it has N bytes sends these first, so that what comes has them.
 */
#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "mem/protocol/nmoesi/roles.h"
#include "mem/protocol/nmoesi/statistics.h"
#include "mem/protocol/nmoesi/upper.h"

enum { I = STATE_INVALID, S, SO, E, O, M, N, IS, IM, IN, SS, SM, SN, OM, ON, STATES };

static const struct protocol_state l1_states[] = {
    [I] = {"I", "not here", 0},
    [S] = {"S", "shared, clean", STATE_READABLE},
    [SO] = {"SO", "shared, clean, another owns it", STATE_READABLE},
    [E] = {"E", "exclusive: no other has it, clean", STATE_READABLE},
    [O] = {"O", "owned: others may share it, dirty", STATE_READABLE | STATE_DIRTY},
    [M] = {"M", "modified: no other has it, dirty", STATE_READABLE | STATE_DIRTY},
    [N] = {"N", "non-coherent: others may have it, each with dirty bytes of its own",
           STATE_READABLE | STATE_DIRTY},
    [IS] = {"IS", "asked for, to read", STATE_TRANSIENT},
    [IM] = {"IM", "asked for, to write", STATE_TRANSIENT},
    [IN] = {"IN", "asked for, for plain stores", STATE_TRANSIENT},
    [SS] = {"SS", "shared, asked for again", STATE_TRANSIENT | STATE_READABLE},
    [SM] = {"SM", "shared, asked for to write", STATE_TRANSIENT | STATE_READABLE},
    [SN] = {"SN", "shared, asked for to make it N", STATE_TRANSIENT | STATE_READABLE},
    [OM] = {"OM", "owned, asked for to write", STATE_TRANSIENT | STATE_READABLE | STATE_DIRTY},
    [ON] = {"ON", "owned, asked for to make it N", STATE_TRANSIENT | STATE_READABLE | STATE_DIRTY},
};

enum {
    LOAD_HIT,
    PLAIN_HIT,
    STORE_HIT,
    ATOMIC_HIT,
    LOAD_MISS,
    LOAD_AGAIN,
    PLAIN_MISS,
    PLAIN_ASK,
    WRITE_MISS,
    UPGRADE,
    MERGE,
    WAIT,
    DATA_S,
    DATA_S_PAST,
    DATA_SO,
    DATA_SO_PAST,
    DATA_E,
    DATA_M,
    DATA_N,
    DATA_N_PAST,
    ANSWER_LOAD,
    ANSWER_PLAIN,
    ANSWER_STORE,
    ANSWER_ATOMIC,
    PROBE_SHARE,
    PROBE_WRITE_BACK,
    PROBE_CLEAN,
    PROBE_DROP,
    PROBE_EARLY,
    MERGED,
    ACQUIRE,
    ACQUIRE_RELEASE,
    RELEASE,
    RELEASE_EARLY,
    LOCAL,
    WALK_CUT,
    WALK_WRITE,
    WALK_WRITE_CUT,
    WALK_PASS,
    HOST_READ,
    HOST_WRITE,
    REPLACE,
    EVENTS
};

static const struct protocol_event l1_events[] = {
    [LOAD_HIT] = {"LOAD_HIT", "load of valid bytes"},
    [PLAIN_HIT] = {"PLAIN_HIT", "plain store to a copy, no other owns the line"},
    [STORE_HIT] = {"STORE_HIT", "coherent store to the only copy"},
    [ATOMIC_HIT] = {"ATOMIC_HIT", "read-modify-write of the only copy"},
    [LOAD_MISS] = {"LOAD_MISS", "load, no copy"},
    [LOAD_AGAIN] = {"LOAD_AGAIN", "load of bytes that an acquire made invalid, or one with GLC of a copy that may be old"},
    [PLAIN_MISS] = {"PLAIN_MISS", "plain store, no copy"},
    [PLAIN_ASK] = {"PLAIN_ASK", "plain store to a copy of a line that has an owner"},
    [WRITE_MISS] = {"WRITE_MISS", "coherent store or read-modify-write, no copy"},
    [UPGRADE] = {"UPGRADE", "the same, others may have copies too"},
    [MERGE] = {"MERGE", "request that the line on its way will answer"},
    [WAIT] = {"WAIT", "request that must come after what the line waits for"},
    [DATA_S] = {"DATA_S", "line, to read"},
    [DATA_S_PAST] = {"DATA_S_PAST", "the same, but an acquire has passed"},
    [DATA_SO] = {"DATA_SO", "line, to read; another owns it"},
    [DATA_SO_PAST] = {"DATA_SO_PAST", "the same, but an acquire has passed"},
    [DATA_E] = {"DATA_E", "line, no other has it"},
    [DATA_M] = {"DATA_M", "line, to write"},
    [DATA_N] = {"DATA_N", "line, for plain stores"},
    [DATA_N_PAST] = {"DATA_N_PAST", "the same, but an acquire has passed"},
    [ANSWER_LOAD] = {"ANSWER_LOAD", "turn of a load that waited for the line"},
    [ANSWER_PLAIN] = {"ANSWER_PLAIN", "turn of a plain store"},
    [ANSWER_STORE] = {"ANSWER_STORE", "turn of a coherent store"},
    [ANSWER_ATOMIC] = {"ANSWER_ATOMIC", "turn of a read-modify-write"},
    [PROBE_SHARE] = {"PROBE_SHARE", "another reads"},
    [PROBE_WRITE_BACK] = {"PROBE_WRITE_BACK", "the same; owner_writes_back, line modified"},
    [PROBE_CLEAN] = {"PROBE_CLEAN", "plain stores, or bytes of them to be merged below"},
    [PROBE_DROP] = {"PROBE_DROP", "another writes coherently, or L2 gives the line up"},
    [PROBE_EARLY] = {"PROBE_EARLY", "probe, while requests are answered from the line"},
    [MERGED] = {"MERGED", "dirty bytes that were sent are below"},
    [ACQUIRE] = {"ACQUIRE", "acquire beyond the work-group, or a kernel's start"},
    [ACQUIRE_RELEASE] = {"ACQUIRE_RELEASE", "the same, that nothing announced: a release too"},
    [RELEASE] = {"RELEASE", "release beyond the work-group, or a kernel's end"},
    [RELEASE_EARLY] = {"RELEASE_EARLY", "a release, while stores that came before it wait"},
    [LOCAL] = {"LOCAL", "either of them for the work-group, which shares this cache"},
    [WALK_CUT] = {"WALK_CUT", "turn in an acquire of a line whose clean bytes may be old"},
    [WALK_WRITE] = {"WALK_WRITE", "turn in a release of a line with N's dirty bytes"},
    [WALK_WRITE_CUT] = {"WALK_WRITE_CUT", "the same in an acquire that releases"},
    [WALK_PASS] = {"WALK_PASS", "turn of any other line"},
    [HOST_READ] = {"HOST_READ", "the host reads dirty bytes"},
    [HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [REPLACE] = {"REPLACE", "the way is needed"},
};

#define l1_probes                                                                                  \
    (EVENT(PROBE_SHARE) | EVENT(PROBE_WRITE_BACK) | EVENT(PROBE_CLEAN) | EVENT(PROBE_DROP) |       \
     EVENT(PROBE_EARLY))
#define l1_responses                                                                               \
    (EVENT(DATA_S) | EVENT(DATA_S_PAST) | EVENT(DATA_SO) | EVENT(DATA_SO_PAST) | EVENT(DATA_E) |   \
     EVENT(DATA_M) | EVENT(DATA_N) | EVENT(DATA_N_PAST) | EVENT(MERGED))

/* ---- The table ---- */

#define HOLD &verb_allocate_mshr, &verb_reserve_way, &verb_merge
#define MISS &upper_note_miss, HOLD
#define FILL &nmoesi_fill, &verb_answer_targets
#define FILL_PAST &nmoesi_fill_past, &verb_answer_targets
#define LOAD &verb_reply, &upper_touch
#define LATE_LOAD &nmoesi_reply, &upper_touch
#define STORE &verb_store_line_dirty, &verb_acknowledge, &upper_touch
#define ATOMIC &verb_atomic_line, &upper_touch

/* Of a line that is here and not on its way. */
#define STANDING(state)                                                                            \
    {state, LOAD_HIT, state, {LOAD}}, {state, WAIT, state, {&verb_stall_line}},                    \
        {state, ANSWER_LOAD, state, {LATE_LOAD}},                                                  \
        {state, PROBE_EARLY, state, {&verb_stall_resource}},                                       \
        {state, PROBE_DROP, I, {&upper_dropped}},                                                  \
    {                                                                                              \
        state, HOST_WRITE, state, { &verb_store_line, &verb_acknowledge }                          \
    }
/* Of one on its way; `dropped`: its state when a probe has taken the copy. */
#define MOVING(state, dropped, answer)                                                             \
    {state, MERGE, state, {&verb_merge}}, {state, WAIT, state, {&verb_stall_line}},                \
    {                                                                                              \
        state, PROBE_DROP, dropped, { answer }                                                     \
    }
/* Probes for an owner that find none: of an earlier copy, or of one that is N or was. */
#define NO_OWNER(state, answer)                                                                    \
    {state, PROBE_SHARE, state, {answer}},                                                         \
    {                                                                                              \
        state, PROBE_CLEAN, state, { answer }                                                      \
    }
#define PASSES(state)                                                                              \
    {                                                                                              \
        state, WALK_PASS, state, { NULL }                                                          \
    }
#define CUTS(state) {state, WALK_CUT, state, {&nmoesi_cut}}, PASSES(state)
static const struct protocol_row l1_rows[] = {
    {I, LOAD_MISS, IS, {MISS, &upper_gets}},
    {I, PLAIN_MISS, IN, {MISS, &nmoesi_getn}},
    {I, WRITE_MISS, IM, {MISS, &upper_getm}},
    {I, PROBE_DROP, I, {&upper_gone}},
    NO_OWNER(I, &upper_gone),
    {I, MERGED, I, {&verb_awaited}}, /* before what was asked for later comes: so in few states */
    {I, ACQUIRE, I, {&nmoesi_acquire}},
    {I, ACQUIRE_RELEASE, I, {&nmoesi_acquire_release}},
    {I, RELEASE, I, {&nmoesi_release}},
    {I, RELEASE_EARLY, I, {&verb_stall_resource}},
    {I, LOCAL, I, {&verb_acknowledge}},

    STANDING(S),
    {S, LOAD_AGAIN, SS, {HOLD, &nmoesi_refetch}},
    {S, PLAIN_HIT, N, {STORE}},
    {S, UPGRADE, SM, {HOLD, &upper_upgrade}},
    {S, MERGED, S, {&verb_awaited}},
    NO_OWNER(S, &nmoesi_keep),
    CUTS(S),
    {S, REPLACE, I, {&upper_put}},

    STANDING(SO),
    {SO, LOAD_AGAIN, SS, {HOLD, &nmoesi_refetch}},
    {SO, PLAIN_ASK, SN, {HOLD, &nmoesi_upgrade_n}},
    {SO, UPGRADE, SM, {HOLD, &upper_upgrade}},
    CUTS(SO),
    {SO, REPLACE, I, {&upper_put}},

    STANDING(E),
    {E, PLAIN_HIT, N, {STORE, &nmoesi_disown}},
    {E, STORE_HIT, M, {STORE}},
    {E, ATOMIC_HIT, M, {ATOMIC}},
    {E, PROBE_SHARE, S, {&upper_shared}},
    {E, PROBE_CLEAN, S, {&upper_shared}},
    PASSES(E),
    {E, REPLACE, I, {&upper_put}},

    {O, LOAD_HIT, O, {LOAD}},
    {O, PLAIN_ASK, ON, {HOLD, &nmoesi_upgrade_n}},
    {O, UPGRADE, OM, {HOLD, &upper_upgrade}},
    {O, PROBE_SHARE, O, {&upper_owned}},
    {O, PROBE_CLEAN, S, {&upper_shared}},
    {O, PROBE_DROP, I, {&upper_dropped}},
    PASSES(O),
    {O, HOST_READ, O, {&verb_reply}},
    {O, HOST_WRITE, O, {&verb_store_line, &verb_acknowledge}},
    {O, REPLACE, I, {&upper_put}},

    STANDING(M),
    {M, PLAIN_HIT, M, {STORE}},
    {M, STORE_HIT, M, {STORE}},
    {M, ATOMIC_HIT, M, {ATOMIC}},
    {M, ANSWER_PLAIN, M, {STORE}},
    {M, ANSWER_STORE, M, {STORE}},
    {M, ANSWER_ATOMIC, M, {ATOMIC}},
    {M, PROBE_SHARE, O, {&upper_owned}},
    {M, PROBE_WRITE_BACK, S, {&upper_shared}},
    {M, PROBE_CLEAN, S, {&upper_shared}},
    PASSES(M),
    {M, HOST_READ, M, {&verb_reply}},
    {M, REPLACE, I, {&upper_put}},

    STANDING(N),
    {N, LOAD_AGAIN, SS, {HOLD, &nmoesi_write_n, &nmoesi_refetch}},
    {N, PLAIN_HIT, N, {STORE}},
    {N, UPGRADE, SM, {HOLD, &nmoesi_write_n, &upper_upgrade}},
    {N, ANSWER_PLAIN, N, {STORE}},
    NO_OWNER(N, &nmoesi_keep),
    {N, WALK_CUT, N, {&nmoesi_cut}},
    {N, WALK_WRITE, S, {&nmoesi_write_n}},
    {N, WALK_WRITE_CUT, S, {&nmoesi_write_n, &nmoesi_cut}},
    {N, HOST_READ, N, {&verb_reply}},
    {N, REPLACE, I, {&nmoesi_put_n}},

    MOVING(IS, IS, &upper_gone),
    NO_OWNER(IS, &upper_gone),
    {IS, DATA_S, S, {FILL}},
    {IS, DATA_S_PAST, S, {FILL_PAST}},
    {IS, DATA_SO, SO, {FILL}},
    {IS, DATA_SO_PAST, SO, {FILL_PAST}},
    {IS, DATA_E, E, {FILL}},
    {IS, MERGED, IS, {&verb_awaited}},
    PASSES(IS),

    MOVING(IM, IM, &upper_gone),
    NO_OWNER(IM, &upper_gone),
    {IM, DATA_M, M, {FILL}},
    {IM, MERGED, IM, {&verb_awaited}},
    PASSES(IM),

    MOVING(IN, IN, &upper_gone),
    NO_OWNER(IN, &upper_gone),
    {IN, DATA_N, N, {FILL}},
    {IN, DATA_N_PAST, N, {FILL_PAST}},
    {IN, MERGED, IN, {&verb_awaited}},
    PASSES(IN),

    MOVING(SS, IS, &upper_dropped),
    NO_OWNER(SS, &nmoesi_keep),
    {SS, DATA_S, S, {FILL}},
    {SS, DATA_S_PAST, S, {FILL_PAST}},
    {SS, MERGED, SS, {&verb_awaited}},
    CUTS(SS), /* an owner is made to share before the line is sent again */

    MOVING(SM, IM, &upper_dropped),
    NO_OWNER(SM, &nmoesi_keep),
    {SM, DATA_M, M, {FILL}},
    {SM, MERGED, SM, {&verb_awaited}},
    PASSES(SM),

    MOVING(SN, IN, &upper_dropped),
    {SN, DATA_N, N, {FILL}},
    {SN, DATA_N_PAST, N, {FILL_PAST}},
    {SN, WALK_CUT, SN, {&nmoesi_cut}}, /* a release waits for stores before its walk */

    MOVING(OM, IM, &upper_dropped),
    {OM, DATA_M, M, {FILL}},
    {OM, PROBE_SHARE, OM, {&upper_owned}},
    {OM, PROBE_CLEAN, SM, {&upper_shared}},
    PASSES(OM),

    MOVING(ON, IN, &upper_dropped),
    {ON, PROBE_SHARE, ON, {&upper_owned}},
    {ON, PROBE_CLEAN, SN, {&upper_shared}},
    {ON, WALK_CUT, ON, {&nmoesi_cut}},
};

/* ---- Events ---- */

static uint8_t state_of(const struct step *step)
{
    return step->line == NULL ? (uint8_t)I : step->line->state;
}

static bool is_in(uint8_t state, uint32_t set)
{
    return (set >> state & 1) != 0;
}
#define IN_SET(state) (UINT32_C(1) << (state))
#define WILL_BE_M (IN_SET(IM) | IN_SET(SM) | IN_SET(OM))
#define WILL_BE_N (IN_SET(IN) | IN_SET(SN) | IN_SET(ON))
#define MAY_BE_OLD                                                                                 \
    (IN_SET(S) | IN_SET(SO) | IN_SET(N) | IN_SET(SS) | IN_SET(SN) | IN_SET(ON))

static bool is_plain(const struct message *message)
{
    return message->kind == MESSAGE_STORE && !message->glc && message->scope < SCOPE_DEVICE;
}

/* A load with GLC or of device scope: it sees what was released, without an acquire. */
static bool is_coherent_load(const struct message *message)
{
    return message->glc || message->scope >= SCOPE_DEVICE;
}

static bool is_past(const struct step *step)
{
    return step->mshr->epoch != controller_epoch(step->controller);
}

static bool can_merge(const struct step *step)
{
    uint8_t state = state_of(step);

    if (step->mshr->filled || mshr_has_stalled(step->mshr))
        return false;
    if (step->message->kind == MESSAGE_LOAD)
        return !is_past(step) && !is_coherent_load(step->message);
    return is_in(state, WILL_BE_M) || (is_plain(step->message) && is_in(state, WILL_BE_N));
}

static uint8_t classify_load(const struct step *step)
{
    if (step->line == NULL)
        return LOAD_MISS;
    if (is_coherent_load(step->message) && is_in(step->line->state, MAY_BE_OLD))
        return LOAD_AGAIN;
    return (step->message->mask & ~step->line->valid) == 0 ? LOAD_HIT : LOAD_AGAIN;
}

static uint8_t classify_request(const struct step *step)
{
    uint8_t state = state_of(step);

    if (step->mshr != NULL)
        return can_merge(step) ? MERGE : WAIT;
    if (step->message->kind == MESSAGE_LOAD)
        return classify_load(step);
    if (is_plain(step->message))
        return state == I ? PLAIN_MISS : state == SO || state == O ? PLAIN_ASK : PLAIN_HIT;
    if (state == I)
        return WRITE_MISS;
    if (state != E && state != M)
        return UPGRADE;
    return step->message->kind == MESSAGE_STORE ? STORE_HIT : ATOMIC_HIT;
}

static uint8_t classify_answer(const struct step *step)
{
    if (step->message->kind == MESSAGE_LOAD)
        return ANSWER_LOAD;
    if (is_plain(step->message))
        return ANSWER_PLAIN;
    return step->message->kind == MESSAGE_STORE ? ANSWER_STORE : ANSWER_ATOMIC;
}

static uint8_t classify_probe(const struct step *step)
{
    const struct nmoesi_parameters *parameters = controller_parameters(step->controller);

    if (step->mshr != NULL && step->mshr->filled)
        return PROBE_EARLY;
    if (step->message->kind == NMOESI_PROBE_CLEAN)
        return PROBE_CLEAN;
    if (step->message->kind != MOESI_PROBE_SHARE)
        return PROBE_DROP;
    return state_of(step) == M && parameters->owner_writes_back != 0 ? PROBE_WRITE_BACK
                                                                     : PROBE_SHARE;
}

static uint8_t classify_walk(const struct step *step)
{
    const struct nmoesi_l1 *l1 = controller_data(step->controller);
    bool acquires = controller_walk_kind(step->controller) == MESSAGE_INVALIDATE;
    bool releases = !acquires || l1->acquire_releases != 0;

    if (releases && step->line->state == N)
        return acquires ? WALK_WRITE_CUT : WALK_WRITE;
    return acquires && is_in(step->line->state, MAY_BE_OLD) ? WALK_CUT : WALK_PASS;
}

static uint8_t classify_whole(const struct step *step)
{
    const struct message *message = step->message;

    if (message->scope == SCOPE_WORK_GROUP)
        return LOCAL;
    if (message->kind == MESSAGE_INVALIDATE && message->order != ORDER_ACQUIRE_RELEASE)
        return ACQUIRE;
    if (controller_holds(step->controller, MESSAGE_STORE) ||
        controller_holds(step->controller, MESSAGE_ATOMIC))
        return RELEASE_EARLY;
    return message->kind == MESSAGE_FLUSH ? RELEASE : ACQUIRE_RELEASE;
}

static uint8_t classify_data(const struct step *step)
{
    switch (step->message->kind) {
    case MOESI_DATA_S:
        return is_past(step) ? DATA_S_PAST : DATA_S;
    case NMOESI_DATA_SO:
        return is_past(step) ? DATA_SO_PAST : DATA_SO;
    case NMOESI_DATA_N:
        return is_past(step) ? DATA_N_PAST : DATA_N;
    case MOESI_DATA_E:
        return DATA_E;
    case MOESI_DATA_M:
        return DATA_M;
    default:
        return EVENTS; /* stopped by the mechanism */
    }
}

static uint8_t classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus == STIMULUS_REPLACE)
        return REPLACE;
    if (stimulus == STIMULUS_WALK)
        return classify_walk(step);
    if (stimulus == STIMULUS_ANSWER)
        return classify_answer(step);
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_request(step);
    case MOESI_PROBE_SHARE:
    case MOESI_PROBE_INVALIDATE:
    case MOESI_RECALL:
    case NMOESI_PROBE_CLEAN:
        return classify_probe(step);
    case NMOESI_PUT_N_ACK:
    case NMOESI_WRITE_N_ACK:
        return MERGED;
    case MESSAGE_INVALIDATE:
    case MESSAGE_FLUSH:
        return classify_whole(step);
    case MESSAGE_HOST_READ:
        return HOST_READ;
    case MESSAGE_HOST_WRITE:
        return HOST_WRITE;
    default:
        return classify_data(step);
    }
}

static const struct protocol_field l1_fields[] = {{"acquire_releases", 0, 1, FIELD_STATE},
                                                  {NULL, 0, 0, FIELD_STATE}};

const struct protocol_role nmoesi_l1 = {
    .name = "L1",
    .states = l1_states,
    .state_count = STATES,
    .events = l1_events,
    .event_count = EVENTS,
    .rows = l1_rows,
    .row_count = COUNT(l1_rows),
    .channel_events = {[CHANNEL_PROBE] = l1_probes, [CHANNEL_RESPONSE] = l1_responses},
    .answers_targets = true,
    .classify = classify_l1,
    .line_data = {sizeof(struct upper_line), upper_line_fields},
    .controller_data = {sizeof(struct nmoesi_l1), l1_fields},
    .statistics = {nmoesi_upper_statistics, NMOESI_UPPER_STATISTIC_COUNT,
                   sizeof(struct nmoesi_upper_statistics)},
};

/* SPDX-License-Identifier: MIT */
#include "mem/protocol/nmoesi/l1.h"

#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/nmoesi/roles.h"
#include "mem/protocol/nmoesi/statistics.h"
#include "mem/protocol/nmoesi/upper.h"

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

static const struct protocol_event l1_events[] = {
    [LOAD_HIT] = {"LOAD_HIT", "load of valid bytes"},
    [PLAIN_HIT] = {"PLAIN_HIT", "plain store to a copy, no other owns the line"},
    [STORE_HIT] = {"STORE_HIT", "coherent store to the only copy"},
    [ATOMIC_HIT] = {"ATOMIC_HIT", "read-modify-write of the only copy"},
    [LOAD_MISS] = {"LOAD_MISS", "load, no copy"},
    [LOAD_AGAIN] =
        {"LOAD_AGAIN",
         "load of bytes that an acquire made invalid, or one with GLC of a copy that may be old"},
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
    [ACQUIRE_RELEASE] = {"ACQUIRE_RELEASE",
                         "the same, that nothing announced (fence_scope=device): a release too"},
    [RELEASE] = {"RELEASE", "release beyond the work-group, or a kernel's end"},
    [RELEASE_EARLY] = {"RELEASE_EARLY", "a release, while stores that came before it wait"},
    [LOCAL] = {"LOCAL", "any of them for the work-group, which shares this cache"},
    [WALK_CUT] = {"WALK_CUT", "turn in an acquire of a line whose clean bytes may be old"},
    [WALK_WRITE] = {"WALK_WRITE", "turn in a release of a line with N's dirty bytes"},
    [WALK_WRITE_CUT] = {"WALK_WRITE_CUT", "the same in an acquire that releases"},
    [WALK_PASS] = {"WALK_PASS", "turn of any other line"},
    [HOST_READ] = {"HOST_READ", "the host reads dirty bytes"},
    [HOST_WRITE] = {"HOST_WRITE", "the host writes memory"},
    [REPLACE] = {"REPLACE", "the way is needed"},
    [PROBE_SEND] = {"PROBE_SEND", "another reads: it is sent the line"},
    [PROBE_HAND_OVER] = {"PROBE_HAND_OVER", "another writes coherently: it is sent the line"},
    [SENT_S] = {"SENT_S", "line, to read, from its owner, who shares it now"},
    [SENT_O] = {"SENT_O", "line, to read, from its owner, who keeps it"},
    [SENT_E] = {"SENT_E", "line, to write, clean, from who had it alone"},
    [SENT_M] = {"SENT_M", "line, to write, dirty, from its owner"},
};

#define l1_probes                                                                                  \
    (EVENT(PROBE_SHARE) | EVENT(PROBE_WRITE_BACK) | EVENT(PROBE_CLEAN) | EVENT(PROBE_DROP) |       \
     EVENT(PROBE_EARLY) | EVENT(PROBE_SEND) | EVENT(PROBE_HAND_OVER))
#define l1_across (EVENT(SENT_S) | EVENT(SENT_O) | EVENT(SENT_E) | EVENT(SENT_M))
#define l1_responses                                                                               \
    (EVENT(DATA_S) | EVENT(DATA_S_PAST) | EVENT(DATA_SO) | EVENT(DATA_SO_PAST) | EVENT(DATA_E) |   \
     EVENT(DATA_M) | EVENT(DATA_N) | EVENT(DATA_N_PAST) | EVENT(MERGED) | l1_across)

/* ---- The table ---- */

#define HOLD &verb_allocate_mshr, &verb_reserve_way, &verb_merge
#define MISS &upper_note_miss, HOLD
#define FILL &nmoesi_fill, &verb_answer_targets
#define FILL_PAST &nmoesi_fill_past, &verb_answer_targets
#define FILL_DIRTY &nmoesi_fill, &upper_mark_dirty, &verb_answer_targets
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
        state, HOST_WRITE, state,                                                                  \
        {                                                                                          \
            &verb_store_line, &verb_acknowledge                                                    \
        }                                                                                          \
    }
/* Of one on its way; `dropped`: its state when a probe has taken the copy. */
#define MOVING(state, dropped, answer)                                                             \
    {state, MERGE, state, {&verb_merge}}, {state, WAIT, state, {&verb_stall_line}},                \
    {                                                                                              \
        state, PROBE_DROP, dropped,                                                                \
        {                                                                                          \
            answer                                                                                 \
        }                                                                                          \
    }
/* Probes for an owner that find none: of an earlier copy, or of one that is N or was. */
#define NO_OWNER(state, answer)                                                                    \
    {state, PROBE_SHARE, state, {answer}},                                                         \
    {                                                                                              \
        state, PROBE_CLEAN, state,                                                                 \
        {                                                                                          \
            answer                                                                                 \
        }                                                                                          \
    }
/* An owner of whom the line is asked for another. */
#define SENDS(state, shared, send, dropped)                                                        \
    {state, PROBE_SEND, shared, {send}},                                                           \
    {                                                                                              \
        state, PROBE_HAND_OVER, dropped,                                                           \
        {                                                                                          \
            &upper_hand_over                                                                       \
        }                                                                                          \
    }
#define PASSES(state)                                                                              \
    {                                                                                              \
        state, WALK_PASS, state,                                                                   \
        {                                                                                          \
            NULL                                                                                   \
        }                                                                                          \
    }
#define CUTS(state) {state, WALK_CUT, state, {&nmoesi_cut}}, PASSES(state)
static const struct protocol_row l1_rows[] = {
    {I, LOAD_MISS, IS, {MISS, &upper_gets}},
    {I, PLAIN_MISS, IN, {MISS, &nmoesi_getn}},
    {I, WRITE_MISS, IM, {MISS, &upper_getm}},
    {I, PROBE_DROP, I, {&upper_gone}},
    NO_OWNER(I, &upper_gone),
    {I, MERGED, I, {&verb_awaited}}, /* before what L2 sends later comes: so in few states */
    {I, ACQUIRE, I, {&nmoesi_acquire}},
    {I, ACQUIRE_RELEASE, I, {&nmoesi_acquire_release}},
    {I, RELEASE, I, {&nmoesi_release}},
    {I, RELEASE_EARLY, I, {&verb_stall_resource}},
    {I, LOCAL, I, {&nmoesi_local, &verb_acknowledge}},

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
    {SO, MERGED, SO, {&verb_awaited}}, /* as in M */
    CUTS(SO),
    {SO, REPLACE, I, {&upper_put}},

    STANDING(E),
    {E, PLAIN_HIT, N, {STORE, &nmoesi_disown}},
    {E, STORE_HIT, M, {STORE}},
    {E, ATOMIC_HIT, M, {ATOMIC}},
    {E, PROBE_SHARE, S, {&upper_shared}},
    {E, PROBE_CLEAN, S, {&upper_shared}},
    SENDS(E, S, &upper_send_shared, I),
    PASSES(E),
    {E, REPLACE, I, {&upper_put}},

    {O, LOAD_HIT, O, {LOAD}},
    {O, PLAIN_ASK, ON, {HOLD, &nmoesi_upgrade_n}},
    {O, UPGRADE, OM, {HOLD, &upper_upgrade}},
    {O, PROBE_SHARE, O, {&upper_owned}},
    {O, PROBE_CLEAN, S, {&upper_shared}},
    SENDS(O, O, &upper_send_owned, I),
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
    SENDS(M, O, &upper_send_owned, I),
    {M, MERGED, M, {&verb_awaited}}, /* a line sent by another cache has passed it */
    PASSES(M),
    {M, HOST_READ, M, {&verb_reply}},
    {M, REPLACE, I, {&upper_put}},

    STANDING(N),
    {N, LOAD_AGAIN, SS, {HOLD, &nmoesi_write_n, &nmoesi_refetch}},
    {N, PLAIN_HIT, N, {STORE}},
    {N, UPGRADE, SM, {HOLD, &nmoesi_write_n, &upper_upgrade}},
    {N, ANSWER_PLAIN, N, {&nmoesi_aside, STORE}},
    {N, MERGED, N, {&verb_awaited}}, /* as in M */
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
    {IS, SENT_S, S, {FILL, &upper_received}}, /* newest even if an acquire has passed */
    {IS, SENT_O, SO, {FILL, &upper_received}},
    {IS, MERGED, IS, {&verb_awaited}},
    PASSES(IS),

    MOVING(IM, IM, &upper_gone),
    NO_OWNER(IM, &upper_gone),
    {IM, DATA_M, M, {FILL}},
    {IM, SENT_E, M, {FILL, &upper_received}},
    {IM, SENT_M, M, {FILL_DIRTY, &upper_received}},
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
    {SN, MERGED, SN, {&verb_awaited}}, /* as in M */
    {SN, WALK_CUT, SN, {&nmoesi_cut}}, /* a release waits for stores before its walk */

    MOVING(OM, IM, &upper_dropped),
    {OM, DATA_M, M, {FILL}},
    {OM, PROBE_SHARE, OM, {&upper_owned}},
    {OM, PROBE_CLEAN, SM, {&upper_shared}},
    SENDS(OM, OM, &upper_send_owned, IM),
    PASSES(OM),

    MOVING(ON, IN, &upper_dropped),
    {ON, PROBE_SHARE, ON, {&upper_owned}},
    {ON, PROBE_CLEAN, SN, {&upper_shared}},
    SENDS(ON, ON, &upper_send_owned, IN),
    {ON, WALK_CUT, ON, {&nmoesi_cut}},
};

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
    .from_across = l1_across,
    .answers_targets = true,
    .classify = nmoesi_classify_l1,
    .is_ordered = nmoesi_is_ordered,
    .line_data = {sizeof(struct upper_line), upper_line_fields},
    .controller_data = {sizeof(struct nmoesi_l1), l1_fields},
    .statistics = {nmoesi_upper_statistics, NMOESI_UPPER_STATISTIC_COUNT,
                   sizeof(struct nmoesi_upper_statistics)},
};

/* SPDX-License-Identifier: MIT */
/*
 * MOESI's L2 slice: an inclusive, blocking directory. Each line knows its owner (who has it in E, M
 * or O) and its sharers.
 *
 * - One transaction a line: while an MSHR holds it, requests wait behind it, in order. Who asked is
 *   a target of the MSHR, and is answered when the line is from memory or all probes are answered.
 *   What it gets (S, E, M, leave alone) is decided then.
 * - Answers to probes and write-backs ask for no room above: what they cause goes up later. So they
 *   are always taken, and nothing can wait in a circle.
 * - A request may come from a node that, says the directory, has the line, but that holds none. It
 *   has overtaken the node's own PUT, and waits for it (state W).
 * - A victim with copies above moves to the write-back buffer (state R) until all are dropped; then
 *   its dirty bytes go to memory.
 * - A transfer from a modified copy goes through this slice. The owner stays in O and its bytes are
 *   not kept here: each later reader asks it again. With moesi.owner_writes_back they are.
 * - With moesi.direct_transfers a request for a line whose owner is the only one to be asked goes
 *   on to that owner (state T). The owner sends the line to who asked. That cache tells this slice,
 *   which lets nothing else begin for the line before. So no probe can meet a line on its way from
 *   another cache. An owner that has given the line up, or whose bytes are to stay here, answers
 *   this slice as without direct transfers. The request is then answered from here.
 *
 * Relies on order: of one line and cache above, all that goes up stays in order. So does what comes
 * down on other channels than that of requests.
 */
#ifndef MEM_PROTOCOL_MOESI_DIRECTORY_H
#define MEM_PROTOCOL_MOESI_DIRECTORY_H

#include "mem/protocol/moesi/messages.h"

enum {
    DIR_I = STATE_INVALID,
    DIR_V,
    DIR_S,
    DIR_X,
    DIR_O,
    DIR_F,
    DIR_B,
    DIR_D,
    DIR_W,
    DIR_R,
    DIR_T,
    DIR_MOESI_STATES
};

enum {
    DIR_READ_E,
    DIR_READ_S,
    DIR_READ_PLAIN,
    DIR_READ_OWNED,
    DIR_WRITE,
    DIR_WRITE_HELD,
    DIR_MISS,
    DIR_MERGE,
    DIR_WAIT,
    DIR_OVERTOOK,
    DIR_FILL,
    DIR_ANSWER_E,
    DIR_ANSWER_S,
    DIR_ANSWER_PLAIN,
    DIR_ANSWER_M,
    DIR_PUT,
    DIR_PUT_SHARED,
    DIR_PUT_OWNED,
    DIR_PUT_LAST,
    DIR_OWNED,
    DIR_SHARED,
    DIR_GONE_SHARED,
    DIR_GONE_LAST,
    DIR_DROPPED,
    DIR_DROPPED_LAST,
    DIR_FLUSH,
    DIR_WALK,
    DIR_HOST_READ,
    DIR_HOST_WRITE,
    DIR_REPLACE,
    DIR_RECALL,
    DIR_READ_SENT,
    DIR_WRITE_SENT,
    DIR_SENT_O,
    DIR_SENT_S,
    DIR_SENT_M,
    DIR_MOESI_EVENTS
};

/* Of a transaction. */
struct moesi_transaction {
    uint16_t awaited; /* W: 1 + the node whose PUT it waits for */
    uint8_t is_write; /* its targets are one that writes, not those that read */
};

/* ---- Who has the line ---- */

static inline struct moesi_transaction *directory_transaction(const struct step *step)
{
    return controller_mshr_data(step->controller, step->mshr);
}

static inline struct node_set directory_holders(const struct line *line)
{
    struct node_set set = line->sharers;

    if (line->owner != NO_INDEX)
        node_set_add(&set, line->owner);
    return set;
}

static inline struct node_set directory_holders_but(const struct line *line, uint16_t node)
{
    struct node_set set = directory_holders(line);

    if (node < NODE_SET_NODES)
        node_set_remove(&set, node);
    return set;
}

static inline bool directory_is_held_by(const struct line *line, uint16_t node)
{
    return line->owner == node || (node < NODE_SET_NODES && node_set_has(&line->sharers, node));
}

static inline void directory_forget(struct line *line, uint16_t node)
{
    if (line->owner == node)
        line->owner = NO_INDEX;
    else
        node_set_remove(&line->sharers, node);
}

extern const struct protocol_field directory_transaction_fields[];

/* The event of a stimulus that is MOESI's. */
uint8_t moesi_classify_directory(const struct step *step, enum protocol_stimulus stimulus);

/* Of a request for a line or for leave. */
uint8_t directory_classify_request(const struct step *step);

/* UP, to whom the step's message is from: the kind, with those bytes. */
void directory_give(struct step *step, uint8_t kind, uint64_t mask, const unsigned char *data);
/* Later UP: the probe to the owner, who alone will answer. */
void directory_ask_owner(struct step *step, uint8_t kind);

/* ---- Actions ---- */

extern const struct protocol_action directory_grant_e, directory_grant_s,
    directory_grant_m,                            /* UP: the line; its node has it now */
    directory_reply_plain,                        /* UP: LOAD_REPLY */
    directory_note_kind,                          /* what the transaction's targets are */
    directory_probe_owner,                        /* later UP: PROBE_SHARE */
    directory_send, directory_hand_over,          /* UP, to the owner: the request, as a probe */
    directory_note_reader, directory_note_writer, /* who has told that the line has come */
    directory_probe_others, /* later UP: PROBE_INVALIDATE to all that have the line but who asks */
    directory_recall,       /* to the write-back buffer; later UP: RECALL to all that have it */
    directory_await, directory_count, directory_take, /* bytes into the line, their node has none */
    directory_pass,         /* bytes into the MSHR, under the line's others: for readers */
    directory_owner_shares, /* bytes into the line, their node is a sharer */
    directory_gather,       /* bytes into the write-back buffer's entry */
    directory_write_gathered, directory_write_to_memory; /* DOWN: WRITE */

#endif

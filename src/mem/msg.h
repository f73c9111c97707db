/* SPDX-License-Identifier: MIT */
/*
 * The message: the only thing that a compute unit, a cache, a memory channel or a
 * transactional-memory system sends to another. Data travels in it.
 *
 *   compute unit ── LOAD, STORE, ATOMIC, INVALIDATE ──► L1 ──► crossbar ──► L2 slice
 *        ▲                                               │                     │  READ, WRITE
 *        └────────────────── *_REPLY ◄───────────────────┴─────────────────────┴─► memory channel
 *
 * A message is about one line of LINE_BYTES bytes; `mask` says which bytes of it are meant,
 * `data[i]` is byte i of the line. Kinds from MESSAGE_PROTOCOL up belong to the coherence protocol
 * that is in force (its own requests, probes and acknowledgements). It declares for each its name,
 * virtual channel and whether it carries data (struct message_kind).
 *
 * Payloads of many addresses (logs, validation, packed commits): entry_count > 0, and data holds
 * that many struct message_entry. Then addr and mask mean what the sender and receiver have agreed.
 * TRANSACTION and its reply pass no cache (mem/junction.h); caches do not know them.
 *
 * Plain data: may be copied and compared; unused fields are zero.
 */
#ifndef MEM_MSG_H
#define MEM_MSG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/bits.h"
#include "base/read_modify_write.h"
#include "mem/journey.h"

enum { LINE_BYTES = 64, MESSAGE_MAX_ENTRIES = 8 };

/* Kinds that all parts know. A request is answered by the kind right after it. */
enum {
    MESSAGE_NONE,
    MESSAGE_LOAD,         /* bytes `mask` are wanted */
    MESSAGE_LOAD_REPLY,   /* data valid under mask, which covers the request's */
    MESSAGE_STORE,        /* data under mask */
    MESSAGE_STORE_REPLY,  /* the store has reached the point where all compute units see it */
    MESSAGE_ATOMIC,       /* read-modify-write of each word that mask names, see below */
    MESSAGE_ATOMIC_REPLY, /* done; the old words under mask if the request has `returns` */
    MESSAGE_INVALIDATE, /* acquire: later loads must not see what the cache holds now, see below */
    MESSAGE_INVALIDATE_REPLY,
    MESSAGE_FLUSH, /* release: what is dirty above must reach the level of `scope` */
    MESSAGE_FLUSH_REPLY,
    MESSAGE_READ, /* to memory: the bytes of mask (usually a whole line) */
    MESSAGE_READ_REPLY,
    MESSAGE_WRITE, /* to memory: data under mask */
    MESSAGE_WRITE_REPLY,
    MESSAGE_HOST_READ, /* the host's transfers: see dirty lines, leave them dirty */
    MESSAGE_HOST_READ_REPLY,
    MESSAGE_HOST_WRITE, /* cached copies of the bytes are dropped or updated */
    MESSAGE_HOST_WRITE_REPLY,
    MESSAGE_TRANSACTION, /* of a transactional memory, to its part at a memory channel, see below */
    MESSAGE_TRANSACTION_REPLY, /* from there */
    MESSAGE_PROTOCOL = 24,     /* the protocol's own kinds, up to MESSAGE_KINDS */
    MESSAGE_KINDS = 64
};

/* Virtual channels. What a cache sends on handling a message must find room before that message can
 * go. A protocol's tables say what that is (struct protocol_action), and protocol_check that no
 * circle of such waits is possible. */
enum message_channel {
    CHANNEL_REQUEST, /* toward memory */
    /* toward memory, never behind requests where these are apart (mem/lane.h) */
    CHANNEL_WRITE_BACK,
    CHANNEL_PROBE,    /* toward the compute units */
    CHANNEL_RESPONSE, /* always sinkable */
    CHANNEL_COUNT
};

struct message_kind {
    const char *name; /* "LOAD" */
    uint8_t channel;  /* enum message_channel */
    bool has_data;    /* carries the bytes of mask as payload (for sizes) */
    /* A protocol's request: the common kind that statistics take it for. A probe that has one is a
     * request that goes on to a copy: its `source` is still who asked. */
    uint8_t counts_as;
};

static inline bool message_kind_is_forwarded(const struct message_kind *kind)
{
    return kind->channel == CHANNEL_PROBE && kind->counts_as != MESSAGE_NONE;
}

enum message_scope { SCOPE_WAVEFRONT, SCOPE_WORK_GROUP, SCOPE_DEVICE, SCOPE_SYSTEM };
enum message_order { ORDER_RELAXED, ORDER_ACQUIRE, ORDER_RELEASE, ORDER_ACQUIRE_RELEASE };

/* What scope and order say of
 *
 * - LOAD, STORE, ATOMIC: the standard atomic that the access is. A plain access: SCOPE_WAVEFRONT,
 *   and RELAXED; without a hint a load with GLC and each atomic have SCOPE_DEVICE. Sequential
 *   consistency is ACQUIRE on loads, RELEASE on stores, both on atomics.
 * - INVALIDATE: RELAXED, if it completes an acquire that came before as an access, with the same
 *   scope and `remote`. ACQUIRE, if it is an acquire fence, or a kernel's start (SCOPE_SYSTEM).
 *   ACQUIRE_RELEASE, if nothing was said (barrier, mem_fence). It is an acquire of the device, in a
 *   program whose releases cannot be seen either. Where the protocol has local fences it is one of
 *   the work-group.
 * - FLUSH: RELEASE, and the scope that the bytes must reach; at a kernel's end SCOPE_SYSTEM. The
 *   bytes are those of all stores that came before it, those that wait for their lines too. */

/* Who is behind a request; replies bring it back unchanged. */
struct message_requester {
    uint16_t unit;      /* compute unit number; REQUESTER_* otherwise */
    uint16_t wavefront; /* wavefront slot of the unit */
    uint16_t entry;     /* the requester's own: memory instruction slot */
    uint16_t part;      /* the requester's own: which access of that instruction */
};
/* KERNEL: a launch's start or end, which every compute unit tells its caches. */
enum {
    REQUESTER_HOST = 0xffff,
    REQUESTER_COMMIT = 0xfffe, /* a transactional memory's part at a memory channel */
    REQUESTER_KERNEL = 0xfffd,
    REQUESTER_LOG = 0xfffc,         /* its part beside a compute unit's L1 */
    REQUESTER_COMMIT_IDEAL = 0xfffb /* as COMMIT; its loads hit wherever their line is */
};

struct message {
    uint64_t addr; /* device address of the line (a multiple of LINE_BYTES) */
    uint64_t mask; /* bytes of the line */
    uint8_t kind;
    uint8_t port; /* of the cache above that it came in by (a scalar cache serves several compute
                     units) */
    uint16_t
        source; /* node that sent it into the network, see machine: upper caches first, then host */
    uint16_t destination; /* node that it is for */
    bool glc, slc;
    bool returns; /* ATOMIC: the old value is wanted */
    bool remote;  /* remote scope promotion */
    uint8_t scope, order;
    uint8_t rmw; /* enum rmw_op; TRANSACTION: the system's own kind; STORE: see MESSAGE_KEEPS */
    uint8_t word_bytes;  /* ATOMIC: 4 or 8 */
    uint8_t entry_count; /* 0: data is the line's bytes */
    uint8_t acks;        /* protocol: acknowledgements to expect */
    uint32_t transaction;
    struct message_requester requester;
    uint32_t journey_number;
    struct journey *journey; /* of the request: where its time went; NULL: that is not asked */
    unsigned char data[LINE_BYTES];
};

/* ATOMIC operands: the word at line offset o has its operand at data[o], so at most one lane per
 * word and message. Compare-and-swap kinds (and MASK_OR) need two operands: mask then lies within
 * one half of the line (32 bytes). The operand of offset o is at data[o % 32] and the compare value
 * at data[32 + o % 32]. Replies hold old words at data[o]. */

/* rmw of a STORE that takes each step of a store and leaves all bytes as they are. It passes upper
 * caches by (glc), and memory knows it under the protocol `si` only: mem/cache_ideal.c. */
enum { MESSAGE_KEEPS = 1 };

struct message_entry {
    uint32_t word; /* device address / 4, low 32 bits */
    uint32_t value;
};

static inline bool message_keeps_bytes(const struct message *message)
{
    return message->rmw == MESSAGE_KEEPS && message->kind == MESSAGE_STORE;
}

static inline bool message_is_of_commit(const struct message *message)
{
    return message->requester.unit == REQUESTER_COMMIT ||
           message->requester.unit == REQUESTER_COMMIT_IDEAL;
}

/* Whether it is about the whole cache, not about a line. */
static inline bool message_is_about_all(const struct message *message)
{
    return message->kind >= MESSAGE_INVALIDATE && message->kind <= MESSAGE_FLUSH_REPLY;
}

/* Payload in bytes, apart from the header (whose size is a parameter of the network). */
static inline uint32_t message_payload_bytes(const struct message *message,
                                             const struct message_kind *kind)
{
    if (message->entry_count > 0)
        return message->entry_count * (uint32_t)sizeof(struct message_entry);
    return kind->has_data ? count_bits(message->mask) : 0;
}

/* The message's journey, unless that has ended; NULL: none. */
static inline struct journey *message_journey(const struct message *message)
{
    struct journey *journey = message->journey;

    return journey != NULL && journey->number == message->journey_number ? journey : NULL;
}

/* Its journey was `part` until `cycle`, which may lie ahead. */
static inline void message_stamp(const struct message *message, unsigned part, uint64_t cycle)
{
    struct journey *journey = message_journey(message);

    if (journey != NULL)
        journey_until(journey, part, cycle);
}

static inline void message_set_journey(struct message *message, struct journey *journey)
{
    message->journey = journey;
    message->journey_number = journey != NULL ? journey->number : 0;
}

/* The kinds of the list above; a protocol's own come from its struct protocol. */
const struct message_kind *message_common_kind(unsigned kind);

#endif

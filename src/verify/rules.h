/* SPDX-License-Identifier: MIT */
/*
 * What verification knows of a protocol: what it promises to programs, and deliberate faults, each
 * of which some check must find. One file for each protocol in verify/rules/, and a list. A
 * protocol without a file is held to the weakest promise (promise_of) and has no faults of its own.
 *
 * A deliberate fault changes a copy of the protocol's tables (mutate.h), so that neither the tables
 * nor the mechanism know of it.
 */
#ifndef VERIFY_RULES_H
#define VERIFY_RULES_H

#include "mem/protocol.h"

struct promise {
    /* Plain loads see every store that was answered before they were sent; else only those that
     * were published before the L1's latest acquire. */
    bool is_coherent;
    /* A plain store is published when it is answered; else by a release that its L1 was sent after
     * it, when that is answered. Atomics and coherent stores always are when they are answered. */
    bool publishes_stores;
    /* Whether coherent loads (GLC, device scope) and stores (device scope) do something else than
     * plain ones. */
    bool tells_loads_apart, tells_stores_apart;
    /* L1 states that own the line. The directory knows that what is dirty in them is newer than its
     * own bytes, and gives these to no other. " M O "; NULL: none. */
    const char *owners;
    /* L1 states in which a copy is asked for again, whose clean bytes the answer will replace
     * whatever they are. " SM "; NULL: none. */
    const char *replaced;
    /* L1 states that may be the only ones that can be read: " M E "; NULL: no such promise. */
    const char *exclusive;
};

enum mutation_kind {
    LEAVES_OUT, /* the action `what` of the row */
    GOES_TO,    /* the row's next state is `what` */
    TAKES_FOR,  /* in that state the event is taken for the event `what` */
    BREAKS      /* the switch `what` of debug.break */
};

struct mutation {
    const char *name;
    const char *help; /* what it leaves out */
    enum mutation_kind kind;
    enum protocol_role_kind role;
    const char *state, *event; /* NULL state: all states that have a row */
    const char *what;
    const char *needs; /* the setting without which it is never met; NULL: none */
};

struct rules {
    const char *protocol;
    struct promise promise;
    const struct mutation *mutations;
    uint32_t mutation_count;
};

/* NULL-terminated (verify/rules/list.c). */
extern const struct rules *const all_rules[];
/* Of the protocol of that name; no faults, if it has no file. The promise: promise_of. */
const struct rules *rules_of(const char *protocol);
/* Its rules'; without a file the weakest that what the protocol declares of itself allows. */
struct promise promise_of(const struct protocol *protocol);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What upper caches and directory say to each other under MOESI and NMOESI. Bytes travel under the
 * mask; what is dirty is what the level below does not have.
 */
#ifndef MEM_PROTOCOL_MOESI_MESSAGES_H
#define MEM_PROTOCOL_MOESI_MESSAGES_H

#include "mem/protocol.h"

/* A kind whose answer carries data stands before such a kind (mem/cache.c asks). */
enum {
    MOESI_GETS = MESSAGE_PROTOCOL, /* a copy to read; the only one may come as E */
    MOESI_DATA_S,
    MOESI_GETR, /* the same for a read-only cache: S */
    MOESI_DATA_E,
    MOESI_GETM, /* the line to write, no copy here; mask: the bytes that will be written */
    MOESI_DATA_M,
    MOESI_UPGRADE,          /* leave to write a copy that is here; mask: as GETM */
    MOESI_GRANT_M,          /* leave alone: the copy was still here */
    MOESI_PUT,              /* the line is given up; dirty bytes */
    MOESI_PROBE_SHARE,      /* to the owner: another reads */
    MOESI_PROBE_INVALIDATE, /* another writes; mask: which bytes */
    MOESI_RECALL,           /* L2 gives the line up */
    MOESI_GONE,             /* answer to a probe: no copy here */
    MOESI_SHARED,           /* to PROBE_SHARE: now S; dirty bytes */
    MOESI_OWNED,            /* to PROBE_SHARE: now O; dirty bytes, which stay the owner's affair */
    MOESI_DROPPED,          /* to the others: now I; dirty bytes */
    /* Direct transfers: the request goes on to the owner, whose answer goes to who asked, who tells
     * the directory. */
    MOESI_PROBE_SEND,      /* to the owner: another reads; source: that one */
    MOESI_PROBE_HAND_OVER, /* the same, another writes; mask: which bytes */
    MOESI_SENT_S,          /* across: the line, to read; its owner shares it from now on */
    MOESI_SENT_O,          /* the same, its owner keeps it */
    MOESI_SENT_E,          /* the line to write; it is clean */
    MOESI_SENT_M,          /* the line to write; it is dirty, all of it */
    MOESI_RECEIVED,        /* the line has come from its owner, who keeps it or has let it go */
    MOESI_RECEIVED_S,      /* the same, who shares it */
    MOESI_KINDS_END
};

#define MOESI_KINDS                                                                                \
    {"GETS", CHANNEL_REQUEST, false, MESSAGE_LOAD},                                                \
        {"DATA_S", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"GETR", CHANNEL_REQUEST, false, MESSAGE_LOAD},                                            \
        {"DATA_E", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"GETM", CHANNEL_REQUEST, false, MESSAGE_STORE},                                           \
        {"DATA_M", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"UPGRADE", CHANNEL_REQUEST, false, MESSAGE_STORE},                                        \
        {"GRANT_M", CHANNEL_RESPONSE, false, MESSAGE_NONE},                                        \
        {"PUT", CHANNEL_WRITE_BACK, true, MESSAGE_NONE},                                           \
        {"PROBE_SHARE", CHANNEL_PROBE, false, MESSAGE_NONE},                                       \
        {"PROBE_INVALIDATE", CHANNEL_PROBE, false, MESSAGE_NONE},                                  \
        {"RECALL", CHANNEL_PROBE, false, MESSAGE_NONE},                                            \
        {"GONE", CHANNEL_RESPONSE, false, MESSAGE_NONE},                                           \
        {"SHARED", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"OWNED", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                           \
        {"DROPPED", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                         \
        {"PROBE_SEND", CHANNEL_PROBE, false, MESSAGE_LOAD},                                        \
        {"PROBE_HAND_OVER", CHANNEL_PROBE, false, MESSAGE_STORE},                                  \
        {"SENT_S", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"SENT_O", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"SENT_E", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"SENT_M", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"RECEIVED", CHANNEL_RESPONSE, false, MESSAGE_NONE},                                       \
    {                                                                                              \
        "RECEIVED_S", CHANNEL_RESPONSE, false, MESSAGE_NONE                                        \
    }

/* DOWN, in place of the stimulus: about the step's line, with those bytes of it (line NULL: none). */
void moesi_tell(struct step *step, uint8_t kind, uint64_t mask, const struct line *line);
/* DOWN: a request for the step's line on behalf of the step's message. */
void moesi_ask(struct step *step, uint8_t kind);

#endif

/* SPDX-License-Identifier: MIT */
/* What NMOESI's caches say to each other beside what MOESI's do. */
#ifndef MEM_PROTOCOL_NMOESI_MESSAGES_H
#define MEM_PROTOCOL_NMOESI_MESSAGES_H

#include "mem/protocol/moesi/messages.h"

/* Kinds on the channel of requests stay in the order in which a cache sent them. */
enum {
    NMOESI_REFETCH = MOESI_KINDS_END, /* a copy is here, but an acquire has made bytes invalid */
    NMOESI_DATA_SO,                   /* as DATA_S; another owns the line */
    NMOESI_GETN,                      /* the line for a plain store, no copy here */
    NMOESI_DATA_N,
    NMOESI_UPGRADE_N, /* leave for a plain store to a copy that is here, while one owns the line */
    NMOESI_PROBE_CLEAN, /* to the owner: its dirty bytes are wanted below; it keeps S */
    NMOESI_DISOWN,      /* the only copy is N from now on: its node is a sharer */
    NMOESI_PUT_N,       /* an N copy is given up; dirty bytes */
    NMOESI_PUT_N_ACK,   /* they are below */
    NMOESI_WRITE_N,     /* a release: dirty bytes; the copy stays, in S */
    NMOESI_WRITE_N_ACK,
    NMOESI_KINDS_END
};

#define NMOESI_KINDS                                                                               \
    {"REFETCH", CHANNEL_REQUEST, false, MESSAGE_LOAD},                                             \
        {"DATA_SO", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                         \
        {"GETN", CHANNEL_REQUEST, false, MESSAGE_STORE},                                           \
        {"DATA_N", CHANNEL_RESPONSE, true, MESSAGE_NONE},                                          \
        {"UPGRADE_N", CHANNEL_REQUEST, false, MESSAGE_STORE},                                      \
        {"PROBE_CLEAN", CHANNEL_PROBE, false, MESSAGE_NONE},                                       \
        {"DISOWN", CHANNEL_REQUEST, false, MESSAGE_NONE},                                          \
        {"PUT_N", CHANNEL_REQUEST, true, MESSAGE_NONE},                                            \
        {"PUT_N_ACK", CHANNEL_RESPONSE, false, MESSAGE_NONE},                                      \
        {"WRITE_N", CHANNEL_REQUEST, true, MESSAGE_NONE},                                          \
    {                                                                                              \
        "WRITE_N_ACK", CHANNEL_RESPONSE, false, MESSAGE_NONE                                       \
    }

#endif

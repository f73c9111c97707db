/* SPDX-License-Identifier: MIT */
/* What upper caches do under MOESI and NMOESI: what they ask for, and what they answer to probes. */
#ifndef MEM_PROTOCOL_MOESI_UPPER_H
#define MEM_PROTOCOL_MOESI_UPPER_H

#include "mem/protocol/moesi/messages.h"
#include "mem/protocol/moesi/statistics.h"

/* Of a line, where the role declares it. */
struct upper_line {
    uint64_t touched; /* bytes read or written here since the copy came */
};
extern const struct protocol_field upper_line_fields[];

extern const struct protocol_action
    upper_note_miss, /* before the way is taken: whose doing it is */
    upper_touch,     /* the message's bytes were used here */
    upper_gets, upper_getr, upper_getm, upper_upgrade, /* DOWN: the request */
    upper_gone,                                        /* DOWN: GONE */
    upper_shared,  /* DOWN: SHARED with the dirty bytes, which are clean from now on */
    upper_owned,   /* DOWN: OWNED with the dirty bytes, which stay dirty */
    upper_dropped, /* DOWN: DROPPED with the dirty bytes; the line has no bytes any more */
    upper_put,     /* DOWN: PUT with the dirty bytes */
    upper_send_shared, upper_send_owned, /* ACROSS, to who asked: SENT_S, SENT_O */
    upper_hand_over,  /* ACROSS: SENT_E, or SENT_M if bytes are dirty; the line has none any more */
    upper_mark_dirty, /* the whole line, which came so */
    upper_received;   /* DOWN: RECEIVED, or RECEIVED_S */

/* The counters of the step's cache. */
struct moesi_upper_statistics *upper_statistics(const struct step *step);

#endif

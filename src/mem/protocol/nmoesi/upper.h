/* SPDX-License-Identifier: MIT */
/* What NMOESI's upper caches do beside what MOESI's do. */
#ifndef MEM_PROTOCOL_NMOESI_UPPER_H
#define MEM_PROTOCOL_NMOESI_UPPER_H

#include "mem/protocol/moesi/upper.h"
#include "mem/protocol/nmoesi/messages.h"

/* Of an L1. */
struct nmoesi_l1 {
    uint8_t acquire_releases; /* the acquire in progress is a release too */
};

extern const struct protocol_action nmoesi_refetch, nmoesi_getn,
    nmoesi_upgrade_n, /* DOWN: the request */
    nmoesi_fill,      /* reply data into the line, dirty bytes keep theirs, and into the MSHR */
    nmoesi_fill_past, /* into the MSHR alone: an acquire has passed */
    nmoesi_aside,     /* a plain store into the MSHR too: for loads that are answered later */
    nmoesi_reply,     /* UP: the line's valid bytes, and the MSHR's for others */
    nmoesi_cut,       /* bytes that are not dirty become invalid */
    nmoesi_write_n,   /* DOWN: WRITE_N with the dirty bytes, which are clean from now on */
    nmoesi_put_n,     /* DOWN: PUT_N */
    nmoesi_disown,    /* DOWN: DISOWN */
    nmoesi_local,     /* a fence that nothing announced is counted */
    nmoesi_keep,      /* DOWN: SHARED without bytes: a copy that is not owned any more */
    nmoesi_acquire, nmoesi_acquire_release, nmoesi_release; /* walks */

#endif

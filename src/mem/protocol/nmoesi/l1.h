/* SPDX-License-Identifier: MIT */
/*
 * NMOESI's L1: MOESI's (mem/protocol/moesi/l1.h), and N for plain stores.
 *
 * - A plain store makes a copy N. Any number of caches may have the line in N, each with bytes of
 *   its own dirty, and the directory knows them as sharers. A miss fetches the line (GETN). A
 *   shared copy becomes N without a word, an exclusive one tells the directory (DISOWN); a modified
 *   one stays M.
 * - O never stands beside N. Where another owns the line (state SO), or this cache does (O), a
 *   plain store asks first (UPGRADE_N). The owner writes back and becomes a sharer.
 * - Read-modify-writes, and stores with GLC or of device scope, are MOESI's. They get the line with
 *   the leave, since clean bytes of S and N may be older than others' merged ones.
 * - An acquire makes the clean bytes of S and N invalid. The copy stays known to the directory; loads
 *   fetch again (REFETCH). E, O and M are never old: bytes are merged below only after their owner
 *   has become a sharer. What an older request fetches answers older loads alone.
 * - A load with GLC or of device scope sees what was released: it fetches S and N copies again.
 * - A release sends dirty bytes of N copies below; the copies stay in S. It waits until all that
 *   was sent so has been acknowledged, of lines given up too.
 * - An acquire that nothing announced (barrier, mem_fence) is for the work-group, which shares this
 *   cache; with fence_scope=device it is acquire and release.
 * - A line that its owner sends (direct_transfers) is newest when it comes, whatever acquire has passed:
 *   the directory lets no store begin before. It may pass an acknowledgement of bytes sent earlier.
 * - All requests, PUT_N, WRITE_N and DISOWN among them, stay in order to a line. A cache that asks for
 *   a line of which it has N bytes sends these first, so that what comes has them.
 */
#ifndef MEM_PROTOCOL_NMOESI_L1_H
#define MEM_PROTOCOL_NMOESI_L1_H

#include "mem/protocol/nmoesi/messages.h"

enum { I = STATE_INVALID, S, SO, E, O, M, N, IS, IM, IN, SS, SM, SN, OM, ON, STATES };

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
    PROBE_SEND,
    PROBE_HAND_OVER,
    SENT_S,
    SENT_O,
    SENT_E,
    SENT_M,
    EVENTS
};

/* The event of a stimulus. */
uint8_t nmoesi_classify_l1(const struct step *step, enum protocol_stimulus stimulus);
/* Of the role: see moesi/parameters.h, store_order. */
bool nmoesi_is_ordered(const void *parameters, const struct message *access);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * MOESI's L1: write-back, write-allocate. Stores and atomics are done in E and M alone.
 *
 * - A miss takes a way and an MSHR at once and holds both. Requests that the line on its way can
 *   answer join it, and are answered in order when it is here. Probes wait for that, so that each
 *   line that was fetched serves at least those that asked for it.
 * - A store or atomic to a copy in S or O asks for leave (UPGRADE). If a probe takes the copy
 *   meanwhile, the directory sees that it holds none and sends the line with the leave.
 * - A line that is given up is told to the directory, with its dirty bytes (PUT), and forgotten.
 *   Write-backs and answers to probes are one stream per line: an answer GONE comes after the PUT.
 *   A request may overtake the PUT; the directory waits for it.
 * - A line may come from its owner (direct_transfers): that is told to the directory, which awaits it.
 *   What was dirty there is dirty here, the whole line, since L2 does not have it.
 * - With store_order=program stores and atomics wait for all older accesses, and younger ones for
 *   them, as in Multi2Sim 4.2; one to the line of the store that is on its way joins it.
 * - GLC, SLC, acquires and releases ask for nothing: every copy is as new as there is.
 */
#ifndef MEM_PROTOCOL_MOESI_L1_H
#define MEM_PROTOCOL_MOESI_L1_H

#include "mem/protocol/moesi/messages.h"

enum { L1_I = STATE_INVALID, L1_S, L1_E, L1_O, L1_M, L1_IS, L1_IM, L1_SM, L1_OM, L1_MOESI_STATES };

enum {
    L1_LOAD_HIT,
    L1_STORE_HIT,
    L1_ATOMIC_HIT,
    L1_LOAD_MISS,
    L1_WRITE_MISS,
    L1_UPGRADE,
    L1_MERGE,
    L1_WAIT,
    L1_DATA_S,
    L1_DATA_E,
    L1_DATA_M,
    L1_GRANT_M,
    L1_ANSWER_LOAD,
    L1_ANSWER_STORE,
    L1_ANSWER_ATOMIC,
    L1_PROBE_SHARE,
    L1_PROBE_WRITE_BACK,
    L1_PROBE_DROP,
    L1_PROBE_EARLY,
    L1_SYNCHRONIZE,
    L1_HOST_READ,
    L1_HOST_WRITE,
    L1_REPLACE,
    L1_PROBE_SEND,
    L1_PROBE_HAND_OVER,
    L1_SENT_S,
    L1_SENT_O,
    L1_SENT_E,
    L1_SENT_M,
    L1_MOESI_EVENTS
};

#endif

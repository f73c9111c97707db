/* SPDX-License-Identifier: MIT */
/* Who gives out commit IDs: one for the machine, in the order in which compute units ask. Those
 * of one cycle are served in turns, beginning with another unit in each. IDs begin with 1.
 *
 * With no cycles (kilotm.commit_id_cycles=0) those who ask in an instant have their IDs when it
 * ends. Their asking is gathered unit by unit, and served when the instant closes. */
#ifndef TM_KILOTM_VENDOR_H
#define TM_KILOTM_VENDOR_H

#include "tm/tm.h"

/* Packets: ASK with how many in `id`, GRANT with the first. */
enum { VENDOR_ASK, VENDOR_GRANT };
enum { VENDOR_PACKET_BYTES = 8 };

/* In a unit's tick: `count` IDs for the wavefront slot. The answer is a GRANT. */
void vendor_ask(struct port *to_vendor, uint16_t unit, uint16_t slot, uint32_t count);

struct tm_centre *vendor_create(const struct tm_system *system, const struct tm_options *options);
void vendor_destroy(struct tm_centre *centre);

#endif

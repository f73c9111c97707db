/* SPDX-License-Identifier: MIT */
/* Who gives out commit IDs: one for the machine, in the order in which compute units ask. Those
 * of one cycle are served in turns, beginning with another unit in each. IDs begin with 1. */
#ifndef TM_KILOTM_VENDOR_H
#define TM_KILOTM_VENDOR_H

#include "tm/tm.h"

/* Packets: ASK with how many in `id`, GRANT with the first. */
enum { VENDOR_ASK, VENDOR_GRANT };
enum { VENDOR_PACKET_BYTES = 8 };

struct tm_centre *vendor_create(const struct tm_system *system, const struct tm_options *options);
void vendor_destroy(struct tm_centre *centre);

#endif

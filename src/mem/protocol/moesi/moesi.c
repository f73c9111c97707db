/* SPDX-License-Identifier: MIT */
/*
 * MOESI: coherent write-back L1s under an inclusive directory in L2, as Candel (2014) takes it for
 * the base in 6.1.1 and 7.3. Where it departs from that text: a store to a line in O asks for leave
 * and invalidates the sharers. The text's "written locally without changes of state" would leave
 * them stale.
 */
#include "mem/protocol/moesi/messages.h"
#include "mem/protocol/moesi/parameters.h"
#include "mem/protocol/moesi/roles.h"

static const struct message_kind kinds[] = {MOESI_KINDS};
_Static_assert(COUNT(kinds) == MOESI_KINDS_END - MESSAGE_PROTOCOL, "a kind for each number");

static const struct moesi_parameters defaults = {.store_order = "line"};

static bool sends_across(const void *parameters)
{
    return ((const struct moesi_parameters *)parameters)->direct_transfers != 0;
}

extern const struct protocol protocol_moesi;
const struct protocol protocol_moesi = {
    .name = "moesi",
    .help = "write-back L1s, inclusive directory in L2, cache-to-cache transfers (Candel 2014, "
            "6.1.1)",
    .roles = {[ROLE_L1] = &moesi_l1,
              [ROLE_SCALAR] = &moesi_scalar,
              [ROLE_INSTRUCTION] = &moesi_instruction,
              [ROLE_L2] = &moesi_directory},
    .kinds = kinds,
    .kind_count = COUNT(kinds),
    .sends_across = sends_across,
    .parameters = &defaults,
};

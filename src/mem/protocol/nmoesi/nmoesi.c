/* SPDX-License-Identifier: MIT */
/*
 * NMOESI: MOESI, and a state N for the plain stores of a GPU, as Candel (2014) describes it in
 * 6.1.2. The line is fetched, many caches may have it in N, and each copy's dirty bytes are merged
 * below. What MOESI departs from holds here too. Multi2Sim, which the text is about, has no dirty
 * masks, no acquires and no releases; these are built as the text's words ask for.
 */
#include "mem/protocol/moesi/roles.h"
#include "mem/protocol/nmoesi/messages.h"
#include "mem/protocol/nmoesi/parameters.h"
#include "mem/protocol/nmoesi/roles.h"

static const struct message_kind kinds[] = {MOESI_KINDS, NMOESI_KINDS};
_Static_assert(COUNT(kinds) == NMOESI_KINDS_END - MESSAGE_PROTOCOL, "a kind for each number");

static const struct nmoesi_parameters defaults = {.fence_scope = "work-group",
                                                  .store_order = "line"};

static bool sends_across(const void *parameters)
{
    return ((const struct nmoesi_parameters *)parameters)->direct_transfers != 0;
}

extern const struct protocol protocol_nmoesi;
const struct protocol protocol_nmoesi = {
    .name = "nmoesi",
    .help = "MOESI, with a non-coherent state for plain stores, merged at releases (Candel 2014, "
            "6.1.2)",
    .flushes_at_release = true,
    .flushes_before_releases = true,
    .roles = {[ROLE_L1] = &nmoesi_l1,
              [ROLE_SCALAR] = &nmoesi_scalar,
              [ROLE_INSTRUCTION] = &moesi_instruction,
              [ROLE_L2] = &nmoesi_directory},
    .kinds = kinds,
    .kind_count = COUNT(kinds),
    .sends_across = sends_across,
    .has_local_fences = nmoesi_has_local_fences,
    .wide_fences = "nmoesi.fence_scope=device",
    .parameters = &defaults,
};

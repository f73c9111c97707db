/* SPDX-License-Identifier: MIT */
/*
 * The coalescer: the addresses of lanes of one instruction become accesses to lines, each with a
 * mask of bytes. Which lanes these are is cu.coalesced_lanes: a quarter of a wavefront or more.
 *
 *     loads, stores   one access per line that an active lane touches, in the order of the first
 *                     lane that does; a lane whose element crosses a line takes part in two
 *     atomics         one word per lane, so that lanes with the same word go to successive
 *                     accesses; with two operands an access stays within half a line (mem/msg.h)
 *
 * Pure: no time, no state. Inactive lanes do not exist for it. Accesses of lanes that are not given
 * to it together are never merged.
 * Source: F. Candel, Caracterizacion del sistema de memoria de una GPGPU (2014), 4.1.4 (a
 * subwavefront's accesses are combined into one or more).
 */
#ifndef GPU_COALESCER_H
#define GPU_COALESCER_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"
#include "mem/msg.h"

enum { QUARTER_LANES = 16, ACCESSES_MAX = 2 * ISA_MAX_LANES };

struct access {
    uint64_t line;  /* device address, a multiple of LINE_BYTES */
    uint64_t mask;  /* bytes */
    uint64_t lanes; /* that take part */
};

struct access_list {
    uint32_t count;
    struct access accesses[ACCESSES_MAX];
};

/* The accesses of those of `lanes` that are active. */
void coalescer_add(const struct isa_memory_request *request, uint64_t lanes,
                   struct access_list *list);

/* Whether the active lanes of the quarter lie one element behind the other by lane number, or all
 * at one address. */
bool quarter_is_linear(const struct isa_memory_request *request, unsigned quarter);

/* Whether an atomic kind has two operands. */
static inline bool rmw_has_compare(enum rmw_op op)
{
    return op == RMW_COMPARE_SWAP || op == RMW_FCOMPARE_SWAP || op == RMW_MASK_OR;
}

/* The access as a message body: address, mask and, for stores and atomics, the operands of the
 * lanes. */
void access_to_message(const struct isa_memory_request *request, const struct access *access,
                       struct message *message);

/* Puts the bytes of a reply into the request's data, for the lanes of one access. */
void access_from_reply(struct isa_memory_request *request, uint64_t lanes,
                       const struct message *reply);

#endif

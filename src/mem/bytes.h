/* SPDX-License-Identifier: MIT */
/* Bytes of a line under a mask: bit i of the mask is byte i. Little-endian hosts. */
#ifndef MEM_BYTES_H
#define MEM_BYTES_H

#include <stdint.h>
#include <string.h>

#include "mem/msg.h"

#define LINE_MASK UINT64_MAX /* every byte of a line */

/* 0xff in byte i where bit i of `bits` is set. */
static inline uint64_t spread_bits(uint64_t bits)
{
    uint64_t picked = bits * UINT64_C(0x0101010101010101) & UINT64_C(0x8040201008040201);

    return ((picked + UINT64_C(0x7f7f7f7f7f7f7f7f)) >> 7 & UINT64_C(0x0101010101010101)) * 0xff;
}

/* Copies the bytes of the mask from one line to another. */
static inline void copy_masked(unsigned char *to, const unsigned char *from, uint64_t mask)
{
    if (mask == LINE_MASK) {
        memcpy(to, from, LINE_BYTES);
        return;
    }
    for (unsigned i = 0; i < LINE_BYTES / 8; i++) {
        uint64_t select = spread_bits(mask >> 8 * i & 0xff), old, new;

        memcpy(&old, to + 8 * i, 8);
        memcpy(&new, from + 8 * i, 8);
        old = (old & ~select) | (new &select);
        memcpy(to + 8 * i, &old, 8);
    }
}

#endif

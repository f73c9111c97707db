/* SPDX-License-Identifier: MIT */
/*
 * What each byte of device memory should be, for --check-release. A load may return an older byte
 * than another compute unit has stored, and been told to be done. Then a release or an acquire is
 * missing (or the protocol is wrong). The compute units of a machine share one.
 *
 *     a store is sent ─► pending ─► answered: the byte's value, its compute unit, place and time
 *     a load is answered ─► its byte is old if it is another than that value, the store was
 *                           answered before the load was sent, no store to the byte is in flight,
 *                           and another compute unit did it
 *
 * Nothing is said of a byte whose last stores overlapped in time, nor of one that an atomic
 * changed, or a transaction's store that keeps all bytes: their value is not known here. The
 * compute unit's own stores are not judged. A kernel's start forgets all.
 *
 * Left out: scalar loads, which read what a kernel may not change.
 */
#ifndef GPU_SHADOW_H
#define GPU_SHADOW_H

#include <stdbool.h>
#include <stdint.h>

#include "mem/msg.h"

struct shadow;

struct shadow *shadow_create(void);
void shadow_destroy(struct shadow *shadow);
void shadow_clear(struct shadow *shadow);

/* Bytes `mask` of a line are about to be stored. */
void shadow_sent(struct shadow *shadow, uint64_t line, uint64_t mask);

/* Who stored a byte last. */
struct shadow_store {
    uint64_t pc;
    uint64_t cycle; /* of the answer */
    uint16_t unit;
};

/* A store of the bytes `mask` is answered. `data` is the line's, NULL: not known. */
void shadow_stored(struct shadow *shadow, uint64_t line, uint64_t mask, const unsigned char *data,
                   const struct shadow_store *store);

/* Which of the bytes `mask`, asked for by `unit` at `sent`, are old; *store is the lowest one's. */
uint64_t shadow_old(const struct shadow *shadow, uint64_t line, uint64_t mask,
                    const unsigned char *data, uint16_t unit, uint64_t sent,
                    struct shadow_store *store);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * Blocks of gpuvm_alloc and of the preload library's malloc begin with a page, and nothing else is
 * in their last one:
 *
 *     page            page            page
 *     |---------------|---------------|---------------|
 *     [ what was asked for               ][ padding   8]
 *                                        end          seal
 *
 * The seal is a word that says where `end` is, so that an array which ends there may have the whole
 * last page. Blocks whose end leaves no room for it have none. It goes when the block is freed.
 */
#ifndef GPUVM_PADDING_H
#define GPUVM_PADDING_H

#include <stddef.h>
#include <stdint.h>

#define PADDING_SEAL UINT64_C(0x9e6770766d2d7631)
#define PADDING_SEAL_BYTES sizeof(uint64_t)

/* The word may lie outside of what a sanitizer knows to be allocated. */
#define PADDING_UNCHECKED __attribute__((no_sanitize("address", "thread")))

/* Of the last page, after an end; 0: there is no room for a seal. */
static inline size_t padding_room(uintptr_t end, size_t page_bytes)
{
    size_t rest = end % page_bytes;
    return rest && page_bytes - rest >= PADDING_SEAL_BYTES ? page_bytes - rest : 0;
}

/* Writes the seal of a block that ends at `end` to the last page's end (or to a copy of that
 * page). */
PADDING_UNCHECKED static inline void padding_seal(void *page_end, uintptr_t end)
{
    ((uint64_t *)page_end)[-1] = PADDING_SEAL ^ end;
}

/* The padding after an array, 0: none that is known. */
PADDING_UNCHECKED static inline size_t padding_after(uintptr_t end, size_t page_bytes)
{
    size_t room = padding_room(end, page_bytes);
    return room && ((const uint64_t *)(end + room))[-1] == (PADDING_SEAL ^ end) ? room : 0;
}

/* Before a block is freed: removes its seal, if it has one. usable_bytes: malloc_usable_size. */
PADDING_UNCHECKED static inline void padding_unseal(void *block, size_t usable_bytes,
                                                    size_t page_bytes)
{
    uintptr_t start = (uintptr_t)block, last = (start + usable_bytes) & ~(page_bytes - 1);
    uint64_t *seal = (uint64_t *)last - 1;
    if (start % page_bytes || last <= start)
        return;
    uintptr_t end = *seal ^ PADDING_SEAL;
    if (end > last - page_bytes && end <= (uintptr_t)seal)
        *seal = 0;
}

#endif

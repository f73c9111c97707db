/* SPDX-License-Identifier: MIT */
/*
 * Device memory: what lies behind the caches, and who owns which part of it.
 *
 * A machine reserves one range of host addresses for its device memory (huge pages allowed, not
 * resident). Host address = device address + a constant, which is 0 where the range can be had at
 * BACKING_BASE (then shared virtual memory works). Elsewhere it is not. Device addresses are given
 * by the allocator below: the same for the same program every day, independent of the host. Address
 * 0 and a guard around each buffer are never mapped. Only the low 40 bits of an address reach sets,
 * channels and statistics.
 *
 * Each block says what kernels may do with it. What a program asked for may be loaded and stored;
 * what the machine itself needs for a launch (arguments, code, scratch) less. There are two answers
 * to whether an access is inside: by page, which is one look at a bit mask, and to the byte.
 *
 * While a kernel may run on a timed machine, only its memory channels read or write the bytes.
 */
#ifndef MEM_BACKING_H
#define MEM_BACKING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diagnosis.h"
#include "base/text.h"

#define BACKING_BASE UINT64_C(0x550000000000)
enum { BACKING_PAGE_BYTES = 4096 };

/* What a kernel's access is, and so what the memory that it reaches must allow. */
enum backing_access {
    BACKING_LOAD,
    BACKING_STORE,   /* atomics too */
    BACKING_SCRATCH, /* through the descriptor of private memory */
    BACKING_ACCESSES
};
enum {
    BACKING_MAY_LOAD = 1 << BACKING_LOAD,
    BACKING_MAY_STORE = 1 << BACKING_STORE,
    BACKING_MAY_SCRATCH = 1 << BACKING_SCRATCH,
    BACKING_MAY_ALL = BACKING_MAY_LOAD | BACKING_MAY_STORE | BACKING_MAY_SCRATCH
};

struct backing_block { /* one allocation; kept sorted by address */
    uint64_t addr, bytes;
    char name[48]; /* "buffer 3", "kernel arguments": for messages */
    bool is_hidden;
    uint8_t rights; /* BACKING_MAY_... */
};

struct backing {
    unsigned char *host; /* host address of device address `base` */
    uint64_t base;       /* device address of the first byte: BACKING_BASE */
    uint64_t bytes;
    bool is_shared;                      /* host address == device address */
    uint64_t *mapped;                    /* one bit a page: belongs to a block */
    uint64_t *allowed[BACKING_ACCESSES]; /* one bit a page: its block allows the access */
    struct backing_block *blocks;
    uint32_t block_count, block_capacity;
    uint64_t allocated_bytes;
};

/* Reserves `bytes` (a multiple of 2 MB) of device memory. `at_base`: try for is_shared. */
bool backing_init(struct backing *backing, uint64_t bytes, bool at_base,
                  struct diagnosis *diagnosis) MUST_USE;
void backing_finish(struct backing *backing);

/* First fit by address; align is a power of two, at least 256 is used. Zeroed. 0: no room. */
uint64_t backing_allocate(struct backing *backing, uint64_t bytes, uint64_t align,
                          const char *name);
/* Gives the block back (its pages are dropped and read as zero when used again). `addr` must be a
 * block's start. */
void backing_free(struct backing *backing, uint64_t addr);

/* The block that begins at `addr` is none that the program asked for. Messages about addresses
 * outside it name others, and kernels may do with it what `rights` (BACKING_MAY_...) says. */
void backing_hide(struct backing *backing, uint64_t addr, uint8_t rights);

/* The block that holds the address; NULL: none. `*hint` is the place of the block that was found
 * before; any number will do. */
const struct backing_block *backing_find(const struct backing *backing, uint64_t addr,
                                         uint32_t *hint);

/* The block that holds the address, or the nearest below or above it that is not hidden: for
 * messages. NULL: there are none. */
const struct backing_block *backing_nearest(const struct backing *backing, uint64_t addr);
/* Appends why an access is wrong: "4 bytes at 0x…, 16 bytes past the end of buffer 3 (1024 bytes)".
 */
void backing_explain(const struct backing *backing, uint64_t addr, uint64_t bytes,
                     struct text *text);

/* Whether the bit of every page that the bytes lie in is set. */
static inline bool backing_pages_have(const struct backing *backing, const uint64_t *bits,
                                      uint64_t addr, uint64_t bytes)
{
    uint64_t first = (addr - backing->base) / BACKING_PAGE_BYTES;
    uint64_t last = (addr + bytes - 1 - backing->base) / BACKING_PAGE_BYTES;

    if (addr - backing->base >= backing->bytes || last * BACKING_PAGE_BYTES >= backing->bytes)
        return false;
    for (uint64_t page = first; page <= last; page++)
        if ((bits[page / 64] >> (page % 64) & 1) == 0)
            return false;
    return true;
}

/* Whether every page that the bytes lie in belongs to a block. */
static inline bool backing_is_mapped(const struct backing *backing, uint64_t addr, uint64_t bytes)
{
    return backing_pages_have(backing, backing->mapped, addr, bytes);
}

/* Whether every page that the bytes lie in belongs to a block that allows the access. */
static inline bool backing_allows(const struct backing *backing, uint64_t addr, uint64_t bytes,
                                  enum backing_access access)
{
    return backing_pages_have(backing, backing->allowed[access], addr, bytes);
}

/* Host address of mapped device memory. */
static inline unsigned char *backing_host(const struct backing *backing, uint64_t addr)
{
    return backing->host + (addr - backing->base);
}

#endif

/* SPDX-License-Identifier: MIT */
/* What the two files that run a program share: the machine with what each node may know of each
 * byte. */
#ifndef VERIFY_RANDOM_RUN_H
#define VERIFY_RANDOM_RUN_H

#include <setjmp.h>

#include "mem/pump.h"
#include "verify/random_tester.h"

enum { RUN_NODES_MAX = 8, RUN_SLICES_MAX = 8, RUN_ADDED_MAX = 4096 };

/* What one node knows of a byte, or of a counter, which is one thing to it. */
struct view {
    uint32_t floor;       /* the minimum that its next load may see */
    uint32_t seen;        /* what its latest load (by order of sending) saw */
    uint32_t seen_number; /* that load's number; 0: none yet */
};

struct thing {
    uint32_t sent, answered, published; /* stores, or additions */
    uint8_t writer; /* node + 1 that has stored to it since the latest SETTLE; 0: none */
};

/* A request without answer. */
struct expectation {
    bool is_open;
    uint8_t kind;
    uint32_t node, number;
    uint64_t mask;
    uint32_t floor[LINE_BYTES]; /* by byte of the line; a counter's at its first */
    uint32_t sent[LINE_BYTES];  /* STORE: the number of this store */
    uint32_t
        *publishes; /* RELEASE: of each byte, the stores that are published by it; NULL: none */
};

struct run {
    const struct program *program;
    const struct tester *tester;
    struct fault *fault;
    struct address_map map;
    struct backing backing;
    struct controller uppers[RUN_NODES_MAX], slices[RUN_SLICES_MAX];
    struct controller *upper_list[RUN_NODES_MAX], *slice_list[RUN_SLICES_MAX];
    struct pump pump;
    uint64_t buffer; /* its address */
    uint32_t bytes;
    struct thing *things;         /* of each byte; a counter's at its first */
    struct view *views;           /* [node][byte] */
    unsigned char *host_bytes;    /* what the host reads and writes */
    struct expectation *expected; /* by requester.entry */
    uint32_t expected_count, next_expected, open;
    bool returned[PROGRAM_COUNTERS][RUN_ADDED_MAX];
    bool is_invalid;
    jmp_buf caught;
};

static inline bool run_is_counter(uint64_t offset)
{
    return offset < PROGRAM_COUNTERS * LINE_BYTES && offset % LINE_BYTES >= LINE_BYTES - 4;
}

static inline struct view *run_view(struct run *run, uint32_t node, uint64_t offset)
{
    return &run->views[(uint64_t)node * run->bytes + offset];
}

/* The value that a byte has after so many stores. It differs from byte to byte of the buffer, so
 * that a byte that went astray is seen. And its inverse. */
static inline unsigned char run_value_after(uint64_t offset, uint32_t stores)
{
    return (unsigned char)(stores * 167 + offset * 89 + (offset >> 6) * 31);
}
static inline uint32_t run_stores_of(uint64_t offset, unsigned char value)
{
    return (unsigned char)((value - run_value_after(offset, 0)) * 23); /* 23 * 167 = 1 mod 256 */
}

static inline void run_raise(uint32_t *value, uint32_t min)
{
    if (*value < min)
        *value = min;
}

void run_complain(struct run *run, enum verify_check check, const char *what, uint64_t offset);

/* What an upper cache answers: struct pump's reply. */
void run_check_reply(void *context, uint32_t node, const struct message *reply);

#endif

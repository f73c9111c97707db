/* SPDX-License-Identifier: MIT */
/*
 * A memory system with no engine: a few upper caches, slices and memory, driven by the pump. What
 * tests of protocols stand on.
 */
#ifndef TESTS_MEM_BENCH_H
#define TESTS_MEM_BENCH_H

#include "mem/pump.h"

/* UPPERS: as many as a set of nodes has room for. */
enum {
    BENCH_MAX = 8,
    BENCH_UPPERS = NODE_SET_NODES,
    BENCH_REPLIES = 4096,
    BENCH_BYTES = 64 * 1024
};

struct bench_options {
    const struct protocol *protocol;
    uint32_t l1s, scalars, slices;
    struct controller_shape l1, l2; /* zero: 64 sets of 4; 128 of 16 */
    uint64_t breaks;
};

struct bench {
    struct address_map map;
    struct backing backing;
    struct controller uppers[BENCH_UPPERS], slices[BENCH_MAX];
    struct controller *upper_list[BENCH_UPPERS], *slice_list[BENCH_MAX];
    uint32_t upper_count, slice_count;
    struct pump pump;
    struct message replies[BENCH_REPLIES]; /* since the latest bench_clear */
    uint32_t reply_count;
    uint64_t buffer; /* device address of BENCH_BYTES bytes */
    uint16_t next_entry;
};

void bench_init(struct bench *bench, const struct bench_options *options);
void bench_finish(struct bench *bench);

/* A request of `count` bytes at `offset` of the buffer, which lie in one line. */
struct message bench_request(struct bench *bench, uint8_t kind, uint64_t offset, unsigned count);

/* One request from node to end; the reply is returned. */
struct message bench_do(struct bench *bench, uint32_t node, const struct message *request);

/* One word, to the end. */
uint32_t bench_load(struct bench *bench, uint32_t node, uint64_t offset);
uint32_t bench_load_glc(struct bench *bench, uint32_t node, uint64_t offset);
void bench_store(struct bench *bench, uint32_t node, uint64_t offset, uint32_t value);
uint32_t bench_add(struct bench *bench, uint32_t node, uint64_t offset, uint32_t value);
void bench_acquire(struct bench *bench, uint32_t node);
void bench_release(struct bench *bench, uint32_t node);
uint32_t bench_host_read(struct bench *bench, uint64_t offset);
void bench_host_write(struct bench *bench, uint64_t offset, uint32_t value);
/* Behind the caches' back. */
uint32_t bench_peek(const struct bench *bench, uint64_t offset);
void bench_poke(struct bench *bench, uint64_t offset, uint32_t value);

/* The word at an offset of the line in a message. */
uint32_t message_word(const struct message *message, uint64_t offset);
void message_set_word(struct message *message, uint64_t offset, uint32_t value);

#endif

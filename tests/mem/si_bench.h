/* SPDX-License-Identifier: MIT */
/* SI with no engine: two L1s (nodes 0 and 1), a scalar cache (node 2) and one L2 slice. */
#ifndef TESTS_MEM_SI_BENCH_H
#define TESTS_MEM_SI_BENCH_H

#include "bench.h"

/* NULL shapes: the bench's own. */
struct bench *si_bench_create(uint64_t breaks, const struct controller_shape *l1,
                              const struct controller_shape *l2);
void si_bench_destroy(struct bench *bench);

const struct cache_statistics *si_bench_l1(const struct bench *bench, uint32_t node);
const struct cache_statistics *si_bench_l2(const struct bench *bench);

/* A load of node 0, up to where its L1's fill waits to be delivered: the fill. */
struct message si_bench_hold_fill(struct bench *bench, uint64_t offset);
/* Delivers it: the word at the offset that the load is answered with. */
uint32_t si_bench_deliver(struct bench *bench, const struct message *fill, uint64_t offset);

/* An L2 of two sets, one for each channel, of one way: each line evicts the one before. */
extern const struct controller_shape si_bench_one_line;
enum { SI_BENCH_OTHER = 2 * 256 * 8 }; /* offset of another line of offset 0's set */

#endif

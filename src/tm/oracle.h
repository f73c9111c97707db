/* SPDX-License-Identifier: MIT */
/*
 * Whether a transactional memory keeps what it promises, judged from outside. Known are what lanes
 * read and wrote in local memory, and when they began, aborted and committed. No system's own state
 * is looked at.
 *
 *     serial replay: words as committed transactions, in the order of their commits, and plain
 *                    stores, in the order of their service, leave them
 *     attempt:       what a lane read and wrote since its begin
 *
 *     commit         each read must be what the replay holds (or the lane's own store), else the
 *                    transaction is serialisable nowhere in the claimed order; its stores enter the
 *                    replay
 *     end of attempt if opacity is promised: all reads were together in memory at one point of that
 *                    order between its begin and its end
 *     plain access   reads what the replay holds, and meets no word that a transaction's store has
 *                    changed and not committed
 *     group's end    memory is what the replay holds
 *
 * The first violation stops the launch. Left out: global memory.
 */
#ifndef TM_ORACLE_H
#define TM_ORACLE_H

#include "tm/tm.h"

struct oracle;

/* What was found: words for people, the access that showed it and the one that it met (0: none). */
struct oracle_violation {
    const char *text; /* NULL: none; valid until the oracle is destroyed */
    uint64_t pc, other_pc;
};

struct oracle *oracle_create(bool promises_opacity);
void oracle_destroy(struct oracle *oracle);
struct oracle_violation oracle_violation(const struct oracle *oracle);

void oracle_group_start(struct oracle *oracle, const struct tm_group *group);
void oracle_group_end(struct oracle *oracle, const struct tm_group *group);

/* Lanes begin an attempt; lanes have committed, in this order, the lowest first; lanes have
 * aborted. */
void oracle_begin(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t lanes);
void oracle_commit(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t lanes);
void oracle_abort(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t lanes);

/* Around the service of an instruction on local memory. `served` are the lanes of it that took
 * place, in memory or in the system. */
void oracle_before(struct oracle *oracle, const struct tm_wavefront *wavefront,
                   const struct isa_memory_request *request);
void oracle_after(struct oracle *oracle, const struct tm_wavefront *wavefront, uint64_t pc,
                  const struct isa_memory_request *request, uint64_t served);

#endif

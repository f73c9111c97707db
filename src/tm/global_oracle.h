/* SPDX-License-Identifier: MIT */
/*
 * Whether a transactional memory keeps what it promises on global memory, judged from outside.
 * Known are what lanes read and wrote there, when they began, aborted and committed, and what
 * memory held before and after. No system's own state is looked at. It differs from tm/oracle.h in
 * that many compute units take part, and their order within a cycle means nothing. So everything is
 * kept, and judged when the launch has ended.
 *
 * replay         committed transactions in the order that the system claims (tm_system.order; else
 *                of their commits in time), each reading what the replay holds, or its own stores
 * each attempt   read only what the replay held at some point, or its own stores; if opacity is
 *                promised, all of it at one point; if only an end is, an attempt that did not is
 *                doomed from the load on that fits no point, and may run on for so long only
 * memory         is what the replay leaves; what aborted lanes stored left no trace
 *
 * Words that the launch also stores to outside of transactions (plain stores, atomics) are not
 * judged: when those took effect, only memory knows. Left out: local memory, which tm/oracle.h
 * judges.
 */
#ifndef TM_GLOBAL_ORACLE_H
#define TM_GLOBAL_ORACLE_H

#include <stdio.h>

#include "tm/oracle.h"

/* Where a wavefront is, for people. */
struct oracle_place {
    uint32_t group[3];
    uint32_t wavefront;
};

struct global_oracle;

struct global_oracle_options {
    uint32_t units;
    enum tm_promise promise;
    uint64_t doomed_max; /* cycles that a doomed attempt may run on */
    struct registry *registry;
};
struct global_oracle *global_oracle_create(const struct global_oracle_options *options);
void global_oracle_destroy(struct global_oracle *oracle);

/* A launch: forgets the one before; then what memory holds, block by block, by rising address. */
void global_oracle_start(struct global_oracle *oracle);
void global_oracle_image(struct global_oracle *oracle, uint64_t address, const void *bytes,
                         uint64_t count);
/* It has ended. `read` reads memory. What was wrong first, with the place of the wavefront. */
struct oracle_violation global_oracle_judge(struct global_oracle *oracle,
                                            void (*read)(void *context, uint64_t address,
                                                         void *bytes, uint64_t count),
                                            void *context, struct oracle_place *place);

/* What attempts of the launch read and wrote, in the order of compute units and of their ends:
 *     launch
 *     attempt BEGAN ENDED COMMITTED     cycles; COMMITTED: 0 or 1
 *     r|w|u WORD CYCLE                  read, written, both (an atomic); WORD: address / 4 */
void global_oracle_record(const struct global_oracle *oracle, FILE *file);

/* Of compute unit `unit`, each in its own tick. */
void global_oracle_begin(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint64_t lanes,
                         uint64_t cycle, const struct oracle_place *place);
/* UINT64_MAX: the system claims no order. */
void global_oracle_commit(struct global_oracle *oracle, uint32_t unit, uint32_t slot, unsigned lane,
                          uint64_t order, uint64_t cycle);
/* Lanes of open attempts have come to their commit: they run no more. */
void global_oracle_stop(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint64_t lanes,
                        uint64_t cycle);
void global_oracle_abort(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint64_t lanes,
                         uint64_t cycle);
/* Lanes of an open attempt are served the request, before any system has seen it. `tag` tells the
 * instruction from others of the wavefront that are under way. What it loads, landed says. */
void global_oracle_served(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint16_t tag,
                          uint64_t pc, const struct isa_memory_request *request);
void global_oracle_landed(struct global_oracle *oracle, uint32_t unit, uint32_t slot, uint16_t tag,
                          const struct isa_memory_request *request, uint64_t lanes, uint64_t cycle);
/* A store or an atomic outside of transactions. */
void global_oracle_plain(struct global_oracle *oracle, uint32_t unit,
                         const struct isa_memory_request *request);

#endif

/* SPDX-License-Identifier: MIT */
/*
 * What a transaction means on the functional device, which has no transactional memory. The lanes
 * that enter it run one after the other, the lowest first, each from the begin to the commit. No
 * other wavefront runs in between. So there are no aborts, whatever the machine's system.
 *
 * The order differs from the timed model's, so results may, where a program allows several.
 */
#ifndef GPU_FUNCTIONAL_TRANSACTION_H
#define GPU_FUNCTIONAL_TRANSACTION_H

#include "gpu/fault.h"
#include "gpu/scalar_words.h"
#include "isa/isa.h"

/* Of the wavefront whose turn it is: a turn does not end inside a transaction. */
struct functional_transaction {
    struct isa_snapshot *snapshot; /* at the begin; made when it is first needed */
    uint64_t lanes;                /* that entered it */
    uint64_t waiting;              /* of those, not run yet */
    bool is_open;
    struct scalar_words *words; /* of the present launch; made when they are first needed */
};

void functional_transaction_start(struct functional_transaction *transaction);
void functional_transaction_finish(struct functional_transaction *transaction);

/* Before and after a control instruction of a wavefront, whose open begins are *begins: begins and
 * commits have their effect. Each returns why the instruction cannot be, or NULL. */
const char *functional_transaction_before(struct functional_transaction *transaction,
                                          uint32_t *begins, const struct isa *isa,
                                          struct isa_wave *wave,
                                          const struct isa_instruction *instruction);
const char *functional_transaction_after(struct functional_transaction *transaction,
                                         uint32_t *begins, const struct isa *isa,
                                         struct isa_wave *wave,
                                         const struct isa_instruction *instruction);

/* A memory instruction of a kernel that has transactions has accessed memory. */
void functional_transaction_saw(struct functional_transaction *transaction,
                                const struct isa_group *group, uint32_t wavefront, uint64_t pc,
                                const struct isa_memory_request *request);
/* At the end of a launch: true, and why, if a scalar load has read what a transaction wrote. */
bool functional_transaction_judge(const struct functional_transaction *transaction,
                                  const struct launch *launch, struct fault *fault);

#endif

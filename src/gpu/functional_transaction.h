/* SPDX-License-Identifier: MIT */
/*
 * What a transaction means on the functional device, which has no transactional memory: the lanes
 * that enter it run one after the other, the lowest first, each from the begin to the commit, and no
 * other wavefront in between. So there are no aborts, whatever the machine's system.
 *
 * The order differs from the timed model's, so results may, where a program allows several.
 */
#ifndef GPU_FUNCTIONAL_TRANSACTION_H
#define GPU_FUNCTIONAL_TRANSACTION_H

#include "isa/isa.h"

/* Of the wavefront whose turn it is: a turn does not end inside a transaction. */
struct functional_transaction {
    struct isa_snapshot *snapshot; /* at the begin; made when it is first needed */
    uint64_t lanes;                /* that entered it */
    uint64_t waiting;              /* of those, not run yet */
    bool is_open;
};

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

#endif

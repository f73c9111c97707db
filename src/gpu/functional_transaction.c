/* SPDX-License-Identifier: MIT */
#include "gpu/functional_transaction.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "gpu/fault.h"
#include "tm/tm.h"

void functional_transaction_start(struct functional_transaction *transaction)
{
    transaction->is_open = false;
    if (transaction->words != NULL)
        scalar_words_clear(transaction->words);
}

void functional_transaction_finish(struct functional_transaction *transaction)
{
    free(transaction->snapshot);
    scalar_words_destroy(transaction->words);
}

static void make_snapshot(struct functional_transaction *transaction, const struct isa *isa)
{
    if (transaction->snapshot == NULL)
        transaction->snapshot = aligned_alloc(64, (isa->snapshot_bytes + 63) / 64 * 64);
    check(transaction->snapshot != NULL, "no memory for a transaction's begin");
}

/* The lowest lane that has not run yet stays in; the others wait outside. */
static void run_next_lane(struct functional_transaction *transaction, const struct isa *isa,
                          struct isa_wave *wave)
{
    uint64_t lane = transaction->waiting & -transaction->waiting;

    transaction->waiting &= ~lane;
    isa->rejoin(wave, lane);
    isa->leave(wave, transaction->lanes & ~lane);
}

static void transaction_begin(struct functional_transaction *transaction, uint32_t *begins,
                              const struct isa *isa, struct isa_wave *wave)
{
    ++*begins;
    if (*begins > 1 || transaction->is_open || wave->active == 0)
        return;
    make_snapshot(transaction, isa);
    isa->snapshot(wave, transaction->snapshot);
    transaction->is_open = true;
    transaction->lanes = transaction->waiting = wave->active;
    run_next_lane(transaction, isa, wave);
}

/* The next lane goes back to the begin, or all go on. */
static const char *transaction_commit(struct functional_transaction *transaction, uint32_t *begins,
                                      const struct isa *isa, struct isa_wave *wave)
{
    if (*begins == 0)
        return TM_REASON_NO_BEGIN;
    if (*begins == 1 && !transaction->is_open && wave->active != 0)
        return TM_REASON_OTHERS;
    --*begins;
    if (*begins > 0 || !transaction->is_open)
        return NULL;
    if (transaction->waiting != 0) {
        isa->restore(wave, transaction->snapshot, 0);
        run_next_lane(transaction, isa, wave);
        return NULL;
    }
    isa->rejoin(wave, transaction->lanes);
    transaction->is_open = false;
    return NULL;
}

const char *functional_transaction_before(struct functional_transaction *transaction,
                                          uint32_t *begins, const struct isa *isa,
                                          struct isa_wave *wave,
                                          const struct isa_instruction *instruction)
{
    if (instruction->control == ISA_CONTROL_HINT && instruction->hint == TM_HINT_BEGIN)
        transaction_begin(transaction, begins, isa, wave);
    if (!transaction->is_open)
        return NULL;
    if (instruction->control == ISA_CONTROL_END)
        return TM_REASON_END;
    return instruction->control == ISA_CONTROL_BARRIER ? TM_REASON_BARRIER : NULL;
}

const char *functional_transaction_after(struct functional_transaction *transaction,
                                         uint32_t *begins, const struct isa *isa,
                                         struct isa_wave *wave,
                                         const struct isa_instruction *instruction)
{
    if (instruction->control != ISA_CONTROL_HINT || instruction->hint != TM_HINT_COMMIT)
        return NULL;
    return transaction_commit(transaction, begins, isa, wave);
}

static bool request_writes(const struct isa_memory_request *request)
{
    return request->space == ISA_SPACE_GLOBAL &&
           (request->kind == ISA_MEMORY_STORE || request->kind == ISA_MEMORY_ATOMIC);
}

void functional_transaction_saw(struct functional_transaction *transaction,
                                const struct isa_group *group, uint32_t wavefront, uint64_t pc,
                                const struct isa_memory_request *request)
{
    struct word_access access = {.pc = pc, .wavefront = wavefront};
    uint64_t lanes = request->lanes;

    memcpy(access.group, group->id, sizeof access.group);
    if (transaction->words == NULL)
        transaction->words = scalar_words_create();
    if (request->kind == ISA_MEMORY_SCALAR_LOAD && lanes != 0)
        scalar_words_read(transaction->words, request->address[0], request->element_bytes, &access);
    else if (transaction->is_open && request_writes(request))
        for_each_bit(lane, lanes) scalar_words_written(transaction->words, request->address[lane],
                                                       request->element_bytes, &access);
}

bool functional_transaction_judge(const struct functional_transaction *transaction,
                                  const struct launch *launch, struct fault *fault)
{
    if (transaction->words == NULL || !scalar_words_judge(transaction->words, fault))
        return false;
    fault->launch = launch;
    return true;
}

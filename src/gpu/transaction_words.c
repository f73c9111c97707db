/* SPDX-License-Identifier: MIT */
/* What transactions of a compute unit write in global memory, and what scalar loads read there.
 * What an attempt stores to memory that a system isolates counts when its lane has committed; other
 * stores have happened. */
#include <stdlib.h>
#include <string.h>

#include "gpu/scalar_words.h"
#include "gpu/transaction_private.h"

enum { FIRST_CAPACITY = 64, DISPATCH_PACKET_BYTES = 64 };

static struct word_access access_of(const struct transactions *tm, const struct wavefront *wave,
                                    uint64_t pc)
{
    struct word_access access = {.pc = pc, .wavefront = wave->index};

    memcpy(access.group, tm->waves->groups[wave->group].isa.id, sizeof access.group);
    return access;
}

/* Its arguments and its dispatch packet: no kernel may change them. */
static bool is_of_launch(const struct isa_launch *launch, uint64_t address)
{
    return address - launch->kernarg_address < launch->kernel->kernarg_bytes ||
           address - launch->dispatch_address < DISPATCH_PACKET_BYTES;
}

void transactions_saw_scalar(struct transactions *tm, const struct wavefront *wave, uint64_t pc,
                             const struct isa_memory_request *request)
{
    struct word_access access = access_of(tm, wave, pc);

    if (tm->words == NULL || request->lanes == 0)
        return;
    scalar_words_read(tm->words, request->address[0], request->element_bytes, &access);
    if (wave->transaction.is_open &&
        !is_of_launch(tm->waves->groups[wave->group].launch->isa, request->address[0]))
        tm->statistics.unwatched += count_bits(wave->transaction.running);
}

/* Until its lane's outcome is known. */
static void stores_keep(struct transaction_stores *stores, const struct transaction_store *store)
{
    if (stores->count == stores->capacity) {
        stores->capacity = stores->capacity == 0 ? FIRST_CAPACITY : 2 * stores->capacity;
        stores->items = reallocate(stores->items, stores->capacity, sizeof *stores->items);
    }
    stores->items[stores->count++] = *store;
}

void transaction_saw_store(struct transactions *tm, const struct wavefront *wave, uint64_t pc,
                           const struct isa_memory_request *request)
{
    struct word_access access = access_of(tm, wave, pc);
    uint64_t lanes = request->lanes;

    if (tm->words == NULL || request->space != ISA_SPACE_GLOBAL ||
        (request->kind != ISA_MEMORY_STORE && request->kind != ISA_MEMORY_ATOMIC))
        return;
    for_each_bit(lane, lanes)
    {
        struct transaction_store store = {request->address[lane], pc, request->element_bytes,
                                          (uint8_t)lane};

        if (tm->waves->tm_is_global)
            stores_keep(&tm->stores[wave->slot], &store);
        else
            scalar_words_written(tm->words, store.address, store.bytes, &access);
    }
}

void transaction_stores_end(struct transactions *tm, const struct wavefront *wave,
                            uint64_t committed, uint64_t aborted)
{
    struct transaction_stores *stores = &tm->stores[wave->slot];
    uint32_t kept = 0;

    for (uint32_t i = 0; i < stores->count; i++) {
        const struct transaction_store *store = &stores->items[i];
        struct word_access access = access_of(tm, wave, store->pc);

        if ((committed >> store->lane & 1) != 0)
            scalar_words_written(tm->words, store->address, store->bytes, &access);
        else if ((aborted >> store->lane & 1) == 0)
            stores->items[kept++] = *store;
    }
    stores->count = kept;
}

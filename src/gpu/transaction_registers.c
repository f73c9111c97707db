/* SPDX-License-Identifier: MIT */
/*
 * How many registers a compiler would have to keep for a restart: those that an attempt reads
 * before it writes them. The snapshot here keeps all. Counted where an oracle checks transactions,
 * of attempts that commit, each lane's vector registers for itself.
 *
 * Left out: registers that one attempt writes, the next does not, and only what comes after the
 * transaction reads.
 * Source of the question: Fung et al., "Hardware Transactional Memory for GPU Architectures", MICRO
 * 2011, section 4.3.
 */
#include "base/bits.h"
#include "gpu/transaction_private.h"

enum { ROWS = 4, SCALAR_ROWS = 2 };

static void use_vectors(struct transaction_uses *uses, const struct isa_registers *read,
                        const struct isa_registers *written, uint64_t lanes)
{
    for (unsigned row = 0; row < ROWS; row++) {
        uint64_t reads = read->vector[row], writes = written->vector[row];

        for_each_bit(i, reads) uses->read[64 * row + i] |= lanes & ~uses->written[64 * row + i];
        for_each_bit(i, writes)
        {
            uses->kept[64 * row + i] |= lanes & uses->read[64 * row + i];
            uses->written[64 * row + i] |= lanes;
        }
    }
}

static void use_scalars(struct transaction_uses *uses, const struct isa_registers *read,
                        const struct isa_registers *written)
{
    for (unsigned row = 0; row < SCALAR_ROWS; row++) {
        uses->scalars_read.scalar[row] |= read->scalar[row] & ~uses->scalars_written.scalar[row];
        uses->scalars_kept.scalar[row] |= written->scalar[row] & uses->scalars_read.scalar[row];
        uses->scalars_written.scalar[row] |= written->scalar[row];
    }
}

void transaction_use_registers(struct transactions *tm, const struct wavefront *wave)
{
    struct transaction_uses *uses = &tm->uses[wave->slot];
    struct isa_registers read, written;

    tm->waves->isa->registers(wave->next, &read, &written);
    use_vectors(uses, &read, &written, wave->registers->active & wave->transaction.running);
    use_scalars(uses, &read, &written);
}

void transaction_forget_registers(struct transactions *tm, const struct wavefront *wave,
                                  uint64_t lanes)
{
    struct transaction_uses *uses = &tm->uses[wave->slot];

    for (unsigned i = 0; i < 64 * ROWS; i++) {
        uses->read[i] &= ~lanes;
        uses->written[i] &= ~lanes;
        uses->kept[i] &= ~lanes;
    }
    uses->scalars_read = uses->scalars_written = uses->scalars_kept = (struct isa_registers){0};
}

void transaction_count_registers(struct transactions *tm, const struct wavefront *wave,
                                 uint64_t committed)
{
    const struct transaction_uses *uses = &tm->uses[wave->slot];

    for (unsigned i = 0; i < 64 * ROWS; i++)
        tm->statistics.kept_vector_registers += count_bits(uses->kept[i] & committed);
    for (unsigned row = 0; committed != 0 && row < SCALAR_ROWS; row++)
        tm->statistics.kept_scalar_registers += count_bits(uses->scalars_kept.scalar[row]);
}

/* SPDX-License-Identifier: MIT */
#include "isa/gcn/gcn.h"

#include <string.h>

static uint32_t register_count(const struct gcn_wave *wave)
{
    return wave->base.launch->kernel->vector_registers;
}

void gcn_snapshot(const struct isa_wave *base, struct isa_snapshot *snapshot)
{
    const struct gcn_wave *wave = gcn_wave_of_const(base);
    struct gcn_snapshot *saved = (struct gcn_snapshot *)(void *)snapshot;

    saved->pc = base->pc;
    saved->scc = wave->scc;
    saved->mode = wave->mode;
    memcpy(saved->scalar, wave->scalar, sizeof saved->scalar);
    memcpy(saved->vector, wave->vector, register_count(wave) * sizeof saved->vector[0]);
}

void gcn_restore(struct isa_wave *base, const struct isa_snapshot *snapshot, uint64_t lanes)
{
    struct gcn_wave *wave = gcn_wave_of(base);
    const struct gcn_snapshot *saved = (const struct gcn_snapshot *)(const void *)snapshot;

    base->pc = saved->pc;
    wave->access_hint = wave->acquire_hint = 0; /* those before the begin have had their access */
    wave->scc = saved->scc;
    memcpy(wave->scalar, saved->scalar, sizeof saved->scalar);
    gcn_set_mode(wave, saved->mode);
    gcn_update_active(wave);
    for (uint32_t i = 0; i < register_count(wave); i++)
        for (unsigned lane = 0; lane < GCN_LANES; lane++)
            if ((lanes >> lane & 1) != 0)
                wave->vector[i][lane] = saved->vector[i][lane];
}

void gcn_leave(struct isa_wave *base, uint64_t lanes)
{
    struct gcn_wave *wave = gcn_wave_of(base);

    wave->left |= lanes;
    gcn_update_active(wave);
}

void gcn_rejoin(struct isa_wave *base, uint64_t lanes)
{
    struct gcn_wave *wave = gcn_wave_of(base);

    wave->left &= ~lanes;
    gcn_update_active(wave);
}

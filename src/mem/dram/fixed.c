/* SPDX-License-Identifier: MIT */
/* A constant latency, in order, as fast as the bus: no banks, no commands. */
#include "mem/dram_model.h"

/* The oldest request of either kind, whatever its bank. */
static uint64_t fixed_schedule(struct dram_channel *channel, uint64_t cycle)
{
    uint64_t best_sequence = UINT64_MAX, at;
    uint32_t best = 0;
    bool best_write = false;

    for (unsigned is_write = 0; is_write < 2; is_write++) {
        uint32_t slot;

        if (channel->used[is_write] == 0)
            continue;
        slot = dram_oldest(channel, is_write, channel->used[is_write]);
        if (dram_entry(channel, is_write, slot)->sequence >= best_sequence)
            continue;
        best_sequence = dram_entry(channel, is_write, slot)->sequence;
        best = slot;
        best_write = is_write;
    }
    if (best_sequence == UINT64_MAX)
        return UINT64_MAX;
    at = dram_entry(channel, best_write, best)->ready_at;
    if (at < channel->fixed_free_at)
        at = channel->fixed_free_at;
    if (at > cycle)
        return at;
    if (!dram_can_reply(channel, dram_entry(channel, best_write, best)))
        return UINT64_MAX; /* woken by the port */
    dram_complete(channel, best_write, best, cycle + channel->parameters.fixed_cycles);
    channel->fixed_free_at = cycle + dram_line_cycles(&channel->parameters);
    channel->statistics.bus_busy_cycles += dram_line_cycles(&channel->parameters);
    return cycle + 1;
}

static uint64_t fixed_data_cycles(const struct dram_parameters *parameters)
{
    return parameters->fixed_cycles;
}

extern const struct dram_model dram_model_fixed;
const struct dram_model dram_model_fixed = {
    .name = "fixed",
    .help = "a reply after fixed_cycles, later where the bus is busy",
    .schedule = fixed_schedule,
    .data_cycles = fixed_data_cycles,
};

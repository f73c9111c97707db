/* SPDX-License-Identifier: MIT */
#include "gpu/wavefront_time.h"

#include "base/bits.h"
#include "gpu/slices.h"
#include "gpu/wavefront.h"

const struct statistic wavefront_time_statistics[] = {
#define ROW(NAME, name, help)                                                                      \
    {#name, "cycles", "of wavefronts: " help, STATISTIC_COUNTER,                                   \
     offsetof(struct wavefront_times, cycles) + TIME_##NAME * sizeof(uint64_t)},
    WAVEFRONT_TIMES(ROW)
#undef ROW
};
const uint32_t wavefront_time_statistic_count = ARRAY_COUNT(wavefront_time_statistics);

static enum wavefront_time time_of_queue(const struct wavefront *wave)
{
    switch (wave->next->unit) {
    case ISA_UNIT_LDS:
        return TIME_QUEUE_LDS;
    case ISA_UNIT_SMEM:
        return TIME_QUEUE_SMEM;
    default:
        return TIME_QUEUE_VMEM;
    }
}

static enum wavefront_time time_of(const struct wavefront *wave)
{
    static const uint8_t times[STATE_COUNT] = {
        [STATE_FREE] = TIME_NONE,    [STATE_RUNNABLE] = TIME_GO,
        [STATE_PAUSED] = TIME_PAUSE, [STATE_TRANSACTION] = TIME_TRANSACTION,
        [STATE_FETCH] = TIME_FETCH,  [STATE_VM] = TIME_VM,
        [STATE_EXP] = TIME_EXP,      [STATE_BARRIER] = TIME_BARRIER,
    };

    switch (wave->state) {
    case STATE_QUEUE:
        return time_of_queue(wave);
    case STATE_LGKM:
        return wave->lds_outstanding > 0 ? TIME_LDS : TIME_SCALAR;
    case STATE_END:
        return wave->outstanding > 0 ? TIME_STORES : TIME_GROUP;
    default:
        return times[wave->state];
    }
}

static bool is_active(const struct wavefront *wave)
{
    return wave->time == TIME_GO || wave->time == TIME_FETCH;
}

/* A wait that an instruction began is its own; else the time is that of the next one. */
static bool is_behind(enum wavefront_time time)
{
    return time == TIME_BARRIER || time == TIME_PAUSE || time == TIME_STORES || time == TIME_GROUP;
}

static void profile_time(const struct wavefronts *waves, const struct wavefront *wave,
                         uint64_t cycles)
{
    uint64_t pc = is_behind(wave->time) ? wave->profiled_pc : wave->registers->pc;

    if (wave->time == TIME_NONE)
        return;
    profile_row(waves->profile, pc)[PROFILE_TIMES + wave->time] += cycles;
    if (waves->profile->slices != NULL)
        slices_time(waves->profile->slices, waves, wave, pc, is_behind(wave->time), cycles);
}

static void count_time(struct wavefronts *waves, struct wavefront *wave)
{
    uint64_t now = wavefronts_cycle(waves);

    waves->times.cycles[wave->time] += now - wave->time_since;
    if (__builtin_expect(waves->profile != NULL, 0))
        profile_time(waves, wave, now - wave->time_since);
    if (is_active(wave))
        wave->active_cycles += now - wave->time_since;
    wave->time_since = now;
}

uint64_t wavefront_active(const struct wavefronts *waves, const struct wavefront *wave)
{
    return wave->active_cycles + (is_active(wave) ? wavefronts_cycle(waves) - wave->time_since : 0);
}

void wavefront_time_hidden(struct wavefronts *waves, struct wavefront *wave,
                           const struct isa_instruction *instruction, uint64_t since)
{
    struct compute_unit_statistics *statistics = waves->statistics;
    uint64_t active = wavefront_active(waves, wave);
    uint64_t *hidden = instruction->unit == ISA_UNIT_VMEM  ? &statistics->hidden_vmem_cycles
                       : instruction->unit == ISA_UNIT_LDS ? &statistics->hidden_lds_cycles
                                                           : &statistics->hidden_smem_cycles;

    if (since < wave->hidden_until)
        since = wave->hidden_until;
    *hidden += active - since;
    wave->hidden_until = active;
}

void wavefront_profile(struct wavefronts *waves, struct wavefront *wave)
{
    count_time(waves, wave);
    if (waves->profile->slices != NULL)
        slices_issue(waves->profile->slices, waves, wave);
    wave->profiled_pc = wave->registers->pc;
    profile_instruction(waves->profile, wave->profiled_pc, wave->next, wave->registers->active);
}

void wavefront_time_change(struct wavefronts *waves, struct wavefront *wave)
{
    count_time(waves, wave);
    wave->time = (uint8_t)time_of(wave);
}

void wavefront_times_settle(struct wavefronts *waves)
{
    for (uint32_t i = 0; i < waves->slot_count; i++)
        count_time(waves, &waves->list[i]);
}

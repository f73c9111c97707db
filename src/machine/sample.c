/* SPDX-License-Identifier: MIT */
/*
 * Samples: what each interval of a launch added to the statistics.
 *
 *   launch  |--- N ---|--- N ---|--- N ---|-- rest --|      the rest has what drained after the end
 *
 * An interval ends between instants, after all of its last cycle.
 */
#include "machine/machine_private.h"

void sample_begin(struct machine *machine)
{
    struct sampling *sampling = &machine->sampling;

    if (machine->options.sample == NULL)
        return;
    machine_settle(machine);
    snapshot_refresh(&sampling->counted, &machine->registry);
    sampling->cycles = 0;
    sampling->instructions = 0;
}

static void sample_give(struct machine *machine, const struct machine_launch *launch,
                        uint64_t cycles, uint64_t instructions)
{
    struct sampling *sampling = &machine->sampling;
    struct machine_sample sample = {
        .kernel = launch->kernel->name,
        .launch = machine->launch_count,
        .start = sampling->kernel_cycles + sampling->cycles,
        .cycles = cycles - sampling->cycles,
        .end_ns = machine_time_ns(machine),
        .instructions = instructions - sampling->instructions,
        .changes = &sampling->changes,
    };

    machine_settle(machine);
    changes_take(&sampling->changes, &sampling->counted, &machine->registry);
    machine->options.sample(machine->options.sample_context, &sample);
    sampling->cycles = cycles;
    sampling->instructions = instructions;
}

void sample_take(struct machine *machine, uint64_t cycles, uint64_t instructions)
{
    sample_give(machine, machine->running, cycles, instructions);
}

void sample_end(struct machine *machine, const struct machine_launch *launch,
                const struct machine_launch_result *result)
{
    if (machine->options.sample == NULL)
        return;
    sample_give(machine, launch, result->cycles, result->instructions);
    machine->sampling.kernel_cycles += result->cycles;
}

void sample_finish(struct machine *machine)
{
    snapshot_finish(&machine->sampling.counted);
    changes_finish(&machine->sampling.changes);
}

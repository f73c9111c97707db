/* SPDX-License-Identifier: MIT */
/* Accesses outside all buffers: what counts as one, and what was dropped instead of stopping. What
 * --check-release finds is remembered the same way. */
#include <string.h>

#include "machine/machine_private.h"

struct bounds machine_bounds(const struct machine *machine)
{
    return (struct bounds){.backing = &machine->backing,
                           .is_exact = machine->options.has_exact_bounds ||
                                       machine->options.model == MACHINE_FUNCTIONAL,
                           .drops = machine->options.drops_outside};
}

static struct machine_outside *outside_find(struct machine *machine, const char *kernel,
                                            bool is_old_bytes)
{
    struct machine_outside *outside;

    for (uint32_t i = 0; i < machine->outside_count; i++)
        if (machine->outside[i].is_old_bytes == is_old_bytes &&
            strcmp(machine->outside[i].kernel, kernel) == 0)
            return &machine->outside[i];
    machine->outside =
        reallocate(machine->outside, machine->outside_count + 1, sizeof *machine->outside);
    outside = &machine->outside[machine->outside_count++];
    *outside =
        (struct machine_outside){.kernel = copy_string(kernel), .is_old_bytes = is_old_bytes};
    return outside;
}

void machine_note_outside(struct machine *machine, const struct machine_launch *launch,
                          const struct outside *outside, bool is_old_bytes)
{
    struct machine_outside *note;

    if (outside->accesses == 0)
        return;
    note = outside_find(machine, launch->kernel->name, is_old_bytes);
    if (note->accesses == 0)
        fault_diagnose(&outside->first, machine->isa, &machine->backing, code_source_line,
                       launch->code, &note->first);
    note->accesses += outside->accesses;
    note->launches++;
}

const struct machine_outside *machine_outside(const struct machine *machine, uint32_t *count)
{
    *count = machine->outside_count;
    return machine->outside;
}

/* SPDX-License-Identifier: MIT */
/* How often each row of the protocol's tables was used (--coverage). */
#include "machine/timed_gpu.h"

static const char *const kind_names[ROLE_COUNT] = {[ROLE_L1] = "L1",
                                                   [ROLE_SCALAR] = "scalar",
                                                   [ROLE_INSTRUCTION] = "instruction",
                                                   [ROLE_L2] = "L2"};

/* Of one kind of cache, and added up over the caches. */
static uint64_t row_uses(const struct timed_gpu *gpu, enum protocol_role_kind kind,
                         const struct protocol_row *row)
{
    uint64_t count = 0;

    for (uint32_t i = 0; i < gpu->upper_count + gpu->map.slices; i++) {
        const struct controller *controller = i < gpu->upper_count
                                                  ? gpu->upper_controllers[i]
                                                  : gpu->slice_controllers[i - gpu->upper_count];

        if (controller->kind == kind)
            count += controller_row_uses(controller, row);
    }
    return count;
}

void machine_print_coverage(const struct machine *machine, struct text *text)
{
    if (machine->options.counts_coverage)
        machine->model->operations->print_coverage(machine->model, text);
}

void timed_gpu_print_coverage(const struct timed_gpu *gpu, struct text *text)
{
    unsigned rows = 0, used = 0;

    text_add(text, "\ntimes that each row of protocol %s was used\n", gpu->protocol->name);
    for (unsigned kind = 0; kind < ROLE_COUNT; kind++) {
        const struct protocol_role *role =
            protocol_role_of(gpu->protocol, (enum protocol_role_kind)kind);

        for (uint32_t i = 0; role != NULL && i < role->row_count; i++) {
            const struct protocol_row *row = &role->rows[i];
            uint64_t count = row_uses(gpu, (enum protocol_role_kind)kind, row);

            rows++;
            used += count > 0;
            text_add(text, "  %-12s %-8s %-20s %llu\n", kind_names[kind],
                     role->states[row->state].name, role->events[row->event].name,
                     (unsigned long long)count);
        }
    }
    text_add(text, "%u of %u rows used\n", used, rows);
}

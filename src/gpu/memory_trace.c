/* SPDX-License-Identifier: MIT */
/* The trace of accesses: gpu/trace.h says what a line holds. */
#include <string.h>

#include "base/text.h"
#include "gpu/trace.h"
#include "gpu/vector_memory.h"
#include "gpu/wavefront.h"

void memory_trace_choose(const struct vector_memory *vmem, const struct wavefront *wave,
                         struct vmem_entry *entry)
{
    const struct group *group = &vmem->waves->groups[wave->group];

    if (!trace_selects_accesses(entry->launch, vmem->waves->number, group->isa.id, wave->index))
        return;
    entry->is_traced = true;
    entry->wave = wave->index;
    memcpy(entry->group, group->isa.id, sizeof entry->group);
}

static void add_parts(const struct journey *journey, uint64_t start, struct text *text)
{
    uint64_t cycle = start;

    text_add(text, " %llu", (unsigned long long)start);
    for (uint32_t i = 0; i < journey->leg_count; i++) {
        cycle += journey_leg_cycles(journey->legs[i]);
        if (i + 1 == journey->leg_count ||
            journey_leg_part(journey->legs[i]) != journey_leg_part(journey->legs[i + 1]))
            text_add(text, " %s@%llu", journey_part_names[journey_leg_part(journey->legs[i])],
                     (unsigned long long)cycle);
    }
}

static void write_access(const struct vector_memory *vmem, const struct vmem_entry *entry,
                         unsigned part, const struct access *access)
{
    static const char *const kinds[STACK_COUNT] = {"load", "store", "atomic"};
    struct trace *trace = entry->launch->trace;
    struct text text = {0};

    if (access->line + LINE_BYTES - 1 < trace->accesses.first ||
        access->line > trace->accesses.last)
        return;
    text_add(&text, "memory %s %u:%u:%u %u %u 0x%06x %u %s %u/%u 0x%llx %u", entry->launch->kernel,
             entry->group[0], entry->group[1], entry->group[2], entry->wave, entry->sequence,
             entry->instruction->offset, vmem->waves->number, kinds[entry->request.kind], part + 1,
             entry->parts, (unsigned long long)access->line, count_bits(access->mask));
    add_parts(vmem_journey(vmem, entry, part), entry->started_at, &text);
    fprintf(trace->stream, "%s%s\n", text_chars(&text), part == entry->latest_part ? " last" : "");
    trace->lines++;
    text_finish(&text);
}

void memory_trace_write(const struct vector_memory *vmem, const struct vmem_entry *entry)
{
    unsigned part = 0;

    if (entry->request.kind >= STACK_COUNT)
        return;
    for (unsigned run = 0; run < vmem->runs; run++) {
        struct access_list list = {0};

        coalescer_add(&entry->request, vmem_run_lanes(vmem, run), &list);
        for (uint32_t i = 0; i < list.count; i++)
            write_access(vmem, entry, part++, &list.accesses[i]);
    }
    check(part == entry->parts, "an instruction of %u accesses had %u", part, entry->parts);
}

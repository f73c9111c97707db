/* SPDX-License-Identifier: MIT */
/*
 * From what a launch has noted (gpu/slices.h) to slices on tracks:
 *
 *     cu 3 slot 4     | copy 0:0:0 wave 1 ............................ |    a wavefront
 *                     | s_load ... | s_waitcnt ....... | buffer_load   |    its instructions
 *                     |            | scalar .......... | queue_vmem |  |    what was waited for
 *     cu 3 access 0           | load ............................... |      an access
 *                             | address | l1_lookup | network | ...  |      its journey
 *
 * An instruction lasts from the issue of the one before to its own; a barrier's, a pause's and an
 * end's wait is its own. `go`, executing or able to, is what the waits leave. Accesses of a unit
 * that overlap in time lie on tracks of their own.
 */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "gpu/wavefront_time.h"
#include "machine/machine_private.h"

bool machine_slices_open(struct machine *machine, struct diagnosis *diagnosis)
{
    return machine->options.slice_selection == NULL ||
           trace_choice_parse(&machine->slices.choice, machine->options.slice_selection, diagnosis);
}

struct slices *machine_slices_of(struct machine *machine, const struct machine_launch *launch)
{
    const struct trace_choice *choice = &machine->slices.choice;

    if (!choice->is_on ||
        (choice->launch >= 0 && (uint64_t)choice->launch != machine->launch_count) ||
        (choice->kernel[0] != '\0' && strcmp(choice->kernel, launch->kernel->name) != 0))
        return NULL;
    return &machine->slices;
}

/* ---- Telling ---- */

struct telling {
    const struct machine *machine;
    const struct machine_launch *launch;
    uint32_t unit, track;
    bool is_access;
    uint64_t shown_pc; /* of the two texts; 0: of none */
    struct text name;
    char place[1024];
};

static uint64_t ns_of(const struct machine *machine, uint64_t cycle)
{
    return (uint64_t)((unsigned __int128)cycle * 1000000 / machine->parameters->gpu.core_khz);
}

static void tell_begin(const struct telling *telling, struct machine_slice slice, uint64_t begin,
                       uint64_t end)
{
    slice.unit = telling->unit;
    slice.track = telling->track;
    slice.is_access = telling->is_access;
    slice.ns = ns_of(telling->machine, begin);
    slice.cycles = end - begin;
    telling->machine->options.slice(&slice);
}

static void tell_end(const struct telling *telling, uint64_t cycle)
{
    struct machine_slice slice = {.unit = telling->unit,
                                  .track = telling->track,
                                  .is_access = telling->is_access,
                                  .ends = true,
                                  .ns = ns_of(telling->machine, cycle)};

    telling->machine->options.slice(&slice);
}

/* The instruction's words, and where it stands in the source. */
static void find_words(struct telling *telling, uint64_t pc)
{
    struct machine_code *code = telling->launch->code;
    const struct isa_instruction *instruction = isa_code_at(code->decoded, pc);

    if (telling->shown_pc == pc)
        return;
    telling->shown_pc = pc;
    text_finish(&telling->name);
    telling->name = (struct text){0};
    if (instruction != NULL)
        code->isa->disassemble(code->decoded, instruction, &telling->name);
    if (!code_source_line(code, pc, telling->place, sizeof telling->place))
        telling->place[0] = '\0';
}

/* ---- Wavefronts ---- */

static bool is_same_wavefront(const struct slice *a, const struct slice *b)
{
    return a->unit == b->unit && a->slot == b->slot && a->wavefront == b->wavefront &&
           memcmp(a->group, b->group, sizeof a->group) == 0;
}

/* How many notes from `list` on are the instruction's: up to its issue, and what it waits for
 * afterwards. */
static uint32_t instruction_notes(const struct slice *list, uint32_t count)
{
    uint32_t used = 0;
    bool is_issued = false;

    for (; used < count && is_same_wavefront(&list[used], list); used++) {
        if (is_issued && (list[used].kind == SLICE_ISSUE || !list[used].is_behind))
            break;
        is_issued = is_issued || list[used].kind == SLICE_ISSUE;
    }
    return used;
}

static void tell_instruction(struct telling *telling, const struct slice *list, uint32_t count)
{
    uint64_t pc = list[0].pc;

    for (uint32_t i = 0; i < count; i++)
        if (list[i].kind == SLICE_ISSUE)
            pc = list[i].pc;
    find_words(telling, pc);
    tell_begin(telling,
               (struct machine_slice){.name = text_chars(&telling->name),
                                      .detail = telling->place[0] != '\0' ? telling->place : NULL},
               list[0].begin, list[count - 1].end);
    for (uint32_t i = 0; i < count; i++) {
        if (list[i].kind != SLICE_TIME || list[i].what == TIME_GO)
            continue;
        tell_begin(telling,
                   (struct machine_slice){.name = wavefront_time_statistics[list[i].what].name},
                   list[i].begin, list[i].end);
        tell_end(telling, list[i].end);
    }
    tell_end(telling, list[count - 1].end);
}

/* Gives how many notes were the wavefront's. */
static uint32_t tell_wavefront(struct telling *telling, const struct slice *list, uint32_t count)
{
    char *name = format_string("%s %u:%u:%u wave %u", telling->launch->kernel->name, list->group[0],
                               list->group[1], list->group[2], list->wavefront);
    uint32_t used = 0, end = 0;

    while (end < count && is_same_wavefront(&list[end], list))
        end++;
    telling->unit = list->unit;
    telling->track = list->slot;
    tell_begin(telling, (struct machine_slice){.name = name}, list[0].begin, list[end - 1].end);
    while (used < end) {
        uint32_t notes = instruction_notes(list + used, end - used);

        tell_instruction(telling, list + used, notes);
        used += notes;
    }
    tell_end(telling, list[end - 1].end);
    free(name);
    return end;
}

/* ---- Accesses ---- */

static void tell_access(struct telling *telling, const struct slice *slice)
{
    static const char *const names[] = {"load", "store", "atomic"};
    const struct slice_access *access = &telling->machine->slices.accesses[slice->access];
    char *who = format_string("%s %u:%u:%u wave %u", telling->launch->kernel->name, slice->group[0],
                              slice->group[1], slice->group[2], slice->wavefront);
    uint64_t cycle = slice->begin;

    telling->unit = slice->unit;
    telling->track = slice->slot;
    tell_begin(telling,
               (struct machine_slice){.name = names[slice->what],
                                      .detail = who,
                                      .address = access->line,
                                      .bytes = access->bytes,
                                      .is_last_answer = access->is_last},
               slice->begin, slice->end);
    for (uint32_t i = 0; i < access->leg_count; i++) {
        uint64_t cycles = journey_leg_cycles(access->legs[i]);

        tell_begin(
            telling,
            (struct machine_slice){.name = journey_part_names[journey_leg_part(access->legs[i])]},
            cycle, cycle + cycles);
        cycle += cycles;
        tell_end(telling, cycle);
    }
    tell_end(telling, cycle);
    free(who);
}

/* ---- Tracks ---- */

/* Wavefronts before accesses; by unit and track; then in the order of time, as they were noted. */
static int compare_tracks(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;
    int kind = (a->kind == SLICE_ACCESS) - (b->kind == SLICE_ACCESS);

    if (kind != 0)
        return kind;
    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->slot != b->slot)
        return a->slot < b->slot ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

/* Accesses of a unit by their begin. */
static int compare_begins(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;

    if (a->unit != b->unit)
        return a->unit < b->unit ? -1 : 1;
    if (a->begin != b->begin)
        return a->begin < b->begin ? -1 : 1;
    return (a->access > b->access) - (a->access < b->access);
}

/* The first track of the unit that is free goes to the next access: they do not overlap there. */
static void place_accesses(struct slice *list, uint32_t count)
{
    uint64_t *busy_until = allocate(count + 1, sizeof *busy_until);
    uint32_t tracks = 0;

    qsort(list, count, sizeof *list, compare_begins);
    for (uint32_t i = 0; i < count; i++) {
        uint16_t track = 0;

        if (i > 0 && list[i].unit != list[i - 1].unit)
            tracks = 0;
        while (track < tracks && busy_until[track] > list[i].begin)
            track++;
        tracks += track == tracks;
        busy_until[track] = list[i].end;
        list[i].slot = track;
    }
    free(busy_until);
}

/* Where the accesses begin. The order of the notes is kept in `access`, which times do not use. */
static uint32_t sort_notes(struct slices *slices)
{
    uint32_t first = 0;

    for (uint32_t i = 0; i < slices->count; i++)
        if (slices->list[i].kind != SLICE_ACCESS) {
            slices->list[i].access = i;
            first++;
        }
    qsort(slices->list, slices->count, sizeof *slices->list, compare_tracks);
    place_accesses(slices->list + first, slices->count - first);
    for (uint32_t i = first; i < slices->count; i++)
        check(slices->list[i].kind == SLICE_ACCESS, "an access among wavefronts");
    return first;
}

static int compare_places(const void *left, const void *right)
{
    const struct slice *a = left, *b = right;

    if (a->unit != b->unit || a->slot != b->slot)
        return compare_tracks(left, right);
    return compare_begins(left, right);
}

void machine_slices_give(struct machine *machine, const struct machine_launch *launch)
{
    struct slices *slices = &machine->slices;
    struct telling telling = {.machine = machine, .launch = launch};
    uint32_t first, at = 0;

    if (slices->count == 0)
        return;
    first = sort_notes(slices);
    while (at < first)
        at += tell_wavefront(&telling, slices->list + at, first - at);
    qsort(slices->list + first, slices->count - first, sizeof *slices->list, compare_places);
    telling.is_access = true;
    for (; at < slices->count; at++)
        tell_access(&telling, &slices->list[at]);
    text_finish(&telling.name);
    slices_clear(slices);
}

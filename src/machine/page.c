/* SPDX-License-Identifier: MIT */
/* Pages for people: where the wavefronts of a launch stand, and what they wait for. */
#include <stdlib.h>
#include <string.h>

#include "gpu/standing.h"
#include "machine/timed_gpu.h"

enum { PLACE_BYTES = 128, PLACES_MAX = 8 };

struct place {
    char name[PLACE_BYTES]; /* "kernel.cl:12", or "NAME+0x1c" without line numbers */
    const char *waits_for;
    uint64_t pc;
    uint32_t wavefronts;
};

struct places {
    struct place *list;
    uint32_t count, capacity;
};

static struct place *find_place(struct places *places, uint64_t pc, const char *waits_for)
{
    for (uint32_t i = 0; i < places->count; i++)
        if (places->list[i].pc == pc && places->list[i].waits_for == waits_for)
            return &places->list[i];
    return NULL;
}

static void count_place(void *context, uint64_t pc, const char *waits_for)
{
    struct places *places = context;
    struct place *place = find_place(places, pc, waits_for);

    if (place == NULL) {
        if (places->count == places->capacity) {
            places->capacity = 2 * places->capacity + 32;
            places->list = reallocate(places->list, places->capacity, sizeof *places->list);
        }
        place = &places->list[places->count++];
        *place = (struct place){.pc = pc, .waits_for = waits_for};
    }
    place->wavefronts++;
}

static void name_place(const struct machine_launch *launch, struct place *place)
{
    char line[320];
    const char *slash;

    if (!code_source_line(launch->code, place->pc, line, sizeof line)) {
        snprintf(
            place->name, sizeof place->name, "%s+0x%llx", launch->kernel->name,
            (unsigned long long)(place->pc - launch->code->addr - launch->kernel->entry_offset));
        return;
    }
    slash = strrchr(line, '/');
    snprintf(place->name, sizeof place->name, "%.*s", PLACE_BYTES - 1,
             slash != NULL ? slash + 1 : line);
}

/* Instructions of one line together. */
static void merge_lines(const struct machine_launch *launch, struct places *places)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < places->count; i++) {
        struct place *place = &places->list[i];
        uint32_t same = 0;

        name_place(launch, place);
        while (same < kept && (places->list[same].waits_for != place->waits_for ||
                               strcmp(places->list[same].name, place->name) != 0))
            same++;
        if (same < kept)
            places->list[same].wavefronts += place->wavefronts;
        else
            places->list[kept++] = *place;
    }
    places->count = kept;
}

/* The most wavefronts first. */
static int by_wavefronts(const void *a, const void *b)
{
    const struct place *left = a, *right = b;

    if (left->wavefronts != right->wavefronts)
        return left->wavefronts < right->wavefronts ? 1 : -1;
    return left->pc < right->pc ? -1 : left->pc > right->pc;
}

static void places_collect(const struct machine *machine, struct places *places)
{
    machine->model->operations->visit(machine->model, count_place, places);
    merge_lines(machine->running, places);
    if (places->count > 0)
        qsort(places->list, places->count, sizeof *places->list, by_wavefronts);
}

static void add_places(const struct places *places, const char *separator, struct text *text)
{
    uint32_t others = 0;

    for (uint32_t i = 0; i < places->count; i++) {
        const struct place *place = &places->list[i];

        if (i < PLACES_MAX)
            text_add(text, "%s%u wavefront%s at %s, %s", i > 0 ? separator : "", place->wavefronts,
                     place->wavefronts == 1 ? "" : "s", place->name, place->waits_for);
        else
            others += place->wavefronts;
    }
    if (others > 0)
        text_add(text, "%s%u elsewhere", separator, others);
    if (places->count == 0)
        text_add(text, "no wavefront is resident");
}

static void add_groups(const struct machine_progress *progress, struct text *text)
{
    text_add(text, "%llu of %llu work-groups ended", (unsigned long long)progress->groups_done,
             (unsigned long long)progress->groups_total);
    if (progress->groups_started < progress->groups_total)
        text_add(text, ", %llu wait until others end",
                 (unsigned long long)(progress->groups_total - progress->groups_started));
}

void machine_explain(const struct machine *machine, struct text *text)
{
    struct places places = {0};
    struct machine_progress progress;

    if (machine->running == NULL)
        return;
    machine_progress(machine, &progress);
    places_collect(machine, &places);
    text_add(text, "wavetank: kernel %s: ", progress.kernel);
    add_groups(&progress, text);
    text_add(text, "; its wavefronts stand at\n  ");
    add_places(&places, "\n  ", text);
    text_add(text, "\n");
    free(places.list);
}

void page_no_progress(const struct machine *machine, double seconds, struct text *text)
{
    struct places places = {0};
    struct machine_progress progress;

    machine_progress(machine, &progress);
    places_collect(machine, &places);
    text_add(text, "wavetank: kernel %s: no progress to be seen for %.*f s of host time: ",
             progress.kernel, seconds < 10 ? 1 : 0, seconds);
    add_groups(&progress, text);
    text_add(text, ", no buffer changed; ");
    add_places(&places, "; ", text);
    text_add(text, "\n");
    free(places.list);
}

/* ---- What is in flight ---- */

struct wires {
    struct text *text;
    bool has_any;
};

static void add_wire(void *context, const struct port *port)
{
    const struct clock_domain *clock = port->receiver->clock;
    struct wires *wires = context;
    uint64_t due;

    if (port_count(port) == 0)
        return;
    if (!wires->has_any)
        text_add(wires->text, "in flight:\n");
    wires->has_any = true;
    due = clock_cycle_at(clock, port->arrivals[port->head]);
    text_add(wires->text, "  %s to %s: %u %s, ", port->sender->path, port->receiver->path,
             port->count, port->name);
    if (due > clock->cycle)
        text_add(wires->text, "the first arrives in %llu %s cycles\n",
                 (unsigned long long)(due - clock->cycle), clock->name);
    else
        text_add(wires->text, "the first has arrived and is not taken\n");
}

void page_wires(const struct timed_gpu *gpu, struct text *text)
{
    struct wires wires = {.text = text};

    timed_gpu_visit_ports(gpu, add_wire, &wires);
}

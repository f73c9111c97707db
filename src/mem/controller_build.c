/* SPDX-License-Identifier: MIT */
/* A controller's arena and compiled table; copying, comparing and printing. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/controller_private.h"

/* ---- The arena ---- */

/* Reserves room; in the first pass (arena NULL) only adds up. */
static void *arena_place(struct controller *controller, size_t *offset, size_t count, size_t bytes)
{
    size_t at = align_up(*offset, 16);

    *offset = at + count * bytes;
    return controller->arena == NULL ? NULL : controller->arena + at;
}

static size_t lay_out(struct controller *controller)
{
    const struct controller_shape *shape = &controller->shape;
    const struct protocol_role *role = controller->role;
    uint32_t entries = controller_entries(controller);
    size_t offset = 0;

    controller->state = arena_place(controller, &offset, 1, sizeof *controller->state);
    controller->tags = arena_place(controller, &offset, controller->line_count, sizeof(uint64_t));
    controller->lines =
        arena_place(controller, &offset, controller->line_count, sizeof(struct line));
    controller->mshrs = arena_place(controller, &offset, entries, sizeof(struct mshr));
    controller->mshr_next = arena_place(controller, &offset, entries, sizeof(uint16_t));
    controller->mshr_drain = arena_place(controller, &offset, entries, sizeof(uint16_t));
    controller->mshr_heads =
        arena_place(controller, &offset, controller->mshr_mask + 1, sizeof(uint16_t));
    controller->waiting =
        arena_place(controller, &offset, shape->waiting_entries, sizeof(struct waiting));
    controller->applicants = arena_place(
        controller, &offset, shape->admission->choose == NULL ? 0 : shape->waiting_entries,
        sizeof(struct applicants));
    controller->line_data =
        arena_place(controller, &offset, controller->line_count, role->line_data.bytes);
    controller->mshr_data = arena_place(controller, &offset, entries, role->mshr_data.bytes);
    controller->data = arena_place(controller, &offset, 1, role->controller_data.bytes);
    return align_up(offset, 16);
}

/* A free list of entries; returns its head. */
static uint16_t link_free(struct controller *controller, uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        controller->mshr_next[i] = i + 1 < first + count ? (uint16_t)(i + 1) : (uint16_t)NO_INDEX;
    return count > 0 ? (uint16_t)first : (uint16_t)NO_INDEX;
}

static void controller_clear(struct controller *controller)
{
    struct controller_state *state = controller->state;
    const struct controller_shape *shape = &controller->shape;

    for (uint32_t i = 0; i < controller->line_count; i++)
        controller->lines[i].owner = controller->lines[i].mshr = NO_INDEX;
    state->free_mshr = link_free(controller, 0, shape->mshr_entries);
    state->free_eviction = link_free(controller, shape->mshr_entries, shape->eviction_entries);
    for (uint32_t i = 0; i < shape->waiting_entries; i++)
        controller->waiting[i].next =
            i + 1 < shape->waiting_entries ? (uint16_t)(i + 1) : (uint16_t)NO_INDEX;
    memset(controller->mshr_heads, 0xff, (controller->mshr_mask + 1) * sizeof(uint16_t));
    state->first_replay = state->last_replay = NO_INDEX;
    state->first_filled = state->last_filled = NO_INDEX;
    state->first_probing = state->last_probing = NO_INDEX;
    state->chosen = NO_INDEX;
    state->entry_limit = (uint16_t)shape->mshr_entries;
    state->admission = shape->admission_seed + controller->node;
}

/* ---- The table ---- */

static uint8_t channels_of(const struct protocol_role *role, unsigned event)
{
    unsigned channels = 0;

    for (unsigned channel = 0; channel < CHANNEL_COUNT; channel++)
        channels |= (unsigned)(role->channel_events[channel] >> event & 1) << channel;
    return (uint8_t)(channels != 0 ? channels : 1 << CHANNEL_REQUEST);
}

/* Whether lines that are replaced may have to go by the write-back buffer. */
static bool has_evictions(const struct protocol_role *role)
{
    for (uint32_t i = 0; i < role->row_count; i++)
        for (unsigned j = 0; j < PROTOCOL_MAX_ACTIONS && role->rows[i].actions[j] != NULL; j++)
            if ((role->rows[i].actions[j]->needs & NEEDS_EVICTION) != 0)
                return true;
    return false;
}

/* What an action may send, on the lanes of its channel: of CHANNEL_SAME any of the event's. */
static void add_room(struct controller_row *compiled, const struct protocol_action *action)
{
    unsigned up =
        action->up_channel == CHANNEL_SAME ? compiled->channels : 1u << action->up_channel;
    unsigned down =
        action->down_channel == CHANNEL_SAME ? compiled->channels : 1u << action->down_channel;
    unsigned lanes_up = 0, lanes_down = 0;
    uint8_t *messages = compiled->room.messages;

    for (unsigned channel = 0; channel < CHANNEL_COUNT; channel++) {
        lanes_up |= (up >> channel & 1) << lane_up(channel);
        lanes_down |= (down >> channel & 1) << lane_down(channel);
    }
    for (enum lane lane = 0; lane < LANE_COUNT; lane++) {
        messages[lane] = (uint8_t)(messages[lane] + (lanes_up >> lane & 1) * action->up);
        messages[lane] = (uint8_t)(messages[lane] + (lanes_down >> lane & 1) * action->down);
    }
}

static void controller_compile(struct controller *controller)
{
    const struct protocol_role *role = controller->role;

    controller->rows =
        allocate((size_t)role->state_count * role->event_count, sizeof *controller->rows);
    for (uint32_t i = 0; i < role->row_count; i++) {
        const struct protocol_row *row = &role->rows[i];
        struct controller_row *compiled =
            &controller->rows[(uint32_t)row->state * role->event_count + row->event];

        compiled->row = row;
        compiled->channels = channels_of(role, row->event);
        while (compiled->action_count < PROTOCOL_MAX_ACTIONS &&
               row->actions[compiled->action_count] != NULL) {
            const struct protocol_action *action = row->actions[compiled->action_count++];

            compiled->up = (uint8_t)(compiled->up + action->up);
            compiled->down = (uint8_t)(compiled->down + action->down);
            compiled->across = (uint8_t)(compiled->across + action->across);
            compiled->needs |= action->needs;
            compiled->uses |= action->uses_line;
            compiled->passes |= action->up > 0 && action->up_channel == CHANNEL_SAME;
            compiled->joins |= action == &verb_merge;
            compiled->waits |= action == &verb_stall_line;
            add_room(compiled, action);
        }
        compiled->turns = row->next != STATE_SAME && row->next != row->state &&
                          ((role->states[row->state].flags | role->states[row->next].flags) &
                           STATE_TRANSIENT) != 0;
        if ((compiled->needs & NEEDS_MSHR) != 0) /* its own */
            compiled->joins = compiled->waits = false;
    }
    for (unsigned kind = 0; kind < MESSAGE_KINDS; kind++) {
        const struct message_kind *known = protocol_find_kind(controller->protocol, kind);

        if (known == NULL)
            continue;
        controller->kind_channels[kind] = known->channel;
        controller->counted_kinds[kind] =
            kind < MESSAGE_PROTOCOL ? (uint8_t)kind : known->counts_as;
        if (known->channel == CHANNEL_REQUEST)
            controller->request_kinds |= UINT64_C(1) << kind;
    }
}

void controller_init(struct controller *controller, const char *name,
                     const struct protocol *protocol, enum protocol_role_kind kind,
                     const struct controller_shape *shape, const struct address_map *map,
                     uint16_t node, uint64_t breaks)
{
    memset(controller, 0, sizeof *controller);
    check(protocol_role_of(protocol, kind) != NULL, "protocol %s has no such role", protocol->name);
    check(shape->sets > 0 && shape->ways > 0 && shape->ways <= 64 && shape->mshr_entries > 0 &&
              shape->mshr_entries + shape->eviction_entries + 1 < NO_INDEX &&
              shape->waiting_entries > 0 && shape->waiting_entries < NO_INDEX,
          "%s: shape of a controller", name);
    check(shape->sets * shape->ways < NO_INDEX, "%s: more lines than an index can name", name);
    check(map == NULL || shape->sets % map->ports == 0, "%s: sets do not divide into channels",
          name);
    controller->protocol = protocol;
    controller->role = protocol_role_of(protocol, kind);
    controller->kind = kind;
    controller->shape = *shape;
    if (shape->replacement == NULL)
        controller->shape.replacement = replacements[0];
    if (!has_evictions(controller->role))
        controller->shape.eviction_entries = 0;
    else if (shape->eviction_entries == 0)
        controller->shape.eviction_entries = 1;
    if (shape->admission == NULL)
        controller->shape.admission = admissions[0];
    controller->has_accesses = controller->shape.admission->every_access || shape->splits;
    controller->map = map;
    controller->name = copy_string(name);
    controller->node = node;
    controller->breaks = breaks;
    controller->parameters = protocol->parameters;
    controller->line_count = shape->sets * shape->ways;
    controller->port_sets = map != NULL ? shape->sets / map->ports : shape->sets;
    while (controller->mshr_mask + 1 < 2 * controller_entries(controller))
        controller->mshr_mask = controller->mshr_mask * 2 + 1;
    controller->replaying = NO_INDEX;
    controller->arena_bytes = lay_out(controller);
    controller->arena = allocate(controller->arena_bytes, 1);
    lay_out(controller);
    controller_clear(controller);
    controller_compile(controller);
    state_times_init(&controller->state_times, controller->role, controller_entries(controller));
    if (controller->role->statistics.bytes > 0) {
        controller->protocol_statistics = allocate(1, controller->role->statistics.bytes);
        controller->lost = allocate(controller->line_count, sizeof *controller->lost);
    }
    if (controller->role->controller_init != NULL)
        controller->role->controller_init(controller);
}

void controller_empty(struct controller *controller)
{
    uint16_t limit = controller->state->entry_limit;

    check(controller_is_idle(controller), "%s is emptied while it works", controller->name);
    memset(controller->arena, 0, controller->arena_bytes);
    controller_clear(controller);
    controller->state->entry_limit = limit;
    controller->set_for = controller->way_for = 0;
    if (controller->lost != NULL)
        memset(controller->lost, 0, controller->line_count * sizeof *controller->lost);
    if (controller->role->controller_init != NULL)
        controller->role->controller_init(controller);
}

void controller_count_coverage(struct controller *controller)
{
    const struct protocol_role *role = controller->role;

    if (controller->coverage == NULL)
        controller->coverage =
            allocate((size_t)role->state_count * role->event_count, sizeof(uint64_t));
}

void controller_register(struct controller *controller, struct registry *registry, const char *kind)
{
    const struct protocol_statistics *statistics = &controller->role->statistics;
    char *path;

    state_times_register(&controller->state_times, registry, controller->name);
    if (statistics->bytes == 0)
        return;
    path = format_string("%s.coherence", controller->name);
    registry_add(registry, path, kind, statistics->rows, statistics->count,
                 controller->protocol_statistics, statistics->bytes);
    free(path);
}

void controller_finish(struct controller *controller)
{
    free(controller->arena);
    free(controller->rows);
    free(controller->coverage);
    state_times_finish(&controller->state_times);
    free(controller->protocol_statistics);
    free(controller->lost);
    free(controller->name);
    memset(controller, 0, sizeof *controller);
}

void controller_copy(struct controller *to, const struct controller *from)
{
    check(to->role == from->role && to->arena_bytes == from->arena_bytes,
          "%s and %s have different shapes", to->name, from->name);
    memcpy(to->arena, from->arena, from->arena_bytes);
}

bool controller_equal(const struct controller *a, const struct controller *b)
{
    return a->role == b->role && a->arena_bytes == b->arena_bytes &&
           memcmp(a->arena, b->arena, a->arena_bytes) == 0;
}

/* ---- Printing ---- */

static void print_data(const struct protocol_data *data, const unsigned char *bytes,
                       struct text *text)
{
    if (data->bytes == 0 || data->fields == NULL)
        return;
    for (const struct protocol_field *field = data->fields; field->name != NULL; field++) {
        text_add(text, " %s=", field->name);
        for (unsigned i = field->bytes; i-- > 0;) /* little-endian, highest first */
            text_add(text, "%02x", bytes[field->offset + i]);
    }
}

static void print_queue(const struct controller *controller, const char *name, uint16_t first,
                        struct text *text)
{
    if (first == NO_INDEX)
        return;
    text_add(text, "    %s:", name);
    for (; first != NO_INDEX; first = controller->waiting[first].next) {
        const struct message *message = &controller->waiting[first].message;

        text_add(text, " %s 0x%llx", protocol_kind(controller->protocol, message->kind)->name,
                 (unsigned long long)message->addr);
    }
    text_add(text, "\n");
}

void controller_print(const struct controller *controller, struct text *text)
{
    const struct protocol_role *role = controller->role;

    text_add(text, "%s (%s %s), epoch %llu\n", controller->name, controller->protocol->name,
             role->name, (unsigned long long)controller->state->epoch);
    print_data(&role->controller_data, controller->data, text);
    for (uint32_t i = 0; i < controller->line_count; i++) {
        const struct line *line = &controller->lines[i];

        if (controller->tags[i] == 0)
            continue;
        text_add(text, "  line 0x%llx %s valid %016llx dirty %016llx",
                 (unsigned long long)line->addr, role->states[line->state].name,
                 (unsigned long long)line->valid, (unsigned long long)line->dirty);
        print_data(&role->line_data, controller->line_data + (size_t)i * role->line_data.bytes,
                   text);
        text_add(text, "\n");
    }
    for (uint32_t i = 0; i < controller_entries(controller); i++) {
        const struct mshr *mshr = &controller->mshrs[i];

        if (!mshr->in_use)
            continue;
        text_add(text, "  %s 0x%llx %s%s%s", mshr->is_eviction ? "eviction" : "mshr",
                 (unsigned long long)mshr->addr, role->states[mshr->state].name,
                 mshr->overtaken ? " overtaken" : "", mshr->filled ? " filled" : "");
        print_data(&role->mshr_data, controller->mshr_data + (size_t)i * role->mshr_data.bytes,
                   text);
        text_add(text, "\n");
        print_queue(controller, "targets", mshr->first_target, text);
        print_queue(controller, "stalled", mshr->first_stalled, text);
    }
    print_queue(controller, "replay", controller->state->first_replay, text);
    for (uint32_t i = 0; i < controller->state->applicant_lines; i++)
        print_queue(controller, "for an entry", controller->applicants[i].first, text);
}

void controller_print_coverage(const struct controller *controller, struct text *text)
{
    const struct protocol_role *role = controller->role;

    check(controller->coverage != NULL, "%s: coverage was not counted", controller->name);
    text_add(text, "%s %s: times that each row was used\n", controller->protocol->name, role->name);
    for (uint32_t i = 0; i < role->row_count; i++) {
        const struct protocol_row *row = &role->rows[i];

        text_add(text, "  %-8s %-20s %llu\n", role->states[row->state].name,
                 role->events[row->event].name,
                 (unsigned long long)
                     controller->coverage[(uint32_t)row->state * role->event_count + row->event]);
    }
}

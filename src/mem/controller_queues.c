/* SPDX-License-Identifier: MIT */
/* A controller's lookups, MSHRs and queues of waiting messages. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/controller_private.h"

/* ---- Finding things ---- */

static uint32_t set_of(const struct controller *controller, uint64_t addr)
{
    uint32_t sets = controller->shape.sets, first = 0;
    uint64_t line = (addr & UINT64_C(0xffffffffff)) / LINE_BYTES;

    if (controller->map != NULL) { /* each channel has sets of its own */
        struct address_place place = address_place(controller->map, addr);

        sets /= controller->map->ports;
        first = place.port * sets;
        line = place.line;
    }
    return first + (uint32_t)(is_power_of_two(sets) ? line & (sets - 1) : line % sets);
}

struct line *controller_find(const struct controller *controller, uint64_t addr)
{
    uint32_t ways = controller->shape.ways;
    uint32_t first = set_of(controller, addr) * ways;
    const uint64_t *tags = controller->tags + first;

    for (uint32_t way = 0; way < ways; way++)
        if (tags[way] == (addr | 1))
            return &controller->lines[first + way];
    return NULL;
}

static uint32_t mshr_hash(const struct controller *controller, uint64_t addr)
{
    uint64_t line = addr / LINE_BYTES;

    return (uint32_t)(line ^ line >> 9) & controller->mshr_mask;
}

struct mshr *controller_find_mshr(const struct controller *controller, uint64_t addr)
{
    uint16_t index = controller->mshr_heads[mshr_hash(controller, addr)];

    while (index != NO_INDEX && controller->mshrs[index].addr != addr)
        index = controller->mshr_next[index];
    return index == NO_INDEX ? NULL : &controller->mshrs[index];
}

uint32_t controller_link(const struct controller *controller, const struct message *message)
{
    return controller->map != NULL ? address_place(controller->map, message->addr).port
                                   : message->port;
}

uint32_t controller_link_of(const struct controller *controller, uint64_t addr)
{
    return controller->map != NULL ? address_place(controller->map, addr).port : 0;
}

uint32_t controller_find_way(struct controller *controller, uint64_t addr)
{
    uint32_t first, best = NO_WAY;

    if (controller->way_for == (addr | 1))
        return controller->way;
    first = set_of(controller, addr) * controller->shape.ways;
    for (uint32_t way = first; way < first + controller->shape.ways; way++) {
        const struct line *line = &controller->lines[way];

        if (controller->tags[way] == 0) {
            best = way;
            break;
        }
        if (line->mshr == NO_INDEX && (best == NO_WAY || line->used < controller->lines[best].used))
            best = way;
    }
    controller->way_for = addr | 1;
    controller->way = best;
    return best;
}

/* ---- MSHRs and waiting messages ---- */

/* The protocol's own data of the element begins at zero. */
static void clear_data(const struct protocol_data *declared, unsigned char *data, uint32_t index)
{
    if (declared->bytes > 0)
        memset(data + (size_t)index * declared->bytes, 0, declared->bytes);
}

void line_begin(struct controller *controller, uint32_t way, uint64_t addr)
{
    struct line *line = &controller->lines[way];

    controller->way_for = 0;
    controller->tags[way] = addr | 1;
    line->addr = addr;
    line->state = STATE_INVALID;
    memset(line->history, 0, sizeof line->history);
    clear_data(&controller->role->line_data, controller->line_data, way);
}

struct mshr *mshr_take(struct controller *controller, uint64_t addr)
{
    struct controller_state *state = controller->state;
    uint16_t index = state->free_mshr;
    struct mshr *mshr = &controller->mshrs[index];
    uint16_t *head = &controller->mshr_heads[mshr_hash(controller, addr)];

    check(index != NO_INDEX, "%s: no MSHR is free", controller->name);
    state->free_mshr = controller->mshr_next[index];
    state->mshrs_used++;
    memset(mshr, 0, sizeof *mshr);
    mshr->addr = addr;
    mshr->epoch = state->epoch;
    mshr->line = NO_INDEX;
    mshr->first_target = mshr->last_target = NO_INDEX;
    mshr->first_stalled = mshr->last_stalled = NO_INDEX;
    mshr->in_use = true;
    clear_data(&controller->role->mshr_data, controller->mshr_data, index);
    controller->mshr_next[index] = *head;
    *head = index;
    return mshr;
}

void mshr_release(struct controller *controller, struct mshr *mshr)
{
    struct controller_state *state = controller->state;
    uint16_t index = (uint16_t)(mshr - controller->mshrs);
    uint16_t *link = &controller->mshr_heads[mshr_hash(controller, mshr->addr)];

    check(mshr->in_use && mshr->first_target == NO_INDEX, "%s: MSHR %u released with targets",
          controller->name, index);
    while (*link != index)
        link = &controller->mshr_next[*link];
    *link = controller->mshr_next[index];
    if (mshr->line != NO_INDEX)
        controller->lines[mshr->line].mshr = NO_INDEX;
    if (mshr->first_stalled != NO_INDEX) {
        /* To the front: what is in the queue of this line, if anything, came after these. */
        controller->waiting[mshr->last_stalled].next = state->first_replay;
        if (state->first_replay == NO_INDEX)
            state->last_replay = mshr->last_stalled;
        state->first_replay = mshr->first_stalled;
    }
    memset(mshr, 0, sizeof *mshr);
    controller->mshr_next[index] = state->free_mshr;
    state->free_mshr = index;
    state->mshrs_used--;
}

uint16_t waiting_put(struct step *step)
{
    struct controller *controller = step->controller;
    uint16_t index = controller->replaying;

    if (index != NO_INDEX) { /* it has a place already */
        controller->replaying = NO_INDEX;
    } else {
        index = controller->state->free_waiting;
        check(index != NO_INDEX, "%s: no waiting slot is free", controller->name);
        controller->state->free_waiting = controller->waiting[index].next;
        controller->state->waiting_used++;
        memcpy(&controller->waiting[index].message, step->message, sizeof *step->message);
        controller->waiting[index].counted = false;
    }
    controller->waiting[index].next = NO_INDEX;
    controller->put = index;
    return index;
}

void waiting_free(struct controller *controller, uint16_t index)
{
    controller->waiting[index].next = controller->state->free_waiting;
    controller->state->free_waiting = index;
    controller->state->waiting_used--;
}

void queue_append(struct controller *controller, uint16_t *first, uint16_t *last, uint16_t index)
{
    if (*first == NO_INDEX)
        *first = index;
    else
        controller->waiting[*last].next = index;
    *last = index;
}

uint16_t queue_pop(struct controller *controller, uint16_t *first, uint16_t *last)
{
    uint16_t index = *first;

    *first = controller->waiting[index].next;
    if (*first == NO_INDEX)
        *last = NO_INDEX;
    return index;
}

void line_release(struct controller *controller, struct line *line)
{
    uint32_t way = (uint32_t)(line - controller->lines);

    if (line->mshr != NO_INDEX)
        controller->mshrs[line->mshr].line = NO_INDEX;
    line->mshr = NO_INDEX;
    line->state = STATE_INVALID;
    line->valid = line->dirty = line->sharers = 0;
    line->owner = NO_INDEX;
    line->acks = 0;
    controller->tags[way] = 0;
    controller->way_for = 0;
}

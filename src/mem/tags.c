/* SPDX-License-Identifier: MIT */
/* Tags: which line is in which way, and which way a new line gets. */
#include <string.h>

#include "base/bits.h"
#include "mem/controller_private.h"

static uint64_t fold_digits(uint64_t line, uint32_t sets)
{
    uint64_t folded = line;
    unsigned digit = is_power_of_two(sets) ? lowest_bit(sets) : 0;

    if (digit > 0)
        for (uint64_t rest = line >> digit; rest != 0; rest >>= digit)
            folded ^= rest;
    else if (sets > 1)
        for (uint64_t rest = line / sets; rest != 0; rest /= sets)
            folded ^= rest;
    return folded;
}

static uint32_t set_of(const struct controller *controller, uint64_t addr)
{
    uint32_t sets = controller->shape.sets, first = 0;
    uint64_t line = (addr & UINT64_C(0xffffffffff)) / LINE_BYTES;

    if (sets == 1)
        return 0;
    if (controller->map != NULL) { /* each channel has sets of its own */
        struct address_place place = address_place(controller->map, addr);

        sets = controller->port_sets;
        first = place.port * sets;
        line = place.line;
    }
    if (controller->shape.set_index == SET_XOR)
        line = fold_digits(line, sets);
    return first + (uint32_t)(is_power_of_two(sets) ? line & (sets - 1) : line % sets);
}

static struct line *find_in_set(const struct controller *controller, uint64_t addr, uint32_t first)
{
    const uint64_t *tags = controller->tags + first;

    for (uint32_t way = 0; way < controller->shape.ways; way++)
        if (tags[way] == (addr | 1))
            return &controller->lines[first + way];
    return NULL;
}

struct line *controller_find(const struct controller *controller, uint64_t addr)
{
    return find_in_set(controller, addr, set_of(controller, addr) * controller->shape.ways);
}

/* The set's first way; that of the step's address is worked out once. */
static uint32_t first_way_of(struct controller *controller, uint64_t addr)
{
    if (controller->set_for != (addr | 1)) {
        controller->set_for = addr | 1;
        controller->set_first = set_of(controller, addr) * controller->shape.ways;
    }
    return controller->set_first;
}

struct line *controller_look(struct controller *controller, uint64_t addr)
{
    return find_in_set(controller, addr, first_way_of(controller, addr));
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
    const struct line *ways;
    uint64_t candidates = 0;
    uint32_t first;

    if (controller->way_for == (addr | 1))
        return controller->way;
    controller->way_for = addr | 1;
    first = first_way_of(controller, addr);
    ways = &controller->lines[first];
    for (uint32_t way = 0; way < controller->shape.ways; way++) {
        if (controller->tags[first + way] == 0)
            return controller->way = first + way;
        candidates |= (uint64_t)(ways[way].mshr == NO_INDEX) << way;
    }
    controller->way = candidates == 0
                          ? NO_WAY
                          : first + controller->shape.replacement->choose(
                                        ways, candidates, &controller->state->replacement);
    return controller->way;
}

void controller_lose(struct controller *controller, const struct line *line, enum loss why)
{
    if (controller->lost != NULL)
        controller->lost[line - controller->lines] = line->addr | why;
}

enum loss controller_lost(const struct step *step)
{
    const struct controller *controller = step->controller;
    uint32_t first = set_of(controller, step->addr) * controller->shape.ways;

    for (uint32_t way = first; way < first + controller->shape.ways && controller->lost != NULL;
         way++)
        if ((controller->lost[way] & ~(uint64_t)(LINE_BYTES - 1)) == step->addr &&
            controller->tags[way] == 0)
            return (enum loss)(controller->lost[way] % LINE_BYTES);
    return LOSS_NONE;
}

void line_begin(struct controller *controller, uint32_t way, uint64_t addr)
{
    struct line *line = &controller->lines[way];

    if (controller->lost != NULL)
        controller->lost[way] = 0;
    controller->way_for = 0;
    controller->tags[way] = addr | 1;
    line->addr = addr;
    line->state = STATE_INVALID;
    memset(line->history, 0, sizeof line->history);
    data_clear(&controller->role->line_data, controller->line_data, way);
}

void line_release(struct controller *controller, struct line *line)
{
    uint32_t way = (uint32_t)(line - controller->lines);

    if (line->mshr != NO_INDEX)
        controller->mshrs[line->mshr].line = NO_INDEX;
    line->mshr = NO_INDEX;
    line->state = STATE_INVALID;
    line->valid = line->dirty = 0;
    memset(&line->sharers, 0, sizeof line->sharers);
    line->owner = NO_INDEX;
    line->acks = 0;
    controller->tags[way] = 0;
    controller->way_for = 0;
}

/* SPDX-License-Identifier: MIT */
/* The centre of the system `ideal_global`: commits in one order, lanes by lane, at once. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "sim/debug.h"
#include "tm/ideal_global.h"
#include "tm/parameters.h"

struct ideal_centre {
    struct tm_centre centre;
    struct ideal_table *table;
    struct tm_facts facts;
    bool writes_now; /* stores were paid for at their execution */
    uint64_t breaks;
    uint64_t commits;  /* so far */
    uint64_t *settled; /* by unit: what the news of this tick say */
    bool *has_news;
};

static struct ideal_centre *centre_of(const struct component *component)
{
    return container_of((struct component *)(uintptr_t)component, struct ideal_centre,
                        centre.component);
}

struct ideal_table *ideal_centre_table(struct port *to_centre)
{
    return centre_of(to_centre->receiver)->table;
}

static struct tm_packet *new_packet(struct port *port, uint8_t kind)
{
    struct tm_packet *packet = port_reserve(port, 1);

    memset(packet, 0, offsetof(struct tm_packet, pairs));
    packet->kind = kind;
    return packet;
}

static void centre_commit(struct ideal_centre *centre, const struct tm_packet *packet)
{
    const struct ideal_log *logs = (const void *)(uintptr_t)packet->id;
    uint64_t now = component_cycle(&centre->centre.component), lanes = packet->lanes, passed = 0;
    struct tm_packet *answer;

    for_each_bit(lane, lanes)
    {
        if (!debug_breaks(centre->breaks, TM_SKIP_VALIDATION) &&
            !ideal_reads_hold(centre->table, &logs[lane], now, true))
            continue;
        ideal_table_publish(centre->table, &logs[lane], packet->unit, packet->slot, now);
        passed |= UINT64_C(1) << lane;
    }
    answer = new_packet(centre->centre.to_unit[packet->unit], IDEAL_OUTCOME);
    answer->slot = packet->slot;
    answer->lanes = passed;
    answer->id = centre->commits;
    centre->commits += count_bits(passed);
    if (centre->writes_now) {
        ideal_table_settle(centre->table, now);
        component_ask_close(&centre->centre.component);
        return;
    }
    answer->pair_count =
        ideal_table_flush(centre->table, packet->unit, packet->slot, now) > 0 ? 1 : 0;
}

static void centre_answered(struct ideal_centre *centre, const struct tm_packet *packet)
{
    uint64_t now = component_cycle(&centre->centre.component);

    for (unsigned i = 0; i < packet->pair_count; i++) {
        uint32_t unit =
            ideal_table_answered(centre->table, packet->pairs[i].address, now, centre->settled);

        if (unit != UINT32_MAX)
            centre->has_news[unit] = true;
    }
}

/* Each unit has room for an outcome and the news of this tick, or what comes from it waits. */
static bool centre_receive(struct ideal_centre *centre, uint32_t unit)
{
    struct port *port = centre->centre.from_unit[unit];
    const struct tm_packet *packet;

    while ((packet = port_peek(port)) != NULL) {
        if (packet->kind == IDEAL_COMMIT) {
            if (!port_has_room(centre->centre.to_unit[unit], 2))
                return false;
            centre_commit(centre, packet);
        } else {
            centre_answered(centre, packet);
        }
        port_take(port);
    }
    return true;
}

static bool send_news(struct ideal_centre *centre, uint32_t unit)
{
    struct port *port = centre->centre.to_unit[unit];

    if (!centre->has_news[unit] && centre->settled[unit] == 0)
        return true;
    if (!port_has_room(port, 1))
        return false;
    new_packet(port, IDEAL_NEWS)->lanes = centre->settled[unit];
    centre->settled[unit] = 0;
    centre->has_news[unit] = false;
    return true;
}

static bool centre_tick(struct component *component)
{
    struct ideal_centre *centre = centre_of(component);
    uint32_t units = centre->centre.unit_count;
    uint32_t first = (uint32_t)(component_cycle(component) % units);
    bool is_done = true;

    for (uint32_t i = 0; i < units; i++)
        is_done &= centre_receive(centre, (first + i) % units);
    for (uint32_t i = 0; i < units; i++)
        is_done &= send_news(centre, i);
    component_progress(component);
    return !is_done;
}

/* What was committed in this instant is in memory from now on. */
static void centre_close(struct component *component)
{
    struct ideal_centre *centre = centre_of(component);
    const struct ideal_store *store;

    while ((store = ideal_table_store(centre->table, IDEAL_NOBODY)) != NULL) {
        centre->facts.write_now(centre->facts.memory, store->line, store->mask, store->data);
        ideal_table_take_store(centre->table, IDEAL_NOBODY);
    }
}

static const struct component_operations operations = {.tick = centre_tick, .close = centre_close};

struct tm_centre *ideal_centre_create(const struct tm_system *system,
                                      const struct tm_options *options)
{
    struct ideal_centre *ideal = allocate(1, sizeof *ideal);
    struct tm_centre *centre = &ideal->centre;
    uint32_t units = options->facts.units;

    component_init(&centre->component, &operations, options->clock, "tm.ideal_global");
    centre->unit_count = units;
    centre->from_unit = allocate(units, sizeof(struct port *));
    centre->to_unit = allocate(units, sizeof(struct port *));
    ideal->table = ideal_table_create(units);
    ideal->facts = options->facts;
    ideal->writes_now = ideal_global_pays_at_execution(&options->parameters->ideal_global);
    ideal->breaks = options->breaks;
    ideal->settled = allocate(units, sizeof *ideal->settled);
    ideal->has_news = allocate(units, sizeof *ideal->has_news);
    return centre;
}

void ideal_centre_destroy(struct tm_centre *centre)
{
    struct ideal_centre *ideal = centre_of(&centre->component);

    component_finish(&centre->component);
    ideal_table_destroy(ideal->table);
    free(centre->from_unit);
    free(centre->to_unit);
    free(ideal->settled);
    free(ideal->has_news);
    free(ideal);
}

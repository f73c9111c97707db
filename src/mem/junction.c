/* SPDX-License-Identifier: MIT */
#include "mem/junction.h"

#include <string.h>

#include "base/bits.h"

/* ---- One cycle ---- */

static bool is_taken_down(const struct junction *junction, const struct message *message)
{
    return junction->unit == REQUESTER_COMMIT && message->kind == MESSAGE_TRANSACTION;
}

static bool is_taken_up(const struct junction *junction, const struct message *message)
{
    return message->requester.unit == junction->unit ||
           (junction->unit == REQUESTER_COMMIT && message_is_of_commit(message)) ||
           (junction->unit == REQUESTER_LOG && message->kind == MESSAGE_TRANSACTION_REPLY);
}

/* The head of one port to another; false: there is none, or no room. */
static bool pass_on(struct port *from, struct port *to)
{
    const struct message *message = port_peek(from);

    if (message == NULL || !port_has_room(to, 1))
        return false;
    memcpy(port_reserve(to, to->latency_cycles), message, sizeof *message);
    port_take(from);
    return true;
}

/* One FIFO of a direction and the part's own: the one whose turn it is goes first. */
static bool pass_either(const struct junction *junction, struct port *through, struct port *own,
                        struct port *to)
{
    bool own_first = (component_cycle(&junction->component) & 1) == 0;

    return pass_on(own_first ? own : through, to) || pass_on(own_first ? through : own, to);
}

static bool tick_down(struct junction *junction)
{
    struct port *from = junction->above.ports[LANE_REQUESTS];
    struct port *to = junction->below.ports[LANE_REQUESTS];
    const struct message *message = port_peek(from);
    bool progress = false;

    if (message != NULL && is_taken_down(junction, message)) {
        progress = pass_on(from, &junction->ports.from_above);
        return pass_on(&junction->ports.to_below, to) || progress;
    }
    return pass_either(junction, from, &junction->ports.to_below, to);
}

static bool tick_up(struct junction *junction)
{
    struct port *from = junction->below.ports[LANE_RESPONSES];
    struct port *to = junction->above.ports[LANE_RESPONSES];
    const struct message *message = port_peek(from);
    bool progress = false;

    if (message != NULL && is_taken_up(junction, message)) {
        progress = pass_on(from, &junction->ports.from_below);
        return pass_on(&junction->ports.to_above, to) || progress;
    }
    return pass_either(junction, from, &junction->ports.to_above, to);
}

static bool junction_tick(struct component *component)
{
    struct junction *junction = container_of(component, struct junction, component);
    bool progress = tick_up(junction);

    if (!lanes_share(&junction->below, LANE_RESPONSES, LANE_PROBES))
        progress |= pass_on(junction->below.ports[LANE_PROBES], junction->above.ports[LANE_PROBES]);
    if (!lanes_share(&junction->above, LANE_REQUESTS, LANE_WRITE_BACKS))
        progress |= pass_on(junction->above.ports[LANE_WRITE_BACKS],
                            junction->below.ports[LANE_WRITE_BACKS]);
    progress |= tick_down(junction);
    return progress;
}

static const struct component_operations operations = {.tick = junction_tick};

/* ---- Life ---- */

void junction_init(struct junction *junction, const char *path, struct clock_domain *clock,
                   uint16_t unit, struct component *beside)
{
    enum { SLOTS = 4 };
    struct component *self = &junction->component;
    struct junction_ports *ports = &junction->ports;

    memset(junction, 0, sizeof *junction);
    component_init(self, &operations, clock, path);
    junction->unit = unit;
    junction->beside = beside;
    port_init(&ports->from_above, "taken out", self, beside, JUNCTION_CYCLES, SLOTS,
              sizeof(struct message));
    port_init(&ports->from_below, "replies taken out", self, beside, JUNCTION_CYCLES, SLOTS,
              sizeof(struct message));
    port_init(&ports->to_above, "put in upward", beside, self, JUNCTION_CYCLES, SLOTS,
              sizeof(struct message));
    port_init(&ports->to_below, "put in downward", beside, self, JUNCTION_CYCLES, SLOTS,
              sizeof(struct message));
}

void junction_finish(struct junction *junction)
{
    link_finish(&junction->link);
    port_finish(&junction->ports.from_above);
    port_finish(&junction->ports.from_below);
    port_finish(&junction->ports.to_above);
    port_finish(&junction->ports.to_below);
    component_finish(&junction->component);
}

const struct lanes *junction_join(struct junction *junction, struct component *cache, bool is_above,
                                  const struct link_options *options)
{
    struct link_options own = *options;

    link_set_end(is_above ? own.above : own.below, cache);
    link_set_end(is_above ? own.below : own.above, &junction->component);
    link_init(&junction->link, &own);
    junction_connect(junction, &junction->link.lanes, is_above);
    return &junction->link.lanes;
}

void junction_connect(struct junction *junction, const struct lanes *lanes, bool is_above)
{
    *(is_above ? &junction->above : &junction->below) = *lanes;
}

void junction_visit(const struct junction *junction,
                    void (*visit)(void *context, const struct port *port), void *context)
{
    link_visit(&junction->link, visit, context);
    visit(context, &junction->ports.from_above);
    visit(context, &junction->ports.from_below);
    visit(context, &junction->ports.to_above);
    visit(context, &junction->ports.to_below);
}

/* SPDX-License-Identifier: MIT */
#include "sim/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

void port_init(struct port *port, const char *name, struct component *sender,
               struct component *receiver, uint32_t capacity, uint32_t element_bytes)
{
    check(capacity > 0, "port %s has no slots", name);
    memset(port, 0, sizeof *port);
    port->name = name;
    port->sender = sender;
    port->receiver = receiver;
    port->capacity = capacity;
    port->element_bytes = element_bytes;
    port->arrivals = allocate(capacity, sizeof *port->arrivals);
    port->slots = allocate(capacity, element_bytes);
    port->taken_at = UINT64_MAX;
}

void port_finish(struct port *port)
{
    free(port->arrivals);
    free(port->slots);
    memset(port, 0, sizeof *port);
}

static uint32_t freed_now(const struct port *port)
{
    return port->taken_at == port->sender->clock->engine->now ? port->taken_now : 0;
}

bool port_has_room(struct port *port, uint32_t count)
{
    uint32_t hidden = freed_now(port);

    if (port->count + hidden + count <= port->capacity)
        return true;
    check(count <= port->capacity, "port %s: %u messages never fit into %u slots", port->name,
          count, port->capacity);
    port->sender_waits = true;
    if (hidden > 0) /* what was freed in this instant is seen in the next cycle */
        component_wake(port->sender);
    return false;
}

void *port_send(struct port *port, uint32_t latency_cycles)
{
    uint64_t arrival =
        port->sender->clock->engine->now + latency_cycles * port->sender->clock->period;
    uint32_t slot = port->head + port->count;

    check(port->count + freed_now(port) < port->capacity, "port %s (%s to %s) is full", port->name,
          port->sender->path, port->receiver->path);
    check(latency_cycles > 0, "port %s: a message without latency", port->name);
    if (slot >= port->capacity)
        slot -= port->capacity;
    if (arrival < port->last_arrival)
        arrival = port->last_arrival;
    port->last_arrival = arrival;
    port->arrivals[slot] = arrival;
    port->count++;
    component_wake_at(port->receiver, clock_cycle_at(port->receiver->clock, arrival));
    return port->slots + (uint64_t)slot * port->element_bytes;
}

void port_take(struct port *port)
{
    uint64_t now = port->receiver->clock->engine->now;

    check(port_peek(port) != NULL, "port %s: nothing to take", port->name);
    port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
    port->count--;
    if (port->taken_at != now) {
        port->taken_at = now;
        port->taken_now = 0;
    }
    port->taken_now++;
    if (!port->sender_waits)
        return;
    port->sender_waits = false;
    component_wake(port->sender);
}

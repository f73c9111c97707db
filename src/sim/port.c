/* SPDX-License-Identifier: MIT */
#include "sim/port.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* The ports that share the last bit never take it out. */
static void enter_receiver(struct port *port)
{
    enum { LAST_BIT = 63 };
    uint32_t input = port->receiver->inputs++;

    port->bit = UINT64_C(1) << (input < LAST_BIT ? input : LAST_BIT);
    port->leaves = input < LAST_BIT ? port->bit : 0;
}

void port_init(struct port *port, const char *name, struct component *sender,
               struct component *receiver, uint32_t latency_cycles, uint32_t capacity,
               uint32_t element_bytes)
{
    check(capacity > 0, "port %s has no slots", name);
    check(latency_cycles > 0, "port %s has no latency", name);
    memset(port, 0, sizeof *port);
    port->name = name;
    port->sender = sender;
    port->receiver = receiver;
    port->latency_cycles = latency_cycles;
    port->capacity = capacity;
    port->element_bytes = element_bytes;
    port->head_arrival = UINT64_MAX;
    port->now = &sender->clock->engine->now;
    enter_receiver(port);
    port->arrivals = allocate(capacity, sizeof *port->arrivals);
    port->slots = allocate(capacity, element_bytes);
    port->credits = allocate(capacity, sizeof *port->credits);
}

void port_finish(struct port *port)
{
    free(port->arrivals);
    free(port->slots);
    free(port->credits);
    memset(port, 0, sizeof *port);
}

/* What has come back by now. */
static void take_credits(struct port *port)
{
    while (port->credit_count > 0 && port->credits[port->first_credit] <= *port->now) {
        port->first_credit = port->first_credit + 1 == port->capacity ? 0 : port->first_credit + 1;
        port->credit_count--;
        port->held--;
    }
}

static void wake_sender(struct port *port, uint64_t credit)
{
    component_wake_at(port->sender, clock_cycle_at(port->sender->clock, credit));
}

bool port_has_room(struct port *port, uint32_t count)
{
    if (port->held + count <= port->capacity)
        return true;
    take_credits(port);
    if (port->held + count <= port->capacity)
        return true;
    check(count <= port->capacity, "port %s: %u messages never fit into %u slots", port->name,
          count, port->capacity);
    if (port->credit_count > 0)
        wake_sender(port, port->credits[port->first_credit]);
    else
        port->sender_waits = true;
    return false;
}

void *port_reserve(struct port *port, uint32_t latency_cycles)
{
    uint64_t arrival = *port->now + latency_cycles * port->sender->clock->period;
    uint32_t slot = port->head + port->count;

    if (port->held == port->capacity)
        take_credits(port);
    check(port->held < port->capacity, "port %s (%s to %s) is full", port->name, port->sender->path,
          port->receiver->path);
    check(latency_cycles >= port->latency_cycles,
          "port %s: a message takes %u cycles, less than %u", port->name, latency_cycles,
          port->latency_cycles);
    if (slot >= port->capacity)
        slot -= port->capacity;
    if (arrival < port->last_arrival)
        arrival = port->last_arrival;
    port->last_arrival = arrival;
    port->arrivals[slot] = arrival;
    if (port->count++ == 0) {
        port->head_arrival = arrival;
        port->receiver->filled |= port->bit;
    }
    port->held++;
    component_wake_at(port->receiver, clock_cycle_at(port->receiver->clock, arrival));
    return port->slots + (uint64_t)slot * port->element_bytes;
}

void port_take(struct port *port)
{
    uint64_t credit = *port->now + port->latency_cycles * port->sender->clock->period;
    uint32_t last = port->first_credit + port->credit_count;

    check(port_peek(port) != NULL, "port %s: nothing to take", port->name);
    port->head = port->head + 1 == port->capacity ? 0 : port->head + 1;
    port->head_arrival = port->arrivals[port->head];
    if (--port->count == 0) {
        port->head_arrival = UINT64_MAX;
        port->receiver->filled &= ~port->leaves;
    }
    port->credits[last >= port->capacity ? last - port->capacity : last] = credit;
    port->credit_count++;
    if (!port->sender_waits)
        return;
    port->sender_waits = false;
    wake_sender(port, credit);
}

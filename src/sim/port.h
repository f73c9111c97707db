/* SPDX-License-Identifier: MIT */
/*
 * A port: a bounded queue from one component to another, with latency.
 *
 *     sender ── port_send(latency n) ──► [ slot | slot | slot ] ── port_peek / port_take ──►
 * receiver
 *
 * - A message sent at instant t with latency n arrives at the receiver's first edge at or after t +
 * n periods of the sender's clock; n is at least 1. Messages of a port stay in order: one never
 * arrives before its predecessor.
 * - Credits travel too: the sender sees the occupancy as it was when the instant began; a slot
 * freed in an instant is free in the next. A full-rate link therefore needs a capacity of its
 * latency plus 1 or more.
 * - A full port is back-pressure: the sender asks port_has_room first and sleeps if it must; it is
 * woken when there is room.
 * - One sender and one receiver.
 *
 * Elements are plain data of a fixed size, copied by value.
 */
#ifndef SIM_PORT_H
#define SIM_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/check.h"
#include "sim/component.h"

struct port {
    const char *name; /* for stall pages: "requests" */
    struct component *sender, *receiver;
    uint32_t capacity; /* slots */
    uint32_t element_bytes;
    uint32_t head;      /* slot of the oldest message */
    uint32_t count;     /* slots in use now */
    uint64_t *arrivals; /* instant at which each slot's message may be seen */
    unsigned char *slots;
    uint64_t taken_at;  /* instant of the latest take */
    uint32_t taken_now; /* slots freed in that instant */
    uint64_t last_arrival;
    bool sender_waits;
};

/* Sender and receiver must be initialised components. Capacity 1 or more. */
void port_init(struct port *port, const char *name, struct component *sender,
               struct component *receiver, uint32_t capacity, uint32_t element_bytes);
void port_finish(struct port *port);

/* Whether `count` more messages fit, as the sender may know it in this instant. If not, the sender
 * will be woken when a slot becomes free. */
bool port_has_room(struct port *port, uint32_t count);

/* Reserves the next slot and returns it for the sender to fill (element_bytes, borrowed until its
 * tick ends). The caller has seen port_has_room. Latency in cycles of the sender's clock. */
void *port_send(struct port *port, uint32_t latency_cycles);

/* The oldest message that has arrived, or NULL. Borrowed until port_take. */
static inline const void *port_peek(const struct port *port)
{
    if (port->count == 0 || port->arrivals[port->head] > port->receiver->clock->engine->now)
        return NULL;
    return port->slots + (uint64_t)port->head * port->element_bytes;
}

/* Removes the message that port_peek showed. */
void port_take(struct port *port);

/* Messages in the port, arrived or not. */
static inline uint32_t port_count(const struct port *port)
{
    return port->count;
}

#endif

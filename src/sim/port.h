/* SPDX-License-Identifier: MIT */
/*
 * A port: a bounded queue from one component to another, with latency both ways.
 *
 * sender ─ port_reserve(latency n) ─► [ slot | slot | slot ] ── port_peek / port_take ──► receiver
 *    ▲                                                                  │
 *    └──────────────────────── credits: the port's latency ◄────────────┘
 *
 * - A message sent at instant t with latency n arrives at the receiver's first edge at or after t +
 * n periods of the sender's clock. The least n is 1. Messages of a port stay in order: one never
 * arrives before its predecessor.
 * - Credits travel too. A slot taken at instant t is free to the sender at its first edge at or
 * after t + latency periods of its clock. A sender knows nothing of the other end that is younger
 * than the port's latency. A full-rate link needs a capacity of twice its latency or more.
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
    uint32_t head;  /* slot of the oldest message */
    uint32_t count; /* slots in use now */
    uint32_t held;  /* slots that the sender may not use, as far as it has looked */
    uint32_t latency_cycles;
    uint64_t head_arrival; /* when the oldest message may be seen; UINT64_MAX: there is none */
    const uint64_t *now;   /* the engine's */
    uint64_t *arrivals;    /* instant at which each slot's message may be seen */
    unsigned char *slots;
    uint64_t *credits; /* a ring: instants at which freed slots are free to the sender */
    uint32_t first_credit, credit_count;
    uint64_t last_arrival;
    bool sender_waits;
    uint64_t bit;    /* in the receiver's set of filled ports */
    uint64_t leaves; /* what is taken out of that set with the last message */
};

/* Sender and receiver must be initialised components. Latency: the minimum of a message, and
 * what a credit takes, in cycles of the sender's clock; 1 or more, as the capacity. */
void port_init(struct port *port, const char *name, struct component *sender,
               struct component *receiver, uint32_t latency_cycles, uint32_t capacity,
               uint32_t element_bytes);
void port_finish(struct port *port);

/* Whether `count` more messages fit, as the sender may know it in this instant. If not, the sender
 * will be woken when a slot becomes free. */
bool port_has_room(struct port *port, uint32_t count);

/* Reserves the next slot and returns it for the sender to fill (element_bytes, borrowed until its
 * tick ends). The caller has seen port_has_room. Latency in cycles of the sender's clock, not less
 * than the port's. */
void *port_reserve(struct port *port, uint32_t latency_cycles);

/* The oldest message that has arrived, or NULL. Borrowed until port_take. */
static inline const void *port_peek(const struct port *port)
{
    if (port->head_arrival > *port->now)
        return NULL;
    return port->slots + (uint64_t)port->head * port->element_bytes;
}

/* Removes the message that port_peek showed. */
void port_take(struct port *port);

/* The port's bit in its receiver's set `filled`. While it is not there, the port has no message,
 * arrived or not: so one look at a word tells a receiver which ports are worth a look. Bit 63 is
 * shared by the 64th port and all later ones, and stays once it is there. */
static inline uint64_t port_bit(const struct port *port)
{
    return port->bit;
}

/* Messages in the port, arrived or not. */
static inline uint32_t port_count(const struct port *port)
{
    return port->count;
}

#endif

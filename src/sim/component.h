/* SPDX-License-Identifier: MIT */
/*
 * A component: something with a clock that ticks. Embedded in the struct of what ticks
 * (container_of).
 */
#ifndef SIM_COMPONENT_H
#define SIM_COMPONENT_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/engine.h"

struct component {
    const struct component_operations *operations;
    struct clock_domain *clock;
    char *path;      /* where it stands in the machine: "cu3.l1"; owned */
    uint32_t index;  /* tick order within the domain; set by engine_start */
    uint32_t number; /* construction order within the domain */
    bool closes;     /* asked to close this instant */
    uint64_t filled; /* of the ports it receives from, those with messages: see port_bit */
    uint32_t inputs; /* how many ports those are */
};

struct component_operations {
    /* One cycle. True: progress was made, or there is something to do in the next cycle. False:
     * asleep until woken. The rules of sim/engine.h hold: only ports join components. */
    bool (*tick)(struct component *component);
    /* Closes an instant for which component_ask_close was called: all that it has to tick has
     * ticked. It may do what no tick may: look at other components, and change what they have. So
     * such a machine is tied to one thread. NULL: it is never asked. */
    void (*close)(struct component *component);
    /* Brings statistics that count cycles (occupancies, stalls) up to the present: called before a
     * snapshot and never inside an instant. NULL: nothing to do. */
    void (*settle)(struct component *component);
    /* One line on what it waits for, without a newline; nothing when it is idle. NULL: never says
     * anything. */
    void (*explain)(const struct component *component, struct text *text);
};

/* Enters the component into a domain, before engine_start. `path` is copied. The component must
 * outlive the engine. */
void component_init(struct component *component, const struct component_operations *operations,
                    struct clock_domain *clock, const char *path);
void component_finish(struct component *component);

/* Makes the component tick at `cycle` of its clock, or in the next cycle if that is not later than
 * now. Inside a tick only a component itself (and ports) may call this. */
void component_wake_at(struct component *component, uint64_t cycle);

/* The component's `close` is called once at the end of this instant. Inside any tick. */
void component_ask_close(struct component *component);

static inline void component_wake(struct component *component)
{
    component_wake_at(component, 0);
}

/* Tells the watchdog that this tick did something, though it returns false (it armed a wake-up
 * for later). */
static inline void component_progress(struct component *component)
{
    component->clock->engine->progress_at = component->clock->engine->now;
}

static inline uint64_t component_cycle(const struct component *component)
{
    return component->clock->cycle;
}

#endif

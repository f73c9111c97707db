/* SPDX-License-Identifier: MIT */
/* The pool of messages that wait, and queues of them. */
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

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
        controller->waiting[index].counted = controller->waiting[index].has_entry = false;
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

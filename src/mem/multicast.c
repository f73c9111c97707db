/* SPDX-License-Identifier: MIT */
/* Probes to many nodes: held in the MSHR that waits for their answers, sent one at a time. */
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

void step_multicast(struct step *step, uint8_t kind, const struct node_set *nodes)
{
    struct controller *controller = step->controller;
    struct controller_state *state = controller->state;
    struct mshr *mshr = step->mshr;
    uint16_t index;

    check(mshr != NULL && node_set_is_empty(&mshr->probes),
          "%s: a multicast needs an MSHR that sends nothing yet", controller->name);
    if (node_set_is_empty(nodes))
        return;
    index = (uint16_t)(mshr - controller->mshrs);
    mshr->probes = *nodes;
    mshr->probe_kind = kind;
    mshr->next_probing = NO_INDEX;
    if (state->first_probing == NO_INDEX)
        state->first_probing = index;
    else
        controller->mshrs[state->last_probing].next_probing = index;
    state->last_probing = index;
}

static void leave_probing(struct controller *controller, uint16_t index, uint16_t before)
{
    struct controller_state *state = controller->state;
    uint16_t next = controller->mshrs[index].next_probing;

    if (before == NO_INDEX)
        state->first_probing = next;
    else
        controller->mshrs[before].next_probing = next;
    if (state->last_probing == index)
        state->last_probing = before;
}

static void send_probe(struct controller *controller, struct mshr *mshr, uint32_t node,
                       struct step *step)
{
    struct message *message;

    memset(step, 0, offsetof(struct step, outputs));
    step->controller = controller;
    message = step_output(step, OUTPUT_UP);
    message->kind = mshr->probe_kind;
    message->addr = mshr->addr;
    message->mask = mshr->probe_mask;
    message->source = controller->node;
    message->destination = (uint16_t)node;
    node_set_remove(&mshr->probes, node);
}

int controller_probe_one(struct controller *controller, uint64_t links, struct step *step)
{
    uint16_t before = NO_INDEX, index = controller->state->first_probing;

    for (; index != NO_INDEX; before = index, index = controller->mshrs[index].next_probing) {
        struct mshr *mshr = &controller->mshrs[index];
        uint32_t link = controller_link_of(controller, mshr->addr);

        if ((links >> link & 1) == 0)
            continue;
        send_probe(controller, mshr, node_set_next(&mshr->probes, 0), step);
        if (node_set_is_empty(&mshr->probes))
            leave_probing(controller, index, before);
        return (int)link;
    }
    return -1;
}

bool controller_probe_node(struct controller *controller, uint32_t node, struct step *step)
{
    uint16_t index = controller->state->first_probing;
    struct mshr *mshr = &controller->mshrs[index != NO_INDEX ? index : 0];

    if (index == NO_INDEX || !node_set_has(&mshr->probes, node))
        return false;
    send_probe(controller, mshr, node, step);
    if (node_set_is_empty(&mshr->probes))
        leave_probing(controller, index, NO_INDEX);
    return true;
}

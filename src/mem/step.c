/* SPDX-License-Identifier: MIT */
/* What classify may ask, and a step's outputs. */
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

/* ---- Questions ---- */

uint64_t controller_breaks(const struct controller *controller)
{
    return controller->breaks;
}

bool controller_has_mshr(const struct controller *controller)
{
    const struct controller_state *state = controller->state;

    return state->free_mshr != NO_INDEX &&
           (state->entries_used < state->entry_limit || controller->carries);
}

bool controller_has_way(const struct controller *controller, uint64_t addr)
{
    /* Only the note of what was found changes. */
    return controller_find_way((struct controller *)controller, addr) != NO_WAY;
}

bool controller_can_wait(const struct controller *controller)
{
    return controller->state->free_waiting != NO_INDEX || controller->replaying != NO_INDEX;
}

static bool queue_has(const struct controller *controller, uint16_t first, uint8_t kind)
{
    for (uint16_t i = first; i != NO_INDEX; i = controller->waiting[i].next)
        if (controller->waiting[i].message.kind == kind)
            return true;
    return false;
}

/* What is to look again, or waits for an entry, is ahead of all that asks. */
bool controller_holds(const struct controller *controller, uint8_t kind)
{
    uint32_t left = controller->state->mshrs_used;

    for (uint32_t i = 0; left > 0; i++) {
        const struct mshr *mshr = &controller->mshrs[i];

        if (!mshr->in_use || mshr->is_eviction)
            continue;
        left--;
        if (queue_has(controller, mshr->first_target, kind) ||
            queue_has(controller, mshr->first_stalled, kind))
            return true;
    }
    return false;
}

bool mshr_has_stalled(const struct mshr *mshr)
{
    return mshr->first_stalled != NO_INDEX;
}

bool controller_has_stalled(const struct controller *controller)
{
    for (uint32_t i = 0; i < controller->shape.mshr_entries && controller->state->mshrs_used > 0;
         i++)
        if (controller->mshrs[i].in_use && mshr_has_stalled(&controller->mshrs[i]))
            return true;
    return false;
}

uint8_t controller_walk_kind(const struct controller *controller)
{
    return controller_is_walking(controller) ? controller->state->walks[0].message.kind
                                             : MESSAGE_NONE;
}

const struct message *controller_walk_message(const struct controller *controller)
{
    return &controller->state->walks[0].message;
}

struct message *step_waiting(const struct step *step)
{
    return &step->controller->waiting[step->controller->put].message;
}

struct message *mshr_waiting(const struct controller *controller, const struct mshr *mshr)
{
    return &controller->waiting[mshr->first_stalled].message;
}

struct message *controller_to_replay(const struct controller *controller, uint64_t addr)
{
    for (uint16_t i = controller->state->first_replay; i != NO_INDEX;
         i = controller->waiting[i].next)
        if (controller->waiting[i].message.addr == addr)
            return &controller->waiting[i].message;
    return NULL;
}

uint64_t controller_cycle(const struct controller *controller)
{
    return controller->cycle == NULL ? 0 : *controller->cycle;
}

struct line_waits mshr_waits(const struct controller *controller, const struct mshr *mshr)
{
    struct line_waits waits = {0, 0};

    for (uint16_t i = mshr->first_stalled; i != NO_INDEX; i = controller->waiting[i].next) {
        const struct journey *journey = message_journey(&controller->waiting[i].message);

        waits.requests++;
        if (journey != NULL)
            waits.cycles += controller_cycle(controller) - journey->since;
    }
    return waits;
}

uint32_t controller_l1s(const struct controller *controller)
{
    return controller->l1s;
}

void controller_await(struct controller *controller)
{
    controller->state->awaited++;
}

uint32_t controller_awaited(const struct controller *controller)
{
    return controller->state->awaited;
}

uint64_t controller_epoch(const struct controller *controller)
{
    return controller->state->epoch;
}

const void *controller_parameters(const struct controller *controller)
{
    return controller->parameters;
}

bool controller_sends_across(const struct controller *controller)
{
    return protocol_sends_across(controller->protocol, controller->parameters);
}

void *controller_statistics(const struct controller *controller)
{
    return controller->protocol_statistics;
}

uint16_t controller_node(const struct controller *controller)
{
    return controller->node;
}

void *controller_data(struct controller *controller)
{
    return controller->role->controller_data.bytes == 0 ? NULL : controller->data;
}

void *controller_line_data(struct controller *controller, const struct line *line)
{
    uint32_t bytes = controller->role->line_data.bytes;

    return bytes == 0 ? NULL : controller->line_data + (size_t)(line - controller->lines) * bytes;
}

void *controller_mshr_data(struct controller *controller, const struct mshr *mshr)
{
    uint32_t bytes = controller->role->mshr_data.bytes;

    return bytes == 0 ? NULL : controller->mshr_data + (size_t)(mshr - controller->mshrs) * bytes;
}

/* ---- Outputs ---- */

struct message *step_output(struct step *step, enum output_side side)
{
    struct output *output = &step->outputs[step->output_count];

    check(step->output_count < STEP_MAX_OUTPUTS, "%s: more than %d outputs of a step",
          step->controller->name, STEP_MAX_OUTPUTS);
    step->output_count++;
    output->side = (uint8_t)side;
    if (step->message != NULL)
        memcpy(&output->message, step->message, sizeof output->message);
    else
        memset(&output->message, 0, sizeof output->message);
    return &output->message;
}

void step_make_reply(const struct step *step, struct message *reply)
{
    reply->kind = (uint8_t)(step->message->kind + 1);
    reply->source = step->controller->node;
    reply->destination = step->message->source;
}

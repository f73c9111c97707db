/* SPDX-License-Identifier: MIT */
/* The requests that an MSHR answers, once it has what they wait for: one at a time. */
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

static void leave_filled(struct controller *controller, uint16_t index, uint16_t before)
{
    struct controller_state *state = controller->state;
    uint16_t next = controller->mshr_drain[index];

    if (before == NO_INDEX)
        state->first_filled = next;
    else
        controller->mshr_drain[before] = next;
    if (state->last_filled == index)
        state->last_filled = before;
}

/* The target's answer: its row's, or its reply kind with the MSHR's data. */
static void answer_target(struct step *step, struct mshr *mshr)
{
    struct controller *controller = step->controller;
    struct message *reply;

    if (controller->role->answers_targets) {
        controller->carries = false;
        step->outcome = STEP_DONE;
        step->facts = 0;
        step->checked = 0;
        step->addr = mshr->addr;
        step->mshr = mshr;
        step->line = mshr->line == NO_INDEX ? NULL : &controller->lines[mshr->line];
        step->event = controller->role->classify(step, STIMULUS_ANSWER);
        controller_run_row(step, controller_row(step));
        check(step->output_count == 1, "%s: a target gets %u answers", controller->name,
              step->output_count);
        return;
    }
    reply = step_output(step, OUTPUT_UP);
    step_make_reply(step, reply);
    memcpy(reply->data, mshr->data, LINE_BYTES);
}

int controller_drain_one(struct controller *controller, uint64_t links, struct step *step)
{
    uint16_t before = NO_INDEX;

    for (uint16_t index = controller->state->first_filled; index != NO_INDEX;
         before = index, index = controller->mshr_drain[index]) {
        struct mshr *mshr = &controller->mshrs[index];
        uint16_t target = mshr->first_target;
        uint32_t link = controller_link(controller, &controller->waiting[target].message);

        if ((links >> link & 1) == 0)
            continue;
        step->controller = controller;
        step->message = &controller->waiting[target].message;
        step->output_count = 0;
        controller_join_miss(controller, step->message, index);
        answer_target(step, mshr);
        waiting_free(controller, queue_pop(controller, &mshr->first_target, &mshr->last_target));
        if (mshr->first_target == NO_INDEX) {
            leave_filled(controller, index, before);
            mshr_release(controller, mshr);
        }
        return (int)link;
    }
    return -1;
}

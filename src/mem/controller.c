/* SPDX-License-Identifier: MIT */
#include "mem/controller.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

#define ROW(...) STATISTIC_ROW(struct cache_statistics, __VA_ARGS__)
const struct statistic cache_statistics[] = {CACHE_STATISTICS(ROW)};
const uint32_t cache_statistic_count = sizeof cache_statistics / sizeof cache_statistics[0];

/* ---- Steps ---- */

void controller_begin(struct controller *controller, struct step *step,
                      const struct message *message)
{
    controller->way_for = 0;
    controller->replaying = NO_INDEX;
    controller->carries = false;
    step->controller = controller;
    step->message = message;
    step->outcome = STEP_DONE;
    step->facts = 0;
    step->output_count = 0;
    step->checked = 0;
    if (message_is_about_all(message)) {
        step->addr = 0;
        step->line = NULL;
        step->mshr = NULL;
    } else {
        step->addr = message->addr;
        step->line = controller_look(controller, message->addr);
        step->mshr = controller->state->mshrs_used + controller->state->evictions_used > 0
                         ? controller_find_mshr(controller, message->addr)
                         : NULL;
    }
}

static _Noreturn void step_impossible(const struct step *step, uint8_t state)
{
    const struct controller *controller = step->controller;
    const struct protocol_role *role = controller->role;
    char before[sizeof step->line->history / 2 * 80] = "";
    size_t at = 0;

    if (step->line != NULL)
        for (unsigned i = 0; i < sizeof step->line->history; i += 2)
            if (step->line->history[i + 1] != 0 && at < sizeof before)
                at += (size_t)snprintf(before + at, sizeof before - at, " %s/%s",
                                       role->states[step->line->history[i]].name,
                                       role->events[step->line->history[i + 1] - 1].name);
    check(0, "%s (%s %s): no row for event %s in state %s, line 0x%llx, message %s; before:%s",
          controller->name, controller->protocol->name, role->name, role->events[step->event].name,
          role->states[state].name, (unsigned long long)step->addr,
          step->message == NULL ? "none"
                                : protocol_kind(controller->protocol, step->message->kind)->name,
          before);
    abort();
}

static uint8_t state_of(const struct step *step)
{
    if (step->line != NULL)
        return step->line->state;
    return step->mshr == NULL ? (uint8_t)STATE_INVALID : step->mshr->state;
}

const struct controller_row *controller_row(const struct step *step)
{
    const struct controller *controller = step->controller;
    uint8_t state = state_of(step);
    const struct controller_row *row;

    check(step->event < controller->role->event_count, "%s: %s knows no message %s",
          controller->name, controller->protocol->name,
          step->message == NULL ? ""
                                : protocol_kind(controller->protocol, step->message->kind)->name);
    row = &controller->rows[(uint32_t)state * controller->role->event_count + step->event];
    if (row->row == NULL)
        step_impossible(step, state);
    return row;
}

/* What protocol_check has built on. */
static unsigned declared_channel(const struct protocol_action *action, unsigned side)
{
    if (side == OUTPUT_ACROSS)
        return CHANNEL_RESPONSE;
    return side == OUTPUT_UP ? action->up_channel : action->down_channel;
}

static void check_outputs(struct step *step, const struct protocol_action *action)
{
    const struct controller *controller = step->controller;

    for (; step->checked < step->output_count; step->checked++) {
        const struct output *output = &step->outputs[step->checked];
        unsigned channel = controller->kind_channels[output->message.kind];
        unsigned declared = declared_channel(action, output->side);

        check(channel == declared || (declared == CHANNEL_SAME && step->message != NULL &&
                                      channel == controller->kind_channels[step->message->kind]),
              "%s (%s): %s sends a %s on a channel that it does not declare", controller->name,
              controller->protocol->name, action->name,
              protocol_kind(controller->protocol, output->message.kind)->name);
    }
}

/* Whether the step's message, whose row reads or writes the line, counts for replacement. */
static bool is_use(const struct step *step)
{
    return step->message != NULL && step->line->mshr == NO_INDEX && !step->message->slc &&
           step->message->requester.unit != REQUESTER_HOST;
}

/* The row that a line (NULL: none) in a state went through is counted and remembered. */
static void note_row(const struct step *step, struct line *line, uint8_t state)
{
    const struct controller *controller = step->controller;

    if (controller->coverage != NULL)
        controller->coverage[(uint32_t)state * controller->role->event_count + step->event]++;
    if (line == NULL)
        return;
    memmove(line->history, line->history + 2, sizeof line->history - 2);
    line->history[sizeof line->history - 2] = state;
    line->history[sizeof line->history - 1] = (uint8_t)(step->event + 1);
}

/* The line of the MSHR `left` goes from a state to the row's next, where it has the step's. */
static void note_turn(const struct step *step, uint8_t state, uint16_t left, uint8_t next)
{
    struct controller *controller = step->controller;
    uint64_t cycle = controller_cycle(controller);

    if (left != NO_INDEX)
        state_times_leave(&controller->state_times, state, left, cycle);
    if (step->mshr != NULL)
        state_times_enter(&controller->state_times, next,
                          (uint32_t)(step->mshr - controller->mshrs), cycle);
}

void controller_run_row(struct step *step, const struct controller_row *row)
{
    struct controller *controller = step->controller;
    const struct protocol_row *table = row->row;
    struct line *line = step->line;
    uint8_t state = state_of(step);
    uint16_t mshr = step->mshr == NULL ? NO_INDEX : (uint16_t)(step->mshr - controller->mshrs);

    if (row->uses && line != NULL && is_use(step))
        line_use(controller, line);
    for (unsigned i = 0; i < row->action_count; i++) {
        table->actions[i]->perform(step);
        if (step->output_count > step->checked)
            check_outputs(step, table->actions[i]);
    }
    if (step->outcome == STEP_STALLED)
        return;
    note_row(step, line, state);
    if (table->next == STATE_SAME)
        return;
    if (row->turns)
        note_turn(step, state, mshr, table->next);
    if (step->line == NULL) {
        check(table->next == STATE_INVALID || step->mshr != NULL,
              "%s: event %s leaves a line that is not here", controller->name,
              controller->role->events[step->event].name);
        if (step->mshr != NULL)
            step->mshr->state = table->next;
        return;
    }
    step->line->state = table->next;
    if (table->next == STATE_INVALID) {
        line_release(controller, step->line);
        step->line = NULL;
    }
}

void controller_replace(struct step *step, struct line *victim)
{
    const struct message *message = step->message;
    struct mshr *mshr = step->mshr;
    uint64_t addr = step->addr;
    uint8_t event = step->event;

    step_aim(step, victim, victim->addr);
    step->event = step->controller->role->classify(step, STIMULUS_REPLACE);
    controller_run_row(step, controller_row(step));
    check(step->controller->tags[victim - step->controller->lines] == 0,
          "%s: a replaced line stays", step->controller->name);
    step->controller->statistics.evictions++;
    step->message = message;
    step->mshr = mshr;
    step->addr = addr;
    step->event = event;
    step->line = NULL;
}

static bool eviction_has_room(const struct controller *controller, const struct controller_row *row)
{
    return (row->needs & NEEDS_EVICTION) == 0 || controller->state->free_eviction != NO_INDEX;
}

bool controller_evict(struct controller *controller, uint64_t addr, struct step *step)
{
    struct line *line = controller_find(controller, addr);

    if (line == NULL || line->mshr != NO_INDEX)
        return false;
    memset(step, 0, offsetof(struct step, outputs));
    step->controller = controller;
    controller->way_for = 0;
    controller->replaying = NO_INDEX;
    controller->carries = false;
    step_aim(step, line, addr);
    step->event = controller->role->classify(step, STIMULUS_REPLACE);
    if (!eviction_has_room(controller, controller_row(step)))
        return false;
    controller_replace(step, line);
    return true;
}

/* False: what its replacement needs is not free. */
static bool plan_victim(struct step *step, struct controller_plan *plan)
{
    struct controller *controller = step->controller;
    uint32_t way = controller_find_way(controller, step->addr);
    struct step victim;

    if (controller->tags[way] == 0)
        return true;
    victim.controller = controller;
    step_aim(&victim, &controller->lines[way], controller->lines[way].addr);
    victim.event = controller->role->classify(&victim, STIMULUS_REPLACE);
    plan->victim = controller_row(&victim);
    plan->victim_addr = victim.addr;
    if (eviction_has_room(controller, plan->victim))
        return true;
    controller->stall_cause = STALL_EVICTION;
    return false;
}

/* Whether all that the row needs is there; if not, stall_cause says what is not. */
static bool has_resources(const struct step *step, unsigned needs)
{
    struct controller *controller = step->controller;

    if ((needs & NEEDS_WALK) != 0 && controller->state->walk_count == WALK_AGENDA) {
        controller->stall_cause = STALL_ORDER;
        return false;
    }
    if (((needs & NEEDS_MSHR) == 0 || controller_has_mshr(controller)) &&
        ((needs & NEEDS_WAITING) == 0 || controller_can_wait(controller)) &&
        ((needs & NEEDS_WAY) == 0 || step->line != NULL ||
         controller_find_way(controller, step->addr) != NO_WAY))
        return true;
    controller->stall_cause = controller_shortage(controller);
    return false;
}

/* Where accesses hold entries. False: this one must stall, unless it waits for one apart. */
static bool plan_entry(struct step *step, struct controller_plan *plan)
{
    struct controller *controller = step->controller;

    plan->takes_entry = entry_is_wanted(step, plan->row);
    if (plan->replaying == NO_INDEX && controller->shape.admission->choose != NULL &&
        controller_is_access(controller, step->message) &&
        entry_must_be_waited_for(step, plan->row)) {
        plan->applies = true;
        plan->up = plan->down = 0;
        controller->stall_cause = STALL_WAITING;
        return controller_can_wait(controller);
    }
    controller->stall_cause = STALL_MSHR;
    return !plan->takes_entry || controller_has_mshr(controller);
}

bool controller_make_plan(struct step *step, struct controller_plan *plan, uint16_t replaying)
{
    const struct controller *controller = step->controller;

    step->event = controller->role->classify(step, STIMULUS_MESSAGE);
    plan->row = controller_row(step);
    check((plan->row->channels >> controller->kind_channels[step->message->kind] & 1) != 0,
          "%s (%s): event %s is not declared to be a %s", controller->name,
          controller->protocol->name, controller->role->events[step->event].name,
          protocol_kind(controller->protocol, step->message->kind)->name);
    plan->up = plan->row->up;
    plan->down = plan->row->down;
    plan->victim = NULL;
    plan->replaying = replaying;
    plan->takes_entry = plan->is_applicant = plan->applies = false;
    if (controller->has_accesses && !plan_entry(step, plan))
        return false;
    if (plan->applies)
        return true;
    if (!has_resources(step, plan->row->needs))
        return false;
    return (plan->row->needs & NEEDS_WAY) == 0 || step->line != NULL || plan_victim(step, plan);
}

bool controller_is_idle(const struct controller *controller)
{
    return controller->state->mshrs_used == 0 && controller->state->evictions_used == 0 &&
           controller->state->waiting_used == 0 && controller->state->walk_count == 0 &&
           controller->state->awaited == 0;
}

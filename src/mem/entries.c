/* SPDX-License-Identifier: MIT */
/* Entries (MSHRs) that requests hold, and requests that wait for one apart from their port. */
#include "base/check.h"
#include "mem/controller_private.h"

/* ---- Taking and ending ---- */

bool entry_is_wanted(const struct step *step, const struct controller_row *row)
{
    const struct controller *controller = step->controller;

    if (controller->carries || !controller_is_access(controller, step->message))
        return false;
    if (row->joins)
        return controller->shape.splits;
    return controller->shape.admission->every_access || (controller->shape.splits && row->waits);
}

void entry_begin(struct controller *controller)
{
    controller->state->entries_used++;
    controller->carries = true;
}

/* Where the entry of the message that the step has handled goes: with the message if it waits. */
void entry_settle(struct step *step)
{
    struct controller *controller = step->controller;
    bool waits = (step->facts & FACT_WAITS) != 0 || step->outcome == STEP_RECYCLED;

    if ((step->facts & FACT_MISS) != 0 && waits && step->mshr->has_entry) {
        step->mshr->has_entry = false; /* back to the message */
        controller->carries = true;
    }
    if (!controller->carries)
        return;
    controller->carries = false;
    if (waits)
        controller->waiting[controller->put].has_entry = true;
    else
        entry_end(controller);
}

void entry_end(struct controller *controller)
{
    if (controller->lingers)
        controller->state->entries_ended++;
    else
        controller->state->entries_used--;
}

uint32_t controller_take_ended(struct controller *controller)
{
    uint32_t ended = controller->state->entries_ended;

    controller->state->entries_ended = 0;
    return ended;
}

void controller_return_entries(struct controller *controller, uint32_t count)
{
    check(count <= controller->state->entries_used, "%s: more entries returned than are in use",
          controller->name);
    controller->state->entries_used = (uint16_t)(controller->state->entries_used - count);
}

void controller_set_entry_limit(struct controller *controller, uint32_t limit)
{
    check(limit > 0 && limit <= controller->shape.mshr_entries, "%s: a limit of %u entries",
          controller->name, limit);
    controller->state->entry_limit = (uint16_t)limit;
}

/* ---- Those that wait apart: a queue for each line ---- */

static struct applicants *find_applicants(struct controller *controller, uint64_t addr)
{
    for (uint32_t i = 0; i < controller->state->applicant_lines; i++)
        if (controller->applicants[i].addr == addr)
            return &controller->applicants[i];
    return NULL;
}

/* An older one to the line waits, or the row needs an entry and none is to be had, or others were
 * first. */
bool entry_must_be_waited_for(const struct step *step, const struct controller_row *row)
{
    struct controller *controller = step->controller;
    bool wanted = (row->needs & NEEDS_MSHR) != 0 || entry_is_wanted(step, row);

    if (find_applicants(controller, step->addr) != NULL)
        return true;
    return wanted && (controller->state->applicant_lines > 0 || !controller_has_mshr(controller));
}

void entry_wait(struct step *step)
{
    struct controller *controller = step->controller;
    struct applicants *line = find_applicants(controller, step->addr);

    if (line == NULL) {
        line = &controller->applicants[controller->state->applicant_lines++];
        *line = (struct applicants){step->addr, NO_INDEX, NO_INDEX};
    }
    queue_append(controller, &line->first, &line->last, waiting_put(step));
    controller->statistics.entry_waits++;
}

/* It keeps its turn until it goes. */
uint16_t entry_candidate(struct controller *controller)
{
    struct controller_state *state = controller->state;

    if (state->applicant_lines == 0 || state->walk_count > 0)
        return NO_INDEX;
    if (state->chosen == NO_INDEX) {
        if (!controller_has_mshr(controller))
            return NO_INDEX;
        state->chosen = (uint16_t)controller->shape.admission->choose(state->applicant_lines,
                                                                      &state->admission);
        state->follows = false;
    }
    return controller->applicants[state->chosen].first;
}

void entry_candidate_goes(struct controller *controller)
{
    struct applicants *line = &controller->applicants[controller->state->chosen];

    queue_pop(controller, &line->first, &line->last);
}

void entry_candidate_stays(struct controller *controller, uint16_t index)
{
    struct applicants *line = &controller->applicants[controller->state->chosen];

    controller->waiting[index].next = line->first;
    line->first = index;
    if (line->last == NO_INDEX)
        line->last = index;
}

void entry_candidate_went(struct controller *controller)
{
    struct controller_state *state = controller->state;
    uint32_t which = state->chosen;

    state->follows = controller->shape.admission->joins_waiting;
    if (controller->applicants[which].first != NO_INDEX) {
        if (!state->follows)
            state->chosen = NO_INDEX;
        return;
    }
    state->chosen = NO_INDEX;
    state->applicant_lines--;
    for (uint32_t i = which; i < state->applicant_lines; i++)
        controller->applicants[i] = controller->applicants[i + 1];
}

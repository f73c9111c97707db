/* SPDX-License-Identifier: MIT */
/* What a controller does with a message: new ones, those that look again, those that wait for an
 * entry; and what is counted of each. */
#include "mem/controller_private.h"

/* ---- Plans ---- */

/* What comes after them all waits behind those that wait for an entry. */
static bool is_behind_applicants(const struct controller *controller, const struct message *message)
{
    return controller->state->applicant_lines > 0 && message_is_about_all(message);
}

static bool is_ordered(const struct controller *controller, const struct message *message)
{
    return controller->role->is_ordered != NULL &&
           controller->role->is_ordered(controller->parameters, message);
}

/* What is outstanding behind an ordered access is of its line alone. */
static bool must_keep_order(const struct step *step)
{
    const struct controller *controller = step->controller;

    if (controller->role->is_ordered == NULL || !controller_has_outstanding(controller) ||
        !controller_is_access(controller, step->message) ||
        debug_breaks(controller->breaks, FORGET_STORE_ORDER))
        return false;
    if (is_ordered(controller, step->message))
        return !controller->state->ordered || step->mshr == NULL;
    return controller->state->ordered;
}

static void note_order(const struct step *step)
{
    if (controller_is_access(step->controller, step->message))
        step->controller->state->ordered = is_ordered(step->controller, step->message);
}

bool controller_plan(struct controller *controller, const struct message *message,
                     struct step *step, struct controller_plan *plan)
{
    if ((controller->state->first_replay != NO_INDEX || controller_is_walking(controller) ||
         is_behind_applicants(controller, message)) &&
        controller_is_request(controller, message)) {
        controller->stall_cause = STALL_ORDER;
        return false;
    }
    controller_begin(controller, step, message);
    if (must_keep_order(step)) {
        controller->stall_cause = STALL_ORDER;
        return false;
    }
    return controller_make_plan(step, plan, NO_INDEX);
}

static void begin_waiting(struct controller *controller, struct step *step, uint16_t index)
{
    controller_begin(controller, step, &controller->waiting[index].message);
    controller->replaying = index; /* it has a waiting slot: classify may ask */
    controller->carries = controller->waiting[index].has_entry;
}

/* What follows one that has gone joins it or waits for a choice of its own. */
static bool plan_applicant(struct controller *controller, struct step *step,
                           struct controller_plan *plan)
{
    uint16_t index = entry_candidate(controller);
    bool follows = controller->state->follows, is_planned;

    if (index == NO_INDEX)
        return false;
    begin_waiting(controller, step, index);
    is_planned = controller_make_plan(step, plan, index);
    plan->is_applicant = true;
    if (!follows || !(plan->takes_entry || (plan->row->needs & NEEDS_MSHR) != 0))
        return is_planned;
    controller->state->chosen = NO_INDEX;
    return plan_applicant(controller, step, plan);
}

bool controller_plan_replay(struct controller *controller, struct step *step,
                            struct controller_plan *plan)
{
    uint16_t index = controller->state->first_replay;

    if (index == NO_INDEX)
        return plan_applicant(controller, step, plan);
    if (controller_is_walking(controller))
        return false;
    begin_waiting(controller, step, index);
    return controller_make_plan(step, plan, index);
}

/* For the profile of instructions (gpu/profile.h). */
static inline void note_found(const struct step *step, enum journey_found found)
{
    struct journey *journey = message_journey(step->message);
    bool is_l2 = step->controller->kind == ROLE_L2;

    if (journey != NULL)
        journey->found[is_l2 ? JOURNEY_L2 : JOURNEY_L1] = (uint8_t)found;
}

static inline void count_load(const struct step *step, struct cache_statistics *statistics)
{
    bool is_commit = message_is_of_commit(step->message);

    statistics->loads++;
    statistics->channel_loads += is_commit;
    if ((step->facts & (FACT_MISS | FACT_FORWARDED)) != 0 && (step->facts & FACT_HERE) == 0) {
        statistics->load_misses++;
        note_found(step, FOUND_MISS);
    } else if ((step->facts & FACT_MERGED) != 0) {
        statistics->load_merges++;
        note_found(step, FOUND_MERGE);
    } else {
        statistics->load_hits++;
        note_found(step, FOUND_HIT);
        statistics->channel_load_hits += is_commit;
    }
}

/* Each request counts once: at the lookup that misses, or else at the one that ends it. */
static void count_request(struct step *step, bool was_here, bool counted)
{
    struct cache_statistics *statistics = &step->controller->statistics;

    if ((step->facts & FACT_WAITS) != 0)
        statistics->line_waits++;
    if (counted || ((step->facts & FACT_WAITS) != 0 && (step->facts & FACT_MISS) == 0))
        return;
    switch (step->controller->counted_kinds[step->message->kind]) {
    case MESSAGE_LOAD:
        count_load(step, statistics);
        break;
    case MESSAGE_STORE:
        statistics->stores++;
        statistics->store_hits += was_here;
        break;
    case MESSAGE_ATOMIC:
        statistics->atomics++;
        statistics->atomic_misses += (step->facts & FACT_MISS) != 0;
        break;
    default:
        break;
    }
}

/* The row, with the entry that its request takes. */
static void run_access(struct step *step, const struct controller_plan *plan, bool has_entry)
{
    struct controller *controller = step->controller;

    controller->carries = has_entry;
    if (plan->takes_entry)
        entry_begin(controller);
    controller_run_row(step, plan->row);
    if (step->outcome != STEP_STALLED) {
        entry_settle(step);
        return;
    }
    if (plan->takes_entry)
        controller->state->entries_used--;
    controller->carries = false;
}

static inline void run_request(struct step *step, const struct controller_plan *plan,
                               bool has_entry)
{
    if (step->controller->has_accesses)
        run_access(step, plan, has_entry);
    else
        controller_run_row(step, plan->row);
}

static void leave_waiting(struct controller *controller, const struct controller_plan *plan)
{
    struct controller_state *state = controller->state;

    if (plan->is_applicant)
        entry_candidate_goes(controller);
    else
        queue_pop(controller, &state->first_replay, &state->last_replay);
}

/* It stays the oldest. */
static void stay_waiting(struct controller *controller, const struct controller_plan *plan)
{
    struct controller_state *state = controller->state;

    if (plan->is_applicant) {
        entry_candidate_stays(controller, plan->replaying);
        return;
    }
    controller->waiting[plan->replaying].next = state->first_replay;
    state->first_replay = plan->replaying;
    if (state->last_replay == NO_INDEX)
        state->last_replay = plan->replaying;
}

static void perform_replay(struct step *step, const struct controller_plan *plan)
{
    struct controller *controller = step->controller;
    uint16_t index = plan->replaying;
    bool was_here = step->line != NULL, has_entry = controller->waiting[index].has_entry;

    leave_waiting(controller, plan);
    controller->replaying = index;
    controller->waiting[index].has_entry = false;
    run_request(step, plan, has_entry);
    if (step->outcome == STEP_STALLED) {
        controller->waiting[index].has_entry = has_entry;
        stay_waiting(controller, plan);
        controller->replaying = NO_INDEX;
        return;
    }
    if (plan->is_applicant)
        entry_candidate_went(controller);
    else
        controller->statistics.replays++;
    if (step->outcome == STEP_DONE)
        count_request(step, was_here, controller->waiting[index].counted);
    if ((step->facts & FACT_MISS) != 0)
        controller->waiting[index].counted = true;
    if (controller->replaying != NO_INDEX)
        waiting_free(controller, index);
    controller->replaying = NO_INDEX;
}

void controller_perform(struct controller *controller, struct step *step,
                        const struct controller_plan *plan)
{
    bool was_here = step->line != NULL;

    if (plan->replaying != NO_INDEX) {
        perform_replay(step, plan);
        return;
    }
    controller->put = NO_INDEX;
    if (plan->applies) {
        entry_wait(step);
        note_order(step);
        return;
    }
    run_request(step, plan, false);
    if (step->outcome == STEP_DONE)
        note_order(step);
    if (step->outcome != STEP_DONE || !controller_is_request(controller, step->message))
        return;
    count_request(step, was_here, false);
    if ((step->facts & (FACT_MISS | FACT_WAITS)) == (FACT_MISS | FACT_WAITS))
        controller->waiting[controller->put].counted = true;
}

enum step_outcome controller_step(struct controller *controller, const struct message *message,
                                  struct step *step)
{
    struct controller_plan plan;

    controller_return_entries(controller, controller_take_ended(controller));
    if (!controller_plan(controller, message, step, &plan)) {
        step->output_count = 0;
        return STEP_STALLED;
    }
    controller_perform(controller, step, &plan);
    return step->outcome;
}

bool controller_replay(struct controller *controller, struct step *step)
{
    struct controller_plan plan;

    controller_return_entries(controller, controller_take_ended(controller));
    if (!controller_plan_replay(controller, step, &plan))
        return false;
    controller_perform(controller, step, &plan);
    return step->outcome != STEP_STALLED;
}

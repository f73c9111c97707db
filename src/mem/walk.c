/* SPDX-License-Identifier: MIT */
/* Walks: an agenda of a few, of which the first is in progress. */
#include <string.h>

#include "base/check.h"
#include "mem/controller_private.h"

/* Room for a stretch. */
struct stretch {
    uint32_t lines;     /* to be visited at the most */
    uint32_t last_down; /* outputs of the step, by the last one that goes DOWN */
    bool progress;
};

/* The line (NULL: not here) goes through its row. False: there is no room for its outputs. */
static bool line_visit(struct step *step, struct stretch *stretch, struct line *line, uint64_t addr)
{
    struct controller *controller = step->controller;
    const struct controller_row *row;

    step_aim(step, line, addr);
    step->event = controller->role->classify(step, STIMULUS_WALK);
    row = controller_row(step);
    if (step->output_count + row->down > stretch->last_down ||
        step->output_count + row->up + row->down >= STEP_MAX_OUTPUTS)
        return false;
    controller_run_row(step, row);
    if (line != NULL && line->state == STATE_INVALID)
        controller->statistics.lines_invalidated++;
    stretch->progress = true;
    return true;
}

/* True: every line has had its turn. */
static bool visit_in_order(struct step *step, struct stretch *stretch, struct walk *walk)
{
    struct controller *controller = step->controller;

    for (; walk->next < controller->line_count && stretch->lines > 0;
         walk->next++, stretch->lines--) {
        if (controller->tags[walk->next] != 0 &&
            !line_visit(step, stretch, &controller->lines[walk->next],
                        controller->lines[walk->next].addr))
            return false;
        stretch->progress = true;
    }
    return walk->next == controller->line_count;
}

/* True: no line is left. */
static bool visit_some(struct step *step, struct stretch *stretch, struct walk *walk)
{
    struct controller *controller = step->controller;

    if (controller->role->choose_walk == NULL)
        return visit_in_order(step, stretch, walk);
    for (; stretch->lines > 0; stretch->lines--) {
        enum walk_choice choice;
        uint64_t addr = 0;

        step->message = &walk->message;
        choice = controller->role->choose_walk(step, &addr);
        if (choice != WALK_LINE)
            return choice == WALK_OVER || visit_in_order(step, stretch, walk);
        if (!line_visit(step, stretch, controller_find(controller, addr), addr))
            return false;
    }
    return false;
}

/* Answers what started the walk; the next one's turn has come. */
static void end_walk(struct step *step)
{
    struct controller_state *state = step->controller->state;
    const struct walk_terms *terms = &state->walks[0].terms;
    struct message *answer;

    step->message = &state->walks[0].message;
    if (!terms->is_silent) {
        answer = step_output(step, terms->is_answered_below ? OUTPUT_DOWN : OUTPUT_UP);
        step_make_reply(step, answer);
        if (terms->kind != MESSAGE_NONE)
            answer->kind = terms->kind;
    }
    state->walk_count--;
    memmove(&state->walks[0], &state->walks[1], state->walk_count * sizeof state->walks[0]);
    memset(&state->walks[state->walk_count], 0, sizeof state->walks[0]);
}

/* Into this step: outputs of lines, `down` of them DOWN at the most, with the answer if that goes
 * there. False: nothing could be done. */
static bool walk_some(struct step *step, uint32_t down)
{
    struct controller *controller = step->controller;
    struct walk *walk = &controller->state->walks[0];
    bool is_answered_below = walk->terms.is_answered_below;
    struct stretch stretch = {
        .lines = controller->shape.walk_lines == 0 ? controller->line_count
                                                   : controller->shape.walk_lines,
        .last_down = step->output_count + down,
    };

    if (is_answered_below && down == 0)
        return false;
    stretch.last_down -= is_answered_below;
    if (!walk->is_visited) {
        walk->is_visited = visit_some(step, &stretch, walk);
        stretch.progress |= walk->is_visited;
    }
    if (!walk->is_visited || (walk->terms.awaits && controller->state->awaited > 0))
        return stretch.progress;
    end_walk(step);
    return true;
}

void step_start_walk(struct step *step, struct walk_terms terms)
{
    struct controller *controller = step->controller;
    struct controller_state *state = controller->state;
    struct step saved = {.message = step->message,
                         .line = step->line,
                         .mshr = step->mshr,
                         .addr = step->addr,
                         .event = step->event};
    struct walk *walk = &state->walks[state->walk_count++];

    check(state->walk_count <= WALK_AGENDA, "%s: the agenda of walks is full", controller->name);
    walk->terms = terms;
    memcpy(&walk->message, step->message, sizeof walk->message);
    if (state->walk_count > 1 || controller->shape.walk_lines != 0)
        return;
    walk_some(step, terms.is_answered_below); /* all that needs no room below */
    step->message = saved.message;
    step->line = saved.line;
    step->mshr = saved.mshr;
    step->addr = saved.addr;
    step->event = saved.event;
}

void controller_drop_clean(struct controller *controller)
{
    for (uint32_t i = 0; i < controller->line_count; i++) {
        struct line *line = &controller->lines[i];

        if (controller->tags[i] == 0 || line->dirty != 0)
            continue;
        line->valid = 0;
        if (line->mshr != NO_INDEX)
            continue;
        controller_lose(controller, line, LOSS_ACQUIRE);
        line_release(controller, line);
        controller->statistics.lines_invalidated++;
    }
}

bool controller_walk(struct controller *controller, uint32_t down, struct step *step)
{
    if (!controller_is_walking(controller))
        return false;
    controller_begin(controller, step, &controller->state->walks[0].message);
    return walk_some(step, down);
}

/* SPDX-License-Identifier: MIT */
/* What an L1 does because of another's remote operation. */
#include <string.h>

#include "mem/protocol/scoped/probes.h"

static void note_probe(struct step *step)
{
    scoped_l1_count(step)->probes++;
}

static void forget_for_probe(struct step *step)
{
    verb_new_epoch.perform(step);
    controller_drop_clean(step->controller);
}

static void flush_for_probe(struct step *step)
{
    scoped_l1_count(step)->probe_flushes++;
    step_start_walk(
        step, (struct walk_terms){.is_answered_below = true, .awaits = true, .kind = SCOPED_DONE});
}

static void tell_done(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = SCOPED_DONE;
    message->source = controller_node(step->controller);
    message->destination = step->message->source;
}

#define ANSWERS .down = 1, .down_channel = CHANNEL_RESPONSE
const struct protocol_action
    scoped_note_probe = {.name = "note_probe", .perform = note_probe},
    scoped_forget_for_probe = {.name = "forget_all", .perform = forget_for_probe},
    scoped_flush_for_probe = {.name = "flush_for_probe",
                              .perform = flush_for_probe,
                              .needs = NEEDS_WALK,
                              ANSWERS},
    scoped_tell_done = {.name = "tell_done", .perform = tell_done, ANSWERS};

/* SPDX-License-Identifier: MIT */
/* What the L1s of sRSP, repaired and as published, have in common. */
#include "mem/protocol/scoped/srsp.h"

/* ---- Events ---- */

static bool is_local(const struct message *message)
{
    return message->scope == SCOPE_WORK_GROUP && !message_is_for_device(message);
}

/* An acquire of the work-group's scope that must see what a remote operation has done. */
static bool is_promoted(const struct step *step, uint8_t event)
{
    return (event == L1_LOAD_HIT || event == L1_LOAD_MISS || event == L1_LOAD_MERGE ||
            event == L1_ATOMIC_HIT || event == L1_ATOMIC_MISS) &&
           is_local(step->message) && message_acquires(step->message) &&
           promotion_has(&scoped_l1_of(step)->promotions, step->addr);
}

static uint8_t classify_access(const struct step *step)
{
    uint8_t event = scoped_classify_l1(step, STIMULUS_MESSAGE);

    if (is_promoted(step, event)) {
        if (step->mshr != NULL)
            return L1_WAIT;
        return controller_has_stalled(step->controller) ? L1_HELD : L1_PROMOTE;
    }
    if (is_local(step->message) && message_acquires(step->message)) {
        if (event == L1_LOAD_MISS) /* it looks again: its object may be promoted before the line is here */
            return L1_ATOMIC_MISS;
        if (event == L1_LOAD_MERGE)
            return L1_WAIT;
    }
    if (!message_releases(step->message) || !is_local(step->message))
        return event;
    if (event == L1_STORE)
        return L1_STORE_RELEASE;
    return event == L1_ATOMIC_HIT ? (uint8_t)L1_ATOMIC_RELEASE : event;
}

/* A release of the object is in the FIFO: up to it lines are written back. */
static bool has_place(const struct step *step, uint64_t addr)
{
    const struct release_table *releases = &scoped_l1_of(step)->releases;
    int entry = release_find(releases, addr);

    return entry >= 0 && releases->places[entry] != NO_PLACE;
}

/* What came before a release that has left the FIFO may still be on its way, to another slice: it is
 * waited for. As published, the table alone says. */
static uint8_t classify_probe(const struct step *step)
{
    bool has_left = scoped_l1_of(step)->remembers_left == 0 && controller_awaited(step->controller) > 0;

    return step->message->kind != SCOPED_PROBE_RELEASE && (has_left || has_place(step, step->addr))
               ? L1_PROBE_FLUSH
               : L1_PROBE_QUIET;
}

uint8_t srsp_classify_l1(const struct step *step, enum protocol_stimulus stimulus)
{
    if (stimulus != STIMULUS_MESSAGE)
        return scoped_classify_l1(step, stimulus);
    switch (step->message->kind) {
    case MESSAGE_LOAD:
    case MESSAGE_STORE:
    case MESSAGE_ATOMIC:
        return classify_access(step);
    case SCOPED_PROBE_ACQUIRE:
    case SCOPED_PROBE_RELEASE:
    case SCOPED_PROBE_BOTH:
        return classify_probe(step);
    default:
        return scoped_classify_l1(step, stimulus);
    }
}

enum walk_choice srsp_choose_walk(const struct step *step, uint64_t *addr)
{
    if (!scoped_is_probe(step->message->kind))
        return scoped_choose_walk(step, addr);
    return has_place(step, step->message->addr) ? scoped_choose_oldest(step, addr) : WALK_OVER;
}

/* ---- Actions ---- */

/* Of releases that are remembered though they have left the FIFO, the first gives its entry to a new one. */
static void make_room(struct step *step)
{
    struct release_table *releases = &scoped_l1_of(step)->releases;

    if (releases->count <= scoped_parameters_of(step)->release_entries)
        return;
    scoped_l1_count(step)->release_overflows++;
    for (unsigned i = 0; i < releases->count; i++)
        if (releases->places[i] == NO_PLACE) {
            release_remove(releases, i);
            return;
        }
}

static void note_release(struct step *step)
{
    struct scoped_l1 *l1 = scoped_l1_of(step);

    scoped_enter(step);
    release_note(&l1->releases, step->addr, l1->fifo.count - 1);
    scoped_l1_count(step)->local_releases++;
    make_room(step);
    scoped_shed(step);
}

static void note_promotion(struct step *step)
{
    scoped_l1_count(step)->promoted_acquires++;
    if (scoped_l1_of(step)->promotions.all == 0) /* forget_lines counts it with the others */
        scoped_l1_count(step)->promotions_unused--;
}

static void note_probe(struct step *step)
{
    struct scoped_l1 *l1 = scoped_l1_of(step);

    scoped_l1_count(step)->probes++;
    if (step->message->kind == SCOPED_PROBE_ACQUIRE && release_find(&l1->releases, step->addr) < 0)
        return;
    scoped_l1_count(step)->promotions += !promotion_has(&l1->promotions, step->addr);
    scoped_l1_count(step)->promotion_overflows +=
        !promotion_add(&l1->promotions, step->addr, scoped_parameters_of(step)->promotion_entries);
}

const struct protocol_action
    srsp_note_release = {.name = "note_release", .perform = note_release, .needs = NEEDS_WALK},
    srsp_note_promotion = {.name = "note_promotion", .perform = note_promotion},
    srsp_note_probe = {.name = "note_probe", .perform = note_probe};

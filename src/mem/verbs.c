/* SPDX-License-Identifier: MIT */
/* The verbs that protocols share. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"
#include "mem/controller_private.h"

/* ---- Outputs ---- */

static void perform_reply(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_UP);

    step_make_reply(step, message);
    memcpy(message->data, step->line->data, LINE_BYTES);
    step->facts |= FACT_HIT;
}

static void perform_acknowledge(struct step *step)
{
    step_make_reply(step, step_output(step, OUTPUT_UP));
}

static void perform_pass_up(struct step *step)
{
    step_output(step, OUTPUT_UP);
}

static void perform_forward(struct step *step)
{
    step_output(step, OUTPUT_DOWN)->source = step->controller->node;
    step->facts |= FACT_FORWARDED;
}

static void perform_fetch_line(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = step->controller->kind == ROLE_L2 ? MESSAGE_READ : MESSAGE_LOAD;
    message->mask = LINE_MASK;
    message->source = step->controller->node;
    message->rmw = message->word_bytes = 0;
    message->returns = false;
    memset(message->data, 0, sizeof message->data); /* an atomic's operands stay here */
}

static void perform_write_back(struct step *step)
{
    struct controller *controller = step->controller;
    struct line *line = step->line;
    uint64_t mask = line->dirty;
    bool is_replacement = step->message == NULL && !controller_is_walking(controller);
    struct message *message;

    line->dirty = 0;
    if (mask == 0 || (is_replacement && debug_breaks(controller->breaks, DROP_WRITE_BACK)))
        return;
    if (debug_breaks(controller->breaks, DROP_DIRTY_BYTE))
        mask &= ~(UINT64_C(1) << (63 - __builtin_clzll(mask)));
    message = step_output(step, OUTPUT_DOWN);
    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_WRITE;
    message->addr = line->addr;
    message->mask = mask;
    message->source = controller->node;
    memcpy(message->data, line->data, LINE_BYTES);
    controller->statistics.write_backs++;
    controller->statistics.write_back_bytes += count_bits(mask);
}

/* ---- Lines ---- */

static void line_hold(struct step *step)
{
    struct controller *controller = step->controller;

    if (step->mshr == NULL)
        return;
    step->line->mshr = (uint16_t)(step->mshr - controller->mshrs);
    step->mshr->line = (uint16_t)(step->line - controller->lines);
}

static void perform_reserve_way(struct step *step)
{
    struct controller *controller = step->controller;

    bool is_new = step->line == NULL;

    if (is_new) {
        uint32_t way = controller_find_way(controller, step->addr);

        check(way != NO_WAY, "%s: no way for line 0x%llx", controller->name,
              (unsigned long long)step->addr);
        if (controller->tags[way] != 0)
            controller_replace(step, &controller->lines[way]);
        line_begin(controller, way, step->addr);
        step->line = &controller->lines[way];
    }
    line_hold(step);
    if (is_new)
        controller->shape.replacement->enter(step->line, &controller->state->replacement);
    else
        line_use(controller, step->line);
}

/* partial_fill: six words, what was stored here, and what a request waits for: it would fetch the
 * line without end. */
static uint64_t partial_bytes(const struct step *step)
{
    const struct controller *controller = step->controller;
    uint64_t mask = low_mask(6 * 4) | step->line->dirty;

    for (uint16_t i = step->mshr->first_stalled; i != NO_INDEX; i = controller->waiting[i].next)
        mask |= controller->waiting[i].message.mask;
    return mask;
}

static void perform_fill_line(struct step *step)
{
    uint64_t breaks = step->controller->breaks;
    struct line *line = step->line;
    uint64_t mask = step->message->mask;

    if (!debug_breaks(breaks, MERGE_OVER_DIRTY))
        mask &= ~line->dirty;
    copy_masked(line->data, step->message->data, mask);
    line->valid |= mask;
    if (debug_breaks(breaks, PARTIAL_FILL))
        line->valid = partial_bytes(step);
    step->controller->statistics.fills++;
    step->facts |= FACT_FILLED;
}

static void take_stored_bytes(struct step *step)
{
    struct controller *controller = step->controller;
    struct line *line = step->line;
    unsigned char present[LINE_BYTES];

    if (__builtin_expect(!message_keeps_bytes(step->message), 1)) {
        copy_masked(line->data, step->message->data, step->message->mask);
        return;
    }
    check(controller->present != NULL, "%s: a store keeps bytes, and memory is not known",
          controller->name);
    controller->present(controller, line->addr, present);
    copy_masked(line->data, present, step->message->mask & ~line->valid);
}

static void perform_store_line(struct step *step)
{
    take_stored_bytes(step);
    step->line->valid |= step->message->mask;
    step->line->dirty &= ~step->message->mask;
}

static void perform_store_line_dirty(struct step *step)
{
    take_stored_bytes(step);
    step->line->valid |= step->message->mask;
    step->line->dirty |= step->message->mask;
}

/* The operands' place in the message: see mem/msg.h. */
static bool has_two_operands(unsigned rmw)
{
    return rmw == RMW_COMPARE_SWAP || rmw == RMW_FCOMPARE_SWAP || rmw == RMW_MASK_OR;
}

static void modify_word(const struct message *message, unsigned char *word, unsigned offset)
{
    bool two = has_two_operands(message->rmw);
    const unsigned char *operand = message->data + (two ? offset % 32 : offset);
    const unsigned char *compare = message->data + (two ? 32 + offset % 32 : offset);

    if (message->word_bytes == 8) {
        uint64_t old, with, against;

        memcpy(&old, word, 8);
        memcpy(&with, operand, 8);
        memcpy(&against, compare, 8);
        old = rmw_apply_64(message->rmw, old, with, against);
        memcpy(word, &old, 8);
    } else {
        uint32_t old, with, against;

        memcpy(&old, word, 4);
        memcpy(&with, operand, 4);
        memcpy(&against, compare, 4);
        old = rmw_apply_32(message->rmw, old, with, against);
        memcpy(word, &old, 4);
    }
}

static void perform_atomic_line(struct step *step)
{
    const struct message *message = step->message;
    struct line *line = step->line;
    struct message *answer = step_output(step, OUTPUT_UP);

    check(message->word_bytes == 4 || message->word_bytes == 8, "an atomic on words of %u bytes",
          message->word_bytes);
    check((message->mask & ~line->valid) == 0, "%s: an atomic on bytes that are not here",
          step->controller->name);
    step_make_reply(step, answer);
    memcpy(answer->data, line->data, LINE_BYTES);
    if (!message->returns)
        answer->mask = 0;
    for (unsigned offset = 0; offset < LINE_BYTES; offset += message->word_bytes)
        if ((message->mask >> offset & 1) != 0)
            modify_word(message, line->data + offset, offset);
    line->dirty |= message->mask;
    step->facts |= FACT_HIT;
}

static void perform_drop_line(struct step *step)
{
    if (step->line == NULL)
        return;
    line_release(step->controller, step->line);
    step->line = NULL;
}

static void perform_evict(struct step *step)
{
    struct controller *controller = step->controller;
    struct line *line = step->line;
    struct mshr *mshr = mshr_take_eviction(controller, line->addr);

    mshr->filled_mask = line->valid;
    mshr->dirty = line->dirty;
    memcpy(mshr->data, line->data, LINE_BYTES);
    perform_drop_line(step);
    step->mshr = mshr;
}

/* ---- MSHRs and waiting ---- */

static void perform_admit(struct step *step)
{
    (void)step;
}

static void perform_allocate_mshr(struct step *step)
{
    struct mshr *mshr = mshr_take(step->controller, step->addr);

    step->mshr = mshr;
    if (step->line != NULL && step->line->dirty != 0) { /* newer than what will come */
        mshr->filled_mask = step->line->dirty;
        copy_masked(mshr->data, step->line->data, mshr->filled_mask);
    }
    step->facts |= FACT_MISS;
}

static void perform_stall_line(struct step *step)
{
    struct mshr *mshr = step->mshr;

    check(mshr != NULL, "%s: nothing to wait for", step->controller->name);
    queue_append(step->controller, &mshr->first_stalled, &mshr->last_stalled, waiting_put(step));
    step->facts |= FACT_WAITS;
}

static void perform_merge(struct step *step)
{
    struct mshr *mshr = step->mshr;

    if (step->controller->shape.splits && (step->facts & FACT_MISS) == 0) {
        perform_stall_line(step);
        return;
    }
    queue_append(step->controller, &mshr->first_target, &mshr->last_target, waiting_put(step));
    step->facts |= FACT_MERGED;
}

static void perform_overtake(struct step *step)
{
    step->mshr->overtaken = true;
}

static void perform_release_mshr(struct step *step)
{
    mshr_release(step->controller, step->mshr);
    step->mshr = NULL;
}

static void perform_answer_targets(struct step *step)
{
    struct controller *controller = step->controller;
    struct controller_state *state = controller->state;
    struct mshr *mshr = step->mshr;
    uint16_t index;

    step->facts |= FACT_ANSWERED;
    if (mshr->first_target == NO_INDEX) {
        perform_release_mshr(step);
        return;
    }
    mshr->filled = true;
    index = (uint16_t)(mshr - controller->mshrs);
    controller->mshr_drain[index] = NO_INDEX;
    if (state->first_filled == NO_INDEX)
        state->first_filled = index;
    else
        controller->mshr_drain[state->last_filled] = index;
    state->last_filled = index;
}

static void perform_drop_targets(struct step *step)
{
    struct controller *controller = step->controller;
    struct mshr *mshr = step->mshr;

    while (mshr->first_target != NO_INDEX)
        waiting_free(controller, queue_pop(controller, &mshr->first_target, &mshr->last_target));
    perform_release_mshr(step);
}

static void perform_fill_mshr(struct step *step)
{
    struct mshr *mshr = step->mshr;

    step->controller->statistics.overtaken_fills += (step->facts & FACT_FILLED) == 0;
    copy_masked(mshr->data, step->message->data, step->message->mask & ~mshr->filled_mask);
    mshr->filled_mask |= step->message->mask;
    perform_answer_targets(step);
}

static void perform_stall_resource(struct step *step)
{
    struct controller *controller = step->controller;

    step->outcome = STEP_STALLED;
    controller->stall_cause = controller_shortage(controller);
}

static void perform_stall_order(struct step *step)
{
    step->outcome = STEP_STALLED;
    step->controller->stall_cause = STALL_ORDER;
}

/* It was the oldest: new requests are not looked at while others wait to look again. */
static void perform_stay(struct step *step)
{
    struct controller_state *state = step->controller->state;
    uint16_t index = waiting_put(step);

    step->outcome = STEP_RECYCLED;
    step->controller->waiting[index].next = state->first_replay;
    if (state->first_replay == NO_INDEX)
        state->last_replay = index;
    state->first_replay = index;
}

static void perform_recycle(struct step *step)
{
    struct controller_state *state = step->controller->state;

    step->outcome = STEP_RECYCLED;
    queue_append(step->controller, &state->first_replay, &state->last_replay, waiting_put(step));
}

static void perform_refuse(struct step *step)
{
    step->outcome = STEP_REFUSED;
}

/* ---- The whole cache ---- */

/* A compute unit's acquire, left out on request; a kernel's start has a switch of its own. */
static bool keeps_lines(const struct step *step)
{
    return debug_breaks(step->controller->breaks, KEEP_L1_AT_ACQUIRE) &&
           step->controller->kind == ROLE_L1 && step->message->kind == MESSAGE_INVALIDATE &&
           step->message->requester.unit != REQUESTER_HOST &&
           step->message->requester.unit != REQUESTER_KERNEL;
}

static void perform_new_epoch(struct step *step)
{
    if (keeps_lines(step))
        return;
    step->controller->state->epoch++;
    step->controller->statistics.invalidations++;
}

static void perform_start_walk(struct step *step)
{
    if (keeps_lines(step))
        perform_acknowledge(step);
    else
        step_start_walk(step, (struct walk_terms){.kind = MESSAGE_NONE});
}

static void perform_awaited(struct step *step)
{
    struct controller_state *state = step->controller->state;

    check(state->awaited > 0, "%s: an acknowledgement that is not awaited", step->controller->name);
    state->awaited--;
}

#define VERB(verb, ...)                                                                            \
    const struct protocol_action verb_##verb = {                                                   \
        .name = #verb, .perform = perform_##verb, __VA_ARGS__}

VERB(reply, .up = 1, .up_channel = CHANNEL_RESPONSE, .uses_line = true);
VERB(acknowledge, .up = 1, .up_channel = CHANNEL_RESPONSE);
VERB(pass_up, .up = 1, .up_channel = CHANNEL_SAME);
VERB(forward, .down = 1, .down_channel = CHANNEL_SAME);
VERB(fetch_line, .down = 1, .down_channel = CHANNEL_REQUEST);
VERB(write_back, .down = 1, .down_channel = CHANNEL_WRITE_BACK);
VERB(reserve_way, .needs = NEEDS_WAY);
VERB(fill_line);
VERB(store_line, .uses_line = true);
VERB(store_line_dirty, .uses_line = true);
VERB(atomic_line, .up = 1, .up_channel = CHANNEL_RESPONSE, .uses_line = true);
VERB(drop_line);
VERB(evict, .needs = NEEDS_EVICTION);
VERB(admit, .needs = NEEDS_MSHR);
VERB(allocate_mshr, .needs = NEEDS_MSHR);
VERB(merge, .needs = NEEDS_WAITING);
VERB(overtake);
VERB(fill_mshr, .up_channel = CHANNEL_RESPONSE /* of its targets */);
VERB(answer_targets, .up_channel = CHANNEL_RESPONSE);
VERB(drop_targets);
VERB(release_mshr);
VERB(stall_line, .needs = NEEDS_WAITING);
VERB(stall_resource);
VERB(stall_order);
VERB(stay, .needs = NEEDS_WAITING);
VERB(recycle, .needs = NEEDS_WAITING);
VERB(refuse);
VERB(new_epoch);
VERB(start_walk, .up = 1, .up_channel = CHANNEL_RESPONSE, .needs = NEEDS_WALK);
VERB(awaited);

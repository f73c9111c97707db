/* SPDX-License-Identifier: MIT */
#include "mem/protocol/moesi/upper.h"

#include <stddef.h>
#include <string.h>

#include "mem/bytes.h"

const struct protocol_field upper_line_fields[] = {
    {"touched", offsetof(struct upper_line, touched), sizeof(uint64_t), FIELD_STATISTICS},
    {NULL, 0, 0, FIELD_STATE}};

struct moesi_upper_statistics *upper_statistics(const struct step *step)
{
    return controller_statistics(step->controller);
}

static unsigned count_of(uint64_t mask)
{
    return (unsigned)__builtin_popcountll(mask);
}

/* ---- Requests ---- */

static void note_miss(struct step *step)
{
    enum loss why = controller_lost(step);

    upper_statistics(step)->misses_after_writers += why == LOSS_WRITER;
    upper_statistics(step)->misses_after_recalls += why == LOSS_RECALL;
}

static void line_touch(struct step *step)
{
    struct upper_line *line = controller_line_data(step->controller, step->line);

    line->touched |= step->message->mask;
}

static void ask_to_read(struct step *step)
{
    moesi_ask(step, MOESI_GETS);
}

static void ask_to_read_only(struct step *step)
{
    moesi_ask(step, MOESI_GETR);
}

static void ask_to_write(struct step *step)
{
    moesi_ask(step, MOESI_GETM);
}

static void ask_leave(struct step *step)
{
    moesi_ask(step, MOESI_UPGRADE);
    upper_statistics(step)->upgrades++;
}

/* ---- Answers to probes ---- */

static void note_probe(struct step *step)
{
    struct moesi_upper_statistics *statistics = upper_statistics(step);

    switch (step->message->kind) {
    case MOESI_PROBE_INVALIDATE:
    case MOESI_PROBE_HAND_OVER:
        statistics->probes_invalidate++;
        break;
    case MOESI_RECALL:
        statistics->probes_recall++;
        break;
    default:
        statistics->probes_share++;
    }
}

static void tell_gone(struct step *step)
{
    note_probe(step);
    upper_statistics(step)->probes_gone++;
    moesi_tell(step, MOESI_GONE, 0, NULL);
}

static void tell_shared(struct step *step)
{
    note_probe(step);
    upper_statistics(step)->bytes_to_readers += count_of(step->line->dirty);
    moesi_tell(step, MOESI_SHARED, step->line->dirty, step->line);
    step->line->dirty = 0;
}

static void tell_owned(struct step *step)
{
    note_probe(step);
    upper_statistics(step)->bytes_to_readers += count_of(step->line->dirty);
    moesi_tell(step, MOESI_OWNED, step->line->dirty, step->line);
}

static void note_drop(struct step *step)
{
    struct moesi_upper_statistics *statistics = upper_statistics(step);
    struct upper_line *used = controller_line_data(step->controller, step->line);
    unsigned bytes = count_of(step->line->dirty);

    if (step->message->kind == MOESI_RECALL) {
        statistics->copies_lost_to_recalls++;
        statistics->bytes_to_recalls += bytes;
        controller_lose(step->controller, step->line, LOSS_RECALL);
    } else {
        statistics->copies_lost_to_writers++;
        statistics->bytes_to_writers += bytes;
        statistics->useless_invalidations += (used->touched & step->message->mask) == 0;
        controller_lose(step->controller, step->line, LOSS_WRITER);
    }
    used->touched = 0;
}

static void tell_dropped(struct step *step)
{
    note_probe(step);
    note_drop(step);
    moesi_tell(step, MOESI_DROPPED, step->line->dirty, step->line);
    step->line->valid = step->line->dirty = 0;
}

/* ---- Direct transfers ---- */

static void send_line(struct step *step, uint8_t kind)
{
    struct message *message = step_output(step, OUTPUT_ACROSS);

    note_probe(step);
    upper_statistics(step)->lines_sent++;
    message->kind = kind;
    message->mask = LINE_MASK;
    message->destination = step->message->source;
    message->source = controller_node(step->controller);
    memcpy(message->data, step->line->data, LINE_BYTES);
}

static void send_shared(struct step *step)
{
    send_line(step, MOESI_SENT_S);
}

static void send_owned(struct step *step)
{
    upper_statistics(step)->bytes_to_readers += count_of(step->line->dirty);
    send_line(step, MOESI_SENT_O);
}

static void hand_over(struct step *step)
{
    send_line(step, step->line->dirty != 0 ? MOESI_SENT_M : MOESI_SENT_E);
    note_drop(step);
    step->line->valid = step->line->dirty = 0;
}

static void mark_dirty(struct step *step)
{
    step->line->dirty = LINE_MASK;
}

static void tell_received(struct step *step)
{
    moesi_tell(step, step->message->kind == MOESI_SENT_S ? MOESI_RECEIVED_S : MOESI_RECEIVED, 0,
               NULL);
}

static void put_line(struct step *step)
{
    upper_statistics(step)->puts++;
    upper_statistics(step)->put_bytes += count_of(step->line->dirty);
    moesi_tell(step, MOESI_PUT, step->line->dirty, step->line);
}

#define DOWN(channel) .down = 1, .down_channel = CHANNEL_##channel
const struct protocol_action
    upper_note_miss = {.name = "note_miss", .perform = note_miss},
    upper_touch = {.name = "touch", .perform = line_touch},
    upper_gets = {.name = "gets", .perform = ask_to_read, DOWN(REQUEST)},
    upper_getr = {.name = "getr", .perform = ask_to_read_only, DOWN(REQUEST)},
    upper_getm = {.name = "getm", .perform = ask_to_write, DOWN(REQUEST)},
    upper_upgrade = {.name = "upgrade", .perform = ask_leave, DOWN(REQUEST)},
    upper_gone = {.name = "tell_gone", .perform = tell_gone, DOWN(RESPONSE)},
    upper_shared = {.name = "tell_shared", .perform = tell_shared, DOWN(RESPONSE)},
    upper_owned = {.name = "tell_owned", .perform = tell_owned, DOWN(RESPONSE)},
    upper_dropped = {.name = "tell_dropped", .perform = tell_dropped, DOWN(RESPONSE)},
    upper_put = {.name = "put", .perform = put_line, DOWN(WRITE_BACK)},
    upper_send_shared = {.name = "send_shared", .perform = send_shared, .across = 1},
    upper_send_owned = {.name = "send_owned", .perform = send_owned, .across = 1},
    upper_hand_over = {.name = "hand_over", .perform = hand_over, .across = 1},
    upper_mark_dirty = {.name = "mark_dirty", .perform = mark_dirty},
    upper_received = {.name = "tell_received", .perform = tell_received, DOWN(RESPONSE)};

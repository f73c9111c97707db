/* SPDX-License-Identifier: MIT */
/* What MOESI's directory does to lines and MSHRs, and what it sends. */
#include <string.h>

#include "mem/bytes.h"
#include "mem/protocol/moesi/directory.h"
#include "mem/protocol/moesi/statistics.h"

static struct moesi_directory_statistics *statistics_of(const struct step *step)
{
    return controller_statistics(step->controller);
}

/* ---- Grants ---- */

void directory_give(struct step *step, uint8_t kind, uint64_t mask, const unsigned char *data)
{
    struct message *message = step_output(step, OUTPUT_UP);

    message->kind = kind;
    message->mask = mask;
    message->source = controller_node(step->controller);
    message->destination = step->message->source;
    memcpy(message->data, data, LINE_BYTES);
}

/* The line's bytes; while a copy above is newer, they are in the MSHR of the reader that asked. */
static const unsigned char *bytes_of(const struct step *step)
{
    return step->line->owner != NO_INDEX ? step->mshr->data : step->line->data;
}

static void give_exclusive(struct step *step)
{
    directory_give(step, MOESI_DATA_E, LINE_MASK, step->line->data);
    statistics_of(step)->exclusive_grants++;
    step->line->owner = step->message->source;
}

static void give_shared(struct step *step)
{
    directory_give(step, MOESI_DATA_S, LINE_MASK, bytes_of(step));
    node_set_add(&step->line->sharers, step->message->source);
}

static void give_plain(struct step *step)
{
    directory_give(step, MESSAGE_LOAD_REPLY, LINE_MASK, bytes_of(step));
}

static void give_modified(struct step *step)
{
    struct line *line = step->line;

    if (directory_is_held_by(line, step->message->source)) {
        directory_give(step, MOESI_GRANT_M, 0, line->data);
        statistics_of(step)->grants_without_data++;
    } else {
        directory_give(step, MOESI_DATA_M, LINE_MASK, line->data);
        statistics_of(step)->late_upgrades += step->message->kind == MOESI_UPGRADE;
    }
    memset(&line->sharers, 0, sizeof line->sharers);
    line->owner = step->message->source;
}

#define GRANT .up = 1, .up_channel = CHANNEL_RESPONSE, .uses_line = true
const struct protocol_action
    directory_grant_e = {.name = "grant_e", .perform = give_exclusive, GRANT},
    directory_grant_s = {.name = "grant_s", .perform = give_shared, GRANT},
    directory_grant_m = {.name = "grant_m", .perform = give_modified, GRANT},
    directory_reply_plain = {.name = "reply", .perform = give_plain, GRANT};

/* ---- Probes and their answers ---- */

static void begin_read(struct step *step)
{
    directory_transaction(step)->is_write = false;
}

static void begin_transaction(struct step *step)
{
    uint8_t kind = step->message->kind;

    directory_transaction(step)->is_write = kind == MOESI_GETM || kind == MOESI_UPGRADE;
}

void directory_ask_owner(struct step *step, uint8_t kind)
{
    struct node_set owner = {0};

    begin_read(step);
    node_set_add(&owner, step->line->owner);
    step->mshr->acks = 1;
    step_multicast(step, kind, &owner);
    step->facts |= FACT_HERE;
}

static void ask_owner(struct step *step)
{
    statistics_of(step)->reads_that_probe++;
    directory_ask_owner(step, MOESI_PROBE_SHARE);
}

static void ask_others(struct step *step)
{
    struct node_set others = directory_holders_but(step->line, step->message->source);

    begin_transaction(step);
    step->mshr->acks = (uint16_t)node_set_count(&others);
    step->mshr->probe_mask = step->message->mask;
    step_multicast(step, MOESI_PROBE_INVALIDATE, &others);
    statistics_of(step)->writes_that_probe++;
    statistics_of(step)->probes_invalidate += step->mshr->acks;
    step->facts |= FACT_HERE;
}

static void send_on(struct step *step, uint8_t kind)
{
    struct message *message = step_output(step, OUTPUT_UP);

    begin_transaction(step);
    message->kind = kind;
    message->destination = step->line->owner;
    step->mshr->acks = 1;
    step->facts |= FACT_HERE;
}

static void send_reader_on(struct step *step)
{
    statistics_of(step)->reads_that_probe++;
    send_on(step, MOESI_PROBE_SEND);
}

static void send_writer_on(struct step *step)
{
    statistics_of(step)->writes_that_probe++;
    statistics_of(step)->probes_invalidate++;
    send_on(step, MOESI_PROBE_HAND_OVER);
}

static void note_reader(struct step *step)
{
    struct line *line = step->line;
    bool is_shared = step->message->kind == MOESI_RECEIVED_S;

    statistics_of(step)->transfers += !is_shared;
    statistics_of(step)->direct_transfers++;
    if (is_shared && line->owner != NO_INDEX) {
        node_set_add(&line->sharers, line->owner);
        line->owner = NO_INDEX;
    }
    node_set_add(&line->sharers, step->message->source);
}

static void note_writer(struct step *step)
{
    statistics_of(step)->direct_transfers++;
    step->line->owner = step->message->source;
}

static void give_up(struct step *step)
{
    struct node_set nodes = directory_holders(step->line);

    verb_evict.perform(step);
    step->mshr->acks = (uint16_t)node_set_count(&nodes);
    step_multicast(step, MOESI_RECALL, &nodes);
    statistics_of(step)->recalls++;
    statistics_of(step)->probes_recall += step->mshr->acks;
}

static void await_put(struct step *step)
{
    directory_transaction(step)->awaited = (uint16_t)(step->message->source + 1);
    statistics_of(step)->overtaken_puts++;
    step->facts |= FACT_HERE;
}

static void take_bytes(struct step *step)
{
    verb_store_line_dirty.perform(step);
    directory_forget(step->line, step->message->source);
}

static void count_answer(struct step *step)
{
    step->mshr->acks--;
}

/* The owner's bytes go to the readers, and stay its own. */
static void pass_bytes(struct step *step)
{
    statistics_of(step)->transfers++;
    memcpy(step->mshr->data, step->line->data, LINE_BYTES);
    copy_masked(step->mshr->data, step->message->data, step->message->mask);
}

static void make_sharer(struct step *step)
{
    statistics_of(step)->transfers += step->message->mask != 0;
    verb_store_line_dirty.perform(step);
    step->line->owner = NO_INDEX;
    node_set_add(&step->line->sharers, step->message->source);
}

static void gather_bytes(struct step *step)
{
    copy_masked(step->mshr->data, step->message->data, step->message->mask);
    step->mshr->dirty |= step->message->mask;
}

static void write_evicted(struct step *step)
{
    struct message *message;

    if (step->mshr->dirty == 0)
        return;
    message = step_output(step, OUTPUT_DOWN);
    memset(message, 0, sizeof *message);
    message->kind = MESSAGE_WRITE;
    message->addr = step->addr;
    message->mask = step->mshr->dirty;
    message->source = controller_node(step->controller);
    memcpy(message->data, step->mshr->data, LINE_BYTES);
    statistics_of(step)->recall_write_backs++;
    statistics_of(step)->recall_write_back_bytes += (unsigned)__builtin_popcountll(message->mask);
}

static void write_through(struct step *step)
{
    struct message *message = step_output(step, OUTPUT_DOWN);

    message->kind = MESSAGE_WRITE;
    message->source = controller_node(step->controller);
}

#define PROBES .up_channel = CHANNEL_PROBE
#define PROBE .up = 1, PROBES
#define TO_MEMORY .down = 1, .down_channel = CHANNEL_WRITE_BACK
const struct protocol_action
    directory_note_kind = {.name = "note_kind", .perform = begin_transaction},
    directory_probe_owner = {.name = "probe_owner", .perform = ask_owner, PROBES},
    directory_send = {.name = "send_on", .perform = send_reader_on, PROBE},
    directory_hand_over = {.name = "send_on", .perform = send_writer_on, PROBE},
    directory_note_reader = {.name = "note_reader", .perform = note_reader},
    directory_note_writer = {.name = "note_writer", .perform = note_writer},
    directory_probe_others = {.name = "probe_others", .perform = ask_others, PROBES},
    directory_recall = {.name = "recall", .perform = give_up, .needs = NEEDS_EVICTION, PROBES},
    directory_await = {.name = "await_put", .perform = await_put},
    directory_take = {.name = "take_bytes", .perform = take_bytes},
    directory_count = {.name = "count_answer", .perform = count_answer},
    directory_pass = {.name = "pass_bytes", .perform = pass_bytes},
    directory_owner_shares = {.name = "owner_shares", .perform = make_sharer},
    directory_gather = {.name = "gather_bytes", .perform = gather_bytes},
    directory_write_gathered = {.name = "write_to_memory", .perform = write_evicted, TO_MEMORY},
    directory_write_to_memory = {.name = "write_to_memory", .perform = write_through, TO_MEMORY};

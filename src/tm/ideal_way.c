/* SPDX-License-Identifier: MIT */
/* What a compute unit's part of the system `ideal_global` sends, and what comes back. */
#include <string.h>

#include "tm/ideal_unit.h"

static void tell_answers(struct ideal_unit *ideal)
{
    struct tm_packet *packet;

    if (ideal->answered_count == 0 || !port_has_room(ideal->unit.to_centre, 1))
        return;
    packet = port_reserve(ideal->unit.to_centre, 1);
    memset(packet, 0, offsetof(struct tm_packet, pairs));
    packet->kind = IDEAL_ANSWERED;
    packet->unit = ideal->unit.number;
    while (packet->pair_count < TM_PAIRS && ideal->answered_count > 0)
        packet->pairs[packet->pair_count++].address = ideal->answered[--ideal->answered_count];
}

uint64_t ideal_next_cycle(const struct tm_unit *unit)
{
    const struct ideal_unit *ideal = ideal_of((struct tm_unit *)(uintptr_t)unit);
    const struct ideal_store *store = ideal_table_store(ideal_table_of(unit), unit->number);

    if (ideal->answered_count > 0 || ideal->debts.count > 0)
        return ideal_cycle(unit);
    return store != NULL ? store->since + 1 : UINT64_MAX;
}

void ideal_tick(struct tm_unit *unit)
{
    tell_answers(ideal_of(unit));
}

static void send_debt(struct ideal_unit *ideal, struct message *message)
{
    struct ideal_owed owed = ideal_debts_take(&ideal->debts);

    message->kind = MESSAGE_STORE;
    message->rmw = MESSAGE_KEEPS;
    message->glc = true;
    message->addr = owed.line;
    message->mask = owed.mask;
    message->scope = SCOPE_DEVICE;
    message->requester = (struct message_requester){.unit = REQUESTER_COMMIT};
    ideal->statistics.stores++;
}

bool ideal_send(struct tm_unit *unit, struct message *message)
{
    const struct ideal_store *store = ideal_table_store(ideal_table_of(unit), unit->number);

    if (ideal_of(unit)->debts.count > 0) {
        send_debt(ideal_of(unit), message);
        return true;
    }
    if (store == NULL || store->since >= ideal_cycle(unit))
        return false;
    message->kind = MESSAGE_STORE;
    message->addr = store->line;
    message->mask = store->mask;
    message->scope = SCOPE_DEVICE;
    message->requester = (struct message_requester){.unit = REQUESTER_COMMIT};
    memcpy(message->data, store->data, sizeof message->data);
    ideal_table_take_store(ideal_table_of(unit), unit->number);
    ideal_of(unit)->statistics.stores++;
    return true;
}

void ideal_receive(struct tm_unit *unit, const struct message *message)
{
    struct ideal_unit *ideal = ideal_of(unit);

    if (ideal->pays_at_execution)
        return; /* none waits for it */
    if (ideal->answered_count == ideal->answered_capacity) {
        ideal->answered_capacity = ideal->answered_capacity * 2 + 16;
        ideal->answered =
            reallocate(ideal->answered, ideal->answered_capacity, sizeof *ideal->answered);
    }
    ideal->answered[ideal->answered_count++] = message->addr;
}

void ideal_packet(struct tm_unit *unit, const struct tm_packet *packet)
{
    struct ideal_wavefront *wavefront = &ideal_of(unit)->wavefronts[packet->slot];
    uint64_t settled = packet->lanes;

    if (packet->kind == IDEAL_NEWS) {
        for_each_bit(slot, settled) unit->host->hold(unit->host, slot, false);
        return;
    }
    wavefront->state = COMMIT_DECIDED;
    wavefront->passed = packet->lanes;
    wavefront->first_order = packet->id;
    if (packet->pair_count > 0)
        unit->host->hold(unit->host, packet->slot, true);
    unit->host->wake(unit->host, packet->slot);
}

void ideal_explain(const struct tm_unit *unit, struct text *text)
{
    const struct ideal_unit *ideal = ideal_of((struct tm_unit *)(uintptr_t)unit);

    if (ideal_table_store(ideal_table_of(unit), unit->number) != NULL)
        text_add(text, "; committed words wait for the L1");
    if (ideal->answered_count > 0)
        text_add(text, "; %u answers wait for the table", ideal->answered_count);
}

/* SPDX-License-Identifier: MIT */
/* What the alphabet asks, and how it judges answers. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "verify/alphabet_private.h"

/* ---- Words and values ---- */

static bool is_store(unsigned access)
{
    return access >= ACCESS_STORE && access <= ACCESS_EXCHANGE;
}

/* Whether the access is to the followed word. */
static bool is_followed(const struct alphabet *alphabet, uint32_t l1, unsigned access,
                        uint32_t line)
{
    if (line != 0)
        return false;
    if (is_load(access))
        return true;
    return is_store(access) &&
           (alphabet->judge.is_shared ? access != ACCESS_STORE : access == ACCESS_STORE && l1 == 0);
}

static void raise_to(uint8_t *value, uint8_t min)
{
    if (*value < min)
        *value = min;
}

const char *value_name(uint8_t value)
{
    switch (value) {
    case VALUE_EARLY:
        return "an early value";
    case VALUE_LATE:
        return "a late value";
    case VALUE_UNLIKE:
        return "bytes of different stores";
    default:
        return "bytes that were dead";
    }
}

uint8_t value_in(const unsigned char *line)
{
    const unsigned char *bytes = line + WORD_BYTES * WORD_FOLLOWED;

    for (unsigned i = 1; i < WORD_BYTES; i++)
        if (bytes[i] != bytes[0])
            return VALUE_UNLIKE;
    return bytes[0];
}

/* ---- Offers ---- */

static struct slot *free_slot(struct alphabet *alphabet, uint32_t l1)
{
    for (unsigned i = 0; i < alphabet->options.outstanding; i++)
        if (!alphabet->judge.slots[l1][i].is_open)
            return &alphabet->judge.slots[l1][i];
    return NULL;
}

static void put_value(struct message *message, uint32_t word, uint8_t value)
{
    message->mask = low_mask(WORD_BYTES) << WORD_BYTES * word;
    memset(message->data + WORD_BYTES * word, value, WORD_BYTES);
}

/* Where accesses are alike, one of them will do. Where an L1 owns a line to write it, stores and
 * read-modify-writes of what is not followed are alike. Beside the followed word none is needed, if
 * there are never dirty bytes of two L1s in a line. */
static bool is_useful(const struct alphabet *alphabet, uint32_t l1, unsigned access, uint32_t line)
{
    const struct promise *promise = &alphabet->options.promise;

    if (access == ACCESS_LOAD_COHERENT)
        return promise->tells_loads_apart;
    if (is_followed(alphabet, l1, access, line) || access >= ACCESS_ON_LINES)
        return true;
    if (access == ACCESS_STORE_COHERENT)
        return promise->tells_stores_apart;
    if (access == ACCESS_EXCHANGE)
        return promise->owners == NULL;
    return access != ACCESS_STORE || line != 0 || promise->owners == NULL || !promise->is_coherent;
}

/* Early stores come before late ones. */
static bool is_in_time(const struct alphabet *alphabet, uint32_t l1, const struct offer *offer)
{
    if (!is_followed(alphabet, l1, offer->access, offer->line) || is_load(offer->access))
        return offer->value != VALUE_LATE;
    return offer->value == VALUE_LATE || alphabet->judge.newest == VALUE_EARLY;
}

static void put_access(const struct alphabet *alphabet, uint32_t l1, const struct offer *offer,
                       struct message *message)
{
    message->addr = alphabet->traffic.world->lines[offer->line];
    if (is_load(offer->access)) {
        message->mask = low_mask(WORD_BYTES * WORDS);
        return;
    }
    if (is_followed(alphabet, l1, offer->access, offer->line))
        put_value(message, WORD_FOLLOWED, offer->value);
    else
        put_value(message, WORD_OTHER, 0);
    if (offer->access == ACCESS_EXCHANGE) {
        message->rmw = RMW_SWAP;
        message->word_bytes = WORD_BYTES;
        message->returns = true;
    }
}

bool alphabet_offer(struct traffic *traffic, uint32_t l1, uint32_t which, struct message *message)
{
    static const uint8_t kinds[ACCESS_COUNT] = {MESSAGE_LOAD,  MESSAGE_LOAD,   MESSAGE_STORE,
                                                MESSAGE_STORE, MESSAGE_ATOMIC, MESSAGE_INVALIDATE,
                                                MESSAGE_FLUSH};
    struct alphabet *alphabet = alphabet_of(traffic);
    const struct offer *offer = &alphabet->offers[which];
    unsigned access = offer->access;
    struct slot *slot = free_slot(alphabet, l1);

    if (slot == NULL || !is_useful(alphabet, l1, access, offer->line) ||
        !is_in_time(alphabet, l1, offer))
        return false;
    message->kind = kinds[access];
    message->requester.unit = (uint16_t)(FIRST_UNIT + l1);
    message->requester.entry = (uint16_t)(slot - alphabet->judge.slots[l1]);
    message->glc = access == ACCESS_LOAD_COHERENT;
    if ((access >= ACCESS_STORE_COHERENT || access == ACCESS_LOAD_COHERENT) &&
        (access != ACCESS_STORE_COHERENT || alphabet->options.promise.tells_stores_apart))
        message->scope = SCOPE_DEVICE;
    if (access >= ACCESS_ON_LINES)
        message->order = access == ACCESS_ACQUIRE ? ORDER_ACQUIRE : ORDER_RELEASE;
    else
        put_access(alphabet, l1, offer, message);
    return true;
}

static uint8_t next_order(const struct alphabet *alphabet, uint32_t l1)
{
    uint8_t order = 0;

    for (unsigned i = 0; i < SLOTS; i++)
        order = (uint8_t)(order + alphabet->judge.slots[l1][i].is_open);
    return order;
}

void alphabet_sent(struct traffic *traffic, uint32_t l1, uint32_t which,
                   const struct message *message)
{
    struct alphabet *alphabet = alphabet_of(traffic);
    struct judge *judge = &alphabet->judge;
    struct slot *slot = &judge->slots[l1][message->requester.entry];
    unsigned access = alphabet->offers[which].access, line = alphabet->offers[which].line;

    memset(slot, 0, sizeof *slot);
    slot->order = next_order(alphabet, l1);
    slot->is_open = true;
    slot->access = (uint8_t)(access == ACCESS_LOAD_COHERENT ? ACCESS_LOAD : access);
    slot->line = (uint8_t)line;
    if (access == ACCESS_ACQUIRE)
        raise_to(&judge->min[l1], judge->published);
    if (access == ACCESS_RELEASE)
        slot->value = l1 == 0 ? judge->kept : VALUE_EARLY;
    if (!is_followed(alphabet, l1, access, line))
        return;
    if (is_load(access)) {
        slot->min = judge->min[l1];
        slot->max = VALUE_LATE;
        if (access == ACCESS_LOAD_COHERENT || alphabet->options.promise.is_coherent)
            raise_to(&slot->min, judge->published);
        return;
    }
    slot->value = message->data[WORD_BYTES * WORD_FOLLOWED];
}

/* ---- What happens to the followed word ---- */

/* A store takes effect. */
static void begin_version(struct alphabet *alphabet, uint8_t value)
{
    struct judge *judge = &alphabet->judge;

    if (value < judge->newest)
        alphabet->traffic.is_void = true;
    judge->newest = value;
    for (uint32_t l1 = 0; l1 < alphabet->options.l1s && value == VALUE_LATE; l1++)
        for (unsigned i = 0; i < SLOTS; i++)
            if (is_store(judge->slots[l1][i].access) && judge->slots[l1][i].value == VALUE_EARLY &&
                !judge->slots[l1][i].is_done)
                alphabet->traffic.is_void = true; /* it will come too late */
}

/* Loads that the L1 sent after its own store see no older value; those before it not its own. */
static void bound_loads(struct alphabet *alphabet, uint32_t l1, const struct slot *store,
                        bool is_mark)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &alphabet->judge.slots[l1][i];

        if (!slot->is_open || slot->min == 0)
            continue;
        if (slot->order > store->order)
            raise_to(&slot->min, store->value);
        else if (is_mark)
            slot->max = VALUE_EARLY;
    }
}

/* Whose request it belongs to; a number that is too great if it is none's. */
static uint32_t l1_of(const struct message *message)
{
    return (uint32_t)message->requester.unit - FIRST_UNIT;
}

static struct slot *slot_of(struct alphabet *alphabet, const struct message *message)
{
    uint32_t l1 = l1_of(message);

    return l1 < alphabet->options.l1s && message->requester.entry < SLOTS
               ? &alphabet->judge.slots[l1][message->requester.entry]
               : NULL;
}

static bool slot_answers(const struct slot *slot, unsigned kind)
{
    switch (slot->access) {
    case ACCESS_LOAD:
    case ACCESS_LOAD_COHERENT:
        return kind == MESSAGE_LOAD_REPLY;
    case ACCESS_STORE:
    case ACCESS_STORE_COHERENT:
        return kind == MESSAGE_STORE_REPLY;
    case ACCESS_EXCHANGE:
        return kind == MESSAGE_ATOMIC_REPLY;
    case ACCESS_ACQUIRE:
        return kind == MESSAGE_INVALIDATE_REPLY;
    default:
        return kind == MESSAGE_FLUSH_REPLY;
    }
}

void alphabet_output(struct traffic *traffic, const struct message *message)
{
    struct alphabet *alphabet = alphabet_of(traffic);
    struct slot *slot = slot_of(alphabet, message);
    bool is_mark;

    if ((message->kind != MESSAGE_STORE_REPLY && message->kind != MESSAGE_ATOMIC_REPLY) ||
        slot == NULL || !slot->is_open || slot->is_done || slot->value == 0 ||
        !slot_answers(slot, message->kind))
        return;
    if (slot->access == ACCESS_EXCHANGE && value_in(message->data) != alphabet->judge.newest)
        fault_note(traffic->fault, VERIFY_READ, "the exchange of L1 %u returns %s, not the newest",
                   l1_of(message), value_name(value_in(message->data)));
    is_mark = slot->value != alphabet->judge.newest;
    slot->is_done = true;
    begin_version(alphabet, slot->value);
    bound_loads(alphabet, l1_of(message), slot, is_mark);
}

/* ---- Answers ---- */

/* Whether the L1 itself has a late store that has not taken effect. */
static bool is_own(const struct alphabet *alphabet, uint32_t l1)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        const struct slot *slot = &alphabet->judge.slots[l1][i];

        if (slot->is_open && is_store(slot->access) && slot->value == VALUE_LATE && !slot->is_done)
            return true;
    }
    return false;
}

static void note_unfinished(const struct alphabet *alphabet, uint32_t l1)
{
    if (!is_own(alphabet, l1))
        fault_note(alphabet->traffic.fault, VERIFY_READ,
                   "the load of L1 %u returns what is not stored yet", l1);
}

static void judge_load(struct alphabet *alphabet, uint32_t l1, const struct slot *slot,
                       const struct message *message)
{
    struct fault *fault = alphabet->traffic.fault;
    uint8_t value = value_in(message->data);

    if (value != VALUE_EARLY && value != VALUE_LATE)
        fault_note(fault, VERIFY_READ, "the load of L1 %u returns %s", l1, value_name(value));
    else if (value == VALUE_LATE && alphabet->judge.newest == VALUE_EARLY)
        note_unfinished(alphabet, l1);
    else if (value < slot->min)
        fault_note(fault, VERIFY_READ,
                   "the load of L1 %u returns an early value, where it may see late ones only", l1);
    else if (value > slot->max)
        fault_note(fault, VERIFY_READ,
                   "the load of L1 %u returns the value of a store that came after it", l1);
    else
        raise_to(&alphabet->judge.min[l1], value);
}

/* What all loads must see, each L1's must. */
static void see_published(struct alphabet *alphabet)
{
    struct judge *judge = &alphabet->judge;

    for (uint32_t l1 = 0; l1 < alphabet->options.l1s && alphabet->options.promise.is_coherent; l1++)
        raise_to(&judge->min[l1], judge->published);
}

static void close_slot(struct alphabet *alphabet, uint32_t l1, struct slot *closed)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &alphabet->judge.slots[l1][i];

        if (slot->is_open && slot->order > closed->order)
            slot->order--;
    }
    memset(closed, 0, sizeof *closed);
}

void alphabet_answered(struct traffic *traffic, uint32_t l1, const struct message *message)
{
    struct alphabet *alphabet = alphabet_of(traffic);
    struct judge *judge = &alphabet->judge;
    struct slot *slot = slot_of(alphabet, message);

    if (slot == NULL || l1_of(message) != l1 || !slot->is_open ||
        !slot_answers(slot, message->kind)) {
        fault_note(traffic->fault, VERIFY_ANSWER, "L1 %u answers what was not asked", l1);
        return;
    }
    if (slot->access == ACCESS_RELEASE)
        raise_to(&judge->published, slot->value);
    if (is_followed(alphabet, l1, slot->access, slot->line)) {
        if (is_load(slot->access)) {
            judge_load(alphabet, l1, slot, message);
        } else {
            raise_to(&judge->min[l1], slot->value);
            if (slot->access != ACCESS_STORE || alphabet->options.promise.publishes_stores)
                raise_to(&judge->published, slot->value);
            else
                raise_to(&judge->kept, slot->value);
        }
    }
    see_published(alphabet);
    close_slot(alphabet, l1, slot);
}

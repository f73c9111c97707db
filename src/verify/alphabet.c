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

static uint8_t older(const struct alphabet *alphabet, uint8_t age)
{
    return age < alphabet->options.values - 1 ? (uint8_t)(age + 1) : age;
}

static void lower(uint8_t *age, uint8_t most)
{
    if (*age > most)
        *age = most;
}

static uint8_t age_of(const struct alphabet *alphabet, uint8_t value)
{
    const struct judge *judge = &alphabet->judge;

    if (value == judge->newest)
        return AGE_NEWEST;
    return value == judge->before ? AGE_BEFORE : (uint8_t)(alphabet->options.values - 1);
}

struct values_used {
    bool used[256];
};

static void note_value(void *context, const void *bytes, size_t count)
{
    struct values_used *values = context;

    if (count == 1)
        values->used[*(const unsigned char *)bytes] = true;
}

/* One that is nowhere in the machine. */
static uint8_t fresh_value(const struct alphabet *alphabet)
{
    const struct judge *judge = &alphabet->judge;
    struct values_used values = {{false}};

    values.used[judge->newest] = values.used[judge->before] = true;
    for (uint32_t l1 = 0; l1 < alphabet->options.l1s; l1++)
        for (unsigned i = 0; i < SLOTS; i++)
            values.used[judge->slots[l1][i].value] = true;
    world_encode(alphabet->traffic.world, &(struct form){.add = note_value, .context = &values});
    for (unsigned value = 1; value < NO_VALUE; value++)
        if (!values.used[value])
            return (uint8_t)value;
    check(0, "no value is left");
    abort();
}

uint8_t value_in(const unsigned char *line)
{
    const unsigned char *bytes = line + WORD_BYTES * WORD_FOLLOWED;

    for (unsigned i = 1; i < WORD_BYTES; i++)
        if (bytes[i] != bytes[0])
            return NO_VALUE;
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

/* Where coherent and plain accesses are alike, one of them will do. */
static bool is_useful(const struct alphabet *alphabet, uint32_t l1, unsigned access, uint32_t line)
{
    const struct promise *promise = &alphabet->options.promise;

    if (access == ACCESS_LOAD_COHERENT)
        return promise->tells_loads_apart;
    return access != ACCESS_STORE_COHERENT || promise->tells_stores_apart ||
           is_followed(alphabet, l1, access, line);
}

bool alphabet_offer(struct traffic *traffic, uint32_t l1, uint32_t which, struct message *message)
{
    static const uint8_t kinds[ACCESS_COUNT] = {MESSAGE_LOAD,  MESSAGE_LOAD,       MESSAGE_STORE,
                                                MESSAGE_STORE, MESSAGE_ATOMIC,     MESSAGE_INVALIDATE,
                                                MESSAGE_FLUSH};
    struct alphabet *alphabet = alphabet_of(traffic);
    unsigned access = alphabet->offers[which][0], line = alphabet->offers[which][1];
    struct slot *slot = free_slot(alphabet, l1);

    if (slot == NULL || !is_useful(alphabet, l1, access, line))
        return false;
    message->kind = kinds[access];
    message->requester.unit = (uint16_t)(FIRST_UNIT + l1);
    message->requester.entry = (uint16_t)(slot - alphabet->judge.slots[l1]);
    message->glc = access == ACCESS_LOAD_COHERENT;
    if ((access >= ACCESS_STORE_COHERENT || access == ACCESS_LOAD_COHERENT) &&
        (access != ACCESS_STORE_COHERENT || alphabet->options.promise.tells_stores_apart))
        message->scope = SCOPE_DEVICE;
    if (access >= ACCESS_ON_LINES) {
        message->order = access == ACCESS_ACQUIRE ? ORDER_ACQUIRE : ORDER_RELEASE;
        return true;
    }
    message->addr = traffic->world->lines[line];
    if (is_load(access)) {
        message->mask = low_mask(WORD_BYTES * WORDS);
        return true;
    }
    if (is_followed(alphabet, l1, access, line))
        put_value(message, WORD_FOLLOWED, fresh_value(alphabet));
    else
        put_value(message, WORD_OTHER, 0);
    if (access == ACCESS_EXCHANGE) {
        message->rmw = RMW_SWAP;
        message->word_bytes = WORD_BYTES;
        message->returns = true;
    }
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
    unsigned access = alphabet->offers[which][0], line = alphabet->offers[which][1];

    memset(slot, 0, sizeof *slot);
    slot->order = next_order(alphabet, l1);
    slot->is_open = true;
    slot->access = (uint8_t)access;
    slot->line = (uint8_t)line;
    if (access == ACCESS_ACQUIRE)
        lower(&judge->least[l1], judge->published);
    if (access == ACCESS_RELEASE)
        slot->age = l1 == 0 ? judge->kept : (uint8_t)(alphabet->options.values - 1);
    if (!is_followed(alphabet, l1, access, line))
        return;
    if (is_load(access)) {
        slot->least = judge->least[l1];
        if (access == ACCESS_LOAD_COHERENT || alphabet->options.promise.is_coherent)
            lower(&slot->least, judge->published);
        return;
    }
    slot->value = message->data[WORD_BYTES * WORD_FOLLOWED];
}

/* ---- What happens to the followed word ---- */

/* A store has taken effect: what was newest is no longer. */
static void begin_version(struct alphabet *alphabet, uint8_t value)
{
    struct judge *judge = &alphabet->judge;

    judge->before = judge->newest;
    judge->newest = value;
    judge->published = older(alphabet, judge->published);
    judge->kept = older(alphabet, judge->kept);
    for (uint32_t l1 = 0; l1 < alphabet->options.l1s; l1++) {
        judge->least[l1] = older(alphabet, judge->least[l1]);
        for (unsigned i = 0; i < SLOTS; i++) {
            struct slot *slot = &judge->slots[l1][i];

            slot->age = older(alphabet, slot->age);
            slot->least = older(alphabet, slot->least);
            if (slot->most > 0)
                slot->most = older(alphabet, slot->most);
        }
    }
}

/* Loads that the L1 sent after its own store see no older value, those before it no newer one. */
static void bound_loads(struct alphabet *alphabet, uint32_t l1, const struct slot *store)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &alphabet->judge.slots[l1][i];

        if (!slot->is_open || !is_load(slot->access))
            continue;
        if (slot->order > store->order)
            slot->least = AGE_NEWEST;
        else
            slot->most = AGE_BEFORE;
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

static bool answers(const struct slot *slot, unsigned kind)
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

    if ((message->kind != MESSAGE_STORE_REPLY && message->kind != MESSAGE_ATOMIC_REPLY) ||
        slot == NULL || !slot->is_open || slot->is_done || slot->value == 0 ||
        !answers(slot, message->kind))
        return;
    if (slot->access == ACCESS_EXCHANGE &&
        value_in(message->data) != alphabet->judge.newest)
        fault_note(traffic->fault, VERIFY_READ,
                   "the exchange of L1 %u returns a value that is not the newest",
                   l1_of(message));
    begin_version(alphabet, slot->value);
    slot->is_done = true;
    slot->age = AGE_NEWEST;
    bound_loads(alphabet, l1_of(message), slot);
}

/* ---- Answers ---- */

static bool is_unfinished(const struct alphabet *alphabet, uint32_t l1, uint8_t value,
                          bool *is_own)
{
    for (uint32_t other = 0; other < alphabet->options.l1s; other++)
        for (unsigned i = 0; i < SLOTS; i++) {
            const struct slot *slot = &alphabet->judge.slots[other][i];

            if (slot->is_open && slot->value == value && value != 0 && !slot->is_done) {
                *is_own = other == l1;
                return true;
            }
        }
    return false;
}

static void judge_load(struct alphabet *alphabet, uint32_t l1, const struct slot *slot,
                       const struct message *message)
{
    static const char *const ages[] = {"the newest", "the one before the newest", "an older one"};
    struct fault *fault = alphabet->traffic.fault;
    uint8_t value = value_in(message->data), age;
    bool is_own;

    if (value == NO_VALUE) {
        fault_note(fault, VERIFY_READ, "the load of L1 %u returns bytes of different stores", l1);
        return;
    }
    if (is_unfinished(alphabet, l1, value, &is_own)) {
        if (!is_own)
            fault_note(fault, VERIFY_READ, "the load of L1 %u returns what is not stored yet", l1);
        return;
    }
    age = age_of(alphabet, value);
    if (age > slot->least)
        fault_note(fault, VERIFY_READ,
                   "the load of L1 %u returns value %u, %s, where it may see none older than %s",
                   l1, value, ages[age], ages[slot->least]);
    if (age < slot->most)
        fault_note(fault, VERIFY_READ,
                   "the load of L1 %u returns value %u of a store that came after it", l1, value);
    lower(&alphabet->judge.least[l1], age);
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
        !answers(slot, message->kind)) {
        fault_note(traffic->fault, VERIFY_ANSWER, "L1 %u answers what was not asked", l1);
        return;
    }
    if (slot->access == ACCESS_RELEASE)
        lower(&judge->published, slot->age);
    if (is_followed(alphabet, l1, slot->access, slot->line)) {
        if (is_load(slot->access)) {
            judge_load(alphabet, l1, slot, message);
        } else {
            lower(&judge->least[l1], slot->age);
            if (slot->access != ACCESS_STORE || alphabet->options.promise.publishes_stores)
                lower(&judge->published, slot->age);
            else
                lower(&judge->kept, slot->age);
        }
    }
    close_slot(alphabet, l1, slot);
}

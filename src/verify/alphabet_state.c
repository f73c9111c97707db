/* SPDX-License-Identifier: MIT */
/* What the alphabet sees of states: properties of each, its own part of their form, words for
 * people. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"
#include "verify/alphabet_private.h"

static const char *const access_names[ACCESS_COUNT] = {
    "load", "coherent load", "store", "coherent store", "exchange", "acquire", "release"};

const char *access_name(enum access access)
{
    return access_names[access];
}

static bool alphabet_is_idle(const struct traffic *traffic)
{
    const struct alphabet *alphabet = alphabet_of(traffic);

    for (uint32_t l1 = 0; l1 < alphabet->options.l1s; l1++)
        for (unsigned i = 0; i < SLOTS; i++)
            if (alphabet->judge.slots[l1][i].is_open)
                return false;
    return true;
}

/* ---- Properties of a state ---- */

/* Whether the state's name is among the words: " M E ". */
static bool state_is_among(const char *words, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(words, name); at != NULL; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static uint64_t states_named(const struct protocol_role *role, const char *words)
{
    uint64_t set = 0;

    check(role->state_count <= 64, "%u states", role->state_count);
    for (uint32_t i = 0; words != NULL && i < role->state_count; i++)
        set |= (uint64_t)state_is_among(words, role->states[i].name) << i;
    return set;
}

static void note_named(struct alphabet *alphabet, const struct world *world)
{
    const struct promise *promise = &alphabet->options.promise;
    const struct protocol_role *role = world->controllers[0].role;

    alphabet->named = (struct named_states){.are_known = true,
                                            .exclusive = states_named(role, promise->exclusive),
                                            .owners = states_named(role, promise->owners),
                                            .replaced = states_named(role, promise->replaced)};
}

static void judge_exclusive(struct alphabet *alphabet, const struct world *world, uint64_t addr)
{
    uint32_t readers = 0, owners = 0;

    for (uint32_t l1 = 0; l1 < alphabet->options.l1s; l1++) {
        const struct controller *controller = &world->controllers[l1];
        const struct line *line = controller_find(controller, addr);
        const struct protocol_state *state;

        if (line == NULL)
            continue;
        state = &controller->role->states[line->state];
        readers += (state->flags & STATE_READABLE) != 0;
        owners += line_is_in(line, alphabet->named.exclusive);
    }
    if (owners > 1 || (owners == 1 && readers > 1))
        fault_note(alphabet->traffic.fault, VERIFY_EXCLUSIVE,
                   "one L1 alone may hold line %c, and %u can read it",
                   'A' + (char)world_line(world, addr), readers);
}

/* The newest bytes of the line, where nothing is on its way. */
static void line_overlay(unsigned char *bytes, const struct world *world, uint32_t first,
                         uint32_t last, uint64_t addr)
{
    for (uint32_t i = first; i < last; i++) {
        const struct line *line = controller_find(&world->controllers[i], addr);

        if (line != NULL)
            copy_masked(bytes, line->data, line->dirty);
    }
}

static void judge_dirty(struct alphabet *alphabet, const struct world *world)
{
    const struct judge *judge = &alphabet->judge;
    unsigned char bytes[LINE_BYTES];
    uint8_t value;

    memcpy(bytes, world->memory[0], LINE_BYTES);
    line_overlay(bytes, world, world->shape.l1s, world->controller_count, world->lines[0]);
    line_overlay(bytes, world, 0, world->shape.l1s, world->lines[0]);
    value = value_in(bytes);
    if (value != judge->newest)
        fault_note(alphabet->traffic.fault, VERIFY_DIRTY,
                   "at rest the newest value is lost: memory and dirty bytes give %s",
                   value_name(value));
}

static void alphabet_judge(struct traffic *traffic, const struct world *world)
{
    struct alphabet *alphabet = alphabet_of(traffic);

    if (!alphabet->named.are_known)
        note_named(alphabet, world);
    if (alphabet->options.promise.exclusive != NULL &&
        (world->touched & low_mask(world->shape.l1s)) != 0)
        for (uint32_t line = 0; line < world->line_count; line++)
            judge_exclusive(alphabet, world, world->lines[line]);
    alphabet_forget(alphabet);
    if (world_is_at_rest(world))
        judge_dirty(alphabet, world);
}

/* ---- The form of a state ---- */

/* Where the followed word is L1 0's, that one is not like the others. */
static uint32_t alphabet_first_alike(const struct traffic *traffic)
{
    return alphabet_of(traffic)->judge.is_shared ? 0 : 1;
}

static uint8_t alphabet_fading(const struct traffic *traffic)
{
    return alphabet_of(traffic)->judge.newest == VALUE_LATE ? VALUE_EARLY : 0;
}

static void alphabet_encode(const struct traffic *traffic, uint32_t l1, const struct form *form)
{
    const struct judge *judge = &alphabet_of(traffic)->judge;

    if (l1 == TRAFFIC_COMMON) {
        const uint8_t common[] = {judge->is_shared, judge->newest, judge->published, judge->kept};

        form->add(form->context, common, sizeof common);
        return;
    }
    form->add(form->context, judge->slots[l1], sizeof judge->slots[l1]);
    form->add(form->context, (uint8_t[]){0, judge->min[l1]}, 2);
}

/* ---- Words ---- */

static bool has_values(const struct world *world, const struct message *message)
{
    const struct message_kind *kind = protocol_kind(world->shape.protocol, message->kind);

    return kind->has_data && message->mask != 0;
}

static void alphabet_describe(const struct traffic *traffic, const struct message *message,
                              struct text *text)
{
    uint64_t word = low_mask(WORD_BYTES) << WORD_BYTES * WORD_FOLLOWED;

    if (!has_values(traffic->world, message) || world_line(traffic->world, message->addr) != 0 ||
        (message->mask & word) == 0)
        return;
    text_add(text, " (x: %s)", value_name(value_in(message->data)));
}

void alphabet_print_offer(const struct traffic *traffic, uint32_t which, struct text *text)
{
    const struct alphabet *alphabet = alphabet_of(traffic);
    const struct offer *offer = &alphabet->offers[which];

    text_add(text, "%s", access_name(offer->access));
    if (offer->access < ACCESS_ON_LINES)
        text_add(text, " %c", 'A' + offer->line);
    if (offer->value == VALUE_LATE)
        text_add(text, ", late");
}

/* ---- Building ---- */

static void add_offers(struct alphabet *alphabet, uint8_t access)
{
    uint32_t lines = access < ACCESS_ON_LINES ? alphabet->options.lines : 1;
    bool is_store = access >= ACCESS_STORE && access < ACCESS_ON_LINES;

    for (uint8_t line = 0; line < lines; line++)
        for (uint8_t value = VALUE_EARLY;
             value <= (is_store && line == 0 ? VALUE_LATE : VALUE_EARLY); value++)
            alphabet->offers[alphabet->traffic.offers++] = (struct offer){access, line, value};
}

struct traffic *alphabet_create(const struct alphabet_options *options)
{
    struct alphabet *alphabet = allocate(1, sizeof *alphabet);
    struct traffic *traffic = &alphabet->traffic;

    alphabet->options = *options;
    for (uint8_t access = 0; access < ACCESS_COUNT; access++)
        if ((options->accesses >> access & 1) != 0)
            add_offers(alphabet, access);
    traffic->state = &alphabet->judge;
    traffic->bytes = sizeof alphabet->judge;
    traffic->offer = alphabet_offer;
    traffic->sent = alphabet_sent;
    traffic->output = alphabet_output;
    traffic->answered = alphabet_answered;
    traffic->is_idle = alphabet_is_idle;
    traffic->judge = alphabet_judge;
    traffic->first_alike = alphabet_first_alike;
    traffic->encode = alphabet_encode;
    traffic->describe = alphabet_describe;
    traffic->same_bytes = ~(low_mask(WORD_BYTES) << WORD_BYTES * WORD_FOLLOWED);
    traffic->fading = alphabet_fading;
    return traffic;
}

void alphabet_follow(struct traffic *traffic, bool shared)
{
    struct alphabet *alphabet = alphabet_of(traffic);
    struct judge *judge = &alphabet->judge;

    memset(judge, 0, sizeof *judge);
    judge->is_shared = shared;
    judge->newest = judge->published = judge->kept = VALUE_EARLY; /* memory as it was */
    memset(judge->min, VALUE_EARLY, sizeof judge->min);
    memset(traffic->world->memory[0] + WORD_BYTES * WORD_FOLLOWED, VALUE_EARLY, WORD_BYTES);
}

void alphabet_destroy(struct traffic *traffic)
{
    free(alphabet_of(traffic));
}

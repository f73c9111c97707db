/* SPDX-License-Identifier: MIT */
/* What the alphabet sees of states: properties of each, its own part of their form, words for
 * people. */
#include <stdlib.h>
#include <string.h>

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

/* Whether the state's name is among the words. */
static bool is_named(const char *words, const char *name)
{
    size_t length = strlen(name);

    for (const char *at = strstr(words, name); at != NULL; at = strstr(at + 1, name))
        if (at[-1] == ' ' && at[length] == ' ')
            return true;
    return false;
}

static void judge_exclusive(struct alphabet *alphabet, const struct world *world, uint64_t addr)
{
    const char *exclusive = alphabet->options.promise.exclusive;
    uint32_t readers = 0, owners = 0;

    for (uint32_t l1 = 0; l1 < alphabet->options.l1s; l1++) {
        const struct controller *controller = &world->controllers[l1];
        const struct line *line = controller_find(controller, addr);
        const struct protocol_state *state;

        if (line == NULL)
            continue;
        state = &controller->role->states[line->state];
        readers += (state->flags & STATE_READABLE) != 0;
        owners += is_named(exclusive, state->name);
    }
    if (owners > 1 || (owners == 1 && readers > 1))
        fault_note(alphabet->traffic.fault, VERIFY_EXCLUSIVE,
                   "one L1 alone may hold line %c, and %u can read it",
                   'A' + (char)world_line(world, addr), readers);
}

/* The newest bytes of the line, where nothing is on its way. */
static void overlay(unsigned char *bytes, const struct world *world, uint32_t first,
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
    overlay(bytes, world, world->shape.l1s, world->controller_count, world->lines[0]);
    overlay(bytes, world, 0, world->shape.l1s, world->lines[0]);
    value = value_in(bytes);
    if (value != judge->newest)
        fault_note(alphabet->traffic.fault, VERIFY_DIRTY,
                   "at rest the newest value, %u, is lost: memory and dirty bytes give %u%s",
                   judge->newest, value, value == NO_VALUE ? " (bytes of different stores)" : "");
}

static void alphabet_judge(struct traffic *traffic, const struct world *world)
{
    struct alphabet *alphabet = alphabet_of(traffic);

    if (alphabet->options.promise.exclusive != NULL)
        for (uint32_t line = 0; line < world->line_count; line++)
            judge_exclusive(alphabet, world, world->lines[line]);
    if (world_is_at_rest(world))
        judge_dirty(alphabet, world);
}

/* ---- The form of a state ---- */

/* Where the followed word is L1 0's, that one is not like the others. */
static uint32_t alphabet_first_alike(const struct traffic *traffic)
{
    return alphabet_of(traffic)->judge.is_shared ? 0 : 1;
}

static void alphabet_name_values(const struct traffic *traffic, const struct node_names *l1s,
                                 unsigned char names[256])
{
    enum { NAME_OLDER, NAME_BEFORE, NAME_NEWEST, NAME_UNFINISHED };
    const struct alphabet *alphabet = alphabet_of(traffic);
    const struct judge *judge = &alphabet->judge;

    memset(names, NAME_OLDER, 256);
    names[judge->before] = alphabet->options.values > 2 ? NAME_BEFORE : NAME_OLDER;
    names[judge->newest] = NAME_NEWEST;
    for (uint32_t l1 = 0; l1 < alphabet->options.l1s; l1++)
        for (unsigned i = 0; i < SLOTS; i++) {
            const struct slot *slot = &judge->slots[l1][i];

            if (slot->is_open && slot->value != 0 && !slot->is_done)
                names[slot->value] = (unsigned char)(NAME_UNFINISHED + (l1s != NULL ? l1s->of[l1] : l1) * SLOTS + i);
        }
}

static void alphabet_encode(const struct traffic *traffic, uint32_t l1,
                            const unsigned char names[256], const struct form *form)
{
    const struct judge *judge = &alphabet_of(traffic)->judge;
    struct slot slots[SLOTS];

    if (l1 == TRAFFIC_COMMON) {
        const uint8_t common[] = {judge->is_shared, names[judge->newest], names[judge->before],
                                  judge->published, judge->kept};

        form->add(form->context, common, sizeof common);
        return;
    }
    memcpy(slots, judge->slots[l1], sizeof slots);
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].value != 0)
            slots[i].value = (uint8_t)(1 + names[slots[i].value]);
    form->add(form->context, slots, sizeof slots);
    form->add(form->context, (uint8_t[]){0, judge->least[l1]}, 2);
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
    if (value_in(message->data) == NO_VALUE)
        text_add(text, " (x of different stores)");
    else
        text_add(text, " (x = %u)", value_in(message->data));
}

void alphabet_print_offer(const struct traffic *traffic, uint32_t which, struct text *text)
{
    const struct alphabet *alphabet = alphabet_of(traffic);
    unsigned access = alphabet->offers[which][0];

    text_add(text, "%s", access_name(access));
    if (access < ACCESS_ON_LINES)
        text_add(text, " %c", 'A' + alphabet->offers[which][1]);
}

/* ---- Building ---- */

struct traffic *alphabet_create(const struct alphabet_options *options)
{
    struct alphabet *alphabet = allocate(1, sizeof *alphabet);
    struct traffic *traffic = &alphabet->traffic;

    alphabet->options = *options;
    for (uint8_t access = 0; access < ACCESS_COUNT; access++)
        for (uint8_t line = 0; line < (access < ACCESS_ON_LINES ? options->lines : 1); line++)
            if ((options->accesses >> access & 1) != 0) {
                alphabet->offers[traffic->offers][0] = access;
                alphabet->offers[traffic->offers][1] = line;
                traffic->offers++;
            }
    traffic->state = &alphabet->judge;
    traffic->bytes = sizeof alphabet->judge;
    traffic->offer = alphabet_offer;
    traffic->sent = alphabet_sent;
    traffic->output = alphabet_output;
    traffic->answered = alphabet_answered;
    traffic->is_idle = alphabet_is_idle;
    traffic->judge = alphabet_judge;
    traffic->first_alike = alphabet_first_alike;
    traffic->name_values = alphabet_name_values;
    traffic->encode = alphabet_encode;
    traffic->describe = alphabet_describe;
    alphabet_follow(traffic, false);
    return traffic;
}

void alphabet_follow(struct traffic *traffic, bool shared)
{
    struct alphabet *alphabet = alphabet_of(traffic);
    struct judge *judge = &alphabet->judge;

    memset(judge, 0, sizeof *judge);
    judge->is_shared = shared;
    judge->before = NO_VALUE;
    judge->published = AGE_NEWEST; /* memory as it was */
    judge->kept = (uint8_t)(alphabet->options.values - 1);
}

void alphabet_destroy(struct traffic *traffic)
{
    free(alphabet_of(traffic));
}

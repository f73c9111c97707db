/* SPDX-License-Identifier: MIT */
/* The canonical form of a controller's state. */
#include "base/check.h"
#include "mem/controller_private.h"

struct encoder {
    const struct form *form;
    enum message_way way; /* of messages that wait */
};

static void encode_bytes(const struct encoder *encoder, const void *bytes, size_t count)
{
    encoder->form->add(encoder->form->context, bytes, count);
}

static void encode_number(const struct encoder *encoder, uint64_t number)
{
    encode_bytes(encoder, &number, sizeof number);
}

static void encode_masked(const struct encoder *encoder, const unsigned char *data, uint64_t mask)
{
    encode_number(encoder, mask);
    for (mask &= ~encoder->form->same_bytes; mask != 0; mask &= mask - 1)
        encode_bytes(encoder, data + __builtin_ctzll(mask), 1);
}

/* Small numbers together, since many are told apart for each state. */
static uint64_t numbers_packed(const uint16_t numbers[4])
{
    return numbers[0] | (uint64_t)numbers[1] << 16 | (uint64_t)numbers[2] << 32 |
           (uint64_t)numbers[3] << 48;
}

static uint16_t bytes_paired(uint8_t low, uint8_t high)
{
    return (uint16_t)(low | high << 8);
}

/* ---- Nodes ---- */

static uint16_t name_in(const struct node_names *names, uint16_t number)
{
    return names != NULL && number < names->count ? names->of[number] : number;
}

static uint16_t name_of(const struct encoder *encoder, uint16_t node)
{
    return name_in(encoder->form->names, node);
}

static struct node_set named_set(const struct encoder *encoder, const struct node_set *set)
{
    struct node_set named = {0};

    if (encoder->form->names == NULL)
        return *set;
    for (uint32_t node = node_set_next(set, 0); node < NODE_SET_NODES;
         node = node_set_next(set, node + 1))
        node_set_add(&named, name_of(encoder, (uint16_t)node));
    return named;
}

static void encode_set(const struct encoder *encoder, const struct node_set *set)
{
    const struct node_set named = named_set(encoder, set);

    encode_number(encoder, named.used);
    for (uint64_t used = named.used; used != 0; used &= used - 1)
        encode_number(encoder, named.words[__builtin_ctzll(used)]);
}

/* The protocol's own data of one element. */
static void encode_data(const struct encoder *encoder, const struct protocol_data *declared,
                        const unsigned char *data, uint32_t index)
{
    enum { BYTES_MAX = 1024 };
    unsigned char form[BYTES_MAX];

    if (declared->bytes == 0)
        return;
    check(declared->bytes <= BYTES_MAX, "a protocol's data has more than %d bytes", BYTES_MAX);
    memcpy(form, data + (size_t)index * declared->bytes, declared->bytes);
    for (const struct protocol_field *field = declared->fields;
         field != NULL && field->name != NULL; field++) {
        unsigned char *at = form + field->offset;
        struct node_set set;
        uint16_t node;

        if (field->kind == FIELD_STATISTICS) {
            memset(at, 0, field->bytes);
        } else if (field->kind == FIELD_NODE) {
            memcpy(&node, at, sizeof node);
            if (node != 0)
                node = (uint16_t)(name_of(encoder, (uint16_t)(node - 1)) + 1);
            memcpy(at, &node, sizeof node);
        } else if (field->kind == FIELD_NODE_SET) {
            memcpy(&set, at, sizeof set);
            set = named_set(encoder, &set);
            memcpy(at, &set, sizeof set);
        }
    }
    encode_bytes(encoder, form, declared->bytes);
}

/* ---- Messages and lines ---- */

/* All but the cycle at which it was sent; of the data what it means. */
static void encode_message(const struct encoder *encoder, const struct message *message)
{
    bool is_whole = message->kind == MESSAGE_ATOMIC || message->entry_count > 0;
    enum message_way way = encoder->way;
    bool is_from_node = way == MESSAGE_GOES_DOWN || way == MESSAGE_GOES_ACROSS;
    bool is_to_node = way == MESSAGE_GOES_UP || way == MESSAGE_GOES_ACROSS;
    uint16_t source = is_from_node ? name_of(encoder, message->source) : message->source;
    uint16_t destination =
        is_to_node ? name_of(encoder, message->destination) : message->destination;
    uint16_t unit = name_in(encoder->form->units, message->requester.unit);
    const uint64_t numbers[] = {
        message->addr,
        message->mask,
        numbers_packed((const uint16_t[]){source, destination, unit, message->requester.wavefront}),
        numbers_packed((const uint16_t[]){message->requester.entry, message->requester.part,
                                          (uint16_t)message->transaction,
                                          (uint16_t)(message->transaction >> 16)}),
        numbers_packed((const uint16_t[]){bytes_paired(message->kind, message->port),
                                          bytes_paired(message->scope, message->order),
                                          bytes_paired(message->rmw, message->word_bytes),
                                          bytes_paired(message->entry_count, message->acks)}),
        numbers_packed((const uint16_t[]){bytes_paired(message->glc, message->slc),
                                          bytes_paired(message->returns, message->remote), 0, 0}),
    };

    encode_bytes(encoder, numbers, sizeof numbers);
    encode_masked(encoder, message->data, is_whole ? UINT64_MAX : message->mask);
}

static void encode_queue(const struct encoder *encoder, const struct controller *controller,
                         uint16_t first)
{
    for (; first != NO_INDEX; first = controller->waiting[first].next) {
        encode_number(encoder, 1);
        encode_message(encoder, &controller->waiting[first].message);
        encode_number(encoder, controller->waiting[first].has_entry);
    }
    encode_number(encoder, 0);
}

static void encode_line(const struct encoder *encoder, const struct controller *controller,
                        uint32_t way)
{
    const struct line *line = &controller->lines[way];
    const uint64_t numbers[] = {
        line->addr, line->dirty,
        numbers_packed((const uint16_t[]){bytes_paired(line->state, line->mshr != NO_INDEX),
                                          line->acks, name_of(encoder, line->owner), 0})};

    encode_bytes(encoder, numbers, sizeof numbers);
    encode_set(encoder, &line->sharers);
    encode_masked(encoder, line->data, line->valid);
    encode_data(encoder, &controller->role->line_data, controller->line_data, way);
}

/* The way of the set, of those in use, with the least `used` above the bound; NO_WAY: none. */
static uint32_t next_by_use(const struct controller *controller, uint32_t first, uint64_t above)
{
    uint32_t best = NO_WAY;

    for (uint32_t way = first; way < first + controller->shape.ways; way++)
        if (controller->tags[way] != 0 && controller->lines[way].used > above &&
            (best == NO_WAY || controller->lines[way].used < controller->lines[best].used))
            best = way;
    return best;
}

/* A set's lines from the first to go to the last, wherever they are. */
static void encode_set_by_use(const struct encoder *encoder, const struct controller *controller,
                              uint32_t first)
{
    for (uint32_t way = next_by_use(controller, first, 0); way != NO_WAY;
         way = next_by_use(controller, first, controller->lines[way].used)) {
        encode_number(encoder, 1);
        encode_line(encoder, controller, way);
    }
    encode_number(encoder, 0);
}

static void encode_set_by_way(const struct encoder *encoder, const struct controller *controller,
                              uint32_t first)
{
    for (uint32_t way = first; way < first + controller->shape.ways; way++) {
        encode_number(encoder, controller->tags[way]);
        if (controller->tags[way] == 0)
            continue;
        encode_line(encoder, controller, way);
        encode_number(encoder, controller->shape.replacement->is_by_way
                                   ? 0
                                   : next_by_use(controller, first, controller->lines[way].used));
    }
}

static void encode_mshr(const struct encoder *encoder, const struct controller *controller,
                        uint32_t index)
{
    const struct mshr *mshr = &controller->mshrs[index];
    bool probes = !node_set_is_empty(&mshr->probes); /* else they have been sent */
    const uint64_t numbers[] = {
        mshr->addr, mshr->dirty, probes ? mshr->probe_mask : 0,
        numbers_packed((const uint16_t[]){
            bytes_paired(mshr->epoch == controller->state->epoch, mshr->line != NO_INDEX),
            bytes_paired(mshr->has_entry, mshr->overtaken),
            bytes_paired(mshr->filled, mshr->is_eviction),
            bytes_paired(mshr->state, probes ? mshr->probe_kind : 0)}),
        mshr->acks};

    encode_bytes(encoder, numbers, sizeof numbers);
    encode_set(encoder, &mshr->probes);
    encode_masked(encoder, mshr->data, mshr->filled_mask);
    encode_data(encoder, &controller->role->mshr_data, controller->mshr_data, index);
    encode_queue(encoder, controller, mshr->first_target);
    encode_queue(encoder, controller, mshr->first_stalled);
}

/* The entry in use with the least address at or above the bound; NO_INDEX: none. */
static uint32_t next_mshr(const struct controller *controller, uint64_t min)
{
    uint32_t best = NO_INDEX;

    for (uint32_t i = 0; i < controller_entries(controller); i++)
        if (controller->mshrs[i].in_use && controller->mshrs[i].addr >= min &&
            (best == NO_INDEX || controller->mshrs[i].addr < controller->mshrs[best].addr))
            best = i;
    return best;
}

static void encode_mshrs(const struct encoder *encoder, const struct controller *controller)
{
    const struct controller_state *state = controller->state;

    for (uint32_t i = next_mshr(controller, 0); i != NO_INDEX;
         i = next_mshr(controller, controller->mshrs[i].addr + 1))
        encode_mshr(encoder, controller, i);
    for (uint16_t i = state->first_filled; i != NO_INDEX; i = controller->mshr_drain[i])
        encode_number(encoder, controller->mshrs[i].addr | 1);
    for (uint16_t i = state->first_probing; i != NO_INDEX; i = controller->mshrs[i].next_probing)
        encode_number(encoder, controller->mshrs[i].addr | 2);
}

static void encode_entries(const struct encoder *encoder, const struct controller *controller)
{
    const struct controller_state *state = controller->state;

    encode_number(encoder, state->entry_limit);
    if (!controller->has_accesses)
        return;
    encode_number(encoder, state->entries_used);
    encode_number(encoder, state->entries_ended);
    for (uint32_t i = 0; i < state->applicant_lines; i++)
        encode_queue(encoder, controller, controller->applicants[i].first);
    encode_number(encoder, state->chosen);
    encode_number(encoder, state->follows);
    if (controller->shape.admission->choose != NULL)
        encode_number(encoder, state->admission);
}

void message_encode(const struct message *message, enum message_way way, const struct form *form)
{
    const struct encoder encoder = {form, way};

    encode_message(&encoder, message);
}

void controller_encode(const struct controller *controller, const struct form *form)
{
    const struct encoder encoder = {form, controller->kind == ROLE_L2 ? MESSAGE_GOES_DOWN
                                                                      : MESSAGE_IS_ELSEWHERE};
    const struct controller_state *state = controller->state;
    bool is_by_way = controller->shape.replacement->is_by_way || state->walk_count > 0;

    for (uint32_t first = 0; first < controller->line_count; first += controller->shape.ways)
        if (is_by_way)
            encode_set_by_way(&encoder, controller, first);
        else
            encode_set_by_use(&encoder, controller, first);
    if (controller->shape.replacement->is_by_way)
        encode_number(&encoder, state->replacement);
    encode_mshrs(&encoder, controller);
    encode_entries(&encoder, controller);
    encode_number(&encoder, controller->state->ordered && controller_has_outstanding(controller));
    encode_queue(&encoder, controller, state->first_replay);
    encode_data(&encoder, &controller->role->controller_data, controller->data, 0);
    encode_number(&encoder, state->awaited);
    encode_number(&encoder, state->walk_count);
    for (uint32_t i = 0; i < state->walk_count; i++) {
        const struct walk *walk = &state->walks[i];
        const uint64_t numbers[] = {
            walk->next,         walk->is_visited,      walk->terms.is_answered_below,
            walk->terms.awaits, walk->terms.is_silent, walk->terms.kind};

        encode_bytes(&encoder, numbers, sizeof numbers);
        encode_message(&encoder, &walk->message);
    }
}

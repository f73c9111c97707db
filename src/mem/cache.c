/* SPDX-License-Identifier: MIT */
#include "mem/cache.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/cache_time.h"

/* ---- Links ---- */

static const struct message_kind *kind_of(const struct cache *cache, unsigned kind)
{
    return protocol_kind(cache->controller.protocol, kind);
}

/* Whether the answers to a message carry data: then they take the link's turn in this cycle. */
static bool answers_with_data(const struct cache *cache, const struct message *message)
{
    return (cache->answered_with_data >> message->kind & 1) != 0;
}

static bool has_room_above(struct cache *cache, const struct message *message,
                           const struct lane_room *room)
{
    uint32_t link = controller_link(&cache->controller, message);

    if ((cache->links_free >> link & 1) == 0 && answers_with_data(cache, message))
        return false;
    return lanes_have_room_up(&cache->above[link], room);
}

/* A victim's outputs go about its own address, perhaps by the links of the step's. */
static bool has_room_for_victim(struct cache *cache, const struct step *step,
                                const struct controller_plan *plan)
{
    const struct lane_room *victim = &plan->victim->room;
    struct lane_room both = lane_room_sum(&plan->row->room, victim);

    if (plan->victim->up > 0) {
        uint32_t link = controller_link_of(&cache->controller, plan->victim_addr);
        bool is_shared = plan->up > 0 && link == controller_link(&cache->controller, step->message);

        if (!lanes_have_room_up(&cache->above[link], is_shared ? &both : victim))
            return false;
    }
    if (plan->victim->down > 0) {
        const struct lanes *lanes = lanes_below(cache, plan->victim_addr);
        bool is_shared = plan->down > 0 && lanes == lanes_below(cache, step->addr);

        if (!lanes_have_room_down(lanes, is_shared ? &both : victim))
            return false;
    }
    return true;
}

/* Whether all that the step may send has room. If not, whichever port is full will wake us. */
static bool has_room(struct cache *cache, const struct step *step,
                     const struct controller_plan *plan)
{
    const struct lane_room *room = &plan->row->room;

    if (plan->up > 0 && !has_room_above(cache, step->message, room))
        return false;
    if (plan->victim != NULL && !has_room_for_victim(cache, step, plan))
        return false;
    if (plan->row->across > 0 && !port_has_room(cache->to_peers, plan->row->across))
        return false;
    return plan->down == 0 || lanes_have_room_down(lanes_below(cache, step->addr), room);
}

static void send_above(struct cache *cache, const struct message *message, bool has_waited)
{
    uint32_t link = controller_link(&cache->controller, message);
    enum lane lane = lane_up(cache->controller.kind_channels[message->kind]);

    cache->entries.limit.answers++;
    memcpy(port_reserve(cache->above[link].ports[lane], (uint32_t)cache->parameters.reply_cycles),
           message, sizeof *message);
    cache_stamp_above(cache, message, has_waited);
    if (message_payload_bytes(message, kind_of(cache, message->kind)) > 0)
        if (++cache->link_used[link] >= cache->link_rate)
            cache->links_free &= ~(UINT64_C(1) << link);
}

static void send_below(struct cache *cache, const struct message *message)
{
    enum lane lane = lane_down(cache->controller.kind_channels[message->kind]);
    struct message *sent = port_reserve(lanes_below(cache, message->addr)->ports[lane],
                                        (uint32_t)cache->parameters.forward_cycles);

    memcpy(sent, message, sizeof *sent);
    sent->destination = address_place(cache->map, message->addr).channel;
    cache_stamp_below(cache, sent);
}

static void send_across(struct cache *cache, const struct message *message)
{
    uint32_t cycles = (uint32_t)cache->parameters.forward_cycles;

    memcpy(port_reserve(cache->to_peers, cycles), message, sizeof *message);
    message_stamp(message, PART_PROBES, component_cycle(&cache->component) + cycles);
}

/* `has_waited`: what goes up is no answer to a lookup in this cycle. */
static void send_outputs(struct cache *cache, struct step *step, bool has_waited)
{
    if (step->output_count > 1)
        cache_leave_to_answer(step);
    for (uint32_t i = 0; i < step->output_count; i++)
        if (step->outputs[i].side == OUTPUT_UP)
            send_above(cache, &step->outputs[i].message, has_waited);
        else if (step->outputs[i].side == OUTPUT_ACROSS)
            send_across(cache, &step->outputs[i].message);
        else
            send_below(cache, &step->outputs[i].message);
}

/* ---- One cycle ---- */

/* Performs a planned step if its outputs have room; false: not now, and nothing has changed. */
static bool step_perform(struct cache *cache, struct step *step, const struct controller_plan *plan,
                         int from)
{
    struct controller *controller = &cache->controller;

    if (!has_room(cache, step, plan)) {
        controller->stall_cause = STALL_OUTPUT;
        return false;
    }
    cache_stamp(cache, step, plan, from);
    controller_perform(controller, step, plan);
    if (step->outcome == STEP_STALLED)
        return false;
    if ((step->facts & FACT_MISS) != 0)
        cache_begin_miss(cache, step);
    send_outputs(cache, step, from == CACHE_FROM_BELOW);
    return true;
}

/* The cycles since the miss that the step's MSHR stands for; 0: there is none. */
static uint64_t miss_age(const struct cache *cache, const struct step *step)
{
    if (step->mshr == NULL || step->mshr->is_eviction)
        return 0;
    return component_cycle(&cache->component) -
           cache->missed_at[step->mshr - cache->controller.mshrs];
}

/* What protocol_check has built on: responses come from the side that the table says. */
static void check_side(const struct cache *cache, const struct step *step, bool is_from_above,
                       bool is_from_across)
{
    const struct controller *controller = &cache->controller;
    bool is_response = controller->kind_channels[step->message->kind] == CHANNEL_RESPONSE;

    check(!is_response || ((controller->role->from_above >> step->event & 1) == is_from_above &&
                           (controller->role->from_across >> step->event & 1) == is_from_across),
          "%s (%s): a %s comes from the wrong side for event %s", controller->name,
          controller->protocol->name, kind_of(cache, step->message->kind)->name,
          controller->role->events[step->event].name);
}

/* The reply or probe at the port's head. One that stalls stays there. */
static bool take_reply(struct cache *cache, struct port *port, const struct message *message)
{
    struct controller_plan plan;
    struct step step;
    uint64_t age;

    if (!controller_plan(&cache->controller, message, &step, &plan))
        return false;
    check_side(cache, &step, false, port == cache->from_peers);
    age = miss_age(cache, &step);
    if (!step_perform(cache, &step, &plan, CACHE_FROM_BELOW))
        return false;
    if ((step.facts & FACT_ANSWERED) != 0)
        histogram_add(&cache->controller.statistics.miss_latency, age, 1);
    kind_counts_add(&cache->received, message);
    port_take(port);
    return true;
}

static bool take_reply_of(struct cache *cache, struct port *port)
{
    const struct message *message = port_peek(port);

    return message != NULL && take_reply(cache, port, message);
}

/* One response, and one probe where these are apart, from each link below; one from another. */
static bool take_replies(struct cache *cache)
{
    bool progress = false;

    if ((cache->component.filled & cache->from_others) == 0)
        return false;
    for (uint32_t i = 0; i < cache->below_count; i++)
        progress |= take_reply_of(cache, cache->below[i].ports[LANE_RESPONSES]);
    for (uint32_t i = 0; i < cache->below_count; i++)
        if (!lanes_share(&cache->below[i], LANE_RESPONSES, LANE_PROBES))
            progress |= take_reply_of(cache, cache->below[i].ports[LANE_PROBES]);
    if (cache->from_peers != NULL)
        progress |= take_reply_of(cache, cache->from_peers);
    return progress;
}

/* The links above that have room in a lane are served once each, by `serve_one`. It takes one of
 * the set that it can use and gives its number, or -1. */
static inline bool serve_links_above(struct cache *cache, uint64_t links, enum lane lane,
                                     int (*serve_one)(struct controller *controller, uint64_t links,
                                                      struct step *step))
{
    bool progress = false;

    for (uint32_t i = 0; i < cache->above_count; i++)
        if (!port_has_room(cache->above[i].ports[lane], 1))
            links &= ~(UINT64_C(1) << i);
    while (links != 0) {
        struct step step;
        int link = serve_one(&cache->controller, links, &step);

        if (link < 0)
            break;
        send_outputs(cache, &step, true);
        links &= ~(UINT64_C(1) << link);
        progress = true;
    }
    return progress;
}

static bool drain_targets(struct cache *cache)
{
    return cache->controller.state->first_filled != NO_INDEX &&
           serve_links_above(cache, cache->links_free, LANE_RESPONSES, controller_drain_one);
}

/* Probes carry no data, and take no turn. */
static bool send_probes(struct cache *cache)
{
    return cache->controller.state->first_probing != NO_INDEX &&
           serve_links_above(cache, low_mask(cache->above_count), LANE_PROBES,
                             controller_probe_one);
}

/* How many messages, `max` at the most, every port below has room for. */
static uint32_t room_below(struct cache *cache, uint32_t max)
{
    for (uint32_t i = 0; i < cache->below_count; i++)
        for (enum lane lane = LANE_REQUESTS; lane <= LANE_WRITE_BACKS; lane++) {
            struct port *port = cache->below[i].ports[lane];

            if (max > port->capacity)
                max = port->capacity;
            while (max > 0 && !port_has_room(port, max))
                max--;
        }
    return max;
}

/* A walk's next stretch, which the level below waits for, was in this cycle. */
static void count_probe_walk(struct cache *cache, bool has_ended)
{
    uint64_t cycle = component_cycle(&cache->component);

    if (cache->probe_walk_since == 0)
        cache->probe_walk_since = cycle;
    if (!has_ended)
        return;
    cache->controller.statistics.probe_walk_cycles += cycle + 1 - cache->probe_walk_since;
    cache->probe_walk_since = 0;
}

static bool cache_walk(struct cache *cache)
{
    static const struct lane_room answer = {{[LANE_RESPONSES] = 1}};
    const struct walk *first = &cache->controller.state->walks[0];
    uint32_t walks = cache->controller.state->walk_count;
    bool is_for_probe = first->terms.is_answered_below, moved;
    struct step step;

    if (!first->terms.is_answered_below && !first->terms.is_silent &&
        !has_room_above(cache, &first->message, &answer))
        return false;
    moved = controller_walk(&cache->controller, room_below(cache, STEP_MAX_OUTPUTS), &step);
    if (is_for_probe)
        count_probe_walk(cache, cache->controller.state->walk_count < walks);
    if (!moved)
        return false; /* full ports or acknowledgements will wake us */
    send_outputs(cache, &step, false);
    return true;
}

static bool cache_replay(struct cache *cache, uint32_t *lookups)
{
    bool progress = false;

    while (*lookups > 0) {
        struct controller_plan plan;
        struct step step;

        if (!controller_plan_replay(&cache->controller, &step, &plan) ||
            !step_perform(cache, &step, &plan, CACHE_FROM_REPLAYS))
            break;
        --*lookups;
        progress = true;
    }
    return progress;
}

static bool serve_from_above(struct cache *cache, uint32_t above, const struct message *message,
                             enum lane lane)
{
    struct controller_plan plan;
    struct message reply;
    struct step step;

    if (cache_hits_ideally(cache, message)) {
        if (!cache_answer_ideally(cache, above, message, &reply))
            return false;
        send_above(cache, &reply, false);
        return true;
    }
    if (!controller_plan(&cache->controller, message, &step, &plan) ||
        !step_perform(cache, &step, &plan, lane == LANE_REQUESTS ? (int)above : CACHE_FROM_LANE))
        return false;
    check_side(cache, &step, true, false);
    return true;
}

/* The message at the head of a lane of a link above. */
static bool take_from_above(struct cache *cache, uint32_t above, enum lane lane,
                            const struct message *message)
{
    bool is_served;

    if (cache->controller.map == NULL) /* ours until port_take */
        ((struct message *)message)->port = (uint8_t)above;
    is_served = serve_from_above(cache, above, message, lane);
    if (lane == LANE_REQUESTS)
        cache_note_stall(cache, above, is_served ? STALL_NONE : cache->controller.stall_cause);
    if (!is_served)
        return false;
    kind_counts_add(&cache->received, message);
    port_take(cache->above[above].ports[lane]);
    return true;
}

/* From a lane of each link above, its rate at the most; `turn`: which link begins. */
static bool take_lane(struct cache *cache, enum lane lane, uint32_t *turn, uint32_t *lookups)
{
    uint32_t above = *turn, following;
    bool progress = false;

    if (*lookups == 0 || (cache->component.filled & cache->from_above[lane]) == 0)
        return false;
    for (uint32_t i = 0; i < cache->above_count; i++, above = following) {
        const struct port *port = cache->above[above].ports[lane];

        following = above + 1 == cache->above_count ? 0 : above + 1;
        for (uint32_t taken = 0; taken < cache->link_rate; taken++) {
            const struct message *message = port_peek(port);

            if (message == NULL || !take_from_above(cache, above, lane, message))
                break;
            *turn = following;
            progress = true;
            if (--*lookups == 0)
                return true;
        }
    }
    return progress;
}

static bool take_write_backs(struct cache *cache, uint32_t *lookups)
{
    return (cache->component.filled & cache->from_above[LANE_WRITE_BACKS]) != 0 &&
           !lanes_share(&cache->above[0], LANE_REQUESTS, LANE_WRITE_BACKS) &&
           take_lane(cache, LANE_WRITE_BACKS, &cache->next_write_back, lookups);
}

static struct cache *cache_of(struct component *component)
{
    return container_of(component, struct cache, component);
}

static bool cache_tick(struct component *component)
{
    struct cache *cache = cache_of(component);
    uint32_t lookups = (uint32_t)cache->parameters.ports;
    bool progress;

    cache->links_free = low_mask(cache->above_count);
    memset(cache->link_used, 0, cache->above_count);
    if (cache->entries.has_time)
        cache_entries_begin(cache);
    progress = take_replies(cache);
    progress |= drain_targets(cache);
    progress |= send_probes(cache);
    if (controller_is_walking(&cache->controller))
        progress |= cache_walk(cache);
    progress |= take_write_backs(cache, &lookups);
    if (controller_looks_again(&cache->controller))
        progress |= cache_replay(cache, &lookups);
    progress |= take_lane(cache, LANE_REQUESTS, &cache->next_request, &lookups);
    if (cache->entries.has_time)
        cache_entries_end(cache);
    if (cache->entries.used.value != controller_entries_used(&cache->controller)) {
        cache_count_used(cache);
        cache->entries.used.value = controller_entries_used(&cache->controller);
    }
    return progress;
}

static void cache_settle(struct component *component)
{
    struct cache *cache = cache_of(component);

    for (uint32_t i = 0; i < cache->above_count; i++)
        cache_note_stall(cache, i, cache->stalls[i].cause);
    cache_count_used(cache);
    cache_entries_settle(cache);
}

static void cache_explain(const struct component *component, struct text *text)
{
    static const char *const causes[STALL_CAUSES] = {"",
                                                     "a free MSHR",
                                                     "a way that no fill holds",
                                                     "a waiting slot",
                                                     "replays, a walk, or older accesses",
                                                     "an entry of the write-back buffer",
                                                     "room in an output"};
    const struct cache *cache = container_of(component, struct cache, component);

    if (controller_is_idle(&cache->controller))
        return;
    text_add(text, "%u outstanding misses", controller_entries_used(&cache->controller));
    for (uint32_t i = 0; i < cache->above_count; i++)
        if (cache->stalls[i].cause != STALL_NONE)
            text_add(text, ", port %u waits for %s", i, causes[cache->stalls[i].cause]);
}

static const struct component_operations operations = {
    .tick = cache_tick, .settle = cache_settle, .explain = cache_explain};

/* ---- Building ---- */

bool cache_init(struct cache *cache, const struct cache_options *options,
                struct diagnosis *diagnosis)
{
    const struct cache_parameters *parameters = options->parameters;
    struct controller_shape shape;

    memset(cache, 0, sizeof *cache);
    if (!cache_parameters_check(options->path, parameters,
                                options->role == ROLE_L2 ? options->map->ports : 1, diagnosis))
        return false;
    shape = cache_shape(parameters);
    cache->parameters = *parameters;
    cache->map = options->map;
    cache->answered_with_data = cache_kinds_answered_with_data(options->protocol);
    component_init(&cache->component, &operations, options->clock, options->path);
    controller_init(&cache->controller, options->path, options->protocol, options->role, &shape,
                    options->role == ROLE_L2 ? options->map : NULL, options->node, options->breaks);
    cache->memory = options->memory;
    cache->controller.present = options->memory != NULL ? cache_present : NULL;
    cache->controller.l1s = options->l1s;
    cache->controller.cycle = &options->clock->cycle;
    if (options->protocol_parameters != NULL)
        cache->controller.parameters = options->protocol_parameters;
    cache_entries_init(cache);
    cache_time_init(cache);
    kind_counts_init(&cache->received, options->protocol);
    return true;
}

void cache_finish(struct cache *cache)
{
    cache_time_finish(cache);
    kind_counts_finish(&cache->received);
    controller_finish(&cache->controller);
    cache_entries_finish(cache);
    component_finish(&cache->component);
}

void cache_register(struct cache *cache, struct registry *registry, const char *kind)
{
    registry_add(registry, cache->component.path, kind, cache_statistics, cache_statistic_count,
                 &cache->controller.statistics, sizeof cache->controller.statistics);
    controller_register(&cache->controller, registry, kind);
    kind_counts_register(&cache->received, registry, cache->component.path);
}

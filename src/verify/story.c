/* SPDX-License-Identifier: MIT */
#include "verify/story.h"

static bool is_about_a_line(const struct message *message)
{
    return message->kind < MESSAGE_INVALIDATE || message->kind > MESSAGE_FLUSH_REPLY;
}

static uint8_t state_in(const struct controller *controller, uint64_t addr)
{
    const struct line *line = controller_find(controller, addr);
    const struct mshr *mshr = controller_find_mshr(controller, addr);

    if (line != NULL)
        return line->state;
    return mshr != NULL ? mshr->state : (uint8_t)STATE_INVALID;
}

static void add_line(struct world *world, uint64_t addr)
{
    uint32_t line = world_line(world, addr);

    if (world->traffic->name_line != NULL)
        world->traffic->name_line(world->traffic, line, world->story);
    else
        text_add(world->story, "line %c", 'A' + (char)line);
}

static void add_message(struct world *world, const struct message *message)
{
    text_add(world->story, "%s", protocol_kind(world->shape.protocol, message->kind)->name);
    if (is_about_a_line(message)) {
        text_add(world->story, " of ");
        add_line(world, message->addr);
    }
    world->traffic->describe(world->traffic, message, world->story);
}

void story_stimulus(struct world *world, uint32_t who, const struct message *message,
                    const char *does)
{
    if (world->story == NULL)
        return;
    text_add(world->story, "%s %s", world->controllers[who].name, does);
    if (message == NULL)
        return;
    text_add(world->story, " ");
    add_message(world, message);
    world->state_before = is_about_a_line(message)
                              ? state_in(&world->controllers[who], message->addr)
                              : (uint8_t)STATE_INVALID;
}

void story_request(struct world *world, uint32_t who, const struct message *message)
{
    if (world->story != NULL && world->traffic->introduce != NULL)
        world->traffic->introduce(world->traffic, message, world->story);
    story_stimulus(world, who, message, "is asked for");
}

void story_eviction(struct world *world, uint32_t who, uint64_t addr)
{
    const struct controller *controller = &world->controllers[who];

    if (world->story == NULL)
        return;
    text_add(world->story, "%s evicts ", controller->name);
    add_line(world, addr);
    text_add(world->story, " (%s)", controller->role->states[state_in(controller, addr)].name);
}

void story_row(struct world *world, uint32_t who, const struct step *step)
{
    const struct controller *controller = &world->controllers[who];
    const struct protocol_role *role = controller->role;
    uint8_t after;

    if (world->story == NULL)
        return;
    after = state_in(controller, step->addr);
    text_add(world->story, ": %s, %s", role->states[world->state_before].name,
             role->events[step->event].name);
    if (after != world->state_before)
        text_add(world->story, " -> %s", role->states[after].name);
}

void story_output(struct world *world, uint32_t who, const struct output *output)
{
    const struct message *message = &output->message;
    bool is_l1 = who < world->shape.l1s;

    if (world->story == NULL)
        return;
    text_add(world->story, "; ");
    if (is_l1 && output->side == OUTPUT_UP) {
        text_add(world->story, "answers ");
        add_message(world, message);
        return;
    }
    text_add(world->story, "sends ");
    add_message(world, message);
    if (output->side != OUTPUT_DOWN)
        text_add(world->story, " to L1 %u", message->destination);
    else if (!is_l1)
        text_add(world->story, " to memory");
}

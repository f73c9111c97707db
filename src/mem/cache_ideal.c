/* SPDX-License-Identifier: MIT */
/*
 * Loads that always hit (REQUESTER_COMMIT_IDEAL): where a slice would have to ask memory, it
 * answers at once, as if the line were here. It changes nothing: no entry, no way, no victim, no
 * message below. It answers what a miss would bring. Each byte is the line's, if it has it; else
 * what was written back and is still on its way; else memory's.
 *
 * The link below is looked at by its sender. What its receiver has taken in this cycle is in memory
 * by then, so that both together are the same whichever ticks first.
 */
#include <string.h>

#include "base/check.h"
#include "mem/backing.h"
#include "mem/bytes.h"
#include "mem/cache_time.h"

/* A hit, as any load of that line would be. */
static bool is_here(const struct line *line, const struct message *message)
{
    return line != NULL && line->mshr == NO_INDEX && (message->mask & ~line->valid) == 0;
}

bool cache_hits_ideally(const struct cache *cache, const struct message *message)
{
    return message->requester.unit == REQUESTER_COMMIT_IDEAL && message->kind == MESSAGE_LOAD &&
           !is_here(controller_find(&cache->controller, message->addr), message);
}

static void add_on_the_way(const struct port *port, uint64_t addr, unsigned char *data)
{
    for (uint32_t i = 0; i < port->count; i++) {
        const struct message *message =
            (const void *)(port->slots +
                           (uint64_t)((port->head + i) % port->capacity) * port->element_bytes);

        if (message->kind == MESSAGE_WRITE && message->addr == addr)
            copy_masked(data, message->data, message->mask);
    }
}

static void make_answer(struct cache *cache, const struct message *message,
                        const struct lanes *below, struct message *reply)
{
    const struct line *line = controller_find(&cache->controller, message->addr);
    enum lane lane = lane_down(cache->controller.kind_channels[MESSAGE_WRITE]);

    check(cache->memory != NULL, "%s: a load is to hit, and memory is not known",
          cache->component.path);
    memcpy(reply, message, sizeof *reply);
    reply->kind = MESSAGE_LOAD_REPLY;
    reply->source = cache->controller.node;
    reply->destination = message->source;
    memcpy(reply->data, backing_host(cache->memory, message->addr), LINE_BYTES);
    add_on_the_way(below->ports[lane], message->addr, reply->data);
    if (line != NULL)
        copy_masked(reply->data, line->data, line->valid);
}

bool cache_answer_ideally(struct cache *cache, uint32_t above, const struct message *message,
                          const struct lanes *below, struct message *reply)
{
    struct cache_statistics *statistics = &cache->controller.statistics;

    cache->controller.stall_cause = STALL_OUTPUT;
    if ((cache->links_free >> above & 1) == 0 ||
        !port_has_room(cache->above[above].ports[LANE_RESPONSES], 1))
        return false;
    make_answer(cache, message, below, reply);
    statistics->loads++;
    statistics->load_hits++;
    statistics->channel_loads++;
    statistics->channel_load_hits++;
    statistics->channel_ideal_hits++;
    return true;
}

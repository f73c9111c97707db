/* SPDX-License-Identifier: MIT */
/*
 * What ideal machines ask of a slice, beside its protocol. Each rests on a line's bytes as they are
 * now. Each byte is the line's, if it has it; else what was written back and is still on its way;
 * else memory's. The link below is looked at by its sender. What its receiver has taken in this
 * cycle is in memory by then, so that both together are the same whichever ticks first.
 *
 * - Loads that always hit (REQUESTER_COMMIT_IDEAL). Where a slice would have to ask memory, it
 *   answers at once, as if the line were here: what a miss would bring. It changes nothing: no
 *   entry, no way, no victim, no message below.
 * - Stores that keep all bytes (MESSAGE_KEEPS). They take each step of a store. What they put into
 *   the line is what is there.
 * - Bytes that are written beside all messages, between instants (cache_write_now).
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

static const struct port *writes_below(const struct cache *cache, uint64_t addr)
{
    enum lane lane = lane_down(cache->controller.kind_channels[MESSAGE_WRITE]);

    return lanes_below(cache, addr)->ports[lane];
}

void cache_present(const struct controller *controller, uint64_t addr, unsigned char *data)
{
    const struct cache *cache =
        container_of((struct controller *)(uintptr_t)controller, struct cache, controller);
    const struct line *line = controller_find(controller, addr);

    check(cache->memory != NULL, "%s: a line is to be known, and memory is not",
          cache->component.path);
    memcpy(data, backing_host(cache->memory, addr), LINE_BYTES);
    add_on_the_way(writes_below(cache, addr), addr, data);
    if (line != NULL)
        copy_masked(data, line->data, line->valid);
}

static void make_answer(struct cache *cache, const struct message *message, struct message *reply)
{
    memcpy(reply, message, sizeof *reply);
    reply->kind = MESSAGE_LOAD_REPLY;
    reply->source = cache->controller.node;
    reply->destination = message->source;
    cache_present(&cache->controller, message->addr, reply->data);
}

bool cache_answer_ideally(struct cache *cache, uint32_t above, const struct message *message,
                          struct message *reply)
{
    struct cache_statistics *statistics = &cache->controller.statistics;

    cache->controller.stall_cause = STALL_OUTPUT;
    if ((cache->links_free >> above & 1) == 0 ||
        !port_has_room(cache->above[above].ports[LANE_RESPONSES], 1))
        return false;
    make_answer(cache, message, reply);
    statistics->loads++;
    statistics->load_hits++;
    statistics->channel_loads++;
    statistics->channel_load_hits++;
    statistics->channel_ideal_hits++;
    return true;
}

/* ---- bytes written beside all messages ---- */

/* In messages of the kind that are under way. */
static void write_on_the_way(const struct port *port, uint8_t kind, uint64_t addr, uint64_t mask,
                             const unsigned char *data)
{
    for (uint32_t i = 0; i < port->count; i++) {
        struct message *message =
            (void *)(port->slots +
                     (uint64_t)((port->head + i) % port->capacity) * port->element_bytes);

        if (message->kind == kind && message->addr == addr)
            copy_masked(message->data, data, mask & message->mask);
    }
}

void cache_write_now(struct cache *cache, uint64_t addr, uint64_t mask, const unsigned char *data)
{
    struct line *line = controller_find(&cache->controller, addr);
    struct mshr *mshr = controller_find_mshr(&cache->controller, addr);

    if (line != NULL)
        copy_masked(line->data, data, mask & line->valid);
    if (mshr != NULL)
        copy_masked(mshr->data, data, mask);
    write_on_the_way(writes_below(cache, addr), MESSAGE_WRITE, addr, mask, data);
    write_on_the_way(lanes_below(cache, addr)->ports[LANE_RESPONSES], MESSAGE_READ_REPLY, addr,
                     mask, data);
}

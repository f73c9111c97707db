/* SPDX-License-Identifier: MIT */
#include "mem/link.h"

#include <string.h>

static bool is_up(enum lane lane)
{
    return lane >= LANE_RESPONSES;
}

void link_init(struct link *link, const struct link_options *options)
{
    static const char *const names[LANE_COUNT] = {"requests", "write-backs", "replies", "probes"};

    memset(link, 0, sizeof *link);
    for (enum lane lane = 0; lane < LANE_COUNT; lane++) {
        const struct link_direction *direction = is_up(lane) ? &options->up : &options->down;
        enum lane fifo = wiring_fifo(&options->wiring, lane);

        link->lanes.ports[lane] = &link->storage[fifo];
        if (fifo != lane)
            continue;
        port_init(&link->storage[lane], names[lane],
                  is_up(lane) ? options->below[lane] : options->above[lane],
                  is_up(lane) ? options->above[lane] : options->below[lane],
                  (uint32_t)direction->cycles,
                  (uint32_t)(2 * direction->width * direction->cycles + direction->queue),
                  sizeof(struct message));
    }
}

void link_visit(const struct link *link, void (*visit)(void *context, const struct port *port),
                void *context)
{
    for (enum lane lane = 0; lane < LANE_COUNT; lane++)
        if (link->lanes.ports[lane] == &link->storage[lane])
            visit(context, &link->storage[lane]);
}

void link_finish(struct link *link)
{
    for (enum lane lane = 0; lane < LANE_COUNT; lane++)
        if (link->lanes.ports[lane] == &link->storage[lane])
            port_finish(&link->storage[lane]);
    memset(link, 0, sizeof *link);
}

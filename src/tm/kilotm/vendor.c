/* SPDX-License-Identifier: MIT */
#include "tm/kilotm/vendor.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "tm/parameters.h"

struct vendor {
    struct tm_centre centre;
    uint32_t next;
    uint32_t reply_cycles;
};

static bool vendor_serve(struct vendor *vendor, uint32_t unit)
{
    struct port *from = vendor->centre.from_unit[unit], *to = vendor->centre.to_unit[unit];
    const struct tm_packet *asked = port_peek(from);
    struct tm_packet *granted;

    if (asked == NULL || !port_has_room(to, 1))
        return false;
    check(vendor->next < UINT32_MAX - asked->id, "commit IDs have 32 bits, and all are used");
    granted = port_reserve(to, vendor->reply_cycles);
    *granted = (struct tm_packet){.kind = VENDOR_GRANT,
                                  .unit = asked->unit,
                                  .slot = asked->slot,
                                  .bytes = VENDOR_PACKET_BYTES,
                                  .id = vendor->next};
    vendor->next += (uint32_t)asked->id;
    port_take(from);
    return true;
}

static bool vendor_tick(struct component *component)
{
    struct tm_centre *centre = container_of(component, struct tm_centre, component);
    struct vendor *vendor = container_of(centre, struct vendor, centre);
    uint32_t first = (uint32_t)(component_cycle(component) % centre->unit_count);
    bool progress = false;

    for (uint32_t i = 0; i < centre->unit_count; i++)
        progress |= vendor_serve(vendor, (first + i) % centre->unit_count);
    return progress;
}

static const struct component_operations operations = {.tick = vendor_tick};

struct tm_centre *vendor_create(const struct tm_system *system, const struct tm_options *options)
{
    struct vendor *vendor = allocate(1, sizeof *vendor);
    struct tm_centre *centre = &vendor->centre;

    component_init(&centre->component, &operations, options->clock, options->path);
    vendor->next = 1;
    vendor->reply_cycles = (uint32_t)options->parameters->kilotm.commit_id_cycles - 1;
    centre->unit_count = options->facts.units;
    centre->from_unit = allocate(centre->unit_count, sizeof(struct port *));
    centre->to_unit = allocate(centre->unit_count, sizeof(struct port *));
    return centre;
}

void vendor_destroy(struct tm_centre *centre)
{
    component_finish(&centre->component);
    free(centre->from_unit);
    free(centre->to_unit);
    free(container_of(centre, struct vendor, centre));
}

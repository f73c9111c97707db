/* SPDX-License-Identifier: MIT */
#include "tm/kilotm/vendor.h"

#include <stdlib.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/text.h"
#include "tm/parameters.h"

/* What a unit has asked for in this instant. */
struct asks {
    struct ask {
        uint16_t slot;
        uint32_t count;
    } list[TM_MAX_WAVEFRONTS];
    uint32_t count;
};

struct vendor {
    struct tm_centre centre;
    uint32_t next;
    uint32_t reply_cycles;
    struct asks *asks; /* of each unit, who alone adds to them; NULL: they come by ports */
};

static struct vendor *vendor_of(struct component *component)
{
    return container_of(component, struct vendor, centre.component);
}

static void vendor_grant(struct vendor *vendor, uint32_t unit, uint16_t slot, uint32_t count)
{
    struct tm_packet *granted = port_reserve(vendor->centre.to_unit[unit], vendor->reply_cycles);

    check(vendor->next < UINT32_MAX - count, "commit IDs have 32 bits, and all are used");
    *granted = (struct tm_packet){.kind = VENDOR_GRANT,
                                  .unit = (uint16_t)unit,
                                  .slot = slot,
                                  .bytes = VENDOR_PACKET_BYTES,
                                  .id = vendor->next};
    vendor->next += count;
}

static bool vendor_serve(struct vendor *vendor, uint32_t unit)
{
    struct port *from = vendor->centre.from_unit[unit];
    const struct tm_packet *asked = port_peek(from);

    if (asked == NULL || !port_has_room(vendor->centre.to_unit[unit], 1))
        return false;
    vendor_grant(vendor, unit, asked->slot, (uint32_t)asked->id);
    port_take(from);
    return true;
}

/* The units' turns in this cycle begin with another one than in the latest. */
static uint32_t first_unit(const struct vendor *vendor)
{
    return (uint32_t)(component_cycle(&vendor->centre.component) % vendor->centre.unit_count);
}

static bool vendor_tick(struct component *component)
{
    struct vendor *vendor = vendor_of(component);
    uint32_t units = vendor->centre.unit_count, first = first_unit(vendor);
    bool progress = false;

    for (uint32_t i = 0; i < units; i++)
        progress |= vendor_serve(vendor, (first + i) % units);
    return progress;
}

static void vendor_close(struct component *component)
{
    struct vendor *vendor = vendor_of(component);
    uint32_t units = vendor->centre.unit_count, first = first_unit(vendor);

    for (uint32_t i = 0; i < units; i++) {
        uint32_t unit = (first + i) % units;
        struct asks *asks = &vendor->asks[unit];

        for (uint32_t j = 0; j < asks->count; j++)
            vendor_grant(vendor, unit, asks->list[j].slot, asks->list[j].count);
        asks->count = 0;
    }
}

static const struct component_operations operations = {.tick = vendor_tick, .close = vendor_close};

void vendor_ask(struct port *to_vendor, uint16_t unit, uint16_t slot, uint32_t count)
{
    struct vendor *vendor = vendor_of(to_vendor->receiver);
    struct tm_packet *packet;

    if (vendor->asks != NULL) {
        struct asks *asks = &vendor->asks[unit];

        check(asks->count < TM_MAX_WAVEFRONTS, "more wavefronts ask for commit IDs than exist");
        asks->list[asks->count++] = (struct ask){slot, count};
        component_ask_close(to_vendor->receiver);
        return;
    }
    check(port_has_room(to_vendor, 1), "more wavefronts ask for commit IDs than exist");
    packet = port_reserve(to_vendor, 1);
    *packet = (struct tm_packet){
        .kind = VENDOR_ASK, .unit = unit, .slot = slot, .bytes = VENDOR_PACKET_BYTES, .id = count};
}

struct tm_centre *vendor_create(const struct tm_system *system, const struct tm_options *options)
{
    struct vendor *vendor = allocate(1, sizeof *vendor);
    struct tm_centre *centre = &vendor->centre;
    uint32_t cycles = (uint32_t)options->parameters->kilotm.commit_id_cycles;

    component_init(&centre->component, &operations, options->clock, options->path);
    vendor->next = 1;
    vendor->reply_cycles = cycles == 0 ? 1 : cycles - 1;
    centre->unit_count = options->facts.units;
    vendor->asks = cycles == 0 ? allocate(centre->unit_count, sizeof *vendor->asks) : NULL;
    centre->from_unit = allocate(centre->unit_count, sizeof(struct port *));
    centre->to_unit = allocate(centre->unit_count, sizeof(struct port *));
    return centre;
}

void vendor_destroy(struct tm_centre *centre)
{
    component_finish(&centre->component);
    free(centre->from_unit);
    free(centre->to_unit);
    free(container_of(centre, struct vendor, centre)->asks);
    free(container_of(centre, struct vendor, centre));
}

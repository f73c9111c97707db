/* SPDX-License-Identifier: MIT */
/*
 * One transaction at a time in the whole machine. The lane that holds the token runs alone, from
 * its begin until its stores have reached L2, and cannot abort. It is what one global lock makes of
 * transactions, with nothing spent on the lock.
 *
 *     compute unit ── WANT, RETURN ──► vendor of the token (one queue) ── GRANT ──► compute unit
 *
 * The vendor serves wavefronts in the order in which they ask. Those that ask in one cycle follow
 * each other by unit, from another unit on in each cycle. A wavefront keeps the token until its
 * last lane has committed. Its accesses are ordinary ones, past L1.
 *
 * Left out: a queue of finite length; the way between unit and vendor takes a cycle, however far it
 * is. Source of the idea: Fung et al., "Hardware Transactional Memory for GPU Architectures", MICRO
 * 2011, section 3 (all executions of transactions serialised by a single global lock).
 */
#include "tm/serial_global.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "sim/debug.h"
#include "tm/parameters.h"
#include "tm/systems.h"

#define SERIAL_GLOBAL_PARAMETER_ROW(...) PARAMETER_ROW(struct serial_global_parameters, __VA_ARGS__)
const struct parameter serial_global_parameters[] = {
    SERIAL_GLOBAL_PARAMETERS(SERIAL_GLOBAL_PARAMETER_ROW)};
const uint32_t serial_global_parameter_count = ARRAY_COUNT(serial_global_parameters);

#define SERIAL_GLOBAL_STATISTICS(X)                                                                \
    X(COUNTER, transactions, "lanes", "lanes that ran alone")                                      \
    X(COUNTER, wants, "wavefronts", "times that a wavefront asked for the token")

struct serial_global_statistics {
    SERIAL_GLOBAL_STATISTICS(STATISTIC_FIELD)
};
#define STATISTICS_ROW(...) STATISTIC_ROW(struct serial_global_statistics, __VA_ARGS__)
static const struct statistic statistics[] = {SERIAL_GLOBAL_STATISTICS(STATISTICS_ROW)};

enum { PACKET_WANT, PACKET_RETURN, PACKET_GRANT };
static const char *const packet_kinds[] = {"want", "return", "grant", NULL};
enum { PACKET_BYTES = 8 };

/* ---- the vendor ---- */

struct serial_waiter {
    uint16_t unit, slot;
};

struct serial_vendor {
    struct tm_centre centre;
    uint32_t handover_cycles;
    struct serial_waiter *waiting; /* a ring; each wavefront is in it at most once */
    uint32_t capacity, head, count;
    uint64_t free_at; /* the token is here from this cycle on; UINT64_MAX: a wavefront has it */
};

static struct serial_vendor *vendor_of(struct component *component)
{
    return container_of(component, struct serial_vendor, centre.component);
}

static void vendor_take(struct serial_vendor *vendor, const struct tm_packet *packet)
{
    if (packet->kind == PACKET_RETURN) {
        vendor->free_at = component_cycle(&vendor->centre.component) + vendor->handover_cycles;
        return;
    }
    check(vendor->count < vendor->capacity, "more wavefronts want the token than there are");
    vendor->waiting[(vendor->head + vendor->count++) % vendor->capacity] =
        (struct serial_waiter){packet->unit, packet->slot};
}

static void vendor_receive(struct serial_vendor *vendor)
{
    struct tm_centre *centre = &vendor->centre;
    uint32_t first = (uint32_t)(component_cycle(&centre->component) % centre->unit_count);

    for (uint32_t i = 0; i < centre->unit_count; i++) {
        struct port *port = centre->from_unit[(first + i) % centre->unit_count];
        const struct tm_packet *packet;

        while ((packet = port_peek(port)) != NULL) {
            vendor_take(vendor, packet);
            port_take(port);
        }
    }
}

static void packet_send(struct port *port, uint8_t kind, uint16_t unit, uint16_t slot)
{
    struct tm_packet *packet = port_reserve(port, 1);

    memset(packet, 0, offsetof(struct tm_packet, pairs));
    packet->kind = kind;
    packet->unit = unit;
    packet->slot = slot;
    packet->bytes = PACKET_BYTES;
}

static bool vendor_tick(struct component *component)
{
    struct serial_vendor *vendor = vendor_of(component);
    struct serial_waiter *next;

    vendor_receive(vendor);
    if (vendor->count == 0 || vendor->free_at == UINT64_MAX)
        return false;
    if (vendor->free_at > component_cycle(component)) {
        component_wake_at(component, vendor->free_at);
        return false;
    }
    next = &vendor->waiting[vendor->head];
    if (!port_has_room(vendor->centre.to_unit[next->unit], 1))
        return false;
    packet_send(vendor->centre.to_unit[next->unit], PACKET_GRANT, next->unit, next->slot);
    vendor->free_at = UINT64_MAX;
    vendor->head = (vendor->head + 1) % vendor->capacity;
    vendor->count--;
    component_progress(component);
    return false;
}

static void vendor_explain(const struct component *component, struct text *text)
{
    const struct serial_vendor *vendor = vendor_of((struct component *)(uintptr_t)component);

    if (vendor->count > 0)
        text_add(text, "%u wavefronts want the token, which %s", vendor->count,
                 vendor->free_at == UINT64_MAX ? "another has" : "is here");
}

static const struct component_operations vendor_operations = {.tick = vendor_tick,
                                                              .explain = vendor_explain};

static struct tm_centre *serial_global_create_centre(const struct tm_system *system,
                                                     const struct tm_options *options)
{
    struct serial_vendor *vendor = allocate(1, sizeof *vendor);
    struct tm_centre *centre = &vendor->centre;

    component_init(&centre->component, &vendor_operations, options->clock, "tm.serial_global");
    centre->unit_count = options->facts.units;
    centre->from_unit = allocate(centre->unit_count, sizeof(struct port *));
    centre->to_unit = allocate(centre->unit_count, sizeof(struct port *));
    vendor->handover_cycles = (uint32_t)options->parameters->serial_global.handover_cycles;
    vendor->capacity = centre->unit_count * TM_MAX_WAVEFRONTS;
    vendor->waiting = allocate(vendor->capacity, sizeof *vendor->waiting);
    return centre;
}

static void serial_global_destroy_centre(struct tm_centre *centre)
{
    struct serial_vendor *vendor = vendor_of(&centre->component);

    component_finish(&centre->component);
    free(centre->from_unit);
    free(centre->to_unit);
    free(vendor->waiting);
    free(vendor);
}

/* ---- a compute unit ---- */

struct serial_global_unit {
    struct tm_unit unit;
    struct serial_global_statistics statistics;
    uint64_t breaks;
    uint64_t wants; /* wavefront slots that have asked */
    uint64_t has;   /* the one that was granted it */
};

static struct serial_global_unit *serial_global_of(struct tm_unit *unit)
{
    return container_of(unit, struct serial_global_unit, unit);
}

static struct tm_unit *serial_global_create(const struct tm_system *system,
                                            const struct tm_options *options)
{
    struct serial_global_unit *serial = allocate(1, sizeof *serial);
    char path[64];

    serial->breaks = options->breaks;
    snprintf(path, sizeof path, "%s.serial_global", options->path);
    registry_add(options->registry, path, "serial_global", statistics, ARRAY_COUNT(statistics),
                 &serial->statistics, sizeof serial->statistics);
    return &serial->unit;
}

static void serial_global_destroy(struct tm_unit *unit)
{
    free(serial_global_of(unit));
}

static uint64_t serial_global_may_begin(struct tm_unit *unit, const struct tm_wavefront *wavefront)
{
    struct serial_global_unit *serial = serial_global_of(unit);
    uint64_t bit = UINT64_C(1) << wavefront->slot;

    if ((serial->has & bit) != 0 || debug_breaks(serial->breaks, TM_SHARE_TOKEN))
        return TM_NOW;
    if ((serial->wants & bit) != 0)
        return TM_LATER;
    if (!port_has_room(unit->to_centre, 1))
        return component_cycle(unit->compute_unit) + 1;
    packet_send(unit->to_centre, PACKET_WANT, unit->number, (uint16_t)wavefront->slot);
    serial->wants |= bit;
    serial->statistics.wants++;
    return TM_LATER;
}

static void serial_global_begin(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                struct tm_charge *charge)
{
    wavefront->running &= -wavefront->running; /* the lowest lane */
    serial_global_of(unit)->statistics.transactions++;
}

/* All stores have been answered: the commit was not asked for before. */
static uint64_t serial_global_finish(struct tm_unit *unit, struct tm_wavefront *wavefront,
                                     uint64_t committed, uint64_t aborted, struct tm_charge *charge)
{
    struct serial_global_unit *serial = serial_global_of(unit);
    uint64_t bit = UINT64_C(1) << wavefront->slot;

    if (wavefront->aborted != 0 || (serial->has & bit) == 0)
        return TM_NOW;
    if (!port_has_room(unit->to_centre, 1))
        return component_cycle(unit->compute_unit) + 1;
    packet_send(unit->to_centre, PACKET_RETURN, unit->number, (uint16_t)wavefront->slot);
    serial->has &= ~bit;
    return TM_NOW;
}

static void serial_global_packet(struct tm_unit *unit, const struct tm_packet *packet)
{
    struct serial_global_unit *serial = serial_global_of(unit);
    uint64_t bit = UINT64_C(1) << packet->slot;

    serial->wants &= ~bit;
    serial->has |= bit;
    unit->host->wake(unit->host, packet->slot);
}

static void serial_global_explain(const struct tm_unit *unit, struct text *text)
{
    const struct serial_global_unit *serial = serial_global_of((struct tm_unit *)(uintptr_t)unit);

    if (serial->wants != 0)
        text_add(text, "; %u wavefronts wait for the machine's token", count_bits(serial->wants));
}

const struct tm_system tm_serial_global = {
    .name = "serial_global",
    .help = "one transaction at a time in the machine, on global memory: a baseline",
    .spaces = TM_SPACE_GLOBAL,
    .promise = TM_PROMISES_OPACITY,
    .never_aborts = true,
    .packet_kinds = packet_kinds,
    .create = serial_global_create,
    .destroy = serial_global_destroy,
    .create_centre = serial_global_create_centre,
    .destroy_centre = serial_global_destroy_centre,
    .may_begin = serial_global_may_begin,
    .begin = serial_global_begin,
    .finish = serial_global_finish,
    .packet = serial_global_packet,
    .explain = serial_global_explain,
};

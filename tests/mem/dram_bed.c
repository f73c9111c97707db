/* SPDX-License-Identifier: MIT */
#include "dram_bed.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "cmocka_all.h"
#include "mem/pump.h"

static bool sender_tick(struct component *component)
{
    struct dram_bed *bed = container_of(component, struct dram_bed, sender);
    uint64_t cycle = component_cycle(component);
    const struct message *answer;
    bool progress = false;

    while ((answer = port_peek(&bed->replies)) != NULL) {
        bed->answers[answer->transaction] = *answer;
        bed->answered_at[answer->transaction] = cycle;
        bed->answered++;
        port_take(&bed->replies);
        progress = true;
    }
    if (bed->sent == bed->count)
        return progress;
    if (bed->not_before[bed->sent] > cycle) {
        component_wake_at(component, bed->not_before[bed->sent]);
        return progress;
    }
    if (!port_has_room(&bed->requests, 1))
        return progress;
    memcpy(port_reserve(&bed->requests, 1), &bed->script[bed->sent], sizeof(struct message));
    bed->sent_at[bed->sent++] = cycle;
    return true;
}

static const struct component_operations sender_operations = {.tick = sender_tick};

static void keep_event(void *context, const struct dram_event *event)
{
    struct dram_bed *bed = context;

    check(bed->event_count < DRAM_BED_EVENTS, "too many commands");
    bed->events[bed->event_count++] = *event;
}

struct dram_parameters dram_bed_defaults(void)
{
    struct dram_parameters parameters;

    memset(&parameters, 0, sizeof parameters);
    for (uint32_t i = 0; i < dram_parameter_count; i++) {
        char *field = (char *)&parameters + dram_parameters[i].offset;

        if (dram_parameters[i].kind == PARAMETER_NUMBER)
            memcpy(field, &dram_parameters[i].initial, sizeof(uint64_t));
        else
            strcpy(field, dram_parameters[i].initial_text);
    }
    return parameters;
}

struct dram_bed *dram_bed_create(const struct dram_parameters *parameters)
{
    struct dram_bed *bed = calloc(1, sizeof *bed);
    struct address_map_parameters map = {.rule = "modulo", .slices = 1, .channels_per_slice = 1,
        .interleave_bytes = ADDRESS_INTERLEAVE_BYTES};
    struct diagnosis diagnosis;

    check(address_map_init(&bed->map, &map, &diagnosis), "map");
    check(backing_init(&bed->backing, 16 << 20, true, &diagnosis), "backing");
    bed->buffer = backing_allocate(&bed->backing, 8 << 20, 1 << 20, "test");
    engine_init(&bed->engine);
    bed->clock = engine_add_domain(&bed->engine, "memory", 1375000);
    component_init(&bed->sender, &sender_operations, bed->clock, "sender");
    check(dram_init(&bed->channel, "dram", bed->clock, parameters, &bed->map, &bed->backing,
                    &diagnosis),
          "%s", diagnosis.message);
    port_init(&bed->requests, "requests", &bed->sender, &bed->channel.component, 1, 8,
              sizeof(struct message));
    port_init(&bed->replies, "replies", &bed->channel.component, &bed->sender,
              dram_reply_cycles(parameters), dram_reply_slots(parameters),
              sizeof(struct message));
    dram_connect(&bed->channel, &bed->requests, &bed->replies);
    bed->channel.watch = keep_event;
    bed->channel.watch_context = bed;
    return bed;
}

void dram_bed_destroy(struct dram_bed *bed)
{
    port_finish(&bed->requests);
    port_finish(&bed->replies);
    dram_finish(&bed->channel);
    component_finish(&bed->sender);
    engine_finish(&bed->engine);
    backing_finish(&bed->backing);
    free(bed);
}

struct message *dram_bed_add(struct dram_bed *bed, uint8_t kind, uint64_t offset,
                             uint64_t not_before)
{
    struct message *message = &bed->script[bed->count];

    message->kind = kind;
    message->addr = bed->buffer + offset;
    message->mask = UINT64_MAX;
    message->transaction = bed->count;
    bed->not_before[bed->count++] = not_before;
    return message;
}

void dram_bed_run(struct dram_bed *bed)
{
    engine_start(&bed->engine);
    check(engine_run(&bed->engine, UINT64_MAX) == ENGINE_IDLE, "the run did not end");
}

uint64_t dram_bed_nth(const struct dram_bed *bed, enum dram_command command, uint32_t n)
{
    for (uint32_t i = 0; i < bed->event_count; i++)
        if (bed->events[i].command == command && n-- == 0)
            return bed->events[i].cycle;
    fail_msg("no such command");
    return 0;
}

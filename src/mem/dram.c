/* SPDX-License-Identifier: MIT */
#include "mem/dram.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/bytes.h"
#include "mem/dram_model.h"

#define PARAMETER(...) PARAMETER_ROW(struct dram_parameters, __VA_ARGS__)
const struct parameter dram_parameters[] = {DRAM_PARAMETERS(PARAMETER)};
const uint32_t dram_parameter_count = sizeof dram_parameters / sizeof dram_parameters[0];

#define STATISTIC(...) STATISTIC_ROW(struct dram_statistics, __VA_ARGS__)
const struct statistic dram_statistics[] = {DRAM_STATISTICS(STATISTIC)};
const uint32_t dram_statistic_count = sizeof dram_statistics / sizeof dram_statistics[0];

/* ---- The component ---- */

static bool dram_tick(struct component *component)
{
    struct dram_channel *channel = container_of(component, struct dram_channel, component);
    uint64_t cycle = component_cycle(component);
    bool progress = dram_take_request(channel, cycle);
    uint64_t next;

    if ((channel->used[0] | channel->used[1]) == 0)
        return progress;
    next = channel->model->schedule(channel, cycle);
    if (next != UINT64_MAX && next > cycle + 1)
        component_wake_at(component, next);
    return progress || next == cycle + 1;
}

static void dram_settle(struct component *component)
{
    struct dram_channel *channel = container_of(component, struct dram_channel, component);

    dram_note_queue(channel, false);
    dram_note_queue(channel, true);
    if (channel->model->settle != NULL)
        channel->model->settle(channel, component_cycle(component));
}

static void dram_explain(const struct component *component, struct text *text)
{
    const struct dram_channel *channel = container_of(component, struct dram_channel, component);

    if ((channel->used[0] | channel->used[1]) != 0)
        text_add(text, "%u reads and %u writes queued", count_bits(channel->used[0]),
                 count_bits(channel->used[1]));
}

static const struct component_operations operations = {
    .tick = dram_tick, .settle = dram_settle, .explain = dram_explain};

/* ---- Building ---- */

bool dram_parameters_check(const char *path, const struct dram_parameters *parameters,
                           struct diagnosis *diagnosis)
{
    const struct dram_model *model = dram_model_find(parameters->model);

    if (!is_power_of_two(parameters->burst_bytes))
        return diagnose(diagnosis, "%s: a line of 64 bytes does not divide into bursts of %llu",
                        path, (unsigned long long)parameters->burst_bytes);
    return model->is_sound == NULL || model->is_sound(path, parameters, diagnosis);
}

bool dram_init(struct dram_channel *channel, const char *path, struct clock_domain *clock,
               const struct dram_parameters *parameters, const struct address_map *map,
               struct backing *backing, struct diagnosis *diagnosis)
{
    memset(channel, 0, sizeof *channel);
    if (!dram_parameters_check(path, parameters, diagnosis))
        return false;
    component_init(&channel->component, &operations, clock, path);
    channel->model = dram_model_find(parameters->model);
    channel->parameters = *parameters;
    channel->map = map;
    channel->backing = backing;
    channel->entries = allocate((size_t)2 * DRAM_MAX_QUEUE, sizeof *channel->entries);
    channel->banks = allocate(parameters->banks, sizeof *channel->banks);
    for (uint32_t i = 0; i < parameters->banks; i++)
        channel->banks[i].row = DRAM_NO_ROW;
    channel->refresh_at = parameters->trefi;
    channel->request_cycles = channel->model->has_controller ? parameters->request_cycles : 0;
    channel->reply_cycles = channel->model->has_controller ? parameters->reply_cycles : 0;
    return true;
}

void dram_finish(struct dram_channel *channel)
{
    free(channel->entries);
    free(channel->banks);
    component_finish(&channel->component);
}

void dram_connect(struct dram_channel *channel, struct port *requests, struct port *replies)
{
    channel->requests = requests;
    channel->replies = replies;
}

uint32_t dram_reply_slots(const struct dram_parameters *parameters)
{
    const struct dram_model *model = dram_model_find(parameters->model);

    return (uint32_t)((model->data_cycles(parameters) + parameters->reply_cycles +
                       dram_reply_cycles(parameters)) /
                      dram_line_cycles(parameters)) +
           8;
}

uint32_t dram_reply_cycles(const struct dram_parameters *parameters)
{
    return dram_model_find(parameters->model)->has_controller ? (uint32_t)parameters->reply_cycles
                                                              : 1;
}

void dram_register(struct dram_channel *channel, struct registry *registry)
{
    registry_add(registry, channel->component.path, "dram", dram_statistics, dram_statistic_count,
                 &channel->statistics, sizeof channel->statistics);
}

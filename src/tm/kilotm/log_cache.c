/* SPDX-License-Identifier: MIT */
/* The lines of logs that a compute unit keeps near. Contents are in struct kilotm_log: no other
 * unit sees them, so what goes to L2 and back is only traffic. */
#include <string.h>

#include "base/check.h"
#include "base/text.h"
#include "tm/kilotm/core.h"

void log_cache_init(struct log_cache *cache, const struct kilotm_parameters *parameters)
{
    cache->ways = (uint32_t)parameters->log_ways;
    cache->sets = (uint32_t)(parameters->log_kb * 1024 / LINE_BYTES / parameters->log_ways);
    if (cache->sets == 0)
        cache->sets = 1;
    cache->lines = allocate((size_t)cache->sets * cache->ways, sizeof *cache->lines);
}

/* A block of addresses, and one of values. */
uint64_t log_row_bytes(const struct tm_facts *facts)
{
    return 2 * sizeof(uint32_t) * facts->wave_lanes;
}

/* As private memory: the same row of all wavefronts of a compute unit lies together, and goes to
 * sets of its own. */
static uint64_t row_address(const struct kilotm_core *core, uint32_t slot, uint32_t log,
                            uint32_t row)
{
    uint64_t first = ((uint64_t)core->unit.number * LOG_COUNT + log) * core->parameters->log_rows;
    uint64_t rows = (first + row) * core->facts.wavefronts + slot;

    return core->facts.private_address + rows * log_row_bytes(&core->facts);
}

/* Neither the first rows of all wavefronts nor the rows of one should meet in one set, whatever
 * strides are. */
static struct log_line *set_of(const struct log_cache *cache, uint64_t addr)
{
    uint64_t line = addr / LINE_BYTES;

    return &cache->lines[(line + line / cache->sets) % cache->sets * cache->ways];
}

static struct log_line *find_line(const struct log_cache *cache, uint64_t addr)
{
    struct log_line *set = set_of(cache, addr);

    for (uint32_t i = 0; i < cache->ways; i++)
        if (set[i].addr == addr)
            return &set[i];
    return NULL;
}

static void send_line(struct kilotm_core *core, uint64_t addr, uint8_t kind)
{
    struct message *message = core_message(core);

    message->kind = kind;
    message->addr = addr;
    message->mask = UINT64_MAX;
    message->source = core->unit.number;
    message->destination = (uint16_t)core_channel(core, addr / 4);
    message->requester = (struct message_requester){.unit = REQUESTER_LOG};
}

static struct log_line *take_way(struct kilotm_core *core, uint64_t addr)
{
    struct log_line *set = set_of(&core->cache, addr), *line = set;

    for (uint32_t i = 1; i < core->cache.ways; i++)
        if (set[i].used < line->used)
            line = &set[i];
    if (line->is_dirty) {
        send_line(core, line->addr, MESSAGE_STORE);
        core->statistics.log_write_backs++;
    }
    *line = (struct log_line){.addr = addr};
    return line;
}

static void touch_line(struct kilotm_core *core, uint64_t addr, bool is_write)
{
    struct log_line *line = find_line(&core->cache, addr);

    core->statistics.log_lines++;
    if (line == NULL) {
        core->statistics.log_misses++;
        line = take_way(core, addr);
        if (!is_write) {
            send_line(core, addr, MESSAGE_LOAD);
            core->statistics.log_fetches++;
            core->fetches++;
        }
    }
    line->is_dirty |= is_write;
    line->used = ++core->cache.clock;
}

void log_cache_row(struct kilotm_core *core, uint32_t slot, uint32_t log, uint32_t row,
                   bool is_write)
{
    uint64_t addr = row_address(core, slot, log, row), end = addr + log_row_bytes(&core->facts);

    for (; addr < end; addr += LINE_BYTES)
        touch_line(core, addr, is_write);
}

void log_cache_drop(struct kilotm_core *core, uint32_t slot, uint32_t log, uint32_t row)
{
    uint64_t addr = row_address(core, slot, log, row), end = addr + log_row_bytes(&core->facts);

    for (; addr < end; addr += LINE_BYTES) {
        struct log_line *line = find_line(&core->cache, addr);

        if (line != NULL)
            *line = (struct log_line){.addr = 0};
    }
}

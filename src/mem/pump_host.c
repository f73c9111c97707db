/* SPDX-License-Identifier: MIT */
/* What the host does to memory, by the pump: transfers, and what a kernel's start and end do. */
#include <string.h>

#include "base/bits.h"
#include "base/check.h"
#include "mem/pump.h"

struct range {
    uint64_t addr, count;
};

/* The bytes of a line that lie in the range. */
static uint64_t range_mask(const struct range *range, uint64_t line)
{
    uint64_t first = line < range->addr ? range->addr - line : 0;
    uint64_t end = range->addr + range->count - line; /* may be far beyond the line */

    if (line >= range->addr + range->count || first >= LINE_BYTES)
        return 0;
    return low_mask(end > LINE_BYTES ? LINE_BYTES : (unsigned)end) & ~low_mask((unsigned)first);
}

struct transfer {
    struct range range;
    unsigned char *to;         /* reads */
    const unsigned char *from; /* writes */
};

static void visit_line(struct pump *pump, struct controller *controller, uint32_t index,
                       const struct transfer *transfer, const struct line *line)
{
    uint64_t mask = range_mask(&transfer->range, line->addr), addr = line->addr;
    struct message request;
    bool is_read = transfer->to != NULL;

    if (is_read)
        mask &= line->dirty; /* of the others memory has the same, or another cache newer ones */
    if (mask == 0)
        return;
    memset(&request, 0, sizeof request);
    request.kind = is_read ? MESSAGE_HOST_READ : MESSAGE_HOST_WRITE;
    request.addr = addr;
    request.mask = mask;
    request.requester.unit = REQUESTER_HOST;
    request.source = REQUESTER_HOST;
    for (uint64_t set = mask; set != 0 && transfer->from != NULL; set &= set - 1)
        request.data[lowest_bit(set)] =
            transfer->from[addr + lowest_bit(set) - transfer->range.addr];
    pump_ask(pump, controller, index, &request);
    for (uint64_t set = mask & pump->answer.mask; set != 0 && is_read; set &= set - 1)
        transfer->to[addr + lowest_bit(set) - transfer->range.addr] =
            pump->answer.data[lowest_bit(set)];
}

/* Every line of the controller that lies in the range: by looking each up, or by one walk over the
 * tags. */
static void controller_visit(struct pump *pump, struct controller *controller, uint32_t index,
                             const struct transfer *transfer)
{
    uint64_t first = transfer->range.addr & ~(uint64_t)(LINE_BYTES - 1);
    uint64_t end = transfer->range.addr + transfer->range.count;

    if ((end - first) / LINE_BYTES * controller->shape.ways < controller->line_count) {
        for (uint64_t addr = first; addr < end; addr += LINE_BYTES) {
            const struct line *line = controller_find(controller, addr);

            if (line != NULL)
                visit_line(pump, controller, index, transfer, line);
        }
        return;
    }
    for (uint32_t i = 0; i < controller->line_count; i++)
        if (controller->tags[i] != 0 && controller->tags[i] - 1 >= first &&
            controller->tags[i] - 1 < end)
            visit_line(pump, controller, index, transfer, &controller->lines[i]);
}

static void visit_all(struct pump *pump, const struct transfer *transfer)
{
    for (uint32_t i = 0; i < pump->slice_count; i++)
        controller_visit(pump, pump->slices[i], i, transfer);
    for (uint32_t i = 0; i < pump->upper_count; i++) /* what is dirty there is newer */
        controller_visit(pump, pump->uppers[i], i, transfer);
    pump_run(pump);
}

void pump_host_read(struct pump *pump, uint64_t addr, void *bytes, uint64_t count)
{
    struct transfer transfer = {.range = {addr, count}, .to = bytes};

    if (count == 0)
        return;
    memcpy(bytes, backing_host(pump->backing, addr), count);
    if (!debug_breaks(pump->breaks, HOST_SKIPS_L2))
        visit_all(pump, &transfer);
}

void pump_host_write(struct pump *pump, uint64_t addr, const void *bytes, uint64_t count)
{
    struct transfer transfer = {.range = {addr, count}, .from = bytes};

    if (count == 0)
        return;
    if (!debug_breaks(pump->breaks, HOST_SKIPS_L2))
        visit_all(pump, &transfer);
    memcpy(backing_host(pump->backing, addr), bytes, count);
}

void pump_discard(struct pump *pump, uint64_t addr, uint64_t count)
{
    struct transfer transfer = {.range = {addr, count}};

    if (count > 0)
        visit_all(pump, &transfer);
}

/* ---- Whole caches ---- */

static void send_to_all(struct pump *pump, struct controller **controllers, uint32_t count,
                        uint8_t kind, uint64_t skipped_roles)
{
    struct message request;

    memset(&request, 0, sizeof request);
    request.kind = kind;
    request.requester.unit = REQUESTER_HOST;
    request.source = REQUESTER_HOST;
    for (uint32_t i = 0; i < count; i++)
        if ((skipped_roles >> controllers[i]->kind & 1) == 0)
            pump_ask(pump, controllers[i], i, &request);
    pump_run(pump);
}

void pump_kernel_start(struct pump *pump)
{
    uint64_t skipped = 0;

    if (debug_breaks(pump->breaks, KEEP_L1_AT_KERNEL))
        skipped |= 1 << ROLE_L1;
    if (debug_breaks(pump->breaks, KEEP_SCALAR_AT_KERNEL))
        skipped |= 1 << ROLE_SCALAR | 1 << ROLE_INSTRUCTION;
    send_to_all(pump, pump->uppers, pump->upper_count, MESSAGE_INVALIDATE, skipped);
}

void pump_flush(struct pump *pump)
{
    send_to_all(pump, pump->uppers, pump->upper_count, MESSAGE_FLUSH, 0);
    send_to_all(pump, pump->slices, pump->slice_count, MESSAGE_FLUSH, 0);
}

/* By the host's eyes: where ownership keeps bytes in an upper cache, no flush moves them. */
static void save_dirty(struct pump *pump, const struct controller *controller)
{
    unsigned char bytes[LINE_BYTES];

    for (uint32_t i = 0; i < controller->line_count; i++) {
        uint64_t addr = controller->tags[i] - 1;

        if (controller->tags[i] == 0 || controller->lines[i].dirty == 0)
            continue;
        pump_host_read(pump, addr, bytes, sizeof bytes);
        memcpy(backing_host(pump->backing, addr), bytes, sizeof bytes);
    }
}

void pump_empty(struct pump *pump)
{
    for (uint32_t i = 0; i < pump->upper_count; i++)
        save_dirty(pump, pump->uppers[i]);
    for (uint32_t i = 0; i < pump->slice_count; i++)
        save_dirty(pump, pump->slices[i]);
    for (uint32_t i = 0; i < pump->upper_count; i++)
        controller_empty(pump->uppers[i]);
    for (uint32_t i = 0; i < pump->slice_count; i++)
        controller_empty(pump->slices[i]);
}

void pump_warm(struct pump *pump, uint32_t upper, const uint64_t *lines, uint64_t count)
{
    struct message request;

    check(pump->uppers[upper]->kind == ROLE_INSTRUCTION, "%s is no instruction cache",
          pump->uppers[upper]->name);
    for (uint64_t i = 0; i < count; i++) {
        memset(&request, 0, sizeof request);
        request.kind = MESSAGE_LOAD;
        request.addr = lines[i];
        request.mask = UINT64_MAX;
        pump_send(pump, upper, &request);
        pump_run(pump);
    }
    send_to_all(pump, pump->uppers + upper, 1, MESSAGE_INVALIDATE, 0);
}

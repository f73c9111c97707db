/* SPDX-License-Identifier: MIT */
#include "adapt.h"

#define MANY_FAULTS 16
#define FIRST_PERIOD 16
#define LONGEST_PERIOD 64
#define MANY_SCATTERED 32
#define MANY_QUIET_SCANS 8
#define FAULT_NS 8000        /* about what a fault costs without its transfer */
#define WIDEST_FIRST_ORDER 4 /* a first window is at most 16 pages */

static unsigned order_of(size_t pages)
{
    return pages > 1 ? 63u - (unsigned)__builtin_clzll(pages) : 0;
}

/* Where commands are dear compared with faults, a first window worth some more bytes: a command's
 * time is about 16 pages' bytes at 150 us and the slowest bus; measured on the device itself. */
static unsigned first_order(const struct device *device)
{
    uint64_t command_ns = atomic_load_explicit(&device->command_ns, memory_order_relaxed);
    unsigned order = order_of((size_t)(command_ns / FAULT_NS));
    return order < WIDEST_FIRST_ORDER ? order : WIDEST_FIRST_ORDER;
}

static bool is_near(size_t page, size_t next, unsigned order)
{
    return page >= next && page - next <= ((size_t)2 << order);
}

static bool is_whole(const struct array *array, size_t block)
{
    size_t from, to;
    array_block_pages(array, block, &from, &to);
    return bits_count(array->present, from, to) == to - from;
}

static unsigned read_order(struct array *array, size_t page, const struct device *device)
{
    size_t index = array_block(array, page), from, to;
    struct block *block = &array->blocks[index];
    array_block_pages(array, index, &from, &to);
    unsigned whole = order_of(2 * (to - from) - 1);
    if (block->faults >= MANY_FAULTS)
        return whole;
    if (page == from && index && is_whole(array, index - 1) && array->blocks[index - 1].faults)
        return whole; /* a sequential reader comes from the block before */
    if (block->faults && is_near(page, block->next_page, block->read_order))
        return block->read_order < whole ? block->read_order + 1u : whole;
    return first_order(device);
}

void adapt_read_window(struct array *array, size_t page, const struct device *device, size_t *from,
                       size_t *to)
{
    size_t index = array_block(array, page), start, end;
    struct block *block = &array->blocks[index];
    unsigned order = read_order(array, page, device);
    array_block_pages(array, index, &start, &end);
    bool is_rest = block->faults >= MANY_FAULTS;
    struct runs absent = {.without = {array->present}, .end = end};
    *from = page;
    *to = runs_find(&absent, page, false);
    if (is_rest) /* backwards too */
        while (*from > start && !bits_get(array->present, *from - 1))
            --*from;
    else if (*to - page > (size_t)1 << order)
        *to = page + ((size_t)1 << order);
    block->read_order = (uint8_t)order;
    block->next_page = (uint32_t)*to;
    block->faults += block->faults < UINT8_MAX;
}

void adapt_write_window(struct array *array, size_t page, size_t *from, size_t *to)
{
    size_t index = array_block(array, page), start, end;
    struct block *block = &array->blocks[index];
    array_block_pages(array, index, &start, &end);
    unsigned whole = order_of(2 * (end - start) - 1);
    unsigned order = 0;
    bool is_rest = block->write_faults >= MANY_FAULTS || block->dense_writes;
    if (is_rest)
        order = whole;
    else if (block->write_faults && is_near(page, block->next_write, block->write_order))
        order = block->write_order < whole ? block->write_order + 1u : whole;
    else if (page == start && index &&
             array->blocks[index - 1].written * 4u >= 3 * array->block_pages)
        order = whole;
    else
        array->scattered++;
    struct runs tracked = {.with = {array->tracked}, .end = end};
    *from = page;
    *to = runs_find(&tracked, page, false);
    if (is_rest)
        while (*from > start && bits_get(array->tracked, *from - 1))
            --*from;
    else if (*to - page > (size_t)1 << order)
        *to = page + ((size_t)1 << order);
    block->write_order = (uint8_t)order;
    block->next_write = (uint32_t)*to;
    block->write_faults += block->write_faults < UINT8_MAX;
    block->written = (uint16_t)(block->written + (*to - *from));
}

static uint8_t next_period(uint8_t period)
{
    return period ? (uint8_t)(2 * period < LONGEST_PERIOD ? 2 * period : LONGEST_PERIOD)
                  : FIRST_PERIOD;
}

/* A block that waited to be touched: was it fetched nearly whole? */
static void judge_reads(struct array *array, size_t index)
{
    struct block *block = &array->blocks[index];
    size_t from, to;
    array_block_pages(array, index, &from, &to);
    bool is_dense = block->faults && bits_count(array->present, from, to) * 4 >= (to - from) * 3;
    block->faults = 0;
    block->dense_reads = is_dense ? (uint8_t)(block->dense_reads + 1) : 0;
    if (!is_dense) {
        block->eager_period = 0;
    } else if (block->dense_reads >= 2) {
        block->dense_reads = 1; /* one more dense epoch after the eager ones is enough */
        block->eager_period = next_period(block->eager_period);
        block->eager_left = block->eager_period;
        array->eager_blocks++;
    }
}

void adapt_end_reads(struct array *array)
{
    if (!array->present_pages)
        return;
    for (size_t i = 0; i < array->block_count; i++)
        if (!array->blocks[i].eager_left)
            judge_reads(array, i);
}

void adapt_was_eager(struct array *array, size_t index)
{
    struct block *block = &array->blocks[index];
    if (--block->eager_left == 0)
        array->eager_blocks--;
}

/* How the tracked epoch that is over went: does the block go untracked for a while? */
static void judge_writes(const struct array *array, size_t index, struct block *block)
{
    size_t from, to;
    array_block_pages(array, index, &from, &to);
    if (block->written * 4u < (to - from) * 3) {
        block->unarmed_period = 0;
        block->dense_writes = 0;
    } else if (++block->dense_writes >= 2) {
        block->dense_writes = 1; /* one more dense epoch after the untracked ones is enough */
        block->unarmed_period = next_period(block->unarmed_period);
        block->unarmed_left = block->unarmed_period;
    }
}

bool adapt_wants_tracking(struct array *array, size_t index)
{
    struct block *block = &array->blocks[index];
    if (block->unarmed_left)
        block->unarmed_left--;
    else if (block->is_armed)
        judge_writes(array, index, block);
    block->written = 0;
    block->write_faults = 0;
    block->is_armed = !block->unarmed_left;
    return block->is_armed;
}

bool adapt_wants_recording(struct array *array, size_t written_pages)
{
    unsigned scattered = array->scattered;
    array->scattered = 0;
    if (!array->is_async)
        return scattered >= MANY_SCATTERED;
    if (written_pages * 16 > array->pages)
        return false; /* dense: windows are cheaper */
    array->quiet_scans = written_pages ? 0 : array->quiet_scans + 1;
    if (array->quiet_scans < MANY_QUIET_SCANS)
        return true;
    array->quiet_scans = 0;
    return false;
}

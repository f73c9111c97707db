/* SPDX-License-Identifier: MIT */
#include "adapt.h"

#define MANY_FAULTS 16
#define FIRST_PERIOD 16
#define LONGEST_PERIOD 64
#define CHEAP_BYTES ((size_t)64 << 10) /* plain copies of less cost less than protection */
#define FAULT_NS 8000                  /* about what a fault costs without its transfer */
#define WIDEST_FIRST_ORDER 4           /* a first window is at most 16 pages */

static unsigned order_of(size_t pages)
{
    return pages > 1 ? 63u - (unsigned)__builtin_clzll(pages) : 0;
}

/* The smallest order whose window covers a block. */
static unsigned whole_order(const struct array *array)
{
    return order_of(2 * array->block_pages - 1);
}

/* Where commands are dear compared with faults, a first window is worth some more bytes. */
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

/* ---- Windows ---- */

/* The run around `page` in which the bitmaps agree, within the block. */
static void run_around(const struct array *array, size_t page, struct runs *runs, size_t *from,
                       size_t *to)
{
    size_t start, end;
    array_block_pages(array, array_block(array, page), &start, &end);
    runs->end = end;
    *to = runs_find(runs, page, false);
    *from = page;
    while (*from > start && runs_has(runs, *from - 1))
        --*from;
}

/* A fault at `page`: of the candidates around it, what was used in the last epoch, or the rest of
 * the block, or 2^order pages. Returns the order of the window chosen. */
static unsigned choose_window(const struct array *array, size_t page, struct runs *candidates,
                              const uint64_t *recent, bool is_rest, unsigned order, size_t *from,
                              size_t *to)
{
    struct runs again = *candidates;
    if (!is_rest && bits_get(recent, page)) {
        again.with[1] = recent;
        candidates = &again;
        is_rest = true;
    }
    if (is_rest) {
        run_around(array, page, candidates, from, to);
        return order_of(2 * (*to - *from) - 1);
    }
    array_block_pages(array, array_block(array, page), from, to);
    if (*to - page > (size_t)1 << order)
        *to = page + ((size_t)1 << order);
    candidates->end = *to;
    *to = runs_find(candidates, page, false);
    *from = page;
    return order;
}

/* Whether a sequential user may come from the block before: all of it has been used. */
static bool is_continued(const struct array *array, size_t index, size_t page,
                         const uint64_t *unused, bool is_unused_set, unsigned faults)
{
    size_t from, to;
    if (!index || !faults)
        return false;
    array_block_pages(array, index, &from, &to);
    if (page != from)
        return false;
    array_block_pages(array, index - 1, &from, &to);
    return bits_count(unused, from, to) == (is_unused_set ? 0 : to - from);
}

void adapt_read_window(struct array *array, size_t page, const struct device *device, size_t *from,
                       size_t *to)
{
    size_t index = array_block(array, page);
    struct block *block = &array->blocks[index];
    unsigned whole = whole_order(array), order = first_order(device);
    if (block->faults && is_near(page, block->next_page, block->read_order))
        order = block->read_order < whole ? block->read_order + 1u : whole;
    else if (is_continued(array, index, page, array->present, false,
                          index ? array->blocks[index - 1].faults : 0))
        order = whole;
    struct runs absent = {.without = {array->present}};
    order = choose_window(array, page, &absent, array->reads.recent, block->faults >= MANY_FAULTS,
                          order, from, to);
    block->read_order = (uint8_t)order;
    block->next_page = (uint32_t)*to;
    block->faults += block->faults < UINT8_MAX;
}

void adapt_write_window(struct array *array, size_t page, size_t *from, size_t *to)
{
    size_t index = array_block(array, page);
    struct block *block = &array->blocks[index];
    unsigned whole = whole_order(array), order = 0;
    if (block->write_faults && is_near(page, block->next_write, block->write_order))
        order = block->write_order < whole ? block->write_order + 1u : whole;
    else if (is_continued(array, index, page, array->tracked, true,
                          index ? array->blocks[index - 1].write_faults : 0))
        order = whole;
    bool is_hot = block->reads.left > 0;
    block->is_hot_written |= is_hot;
    struct runs tracked = {.with = {array->tracked}};
    order = choose_window(array, page, &tracked, array->writes.recent,
                          is_hot || block->write_faults >= MANY_FAULTS, order, from, to);
    block->write_order = (uint8_t)order;
    block->next_write = (uint32_t)*to;
    block->write_faults += block->write_faults < UINT8_MAX;
}

/* ---- Predictions ---- */

static uint8_t next_period(uint8_t period)
{
    if (!period)
        return FIRST_PERIOD;
    return (uint8_t)(2 * period < LONGEST_PERIOD ? 2 * period : LONGEST_PERIOD);
}

/* An epoch is over in which every use of the block's pages [from, to) was seen; `now` and not `but`
 * are those used. What was used twice in a row is hot from here on. */
static void judge(struct predictor *predictor, struct predictor_maps *maps, const uint64_t *now,
                  const uint64_t *but, size_t from, size_t to)
{
    bool is_next = predictor->recent_epoch + 1 == maps->epoch;
    if (is_next)
        bits_copy(maps->hot, now, maps->recent, but, from, to);
    bits_copy(maps->recent, now, NULL, but, from, to);
    predictor->recent_epoch = maps->epoch;
    if (is_next && bits_count(maps->hot, from, to)) {
        predictor->period = next_period(predictor->period);
        predictor->left = predictor->period;
        maps->blocks++;
    } else {
        predictor->period = 0;
    }
}

/* An epoch is over. Afterwards, if nothing is hot, the next one is looked at. */
static void end_epoch(struct predictor *predictor, struct predictor_maps *maps, const uint64_t *now,
                      const uint64_t *but, size_t from, size_t to)
{
    if (predictor->left)
        return;
    if (predictor->is_looking)
        judge(predictor, maps, now, but, from, to);
    else
        predictor->recent_epoch = maps->epoch; /* what was hot is compared with the next epoch */
    predictor->is_looking = !predictor->left;
}

/* Hot pages were treated as such once more. */
static void spend(struct predictor *predictor, struct predictor_maps *maps, size_t from, size_t to)
{
    if (!predictor->left || --predictor->left)
        return;
    bits_clear(maps->hot, from, to);
    maps->blocks--;
}

void adapt_end(struct array *array)
{
    size_t from, to;
    array->reads.epoch++;
    if (!array->present_pages)
        return;
    for (size_t i = 0; i < array->block_count; i++) {
        struct block *block = &array->blocks[i];
        array_block_pages(array, i, &from, &to);
        end_epoch(&block->reads, &array->reads, array->present, NULL, from, to);
        if (!block->reads.left) {
            block->faults = 0;
            block->is_hot_written = false;
        }
    }
}

void adapt_was_eager(struct array *array)
{
    size_t from, to;
    for (size_t i = 0; array->reads.blocks && i < array->block_count; i++) {
        array_block_pages(array, i, &from, &to);
        spend(&array->blocks[i].reads, &array->reads, from, to);
    }
}

bool adapt_wants_hot_tracking(const struct array *array, const struct link *link, size_t from,
                              size_t to)
{
    size_t bytes = (to - from) * array->context->page_bytes;
    bool is_cheap_to_send = link->reach && bytes < CHEAP_BYTES;
    return !is_cheap_to_send && !array->blocks[array_block(array, from)].is_hot_written;
}

void adapt_begin(struct array *array, size_t index)
{
    struct block *block = &array->blocks[index];
    size_t from, to;
    array_block_pages(array, index, &from, &to);
    spend(&block->writes, &array->writes, from, to);
    end_epoch(&block->writes, &array->writes, array->present, array->tracked, from, to);
    block->write_faults = 0;
}

/* SPDX-License-Identifier: MIT */
#include "adapt.h"

#define MANY_FAULTS 16
#define PROBE_EPOCHS 5
#define FAULT_NS 8000        /* about what a fault costs without its transfer */
#define WIDEST_FIRST_ORDER 4 /* a first window is at most 16 pages */

static unsigned order_of(size_t pages)
{
    return pages > 1 ? 63u - (unsigned)__builtin_clzll(pages) : 0;
}

/* The smallest order whose window covers a block. */
static unsigned whole_order(const struct array *array)
{
    return order_of(2 * array->block_pages - 1);
}

/* Where commands are dear compared with faults, a first window is worth some more bytes, as long
 * as they turn out to be used. */
static unsigned first_order(const struct array *array, const struct device *device)
{
    uint64_t command_ns = atomic_load_explicit(&device->command_ns, memory_order_relaxed);
    unsigned order = order_of((size_t)(command_ns / FAULT_NS));
    unsigned most = WIDEST_FIRST_ORDER - array->first_order_cut;
    return order < most ? order : most;
}

/* ---- Windows ---- */

/* Whether a fault at `page` comes right after the last window (1) or right before it (-1). Then all
 * of that window is known to be used. */
static int8_t predictor_follow(struct predictor *predictor, const struct window *last, size_t page)
{
    bool is_after = page >= last->to && page - last->to <= ((size_t)2 << last->order);
    if (!last->faults || !(is_after || page + 1 == last->from))
        return 0;
    bits_set(predictor->used, last->from, last->to);
    return is_after ? 1 : -1;
}

/* The window that a fault at `page` may follow: the block's last one, or that of the block beside
 * it, whose end it has reached. */
static const struct window *window_before(const struct array *array, size_t page, size_t which)
{
    size_t index = array_block(array, page), from, to;
    const struct block *block = &array->blocks[index];
    array_block_pages(array, index, &from, &to);
    if (block->windows[which].faults)
        return &block->windows[which];
    if (index && page == from && block[-1].windows[which].to == from)
        return &block[-1].windows[which];
    if (index + 1 < array->block_count && page + 1 == to && block[1].windows[which].from == to)
        return &block[1].windows[which];
    return &block->windows[which];
}

/* The next window's step, and its order: twice the last one's for sequential users. */
static void window_grow(const struct array *array, struct predictor *predictor, size_t page,
                        size_t which, unsigned first)
{
    struct window *window = &array->blocks[array_block(array, page)].windows[which];
    const struct window *last = window_before(array, page, which);
    unsigned whole = whole_order(array), next = last->order < whole ? last->order + 1u : whole;
    window->step = predictor_follow(predictor, last, page);
    window->order = (uint8_t)(window->step ? next : first);
}

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

/* A guess that no later fault would confirm leaves its last page out, or its first. A fault there
 * tells that the others are used, too. */
static void leave_witness(size_t page, size_t *from, size_t *to)
{
    if (page + 1 < *to)
        --*to;
    else if (page > *from)
        ++*from;
}

/* Whether the next block's first fault, in the reader's direction, will tell that a run was
 * used. */
static bool is_continued(const struct array *array, const struct predictor *predictor, size_t page,
                         size_t from, size_t to)
{
    size_t start, end, next = to;
    array_block_pages(array, array_block(array, page), &start, &end);
    if (page > from && page + 1 == to && from == start && from > 0)
        next = from - 1;
    else if (to != end || to == array->pages)
        return false;
    return bits_get(predictor->recent, next) && !bits_get(predictor->hot, next);
}

/* 2^order candidates, from `page` on in the reader's direction. */
static void choose_next(const struct array *array, size_t page, struct runs *candidates,
                        const struct window *window, size_t *from, size_t *to)
{
    size_t most = (size_t)1 << window->order;
    run_around(array, page, candidates, from, to);
    if (window->step < 0) {
        *to = page + 1;
        *from = *to - *from > most ? *to - most : *from;
    } else {
        *from = page;
        *to = *to - page > most ? page + most : *to;
    }
    if (*to == array->pages || (window->step < 0 && *from == 0))
        leave_witness(page, from, to);
}

/* A fault at `page`. Of the candidates around it: those used in the last epoch, or the rest of the
 * block, or 2^order pages. */
static void choose_window(const struct array *array, struct predictor *predictor, size_t page,
                          struct runs *candidates, struct window *window)
{
    bool is_rest = window->faults >= MANY_FAULTS;
    bool is_recent = !is_rest && bits_get(predictor->recent, page);
    size_t from, to;
    if (is_recent || is_rest) {
        if (is_recent)
            candidates->with[1] = predictor->recent;
        run_around(array, page, candidates, &from, &to);
        if (is_rest || !is_continued(array, predictor, page, from, to))
            leave_witness(page, &from, &to);
        window->order = (uint8_t)order_of(2 * (to - from) - 1);
    } else {
        choose_next(array, page, candidates, window, &from, &to);
    }
    window->from = (uint32_t)from;
    window->to = (uint32_t)to;
    window->faults += window->faults < UINT8_MAX;
    bits_set(predictor->used, page, page + 1);
}

static bool is_hot(const struct array *array, size_t page)
{
    const struct predictor *reads = &array->reads;
    return bits_get(reads->hot, page) || (reads->is_probing && reads->probe == page);
}

void adapt_read_window(struct array *array, size_t page, const struct device *device, bool is_write,
                       size_t *from, size_t *to)
{
    struct block *block = &array->blocks[array_block(array, page)];
    struct window *window = &block->windows[READS];
    struct runs absent = {.without = {array->present}};
    block->is_hot_written |= is_write && is_hot(array, page);
    window_grow(array, &array->reads, page, READS, first_order(array, device));
    choose_window(array, &array->reads, page, &absent, window);
    *from = window->from;
    *to = window->to;
}

void adapt_write_window(struct array *array, size_t page, size_t *from, size_t *to)
{
    struct block *block = &array->blocks[array_block(array, page)];
    struct window *window = &block->windows[WRITES];
    struct runs tracked = {.with = {array->tracked}};
    bool is_rest = is_hot(array, page);
    block->is_hot_written |= is_rest;
    window_grow(array, &array->writes, page, WRITES, 0);
    if (is_rest) {
        run_around(array, page, &tracked, from, to);
        return;
    }
    choose_window(array, &array->writes, page, &tracked, window);
    *from = window->from;
    *to = window->to;
}

bool adapt_resume(struct array *array, size_t page, bool is_write, size_t *from, size_t *to)
{
    struct predictor *predictor = is_write ? &array->writes : &array->reads;
    size_t which = is_write ? WRITES : READS, last;
    struct window window = array->blocks[array_block(array, page)].windows[which];
    struct runs former = {.with = {predictor->former}, .end = array->pages};
    if (!predictor->has_former || !window.step || !runs_has(&former, page))
        return false;
    if (window.step > 0) {
        *from = window.to;
        *to = last = runs_find(&former, page, false) - 1;
        window.to = (uint32_t)*to;
    } else {
        *to = window.from;
        for (last = page; last > 0 && runs_has(&former, last - 1); last--)
            ;
        *from = last + 1;
        window.from = (uint32_t)*from;
    }
    if (*from >= *to)
        return false;
    array->blocks[array_block(array, last)].windows[which] = window;
    for (size_t i = 0; i < BITS_WORDS(array->pages); i++)
        predictor->recent[i] |= predictor->former[i];
    predictor->recent_epoch = predictor->epoch;
    bits_clear(predictor->former, 0, array->pages);
    predictor->has_former = false;
    return true;
}

void adapt_was_touched(struct array *array, size_t from, size_t to, bool is_write)
{
    bits_set(array->reads.used, from, to);
    if (is_write)
        bits_set(array->writes.used, from, to);
}

/* ---- Predictions ---- */

static void predictor_forget(struct array *array, struct predictor *predictor)
{
    bits_clear(predictor->hot, 0, array->pages);
    bits_clear(predictor->recent, 0, array->pages);
    predictor->hot_pages = 0;
}

/* The probe was used: so the others are expected to be. Else nothing is known any more. */
static void end_probe(struct array *array, struct predictor *predictor, bool was_used)
{
    if (!predictor->is_probing)
        return;
    predictor->is_probing = false;
    if (was_used) {
        predictor->hot_pages += bits_set(predictor->hot, predictor->probe, predictor->probe + 1);
        return;
    }
    for (size_t i = 0; i < BITS_WORDS(array->pages); i++)
        predictor->former[i] |= predictor->hot[i];
    bits_set(predictor->former, predictor->probe, predictor->probe + 1);
    predictor->has_former = true;
    predictor_forget(array, predictor);
}

/* An epoch is over: what was used in it and in the one before is hot from here on. */
static void epoch_judge(struct array *array, struct predictor *predictor)
{
    bool is_next = predictor->recent_epoch + 1 == predictor->epoch;
    for (size_t i = 0; i < BITS_WORDS(array->pages); i++) {
        uint64_t used = predictor->used[i];
        uint64_t fresh = is_next ? used & predictor->recent[i] & ~predictor->hot[i] : 0;
        predictor->hot[i] |= fresh;
        predictor->hot_pages += (size_t)__builtin_popcountll(fresh);
        predictor->recent[i] = used | predictor->hot[i];
        predictor->used[i] = 0;
    }
    predictor->recent_epoch = predictor->epoch;
}

/* Now and then one hot page is treated as any other, to see whether it is still used. */
static void choose_probe(struct array *array, struct predictor *predictor)
{
    if (!predictor->hot_pages || ++predictor->unprobed_epochs < PROBE_EPOCHS)
        return;
    uint32_t random = predictor->epoch * UINT32_C(2654435761);
    struct runs hot = {.with = {predictor->hot}, .end = array->pages};
    size_t page = runs_find(&hot, (random >> 8) % array->pages, true);
    if (page == array->pages)
        page = runs_find(&hot, 0, true);
    predictor->unprobed_epochs = 0;
    predictor->is_probing = true;
    predictor->probe = page;
    predictor->hot_pages -= bits_clear(predictor->hot, page, page + 1);
}

/* A block's only fault, of few pages: more would not have been used. */
static void learn_first_order(struct array *array)
{
    bool is_followed = false, is_alone = false;
    for (size_t i = 0; i < array->block_count; i++) {
        struct window *window = &array->blocks[i].windows[READS];
        is_followed |= window->faults > 1;
        is_alone |= window->faults == 1 && window->to - window->from <= 1u << WIDEST_FIRST_ORDER;
        window->faults = 0;
    }
    if (is_followed)
        array->first_order_cut = 0;
    else if (is_alone && array->first_order_cut < WIDEST_FIRST_ORDER)
        array->first_order_cut++;
}

static void forget_written(struct array *array)
{
    for (size_t i = 0; i < array->block_count; i++)
        array->blocks[i].is_hot_written = false;
}

void adapt_end(struct array *array)
{
    struct predictor *reads = &array->reads;
    reads->epoch++;
    if (!array->present_pages && !reads->is_probing)
        return;
    if (reads->is_probing) {
        bool is_written = array->blocks[array_block(array, reads->probe)].is_hot_written;
        end_probe(array, reads, bits_get(array->present, reads->probe));
        if (!reads->hot_pages || (reads->was_written && !is_written))
            forget_written(array);
    }
    learn_first_order(array);
    epoch_judge(array, reads);
    choose_probe(array, reads);
    if (reads->is_probing) {
        struct block *block = &array->blocks[array_block(array, reads->probe)];
        reads->was_written = block->is_hot_written;
        block->is_hot_written = false;
    }
}

size_t adapt_hot_end(const struct array *array, size_t from, size_t to)
{
    size_t block = array_block(array, from), start, end;
    bool is_written = array->blocks[block].is_hot_written;
    do
        array_block_pages(array, block, &start, &end);
    while (end < to && array->blocks[++block].is_hot_written == is_written);
    return end < to ? end : to;
}

bool adapt_wants_hot_tracking(const struct array *array, size_t from)
{
    return !array->blocks[array_block(array, from)].is_hot_written;
}

void adapt_begin(struct array *array)
{
    struct predictor *writes = &array->writes;
    writes->epoch++;
    end_probe(array, writes, !bits_get(array->tracked, writes->probe));
    if (array->present_pages == array->tracked_pages)
        return;
    for (size_t i = 0; i < array->block_count; i++)
        array->blocks[i].windows[WRITES].faults = 0;
    epoch_judge(array, writes);
    choose_probe(array, writes);
}

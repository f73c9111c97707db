/* SPDX-License-Identifier: MIT */
/* Where arrays lie: in malloc'ed, mapped, stack and global memory, at any offset, several in a
 * block. */
#include "worker.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const size_t huge_page = 2u << 20;
static const size_t budget_bytes = 44u << 20; /* of one worker's blocks */

static size_t round_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* ---- Blocks ---- */

static bool is_place_taken(const struct worker *worker, enum place place)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (worker->blocks[i].host != NULL && worker->blocks[i].place == place)
            return true;
    }
    return false;
}

static size_t bytes_in_blocks(const struct worker *worker)
{
    size_t sum = 0;
    for (unsigned i = 0; i < BLOCKS; i++)
        sum += worker->blocks[i].host != NULL ? worker->blocks[i].bytes : 0;
    return sum;
}

/* Mapped memory, aligned to `alignment`; nothing has touched it yet. */
static bool map_block(struct block *block, size_t bytes, size_t alignment)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    block->mapping_bytes = round_up(bytes, page) + alignment;
    block->mapping = mmap(NULL, block->mapping_bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (block->mapping == MAP_FAILED)
        return false;
    block->host = (unsigned char *)round_up((size_t)block->mapping, alignment);
    block->bytes = round_up(bytes, page);
    return true;
}

static bool get_memory(struct worker *worker, struct block *block, size_t bytes)
{
    block->bytes = bytes;
    switch (block->place) {
    case PLACE_MALLOC:
        block->host = malloc(bytes);
        break;
    case PLACE_CALLOC:
        block->host = calloc(1, bytes);
        break;
    case PLACE_PAGES:
        return map_block(block, bytes, (size_t)sysconf(_SC_PAGESIZE));
    case PLACE_HUGE:
        return map_block(block, bytes, huge_page);
    case PLACE_STACK:
        block->host = worker->stack_area;
        block->bytes = STACK_AREA_BYTES;
        break;
    case PLACE_GLOBAL:
        block->host = worker->global_area;
        block->bytes = GLOBAL_AREA_BYTES;
        break;
    }
    return block->host != NULL;
}

/* Some memory stays as the kernel gave it: zeros that were never touched. */
static void fill_block(struct worker *worker, struct block *block)
{
    bool is_zero =
        block->place == PLACE_CALLOC || block->place == PLACE_PAGES || block->place == PLACE_HUGE;
    if (is_zero && !dice_one_in(&worker->dice, 3))
        return;
    dice_fill(&worker->dice, block->model, block->bytes);
    memcpy(block->host, block->model, block->bytes);
}

static enum place pick_place(struct worker *worker, size_t bytes)
{
    static const enum place places[] = {PLACE_MALLOC, PLACE_MALLOC, PLACE_MALLOC,
                                        PLACE_CALLOC, PLACE_PAGES,  PLACE_PAGES,
                                        PLACE_HUGE,   PLACE_STACK,  PLACE_GLOBAL};
    enum place place = places[dice_below(&worker->dice, sizeof places / sizeof *places)];
    if (place == PLACE_STACK && (bytes > STACK_AREA_BYTES || is_place_taken(worker, place)))
        return PLACE_MALLOC;
    if (place == PLACE_GLOBAL && (bytes > GLOBAL_AREA_BYTES || is_place_taken(worker, place)))
        return PLACE_MALLOC;
    if (place == PLACE_HUGE && bytes < (1u << 20))
        return PLACE_PAGES;
    return place;
}

static struct block *make_block(struct worker *worker, size_t bytes, bool is_mapped)
{
    struct block *block = NULL;
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (worker->blocks[i].host == NULL)
            block = &worker->blocks[i];
    }
    if (block == NULL || bytes_in_blocks(worker) + bytes > budget_bytes)
        return NULL;
    *block = (struct block){.place = is_mapped ? PLACE_PAGES : pick_place(worker, bytes)};
    if (!get_memory(worker, block, bytes)) {
        block->host = NULL;
        return NULL;
    }
    block->model = calloc(1, block->bytes);
    if (block->model == NULL)
        abort();
    fill_block(worker, block);
    return block;
}

void release_block(struct block *block)
{
    if (block->mapping != NULL)
        munmap(block->mapping, block->mapping_bytes);
    else if (block->place == PLACE_MALLOC || block->place == PLACE_CALLOC)
        free(block->host);
    free(block->model);
    *block = (struct block){0};
}

bool has_arrays(const struct worker *worker, const struct block *block)
{
    return next_array(worker, block, 0, is_any) != NULL;
}

/* ---- Arrays ---- */

static size_t pick_bytes(struct dice *dice)
{
    static const struct {
        unsigned percent;
        size_t low, high;
    } classes[] = {{20, 1, 64},         {25, 65, 5000},        {22, 5001, 70000},
                   {18, 70001, 600000}, {12, 600001, 4 << 20}, {3, 16 << 20, 20 << 20}};
    unsigned roll = (unsigned)dice_below(dice, 100), i = 0;
    while (roll >= classes[i].percent)
        roll -= classes[i++].percent;
    size_t bytes = dice_between(dice, classes[i].low, classes[i].high);
    if (bytes > 4096 && dice_one_in(dice, 4))
        return bytes / 4096 * 4096;
    return bytes;
}

/* A part of a block that has arrays already: often right after another, on the same page. */
static bool find_room(struct worker *worker, const struct block *block, struct array *array)
{
    size_t at = dice_below(&worker->dice, block->bytes);
    const struct array *next = next_array(worker, block, at, is_any);
    if (next != NULL && next->offset <= at) {
        at = next->offset + next->bytes;
        next = next_array(worker, block, at, is_any);
    }
    size_t end = next != NULL ? next->offset : block->bytes;
    if (end <= at)
        return false;
    array->offset = at;
    array->bytes = smaller(pick_bytes(&worker->dice), end - at);
    return true;
}

static struct block *pick_block(struct worker *worker)
{
    unsigned start = (unsigned)dice_below(&worker->dice, BLOCKS);
    for (unsigned i = 0; i < BLOCKS; i++) {
        struct block *block = &worker->blocks[(start + i) % BLOCKS];
        if (block->host != NULL)
            return block;
    }
    return NULL;
}

/* Bytes beside the array at each end: none, few, or room for more arrays. */
static size_t pick_margin(struct dice *dice, size_t bytes)
{
    switch (dice_below(dice, 4)) {
    case 0:
        return 0;
    case 1:
        return dice_between(dice, 1, 64);
    case 2:
        return dice_between(dice, 1, 5000);
    default:
        return bytes < 100000 ? dice_between(dice, 1, 3 * bytes) : 4096;
    }
}

static bool place_in_new_block(struct worker *worker, struct array *array)
{
    struct dice *dice = &worker->dice;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    array->bytes = pick_bytes(dice);
    array->offset = dice_one_in(dice, 3) ? 0 : pick_margin(dice, array->bytes);
    size_t after = dice_one_in(dice, 3) ? 0 : pick_margin(dice, array->bytes);
    bool is_whole = dice_one_in(dice, 4); /* pages of its own: no edges */
    if (is_whole) {
        array->bytes = round_up(array->bytes, page);
        array->offset = round_up(array->offset, page);
    }
    struct block *block = make_block(worker, array->offset + array->bytes + after, is_whole);
    if (block == NULL)
        return false;
    array->block = block;
    if (!is_whole && dice_one_in(dice, 4)) { /* on a page's first byte, if that leaves room */
        size_t shift = (page - (size_t)array_host(array) % page) % page;
        if (array->offset + shift + array->bytes <= block->bytes)
            array->offset += shift;
    }
    return true;
}

struct array *place_array(struct worker *worker)
{
    struct array *array = NULL;
    for (unsigned i = 0; i < ARRAYS && array == NULL; i++) {
        if (!worker->arrays[i].is_alive)
            array = &worker->arrays[i];
    }
    if (array == NULL)
        return NULL;
    for (unsigned i = 0; i < CHECKSUM_SLOTS; i++) {
        if (worker->checks[i].is_used && worker->checks[i].array == array)
            settle_checks(worker); /* while the slot still tells of the old array */
    }
    *array = (struct array){.block = pick_block(worker)};
    if (array->block != NULL && dice_one_in(&worker->dice, 2))
        return find_room(worker, array->block, array) ? array : NULL;
    return place_in_new_block(worker, array) ? array : NULL;
}

/* SPDX-License-Identifier: MIT */
/*
 * A digest of what the program's buffers hold, taken from the side while a kernel runs: memory, and
 * what caches have that is newer. It is a sum over lines, so that a dirty line can take the place
 * of memory's. Lines of zeros add nothing, so that pages that were never touched need not be read.
 * What is in flight between caches is not seen: it has arrived by the next digest.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/timed_gpu.h"
#include "mem/bytes.h"

enum { CHUNK_PAGES = 4096, LINE_WORDS = LINE_BYTES / 8 };

static uint64_t mix_line(uint64_t addr, const unsigned char *bytes)
{
    static const uint64_t odd[LINE_WORDS] = {
        UINT64_C(0x9e3779b97f4a7c15), UINT64_C(0xbf58476d1ce4e5b9), UINT64_C(0x94d049bb133111eb),
        UINT64_C(0xd6e8feb86659fd93), UINT64_C(0xa0761d6478bd642f), UINT64_C(0xe7037ed1a0b428db),
        UINT64_C(0x8ebc6af09c88c6e3), UINT64_C(0x589965cc75374cc3)};
    uint64_t words[LINE_WORDS], all = 0, mixed = 0;

    memcpy(words, bytes, sizeof words);
    for (unsigned i = 0; i < LINE_WORDS; i++) {
        uint64_t word = words[i] * odd[i];

        all |= words[i];
        mixed += (word ^ word >> 32) * odd[(i + 1) % LINE_WORDS];
    }
    return all == 0 ? 0 : (mixed ^ mixed >> 29) * (addr * 2 + odd[0]);
}

static uint64_t digest_bytes(const struct backing *backing, uint64_t addr, uint64_t bytes)
{
    const unsigned char *host = backing_host(backing, addr);
    uint64_t digest = 0;

    for (uint64_t at = 0; at < bytes; at += LINE_BYTES)
        digest += mix_line(addr + at, host + at);
    return digest;
}

/* Of whole pages: a block has its last page to itself. */
static uint64_t digest_block(const struct backing *backing, const struct backing_block *block)
{
    uint64_t pages = (block->bytes + BACKING_PAGE_BYTES - 1) / BACKING_PAGE_BYTES, digest = 0;
    unsigned char is_there[CHUNK_PAGES];

    for (uint64_t first = 0; first < pages; first += CHUNK_PAGES) {
        uint64_t count = pages - first < CHUNK_PAGES ? pages - first : CHUNK_PAGES;
        uint64_t addr = block->addr + first * BACKING_PAGE_BYTES;

        if (mincore(backing_host(backing, addr), count * BACKING_PAGE_BYTES, is_there) != 0)
            memset(is_there, 1, sizeof is_there);
        for (uint64_t i = 0; i < count; i++)
            if ((is_there[i] & 1) != 0)
                digest += digest_bytes(backing, addr + i * BACKING_PAGE_BYTES, BACKING_PAGE_BYTES);
    }
    return digest;
}

static bool is_visible(const struct backing *backing, uint64_t addr)
{
    uint32_t low = 0, high = backing->block_count;

    while (low < high) { /* the first block that begins above the address */
        uint32_t middle = (low + high) / 2;

        if (backing->blocks[middle].addr <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && !backing->blocks[low - 1].is_hidden &&
           addr - backing->blocks[low - 1].addr < backing->blocks[low - 1].bytes;
}

/* The line as those see it that a cache's dirty bytes stand in front of. */
static void line_overlay(const struct timed_gpu *gpu, const struct controller *above, uint64_t addr,
                         unsigned char *bytes)
{
    const struct controller *slice = gpu->slice_controllers[address_place(&gpu->map, addr).slice];
    const struct line *line = above != slice ? controller_find(slice, addr) : NULL;

    memcpy(bytes, backing_host(&gpu->machine->backing, addr), LINE_BYTES);
    if (line != NULL && line->dirty != 0)
        copy_masked(bytes, line->data, line->dirty);
}

/* What a cache's dirty lines add to the digest of what lies below. */
static uint64_t digest_cache(const struct timed_gpu *gpu, const struct controller *controller)
{
    uint64_t digest = 0;

    for (uint32_t i = 0; i < controller->line_count; i++) {
        const struct line *line = &controller->lines[i];
        unsigned char bytes[LINE_BYTES];

        if (controller->tags[i] == 0 || line->dirty == 0 ||
            !is_visible(&gpu->machine->backing, line->addr))
            continue;
        line_overlay(gpu, controller, line->addr, bytes);
        digest -= mix_line(line->addr, bytes);
        copy_masked(bytes, line->data, line->dirty);
        digest += mix_line(line->addr, bytes);
    }
    return digest;
}

uint64_t timed_gpu_digest(const struct timed_gpu *gpu)
{
    uint64_t digest = 0;

    for (uint32_t i = 0; i < gpu->map.slices; i++)
        digest += digest_cache(gpu, gpu->slice_controllers[i]);
    for (uint32_t i = 0; i < gpu->upper_count; i++)
        digest += digest_cache(gpu, gpu->upper_controllers[i]);
    return digest;
}

uint64_t machine_digest(const void *context)
{
    const struct machine *machine = context;
    const struct backing *backing = &machine->backing;
    uint64_t digest = machine->model->operations->digest(machine->model);

    for (uint32_t i = 0; i < backing->block_count; i++)
        if (!backing->blocks[i].is_hidden)
            digest += digest_block(backing, &backing->blocks[i]);
    return digest;
}

/* SPDX-License-Identifier: MIT */
#include "mem/backing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/bits.h"
#include "base/check.h"

enum { HUGE_BYTES = 2 << 20, ALIGN_MIN = 256 };

static void *range_reserve(void *at, uint64_t bytes, int flags)
{
    void *got = mmap(at, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);

    if (got != MAP_FAILED && at != NULL &&
        got != at) { /* a kernel that knows no MAP_FIXED_NOREPLACE */
        munmap(got, bytes);
        return MAP_FAILED;
    }
    return got;
}

bool backing_init(struct backing *backing, uint64_t bytes, bool at_base,
                  struct diagnosis *diagnosis)
{
    void *host = MAP_FAILED;

    memset(backing, 0, sizeof *backing);
    if (bytes == 0 || bytes % HUGE_BYTES != 0)
        return diagnose(diagnosis, "device memory of %llu bytes is not a multiple of 2 MB",
                        (unsigned long long)bytes);
    if (at_base)
        host = range_reserve((void *)(uintptr_t)BACKING_BASE, bytes, MAP_FIXED_NOREPLACE);
    backing->is_shared = host != MAP_FAILED;
    if (host == MAP_FAILED)
        host = range_reserve(NULL, bytes, 0);
    if (host == MAP_FAILED)
        return diagnose(diagnosis, "cannot reserve %llu MB of addresses for device memory: %s",
                        (unsigned long long)(bytes >> 20), strerror(errno));
    madvise(host, bytes, MADV_HUGEPAGE); /* only a wish */
    backing->host = host;
    backing->base = BACKING_BASE;
    backing->bytes = bytes;
    backing->mapped = allocate(bytes / BACKING_PAGE_BYTES / 64 + 1, sizeof *backing->mapped);
    for (unsigned i = 0; i < BACKING_ACCESSES; i++)
        backing->allowed[i] = allocate(bytes / BACKING_PAGE_BYTES / 64 + 1, sizeof(uint64_t));
    return true;
}

void backing_finish(struct backing *backing)
{
    if (backing->host != NULL)
        munmap(backing->host, backing->bytes);
    free(backing->mapped);
    for (unsigned i = 0; i < BACKING_ACCESSES; i++)
        free(backing->allowed[i]);
    free(backing->blocks);
    memset(backing, 0, sizeof *backing);
}

static void set_bits(uint64_t *bits, uint64_t first, uint64_t last, bool is_set)
{
    for (uint64_t page = first; page <= last; page++)
        if (is_set)
            bits[page / 64] |= UINT64_C(1) << (page % 64);
        else
            bits[page / 64] &= ~(UINT64_C(1) << (page % 64));
}

/* What the pages of a block allow. Kernels may do nothing with memory that is not mapped. */
static void set_pages(struct backing *backing, const struct backing_block *block, bool is_mapped)
{
    uint64_t first = (block->addr - backing->base) / BACKING_PAGE_BYTES;
    uint64_t last = (block->addr + block->bytes - 1 - backing->base) / BACKING_PAGE_BYTES;

    set_bits(backing->mapped, first, last, is_mapped);
    for (unsigned i = 0; i < BACKING_ACCESSES; i++)
        set_bits(backing->allowed[i], first, last, is_mapped && (block->rights >> i & 1) != 0);
}

/* First address at or after `from` (the end of what lies before) with a guard page in between. */
static uint64_t start_after(uint64_t from, uint64_t align)
{
    return align_up(align_up(from, BACKING_PAGE_BYTES) + BACKING_PAGE_BYTES, align);
}

/* Room for a new block's record at `index`, in order of address. */
static struct backing_block *insert_block(struct backing *backing, uint32_t index)
{
    if (backing->block_count == backing->block_capacity) {
        backing->block_capacity = backing->block_capacity == 0 ? 64 : backing->block_capacity * 2;
        backing->blocks =
            reallocate(backing->blocks, backing->block_capacity, sizeof *backing->blocks);
    }
    memmove(backing->blocks + index + 1, backing->blocks + index,
            (backing->block_count - index) * sizeof *backing->blocks);
    backing->block_count++;
    memset(&backing->blocks[index], 0, sizeof backing->blocks[index]);
    return &backing->blocks[index];
}

uint64_t backing_allocate(struct backing *backing, uint64_t bytes, uint64_t align, const char *name)
{
    uint64_t before = backing->base;
    struct backing_block *block;
    uint32_t index;

    if (align < BACKING_PAGE_BYTES)
        align = BACKING_PAGE_BYTES; /* pages are what is mapped, so a block begins with one */
    check(is_power_of_two(align), "%s: alignment %llu", name, (unsigned long long)align);
    if (bytes == 0 || bytes > backing->bytes)
        return 0;
    for (index = 0;; index++) {
        uint64_t start = start_after(before, align);
        uint64_t end = index < backing->block_count ? backing->blocks[index].addr
                                                    : backing->base + backing->bytes;

        if (start + align_up(bytes, BACKING_PAGE_BYTES) + BACKING_PAGE_BYTES <= end) {
            block = insert_block(backing, index);
            block->addr = start;
            break;
        }
        if (index == backing->block_count)
            return 0;
        before = backing->blocks[index].addr + backing->blocks[index].bytes;
    }
    block->bytes = bytes;
    block->rights = BACKING_MAY_ALL;
    snprintf(block->name, sizeof block->name, "%s", name);
    backing->allocated_bytes += bytes;
    set_pages(backing, block, true);
    return block->addr;
}

void backing_free(struct backing *backing, uint64_t addr)
{
    uint32_t index = 0;
    struct backing_block *block;

    while (index < backing->block_count && backing->blocks[index].addr != addr)
        index++;
    check(index < backing->block_count, "no block of device memory begins at 0x%llx",
          (unsigned long long)addr);
    block = &backing->blocks[index];
    set_pages(backing, block, false);
    /* Whole pages: a block owns its last one alone. Failing that, by hand. */
    if (madvise(backing_host(backing, addr), align_up(block->bytes, BACKING_PAGE_BYTES),
                MADV_DONTNEED) != 0)
        memset(backing_host(backing, addr), 0, align_up(block->bytes, BACKING_PAGE_BYTES));
    backing->allocated_bytes -= block->bytes;
    backing->block_count--;
    memmove(block, block + 1, (backing->block_count - index) * sizeof *block);
}

void backing_hide(struct backing *backing, uint64_t addr, uint8_t rights)
{
    uint32_t hint = 0;
    struct backing_block *block;

    if (backing_find(backing, addr, &hint) == NULL)
        return;
    block = &backing->blocks[hint];
    block->is_hidden = true;
    block->rights = rights;
    set_pages(backing, block, true);
}

static bool block_holds(const struct backing_block *block, uint64_t addr)
{
    return addr - block->addr < block->bytes;
}

const struct backing_block *backing_find(const struct backing *backing, uint64_t addr,
                                         uint32_t *hint)
{
    uint32_t first = 0, end = backing->block_count;

    if (*hint < end && block_holds(&backing->blocks[*hint], addr))
        return &backing->blocks[*hint];
    while (first < end) { /* the last block that begins at or before the address */
        uint32_t middle = first + (end - first) / 2;

        if (backing->blocks[middle].addr <= addr)
            first = middle + 1;
        else
            end = middle;
    }
    if (first == 0 || !block_holds(&backing->blocks[first - 1], addr))
        return NULL;
    *hint = first - 1;
    return &backing->blocks[first - 1];
}

/* Bytes between the address and the block; 0: inside. */
static uint64_t block_distance(const struct backing_block *block, uint64_t addr)
{
    if (addr < block->addr)
        return block->addr - addr;
    return addr < block->addr + block->bytes ? 0 : addr - (block->addr + block->bytes) + 1;
}

static const struct backing_block *nearest_shown(const struct backing *backing, uint64_t addr)
{
    const struct backing_block *nearest = NULL;

    for (uint32_t i = 0; i < backing->block_count; i++) {
        const struct backing_block *block = &backing->blocks[i];

        if (!block->is_hidden &&
            (nearest == NULL || block_distance(block, addr) < block_distance(nearest, addr)))
            nearest = block;
    }
    return nearest;
}

const struct backing_block *backing_nearest(const struct backing *backing, uint64_t addr)
{
    uint32_t hint = 0;
    const struct backing_block *block = backing_find(backing, addr, &hint);

    return block != NULL ? block : nearest_shown(backing, addr);
}

void backing_explain(const struct backing *backing, uint64_t addr, uint64_t bytes,
                     struct text *text)
{
    const struct backing_block *block = backing_nearest(backing, addr);
    uint64_t end;

    text_add(text, "%llu bytes at 0x%llx", (unsigned long long)bytes, (unsigned long long)addr);
    if (block != NULL && block->is_hidden) {
        text_add(text, ", in memory that belongs to no buffer (%s)", block->name);
        block = nearest_shown(backing, addr);
    }
    if (block == NULL) {
        text_add(text, ", and no buffer exists");
        return;
    }
    end = block->addr + block->bytes;
    if (addr < block->addr)
        text_add(text, ", %llu bytes before %s", (unsigned long long)(block->addr - addr),
                 block->name);
    else if (addr == end)
        text_add(text, ", right behind the end of %s", block->name);
    else if (addr > end)
        text_add(text, ", %llu bytes past the end of %s", (unsigned long long)(addr - end),
                 block->name);
    else
        text_add(text, ", at offset %llu of %s", (unsigned long long)(addr - block->addr),
                 block->name);
    text_add(text, " (%llu bytes)", (unsigned long long)block->bytes);
}

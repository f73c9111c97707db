/* SPDX-License-Identifier: MIT */
#include "blocks.h"

#include "preload.h"

#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#define ADDRESS_BITS 47
#define TABLE_BITS 30 /* of addresses that one table covers */
#define TABLES ((size_t)1 << (ADDRESS_BITS - TABLE_BITS))
#define TABLE_BYTES ((uintptr_t)1 << TABLE_BITS)
#define GRANULE_BYTES 16
#define PAGE_BYTES 4096 /* whatever the machine's are */
#define PAGE_GRANULES (PAGE_BYTES / GRANULE_BYTES)
#define TABLE_GRANULES (TABLE_BYTES / GRANULE_BYTES)
#define TABLE_PAGES (TABLE_BYTES / PAGE_BYTES)

/* Mapped, zeros at first; what is not touched takes no memory. */
struct table {
    _Atomic uint64_t starts[TABLE_GRANULES / 64];
    _Atomic uint64_t pages[TABLE_PAGES / 64]; /* some block has begun there */
    _Atomic size_t nbytes[TABLE_PAGES];       /* of the block that begins with the page; 0: ask */
};

/* TABLES pointers. Mapped, too: a collector looks for pointers in variables. */
static _Atomic(void *) tables;

/* What *place points to; made of zeros if it is to be and there is none. NULL: none, or no
 * memory. */
static void *place_mapped(_Atomic(void *) *place, size_t nbytes, bool is_made)
{
    void *known = atomic_load_explicit(place, memory_order_acquire), *made;
    int saved_errno = errno;
    if (known || !is_made)
        return known;
    made = mmap(NULL, nbytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                -1, 0);
    errno = saved_errno;
    if (made == MAP_FAILED)
        return NULL; /* its blocks are unknown then */
    if (atomic_compare_exchange_strong(place, &known, made))
        return made;
    munmap(made, nbytes);
    return known;
}

static struct table *table_at(uintptr_t address, bool is_made)
{
    _Atomic(void *) *list = place_mapped(&tables, TABLES * sizeof(*list), is_made);
    return list ? place_mapped(&list[address >> TABLE_BITS & (TABLES - 1)], sizeof(struct table),
                               is_made)
                : NULL;
}

void blocks_add(void *base, size_t nbytes)
{
    uintptr_t address = (uintptr_t)base, at = address & (TABLE_BYTES - 1);
    struct table *table = base ? table_at(address, true) : NULL;
    if (!table)
        return;
    size_t page = at / PAGE_BYTES, granule = at / GRANULE_BYTES;
    if (at % PAGE_BYTES == 0)
        atomic_store_explicit(&table->nbytes[page], nbytes, memory_order_relaxed);
    if (!(atomic_load_explicit(&table->pages[page / 64], memory_order_relaxed) >> page % 64 & 1))
        atomic_fetch_or(&table->pages[page / 64], UINT64_C(1) << page % 64);
    atomic_fetch_or_explicit(&table->starts[granule / 64], UINT64_C(1) << granule % 64,
                             memory_order_release);
}

void blocks_remove(void *base)
{
    uintptr_t at = (uintptr_t)base & (TABLE_BYTES - 1);
    struct table *table = base ? table_at((uintptr_t)base, false) : NULL;
    size_t granule = at / GRANULE_BYTES;
    if (table)
        atomic_fetch_and_explicit(&table->starts[granule / 64], ~(UINT64_C(1) << granule % 64),
                                  memory_order_relaxed);
}

/* The last bit that is set in [from, to]. */
static bool last_bit(const _Atomic uint64_t *words, size_t from, size_t to, size_t *found)
{
    for (size_t word = to / 64 + 1; word-- > from / 64;) {
        uint64_t bits = atomic_load_explicit(&words[word], memory_order_acquire);
        if (word == to / 64)
            bits &= UINT64_MAX >> (63 - to % 64);
        if (word == from / 64)
            bits &= UINT64_MAX << from % 64;
        if (bits) {
            *found = word * 64 + 63 - (size_t)__builtin_clzll(bits);
            return true;
        }
    }
    return false;
}

/* The last block of the table that begins at this granule or before. */
static bool last_start(const struct table *table, size_t granule, size_t *found)
{
    size_t page = granule / PAGE_GRANULES;
    if (last_bit(table->starts, page * PAGE_GRANULES, granule, found))
        return true;
    while (page > 0 && last_bit(table->pages, 0, page - 1, &page))
        if (last_bit(table->starts, page * PAGE_GRANULES, page * PAGE_GRANULES + PAGE_GRANULES - 1,
                     found))
            return true;
    return false;
}

/* malloc keeps a block's length right before it. If the pointer is in no block, the block that
 * was found may be freed, and unmapped, at any time. */
static bool is_readable(const void *base)
{
    char seen[GRANULE_BYTES];
    struct iovec to = {seen, sizeof(seen)}, from = {(char *)base - GRANULE_BYTES, sizeof(seen)};
    return process_vm_readv(getpid(), &to, 1, &from, 1, 0) >= 0 || errno != EFAULT;
}

bool blocks_find(const void *pointer, void **base, size_t *nbytes)
{
    uintptr_t address = (uintptr_t)pointer;
    size_t granule = (address & (TABLE_BYTES - 1)) / GRANULE_BYTES, found;
    if (address >> ADDRESS_BITS)
        return false;
    for (size_t index = address >> TABLE_BITS;; index--) {
        struct table *table = table_at(index << TABLE_BITS, false);
        if (table && last_start(table, granule, &found)) {
            uintptr_t start = ((uintptr_t)index << TABLE_BITS) + found * GRANULE_BYTES;
            size_t known = start % PAGE_BYTES ? 0 : table->nbytes[found / PAGE_GRANULES];
            *base = (void *)start;
            if (!known && is_readable(*base))
                known = malloc_usable_size(*base);
            *nbytes = known;
            return address - start < known;
        }
        if (index == 0)
            return false;
        granule = TABLE_GRANULES - 1;
    }
}

/* ---- Other functions that allocate; malloc, calloc and realloc are in allocate.c ---- */

PRELOAD_API void *aligned_alloc(size_t alignment, size_t nbytes)
{
    __typeof__(aligned_alloc) *next = NEXT(aligned_alloc);
    void *block = next ? next(alignment, nbytes) : NULL;
    blocks_add(block, nbytes);
    return block;
}

PRELOAD_API int posix_memalign(void **block, size_t alignment, size_t nbytes)
{
    __typeof__(posix_memalign) *next = NEXT(posix_memalign);
    int error = next ? next(block, alignment, nbytes) : ENOMEM;
    if (!error)
        blocks_add(*block, nbytes);
    return error;
}

PRELOAD_API void *memalign(size_t alignment, size_t nbytes)
{
    __typeof__(memalign) *next = NEXT(memalign);
    void *block = next ? next(alignment, nbytes) : NULL;
    blocks_add(block, nbytes);
    return block;
}

PRELOAD_API void *valloc(size_t nbytes)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), nbytes);
}

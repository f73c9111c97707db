/* SPDX-License-Identifier: MIT */
/* A 64 MB malloc'ed array, its buffer on the fake device, and stamps by which each page shows whose
 * data it holds. */
#include "large_array.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The stamp is the first word of each page's worth of the array, counted from its start; writes go
 * to the word after it. */
static volatile uint32_t *stamp(const struct large_array *array, size_t page)
{
    return (volatile uint32_t *)(void *)(array->host + page * array->page_bytes);
}

static uint32_t expected_stamp(const struct large_array *array, size_t page)
{
    return array->generation * 1000003u + (uint32_t)page;
}

static void stamp_all(const struct large_array *array, unsigned char *data)
{
    for (size_t page = 0; page < array->pages; page++) {
        uint32_t value = expected_stamp(array, page);
        memcpy(data + page * array->page_bytes, &value, sizeof(value));
    }
}

static void stamp_kernel(void *argument)
{
    struct large_array *array = argument;
    stamp_all(array, fake_data(array->buffer));
}

static void link_array(struct large_array *array)
{
    gpuvm_must(gpuvm_link(array->host, LARGE_BYTES, 0, array->buffer, GPUVM_ON_HOST), "gpuvm_link");
}

void large_open(struct large_array *array, struct bench *bench)
{
    *array = (struct large_array){.bench = bench, .random = 1};
    array->page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    array->pages = LARGE_BYTES / array->page_bytes;
    array->host = allocate_or_fail(LARGE_BYTES);
    memset(array->host, 0, LARGE_BYTES);
    stamp_all(array, array->host);
    array->buffer = fake_allocate(bench->fake, LARGE_BYTES);
    if (!array->buffer) {
        fail("the fake device has no memory");
    }
    link_array(array);
}

void large_close(struct large_array *array)
{
    gpuvm_must(gpuvm_unlink(array->host, 0), "gpuvm_unlink");
    fake_release(array->bench->fake, array->buffer);
    free(array->host);
}

void large_relink(struct large_array *array)
{
    gpuvm_must(gpuvm_unlink(array->host, 0), "gpuvm_unlink");
    link_array(array);
}

void large_give_to_device(struct large_array *array)
{
    gpuvm_must(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_WRITE), "gpuvm_kernel_begin");
    array->generation++;
    fake_launch(array->bench->fake, stamp_kernel, array, array->kernel_us);
    if (array->kernel_us == 0) {
        fake_finish(array->bench->fake);
    }
    gpuvm_must(gpuvm_kernel_end(array->host, 0), "gpuvm_kernel_end");
}

void large_share(struct large_array *array)
{
    gpuvm_must(gpuvm_kernel_begin(array->host, 0, GPUVM_READ_ONLY), "gpuvm_kernel_begin");
    gpuvm_must(gpuvm_kernel_end(array->host, 0), "gpuvm_kernel_end");
}

double large_read(struct large_array *array, size_t page)
{
    double start = now_seconds();
    uint32_t value = *stamp(array, page);
    double seconds = now_seconds() - start;
    if (value != expected_stamp(array, page)) {
        fail("page %zu: stamp %u, not %u", page, value, expected_stamp(array, page));
    }
    return 1e6 * seconds;
}

double large_write(struct large_array *array, size_t page)
{
    double start = now_seconds();
    stamp(array, page)[1] = array->generation;
    return 1e6 * (now_seconds() - start);
}

/* The stamp's page in memory is whole unless it holds the array's first bytes. */
size_t large_first_page(const struct large_array *array)
{
    return (uintptr_t)array->host % array->page_bytes ? 1 : 0;
}

size_t large_last_page(const struct large_array *array)
{
    return array->pages - large_first_page(array);
}

static uintptr_t first_block(const struct large_array *array)
{
    uintptr_t start = (uintptr_t)array->host;
    return (start + LARGE_BLOCK_BYTES - 1) / LARGE_BLOCK_BYTES * LARGE_BLOCK_BYTES;
}

size_t large_blocks(const struct large_array *array)
{
    uintptr_t end = (uintptr_t)array->host + LARGE_BYTES;
    return (end - first_block(array)) / LARGE_BLOCK_BYTES;
}

/* The first page whose stamp lies in the block. */
size_t large_block_page(const struct large_array *array, size_t block)
{
    uintptr_t offset = first_block(array) + block * LARGE_BLOCK_BYTES - (uintptr_t)array->host;
    return (offset + array->page_bytes - 1) / array->page_bytes;
}

static size_t random_below(struct large_array *array, size_t limit)
{
    array->random = array->random * 1664525u + 1013904223u;
    return (size_t)((uint64_t)array->random * limit >> 32);
}

void large_shuffle(struct large_array *array, size_t *numbers, size_t count, size_t limit)
{
    size_t *all = allocate_or_fail(limit * sizeof(size_t));
    for (size_t i = 0; i < limit; i++) {
        all[i] = i;
    }
    for (size_t i = 0; i < count; i++) {
        size_t other = i + random_below(array, limit - i);
        numbers[i] = all[other];
        all[other] = all[i];
    }
    free(all);
}

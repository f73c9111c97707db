/* SPDX-License-Identifier: MIT */
/* The model: which bytes the host must see, and what to say when it sees others. */
#include "worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned char *array_host(const struct array *array)
{
    return array->block->host + array->offset;
}

unsigned char *array_model(const struct array *array)
{
    return array->block->model + array->offset;
}

bool array_in_use(const struct array *array)
{
    for (unsigned i = 0; i < fuzz.devices; i++) {
        if (array->links[i].depth > 0)
            return true;
    }
    return false;
}

bool is_any(const struct array *array)
{
    (void)array;
    return true;
}

bool is_idle(const struct array *array)
{
    return !array_in_use(array);
}

bool is_used(const struct array *array)
{
    return array_in_use(array);
}

struct array *pick_array(struct worker *worker, bool (*fits)(const struct array *array))
{
    unsigned start = (unsigned)dice_below(&worker->dice, ARRAYS);
    for (unsigned i = 0; i < ARRAYS; i++) {
        struct array *array = &worker->arrays[(start + i) % ARRAYS];
        if (array->is_alive && fits(array))
            return array;
    }
    return NULL;
}

void pick_range(struct dice *dice, size_t n, size_t *at, size_t *bytes)
{
    *at = 0;
    *bytes = n;
    switch (dice_below(dice, 6)) {
    case 0: /* all */
        break;
    case 1: /* one byte */
        *at = dice_below(dice, n);
        *bytes = 1;
        break;
    case 2: /* the end */
        *bytes = dice_between(dice, 1, n < 5000 ? n : 5000);
        *at = n - *bytes;
        break;
    default: /* some pages, anywhere */
        *at = dice_below(dice, n);
        *bytes = dice_between(dice, 1, n - *at);
        if (*bytes > 4096 && !dice_one_in(dice, 8))
            *bytes = dice_between(dice, 1, 4096);
    }
}

const struct array *next_array(const struct worker *worker, const struct block *block, size_t from,
                               bool (*fits)(const struct array *array))
{
    const struct array *first = NULL;
    for (unsigned i = 0; i < ARRAYS; i++) {
        const struct array *array = &worker->arrays[i];
        if (!array->is_alive || array->block != block || array->offset + array->bytes <= from)
            continue;
        if (fits(array) && (first == NULL || array->offset < first->offset))
            first = array;
    }
    return first;
}

bool host_may_touch(const struct worker *worker, const struct block *block, size_t at, size_t bytes)
{
    const struct array *used = next_array(worker, block, at, is_used);
    return used == NULL || used->offset >= at + bytes;
}

/* ---- History ---- */

void note(struct worker *worker, struct array *array, const char *format, ...)
{
    struct history *history = &array->history;
    unsigned slot = history->count++ % HISTORY;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(history->entries[slot].text, sizeof history->entries[slot].text, format, arguments);
    va_end(arguments);
    history->entries[slot].operation = atomic_load(&worker->operations);
}

void note_all(struct worker *worker, const char *text)
{
    for (unsigned i = 0; i < ARRAYS; i++) {
        if (worker->arrays[i].is_alive)
            note(worker, &worker->arrays[i], "%s", text);
    }
}

/* ---- Failure ---- */

static pthread_mutex_t printing = PTHREAD_MUTEX_INITIALIZER;

static void print_history(const struct history *history)
{
    unsigned first = history->count > HISTORY ? history->count - HISTORY : 0;
    printf("its last operations:\n");
    for (unsigned i = first; i < history->count; i++)
        printf("  %llu %s\n", history->entries[i % HISTORY].operation,
               history->entries[i % HISTORY].text);
}

static void print_array(const struct array *array)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    printf("array at %p, %zu bytes, %zu bytes into a page; in a block of %zu bytes, place %d\n",
           (void *)array_host(array), array->bytes, (size_t)array_host(array) % page,
           array->block->bytes, (int)array->block->place);
    for (unsigned i = 0; i < fuzz.devices; i++) {
        const struct link *link = &array->links[i];
        if (link->is_linked)
            printf("  device %u: %s buffer, begun %u times, flags 0x%x\n", i,
                   link->is_lazy ? "the library's" : "our", link->depth, (unsigned)link->flags);
    }
    print_history(&array->history);
}

static void print_run(const struct worker *worker)
{
    const struct options *options = &fuzz.options;
    printf("FAILED: seed %llu, thread %u of %u, operation %llu (%s)\n",
           (unsigned long long)options->seed, worker->index, options->threads,
           atomic_load(&worker->operations), worker->doing);
    printf("rung %s, %u %s devices%s%s, gpuvm_init flags 0x%x\n", fuzz.rung, fuzz.devices,
           options->is_opencl ? "OpenCL" : "fake", options->has_reach ? ", reach" : "",
           options->has_no_huge_pages ? ", no huge pages" : "", (unsigned)fuzz.init_flags);
}

void fail(struct worker *worker, const struct array *array, const char *format, ...)
{
    pthread_mutex_lock(&printing); /* never given back: the first failure is the one to see */
    print_run(worker);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    if (array != NULL && array->is_alive)
        print_array(array);
    printf("%llu passed, 1 failed\n", atomic_load(&worker->operations));
    fflush(stdout);
    _exit(1);
}

void expect(struct worker *worker, const struct array *array, const char *call, int got, int wanted)
{
    if (got != wanted)
        fail(worker, array, "%s: expected %d (%s), got %d (%s)", call, wanted,
             gpuvm_strerror(wanted), got, gpuvm_strerror(got));
}

static const struct array *array_at(const struct worker *worker, const struct block *block,
                                    size_t at)
{
    const struct array *array = next_array(worker, block, at, is_any);
    return array != NULL && array->offset <= at ? array : NULL;
}

/* How many of the bytes differ: one page, one byte or everything tells much. */
static size_t count_wrong(const unsigned char *seen, const unsigned char *model, size_t bytes,
                          size_t *first, size_t *last)
{
    size_t wrong = 0;
    for (size_t i = 0; i < bytes; i++) {
        if (seen[i] == model[i])
            continue;
        if (wrong++ == 0)
            *first = i;
        *last = i;
    }
    return wrong;
}

/* seen: what stood in the block's bytes from `at` on. */
static _Noreturn void fail_bytes(struct worker *worker, const struct block *block, size_t at,
                                 size_t bytes, const unsigned char *seen, const char *how)
{
    size_t first = 0, last = 0;
    const unsigned char *model = block->model + at;
    size_t wrong = count_wrong(seen, model, bytes, &first, &last);
    if (wrong == 0)
        fail(worker, array_at(worker, block, at), "%s: a difference that was gone at once", how);
    const struct array *array = array_at(worker, block, at + first);
    size_t start = array != NULL ? array->offset : 0;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    fail(
        worker, array,
        "%s: of %zu bytes from offset %zu of the block, %zu differ\n"
        "first: offset %zu of %s, %zu into its page, expected 0x%02x, got 0x%02x; last: offset %zu",
        how, bytes, at, wrong, at + first - start,
        array != NULL ? "the array" : "the block, beside all arrays",
        (size_t)(block->host + at + first) % page, model[first], seen[first], at + last - start);
}

void compare(struct worker *worker, const struct block *block, size_t at, size_t bytes,
             const char *how)
{
    if (memcmp(block->host + at, block->model + at, bytes) != 0)
        fail_bytes(worker, block, at, bytes, block->host + at, how);
    atomic_fetch_add(&worker->bytes_compared, bytes);
}

void compare_copy(struct worker *worker, const struct block *block, size_t at, size_t bytes,
                  const unsigned char *copied, const char *how)
{
    if (memcmp(copied, block->model + at, bytes) != 0)
        fail_bytes(worker, block, at, bytes, copied, how);
    atomic_fetch_add(&worker->bytes_compared, bytes);
}

/* ---- Everything ---- */

/* The next bytes of the block that the host may touch, from *at on; 0: no more. */
static size_t next_free_part(const struct worker *worker, const struct block *block, size_t *at)
{
    for (;;) {
        const struct array *used = next_array(worker, block, *at, is_used);
        size_t end = used != NULL ? used->offset : block->bytes;
        if (end > *at)
            return end - *at;
        if (used == NULL)
            return 0;
        *at = used->offset + used->bytes;
    }
}

void compare_all(struct worker *worker)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        const struct block *block = &worker->blocks[i];
        size_t at = 0, part;
        while (block->host != NULL && (part = next_free_part(worker, block, &at)) > 0) {
            compare(worker, block, at, part, "everything");
            at += part;
        }
    }
}

bool find_difference(const struct worker *worker, unsigned *index, size_t *at)
{
    for (unsigned i = 0; i < BLOCKS; i++) {
        const struct block *block = &worker->blocks[i];
        size_t from = 0, part;
        while (block->host != NULL && (part = next_free_part(worker, block, &from)) > 0) {
            if (memcmp(block->host + from, block->model + from, part) != 0) {
                while (block->host[from] == block->model[from])
                    from++;
                *index = i;
                *at = from;
                return true;
            }
            from += part;
        }
    }
    return false;
}

/* SPDX-License-Identifier: MIT */
#include "array.h"

#include "fetch.h"
#include "log.h"
#include "padding.h"
#include "thread.h"
#include "trace.h"
#include "transfer.h"

#include <errno.h>
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Splits the array into edges and whole pages. */
static void lay_out(struct array *array, bool is_small_allowed)
{
    size_t page_bytes = array->context->page_bytes;
    uintptr_t start = (uintptr_t)array->host, end = start + array->bytes;
    uintptr_t first = (start + page_bytes - 1) & ~(page_bytes - 1), last = end & ~(page_bytes - 1);
    array->padding_bytes =
        rung_can_watch(&array->context->rung) ? padding_after(end, page_bytes) : 0;
    if (array->padding_bytes)
        last = end + array->padding_bytes;
    bool has_edge = first != start || last < end;
    array->is_eager = first >= last || !rung_can_watch(&array->context->rung) ||
                      (has_edge && array->bytes < EAGER_BYTES && !is_small_allowed);
    if (array->is_eager)
        first = last = end;
    array->head_bytes = first - start;
    array->tail_bytes = last < end ? end - last : 0;
    array->padding_bytes = last > end ? last - end : 0;
    array->node.end = last > end ? last : end;
    array->interior = (char *)first;
    array->pages = (last - first) / page_bytes;
}

static int make_page_state(struct array *array)
{
    size_t page_bytes = array->context->page_bytes, words = BITS_WORDS(array->pages);
    size_t block_bytes = array->bytes < SMALL_ARRAY_BYTES ? SMALL_BLOCK_BYTES : BLOCK_BYTES;
    array->block_pages = block_bytes > page_bytes ? block_bytes / page_bytes : 1;
    array->block_skew = (uintptr_t)array->interior / page_bytes % array->block_pages;
    array->block_count = array_block(array, array->pages - 1) + 1;
    array->blocks = calloc(array->block_count, sizeof(*array->blocks));
    array->present = calloc(11 * words, sizeof(uint64_t));
    if (!array->blocks || !array->present)
        return GPUVM_ESALLOC;
    array->tracked = array->present + words;
    array->staged = array->tracked + words;
    array->reads.hot = array->staged + words;
    array->reads.recent = array->reads.hot + words;
    array->reads.used = array->reads.recent + words;
    array->writes.hot = array->reads.used + words;
    array->writes.recent = array->writes.hot + words;
    array->writes.used = array->writes.recent + words;
    array->reads.former = array->writes.used + words;
    array->writes.former = array->reads.former + words;
    array->present_pages = bits_set(array->present, 0, array->pages);
    return 0;
}

struct array *array_create(struct context *context, void *host, size_t bytes, bool is_small_allowed)
{
    struct array *array = aligned_alloc(64, (sizeof(*array) + 63) & ~(size_t)63);
    if (!array)
        return NULL;
    *array = (struct array){0};
    array->context = context;
    array->host = host;
    array->bytes = bytes;
    array->node.start = (uintptr_t)host;
    atomic_init(&array->references, 1);
    pthread_mutex_init(&array->lock, NULL);
    lay_out(array, is_small_allowed);
    if (array->pages && make_page_state(array)) {
        array_destroy(array);
        return NULL;
    }
    return array;
}

void array_destroy(struct array *array)
{
    array_detach(array);
    for (unsigned i = 0; i < array->link_count; i++)
        free(array->links[i].valid);
    if (array->links != &array->first_link)
        free(array->links);
    free(array->present);
    free(array->blocks);
    free(array->shadow);
    free(array->host_before);
    pthread_mutex_destroy(&array->lock);
    free(array);
}

/* ---- Finding and locking ---- */

static struct array *node_take(struct index_node *node)
{
    if (!node)
        return NULL;
    struct array *array = (struct array *)node; /* the node is its first member */
    atomic_fetch_add(&array->references, 1);
    return array;
}

struct array *array_find(struct context *context, const void *address)
{
    pthread_rwlock_rdlock(&context->index_lock);
    struct array *array = node_take(index_find(&context->index, (uintptr_t)address));
    pthread_rwlock_unlock(&context->index_lock);
    return array;
}

struct array *array_find_next(struct context *context, uintptr_t address)
{
    pthread_rwlock_rdlock(&context->index_lock);
    struct array *array = node_take(index_at_or_after(&context->index, address));
    pthread_rwlock_unlock(&context->index_lock);
    return array;
}

void array_forget(struct array *array)
{
    if (atomic_fetch_sub(&array->references, 1) == 1)
        array_destroy(array);
}

static void array_own(struct array *array, int thread)
{
    atomic_store_explicit(&array->owner, thread, memory_order_relaxed);
}

void array_lock(struct array *array)
{
    pthread_mutex_lock(&array->lock);
    array_own(array, thread_id());
}

bool array_try_lock(struct array *array)
{
    bool is_locked = !pthread_mutex_trylock(&array->lock);
    if (is_locked)
        array_own(array, thread_id());
    return is_locked;
}

bool array_is_owner(const struct array *array, int thread)
{
    return atomic_load_explicit(&array->owner, memory_order_relaxed) == thread;
}

static void unlock_only(struct array *array)
{
    array_own(array, 0);
    pthread_mutex_unlock(&array->lock);
    if (atomic_load(&array->has_waiters) && atomic_exchange(&array->has_waiters, false))
        array->context->rung.ops->resume(&array->context->rung, array);
}

bool array_note_unmapped(struct array *array, uintptr_t start, uintptr_t end)
{
    uintptr_t before = atomic_load(&array->unmapped_start);
    while ((!before || start < before) &&
           !atomic_compare_exchange_weak(&array->unmapped_start, &before, start))
        ;
    before = atomic_load(&array->unmapped_end);
    while (end > before && !atomic_compare_exchange_weak(&array->unmapped_end, &before, end))
        ;
    return !atomic_exchange(&array->is_unmapped, true);
}

/* Pages outside of what was unmapped are still the program's. */
static void keep_rest(struct array *array)
{
    size_t page_bytes = array->context->page_bytes;
    uintptr_t first = (uintptr_t)array->interior, last = first + array->pages * page_bytes;
    uintptr_t start = atomic_load(&array->unmapped_start), end = atomic_load(&array->unmapped_end);
    if (start > first && start < last)
        fetch_range(array, 0, (start - first) / page_bytes, true, true);
    if (end > first && end < last)
        fetch_range(array, (end - first) / page_bytes, array->pages, true, true);
}

/* Not waiting for the lock, which would be out of order where others are held: who has it comes
 * here too. */
static void remove_unmapped(struct array *array)
{
    if (!array_try_lock(array))
        return;
    if (!atomic_load(&array->is_gone))
        keep_rest(array);
    if (array_remove(array))
        atomic_fetch_add(&array->context->totals.unmapped_arrays, 1); /* now it is so */
    unlock_only(array);
}

void array_unlock(struct array *array)
{
    unlock_only(array);
    if (atomic_load(&array->is_unmapped) && !atomic_load(&array->is_gone))
        remove_unmapped(array);
}

bool array_is_gone(const struct array *array)
{
    return atomic_load(&array->is_gone) || atomic_load(&array->is_unmapped);
}

bool array_remove(struct array *array)
{
    struct context *context = array->context;
    array_detach(array);
    pthread_rwlock_wrlock(&context->index_lock);
    bool was_there = !atomic_exchange(&array->is_gone, true);
    if (was_there)
        index_remove(&context->index, &array->node);
    pthread_rwlock_unlock(&context->index_lock);
    if (!was_there)
        return false;
    atomic_fetch_sub(&context->totals.arrays, 1);
    if (array->is_refused)
        atomic_fetch_sub(&context->totals.refused_arrays, 1);
    atomic_fetch_sub(&array->references, 1); /* never the last: the caller has one */
    return true;
}

void array_release(struct array *array)
{
    array_unlock(array);
    array_forget(array);
}

/* ---- Links ---- */

struct link *array_link(struct array *array, const struct device *device)
{
    for (unsigned i = 0; i < array->link_count; i++)
        if (array->links[i].device == device)
            return &array->links[i];
    return NULL;
}

/* Room for one more; the first needs no allocation. */
static struct link *grow_links(struct array *array)
{
    if (!array->link_count)
        return array->links = &array->first_link;
    bool was_first = array->links == &array->first_link;
    struct link *links =
        realloc(was_first ? NULL : array->links, (array->link_count + 1) * sizeof(*links));
    if (!links)
        return NULL;
    if (was_first)
        links[0] = array->first_link;
    return array->links = links;
}

int array_add_link(struct array *array, struct device *device, void *buffer, bool is_valid)
{
    struct link *links = grow_links(array);
    if (!links)
        return GPUVM_ESALLOC;
    struct link *link = &links[array->link_count];
    *link = (struct link){.device = device, .buffer = buffer, .are_edges_valid = is_valid};
    if (array->pages) {
        link->valid = calloc(BITS_WORDS(array->pages), sizeof(uint64_t));
        if (!link->valid)
            return GPUVM_ESALLOC;
        if (is_valid)
            link->valid_pages = bits_set(link->valid, 0, array->pages);
    }
    array->link_count++;
    return 0;
}

void array_remove_link(struct array *array, struct link *link)
{
    free(link->valid);
    *link = array->links[--array->link_count];
    if (!array->link_count && array->links != &array->first_link) {
        free(array->links);
        array->links = NULL;
    }
}

bool array_is_begun(const struct array *array)
{
    for (unsigned i = 0; i < array->link_count; i++)
        if (array->links[i].begun)
            return true;
    return false;
}

bool array_is_written(const struct array *array)
{
    for (unsigned i = 0; i < array->link_count; i++)
        if (array->links[i].begun && array->links[i].writes)
            return true;
    return false;
}

/* ---- Marks ---- */

void mark_tracked(struct array *array, size_t from, size_t to, bool is_tracked)
{
    if (is_tracked)
        array->tracked_pages += bits_set(array->tracked, from, to);
    else if (array->tracked_pages)
        array->tracked_pages -= bits_clear(array->tracked, from, to);
}

void mark_present(struct array *array, size_t from, size_t to, bool is_tracked)
{
    array->present_pages += bits_set(array->present, from, to);
    mark_tracked(array, from, to, is_tracked);
}

void mark_absent(struct array *array, size_t from, size_t to)
{
    array->present_pages -= bits_clear(array->present, from, to);
    mark_tracked(array, from, to, false);
}

void mark_valid(struct array *array, struct link *link, size_t from, size_t to, bool is_valid)
{
    if (!link->valid)
        return;
    if (is_valid)
        link->valid_pages += bits_set(link->valid, from, to);
    else if (link->valid_pages)
        link->valid_pages -= bits_clear(link->valid, from, to);
}

void mark_host_only(struct array *array, size_t from, size_t to)
{
    for (unsigned i = 0; i < array->link_count; i++)
        mark_valid(array, &array->links[i], from, to, false);
    mark_tracked(array, from, to, false);
}

/* ---- Watching ---- */

/* A watched array splits the mapping it lies in, and has staging slots. The program needs mappings
 * too: we take half of what the kernel allows. */
static bool take_mappings(struct context *context)
{
    unsigned taken = atomic_fetch_add(&context->mappings, MAPPINGS_AN_ARRAY) + MAPPINGS_AN_ARRAY;
    if (taken <= context->most_mappings)
        return true;
    atomic_fetch_sub(&context->mappings, MAPPINGS_AN_ARRAY);
    return false;
}

/* Adds 0 to a word as the kernel does it, so that no other thread's write to it is lost. */
static bool may_write(uint32_t *word)
{
    uint32_t own = 0;
    return syscall(SYS_futex, &own, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, NULL, word,
                   FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0)) >= 0 ||
           errno != EFAULT;
}

bool array_is_writable(struct array *array)
{
    uintptr_t start = (uintptr_t)(array->pages ? array->interior : array->host);
    uint32_t *word = (uint32_t *)((start + 3) & ~(uintptr_t)3);
    if (!array->is_writable && !array->is_attached)
        array->is_writable = (uintptr_t)(word + 1) > array->node.end || may_write(word);
    return array->is_writable;
}

int array_attach(struct array *array)
{
    struct context *context = array->context;
    if (array->is_attached)
        return 0;
    array_is_writable(array); /* a rung may open it */
    if (!atomic_load(&context->rung.is_lost) && take_mappings(context)) {
        if (!context->rung.ops->attach(&context->rung, array)) {
            array->is_attached = true;
            return 0;
        }
        atomic_fetch_sub(&context->mappings, MAPPINGS_AN_ARRAY);
    }
    log_line(1, "array %p of %zu bytes cannot be watched; it is copied eagerly",
             (void *)array->host, array->bytes);
    int error = array_refuse(array);
    return error ? error : GPUVM_EPROT;
}

/* All of the interior becomes head edge; its page state goes. */
static void become_edge(struct array *array)
{
    for (unsigned i = 0; i < array->link_count; i++) {
        struct link *link = &array->links[i];
        free(link->valid);
        link->valid = NULL;
        link->valid_pages = 0;
        link->are_edges_valid = false;
    }
    free(array->present);
    free(array->blocks);
    free(array->shadow);
    array->present = array->tracked = array->staged = NULL;
    array->reads = array->writes = (struct predictor){0};
    array->blocks = NULL;
    array->shadow = NULL;
    array->pages = array->present_pages = array->tracked_pages = array->block_count = 0;
    array->head_bytes = array->bytes;
    array->tail_bytes = 0;
    array->interior = array->host + array->bytes;
    array->padding_bytes = 0;
    array->is_eager = array->is_refused = true;
}

void array_detach(struct array *array)
{
    struct rung *rung = &array->context->rung;
    if (!array->is_attached)
        return;
    rung->ops->detach(rung, array);
    array->is_attached = false;
    atomic_fetch_sub(&array->context->mappings, MAPPINGS_AN_ARRAY);
}

static void array_refuse_whole(struct array *array)
{
    array_detach(array);
    atomic_store(&array->has_waiters, true); /* threads that wait try again when the lock is free */
    become_edge(array);
    atomic_fetch_add(&array->context->totals.refused_arrays, 1);
    trace_event(array->context, TRACE_REFUSED, array, 0, array->bytes, 0, 0);
}

int array_refuse(struct array *array)
{
    int error = fetch_all(array);
    if (!error)
        array_refuse_whole(array);
    return error;
}

int array_refuse_from(struct array *array, struct link *link)
{
    array_detach(array);
    int error = transfer_read(array, link, array->head_bytes,
                              array->pages * array->context->page_bytes, array->interior, false);
    array_refuse_whole(array); /* after an error too: the next end copies the whole edge */
    return error;
}

/* Where nothing is opened any more, contents are put where they belong: the memory is ordinary. */
void array_abandon(struct array *array)
{
    if (!array->is_attached)
        return;
    bool is_whole = !fetch_stubbornly(array);
    array_detach(array);
    struct runs absent = {.without = {array->present}, .end = array->pages};
    size_t from, to, page_bytes = array->context->page_bytes;
    while (!is_whole && runs_next(&absent, &from, &to))
        for (size_t end = to; from < to; from = end, end = to) {
            struct link *link = fetch_source(array, from, to, &end);
            if (link)
                transfer_read(array, link, array_offset(array, from), (end - from) * page_bytes,
                              array_page(array, from), false);
            else
                end = from + 1;
        }
    array_refuse_whole(array);
}

void array_copying(struct array *array, bool is_copying)
{
    if (!array->is_attached)
        return;
    pthread_mutex_lock(&array->context->copying_lock);
    array->is_copying = is_copying;
    if (!is_copying && array->has_filled_hole) {
        struct rung *rung = &array->context->rung;
        struct runs tracked = {.with = {array->tracked}, .end = array->pages};
        size_t from, to;
        while (runs_next(&tracked, &from, &to)) {
            rung->ops->unprotect(rung, array, from, to);
            mark_host_only(array, from, to); /* devices lack its zeros */
        }
        array->has_filled_hole = false;
    }
    pthread_mutex_unlock(&array->context->copying_lock);
}
